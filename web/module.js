// Fetches the WebAssembly module, if there is one, at the same time as all other files.

import { fetchBytes, source } from "./engine.js";

export const rules = source ? fetchBytes(new URL(`./${source}`, import.meta.url)) : null;
// ask.js waits for `rules` and handles the error.
rules?.catch(() => {});
