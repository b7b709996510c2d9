// The settings: what can be chosen, and its dialog.

import { element } from "./svg.js";

const byId = id => document.getElementById(id);

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

// Draws the dialog; `changed(key)` when a value has been set in `settings`.
export function drawSettings(settings, changed) {
  const set = (key, value) => {
    settings[key] = value;
    changed(key);
  };
  const choices = CHOICES.map(([key, title, values]) => element("label", { class: "line" }, title, " ",
    element("select", { id: `set-${key}`, onchange: event => set(key, event.target.value) },
      ...Object.entries(values).map(([value, text]) => element("option", { value, selected: settings[key] === value }, text)))));
  const switches = SWITCHES.map(([key, title]) => element("label", { class: "line switch" },
    element("input", { type: "checkbox", id: `set-${key}`, checked: settings[key], onchange: event => set(key, event.target.checked) }), " ", title));
  byId("settings-list").replaceChildren(...choices, ...switches);
}

// Applies the colours that were chosen.
export function dress({ theme }) {
  document.documentElement.dataset.theme = theme;
}
