// The settings: what can be chosen, and its dialog.

import { byId, element, options } from "./dom.js";
import { keepSettings, settings } from "./store.js";

const CHOICES = [
  ["throws", "Throws", { button: "by a button", auto: "by themselves", hand: "typed in, from dice at a table" }],
  ["pace", "Bots move", { calm: "calmly", quick: "quickly", none: "at once" }],
  ["seen", "Board seen from", { own: "the person's seat", S: "South", E: "East", N: "North", W: "West" }],
  ["theme", "Colours", { system: "as the system has them", light: "light", dark: "dark" }],
];
const SWITCHES = [
  ["forced", "Where there is only one action, it is taken by itself"],
  ["moving", "Pieces walk along their path"],
  ["sound", "Throws and pieces are heard"],
  ["keys", "Keys of the keyboard play, as listed below"],
];
// Those that stand on the page itself, by the ids of their boxes.
const ON_PAGE = { "show-hints": "hints", "show-chances": "chances" };

// Draws the dialog; `changed(key)` when a value has been set.
export function bindSettings(changed) {
  const set = (key, value) => {
    settings[key] = value;
    keepSettings();
    dress();
    changed(key);
  };
  const choices = CHOICES.map(([key, title, values]) => element("label", { class: "line" }, title, " ",
    element("select", { id: `set-${key}`, onchange: ({ target }) => set(key, target.value) }, options(Object.entries(values), settings[key]))));
  const switches = SWITCHES.map(([key, title]) => element("label", { class: "line switch" },
    element("input", { type: "checkbox", id: `set-${key}`, checked: settings[key], onchange: ({ target }) => set(key, target.checked) }), " ", title));
  byId("settings-list").replaceChildren(...choices, ...switches);
  for (const [id, key] of Object.entries(ON_PAGE)) {
    byId(id).checked = settings[key];
    byId(id).addEventListener("change", ({ target }) => set(key, target.checked));
  }
  dress();
}

// Applies the colours that were chosen.
function dress() {
  document.documentElement.dataset.theme = settings.theme;
}
