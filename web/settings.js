// The dialog of the settings.

import { byId, element, options } from "./dom.js";
import * as store from "./store.js";
import { LANGUAGES, text } from "./text.js";

const VALUES = { throws: ["button", "auto", "hand"], pace: ["calm", "quick", "none"], seen: ["own", "S", "E", "N", "W"], theme: ["system", "light", "dark"] };
const CHOICES = Object.entries(VALUES).map(([key, values]) => [key, values.map(value => [value, text(`settings.values.${key}.${value}`)])]);
const LANGUAGE = ["language", [["", text("settings.languageOfBrowser")], ...LANGUAGES.map(own => [own, new Intl.DisplayNames(own, { type: "language" }).of(own)])]];
const SWITCHES = ["forced", "moving", "letters", "sound", "keys"];
// The settings that have a box on the page, and not in the dialog, by the ids of the boxes.
const ON_PAGE = { "show-hints": "hints", "show-chances": "chances" };

// Draws the dialog; calls `changed(key)` after a change.
export function bindSettings(changed) {
  const { settings } = store;
  const set = (key, value) => {
    store.set(key, value);
    applyTheme();
    // A page in another language begins anew, with the current game.
    if (key === "language") location.reload();
    else changed(key);
  };
  const choices = [...CHOICES, LANGUAGE].map(([key, values]) => element("label", { class: "line" }, text(`settings.names.${key}`), " ",
    element("select", { id: `set-${key}`, onchange: ({ target }) => set(key, target.value) }, options(values, settings[key]))));
  const switches = SWITCHES.map(key => element("label", { class: "line switch" },
    element("input", { type: "checkbox", id: `set-${key}`, checked: settings[key], onchange: ({ target }) => set(key, target.checked) }), " ", text(`settings.names.${key}`)));
  const address = element("label", { class: "line" }, text("settings.names.address"), " ",
    element("input", { type: "url", id: "set-address", pattern: "https?://.+", placeholder: "https://", value: settings.address, onchange: ({ target }) => target.reportValidity() && set("address", target.value) }));
  byId("settings-list").replaceChildren(...choices, ...switches, address);
  for (const [id, key] of Object.entries(ON_PAGE)) {
    byId(id).checked = settings[key];
    byId(id).addEventListener("change", ({ target }) => set(key, target.checked));
  }
  applyTheme();
}

function applyTheme() {
  const root = document.documentElement, { theme, letters } = store.settings;
  root.dataset.theme = theme;
  root.classList.toggle("ashta-letters", letters);
}
