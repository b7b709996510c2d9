// Translates phrases of the engine. `patterns` has a translation for each regular expression. The
// expression matches a whole phrase. In the translation, `{1}` is the text of group 1, and `<1>` is
// the translation of this text.

// Returns a function that translates a phrase. A phrase without a pattern stays as it is; `missing`
// gets it.
export function translator(patterns, missing = () => {}) {
  const all = Object.entries(patterns).map(([pattern, to]) => [new RegExp(`^(?:${pattern})$`), to]);
  return function translated(phrase) {
    for (const [pattern, to] of all) {
      const found = pattern.exec(phrase);
      if (found)
        return to.replace(/\{(\d)\}|<(\d)>/g, (_, own, part) =>
          own ? found[own] : translated(found[part]),
        );
    }
    missing(phrase);
    return phrase;
  };
}
