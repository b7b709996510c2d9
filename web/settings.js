// The settings: the fields of their dialog, and two boxes beside the chances. A field has the key
// of its setting as `data-setting`.

import { byId, options } from "./dom.js";
import * as play from "./play.js";
import * as store from "./store.js";
import { LANGUAGES } from "./text.js";

byId("set-language").append(
  ...options(
    LANGUAGES.map((own) => [own, new Intl.DisplayNames(own, { type: "language" }).of(own)]),
  ),
);
// The placeholder is not in index.html, because the texts there come from en.json
// (tests/browser/text.test.js).
byId("set-address").placeholder = "https://";

for (const field of document.querySelectorAll("[data-setting]")) {
  const key = field.dataset.setting,
    property = field.type === "checkbox" ? "checked" : "value";
  field[property] = store.settings[key];
  field.addEventListener("change", () => {
    if (!field.reportValidity()) return;
    store.set(key, field[property]);
    applyTheme();
    // A page in another language begins anew, with the current game.
    if (key === "language") return location.reload();
    play.changed({ kind: "set" });
    if (["throws", "forced", "pace"].includes(key)) play.go();
  });
}
applyTheme();

function applyTheme() {
  const root = document.documentElement,
    { theme, letters } = store.settings;
  root.dataset.theme = theme;
  root.classList.toggle("ashta-letters", letters);
}
