// The texts of the page in the language of the user. `en.json` and `de.json` hold a text for each
// key; in a text, `{name}` stands for a value. A text can have one form for each plural category of
// Unicode, chosen by the value `count`. The sections `engine` and `understood` have patterns for
// the phrases and the rules of the engine, as in phrases.js.

import { translator } from "./phrases.js";
import { settings } from "./store.js";

export const LANGUAGES = document.querySelector("meta[name=ashta-languages]").content.split(" ");
export const language = [
  settings.language,
  ...navigator.languages.map((wanted) => wanted.split("-")[0]),
  "en",
].find((wanted) => LANGUAGES.includes(wanted));
const load = (name) =>
  fetch(new URL(`./${name}.json`, import.meta.url)).then((answer) => answer.json());
// The texts of the games. games.js handles the error.
export const gameTexts = load(`texts.${language}`);
gameTexts.catch(() => {});
const texts = await load(language);
// Translates a phrase of the engine.
export const engine = translator(texts.engine ?? {});
// Translates a sentence about rules.
export const rule = translator(texts.understood ?? {});
// The variant of the language that the reader prefers: dates and numbers differ between variants.
const locale = navigator.languages.find((wanted) => wanted.split("-")[0] === language) ?? language;
const plurals = new Intl.PluralRules(language);

// The text of a key, such as "dock.throw".
export function text(key, values = {}) {
  const found = key.split(".").reduce((part, name) => part?.[name], texts) ?? key;
  const form =
    typeof found === "string" ? found : (found[plurals.select(values.count)] ?? found.other);
  return form.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export const number = (value, digits) =>
  value
    .toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "−");
export const percent = (share, digits = 1) => `${number(100 * share, digits)} %`;
// A date in the order of the reader's language.
export const date = (when) =>
  new Date(when).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
export const list = (items) => new Intl.ListFormat(language).format(items);

// Fills the elements of a part of the page: `data-text` is the key of the content, `data-label` the
// key of the label for screen readers.
export function translate(part = document) {
  for (const place of part.querySelectorAll("[data-text]"))
    place.textContent = text(place.dataset.text);
  for (const place of part.querySelectorAll("[data-label]"))
    place.setAttribute("aria-label", text(place.dataset.label));
}

document.documentElement.lang = language;
translate();
