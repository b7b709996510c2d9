// Translates phrases of the engine. Each entry of `patterns` is a regular expression for a whole phrase, with its
// translation, in which `{1}` stands for a group, and `<1>` for the translation of a group.

// Returns a function that translates a phrase. A phrase without a pattern stays as it is; `missing` gets it.
export function translator(patterns, missing = () => {}) {
  const all = Object.entries(patterns).map(([pattern, to]) => [new RegExp(`^(?:${pattern})$`), to]);
  return function translated(phrase) {
    for (const [pattern, to] of all) {
      const found = pattern.exec(phrase);
      if (found) return to.replace(/\{(\d)\}|<(\d)>/g, (_, own, part) => own ? found[own] : translated(found[part]));
    }
    missing(phrase);
    return phrase;
  };
}
