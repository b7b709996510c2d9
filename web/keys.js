// Keyboard shortcuts. They work outside text fields and dialogs. The settings can disable them.

import { settings } from "./store.js";

const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, dialog *";

export function bindKeys(does) {
  document.addEventListener("keydown", event => {
    if (!settings.keys || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPED) || document.querySelector("dialog[open]")) return;
    const act = action(event, does);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function action({ key, shiftKey, target }, does) {
  // If a button has the focus, the space key presses the button.
  if (key === " ") return target.closest("button, summary, [role=button], label") ? null : does.throw;
  if (key === "ArrowLeft") return shiftKey ? does["turn-back"] : does["step-back"];
  if (key === "ArrowRight") return shiftKey ? does["turn-on"] : does["step-on"];
  if (/^[1-9]$/.test(key)) return () => does.choose(Number(key) - 1);
  return { u: does.undo, r: does.redo, h: does.hints, s: does.hurry }[key.toLowerCase()] ?? null;
}
