// Keyboard shortcuts: each clicks a button of the page. They work outside text fields and dialogs.
// The settings can disable them. Also the ring of the focus.

import { byId } from "./dom.js";
import { settings } from "./store.js";

const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, dialog *";
// The ids of the buttons, without and with the shift key.
const BUTTONS = {
  " ": "throw",
  u: "undo",
  r: "redo",
  h: "show-hints",
  s: "hurry",
  arrowleft: "step-back",
  arrowright: "step-on",
};
const SHIFTED = { ...BUTTONS, arrowleft: "turn-back", arrowright: "turn-on" };

// The ring of the focus appears after a key, and not after a click.
for (const type of ["pointerdown", "keydown"])
  addEventListener(
    type,
    () => document.documentElement.classList.toggle("pointed", type === "pointerdown"),
    true,
  );

document.addEventListener("keydown", (event) => {
  const { key, shiftKey, target } = event;
  if (
    !settings.keys ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    target.closest(TYPED) ||
    document.querySelector("dialog[open]")
  )
    return;
  // If a button has the focus, the space key presses the button.
  if (key === " " && target.closest("button, summary, [role=button], label")) return;
  const id = (shiftKey ? SHIFTED : BUTTONS)[key.toLowerCase()];
  const button = /^[1-9]$/.test(key)
    ? document.querySelectorAll("#actions button")[key - 1]
    : id && byId(id);
  if (!button || button.closest("[inert]")) return;
  event.preventDefault();
  // Buttons show the state of the last drawing, and a quick key can come before the next one. The
  // functions of the buttons check by themselves what is possible.
  const { disabled } = button;
  button.disabled = false;
  button.click();
  button.disabled = disabled;
});
