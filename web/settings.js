// The dialog of the settings.

import { byId, element, options } from "./dom.js";
import * as store from "./store.js";
import { LANGUAGES, text } from "./text.js";

const CHOICES = [
  ["throws", "Throws", { button: "by a button", auto: "automatic", hand: "typed in, from dice at a table" }],
  ["pace", "Bots move", { calm: "calmly", quick: "quickly", none: "at once" }],
  ["seen", "Board seen from", { own: "the person's seat", S: "South", E: "East", N: "North", W: "West" }],
  ["theme", "Colours", { system: "like the system", light: "light", dark: "dark" }],
];
const LANGUAGE = ["language", text("settings.language"),
  Object.fromEntries([["", text("settings.languageOfBrowser")], ...LANGUAGES.map(language => [language, text(`settings.languages.${language}`)])])];
const SWITCHES = [
  ["forced", "Play automatically if there is only one action"],
  ["moving", "Show pieces moving along their path"],
  ["sound", "Play sounds of throws and pieces"],
  ["keys", "Use the keys that are listed below"],
];
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
  const choices = [...CHOICES, LANGUAGE].map(([key, title, values]) => element("label", { class: "line" }, title, " ",
    element("select", { id: `set-${key}`, onchange: ({ target }) => set(key, target.value) }, options(Object.entries(values), settings[key]))));
  const switches = SWITCHES.map(([key, title]) => element("label", { class: "line switch" },
    element("input", { type: "checkbox", id: `set-${key}`, checked: settings[key], onchange: ({ target }) => set(key, target.checked) }), " ", title));
  byId("settings-list").replaceChildren(...choices, ...switches);
  for (const [id, key] of Object.entries(ON_PAGE)) {
    byId(id).checked = settings[key];
    byId(id).addEventListener("change", ({ target }) => set(key, target.checked));
  }
  applyTheme();
}

function applyTheme() {
  document.documentElement.dataset.theme = store.settings.theme;
}
