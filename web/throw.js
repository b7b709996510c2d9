// Shows a throw large on the board for a moment.

import { drawThrows } from "./dice.js";
import { byId, element } from "./dom.js";

let shown = null;

// `throws` is as in dice.js, `time` is in milliseconds.
export function showThrow(values, throws, time) {
  shown?.remove();
  const made = shown = element("div", { class: "throw", "aria-hidden": "true" }, drawThrows(values, null, throws));
  byId("place").append(made);
  const end = { opacity: 0, scale: 0.5 }, still = { opacity: 1, scale: 1, rotate: "0deg" };
  made.animate([{ opacity: 0, scale: 1.6, rotate: "-12deg" }, { ...still, offset: 0.25 }, { ...still, offset: 0.8 }, end], time)
    .finished.then(() => made.remove(), () => {});
}
