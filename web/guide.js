// The panel of lessons and puzzles, above the turn.

import { button, byId, element, fill } from "./dom.js";

// Shows a title, sentences, a list, and buttons with their actions: [[text, act]]. The first of several buttons is the
// main one. Hides the panel if there is no title.
export function tell(title, sentences = [], buttons = [], list = null) {
  byId("guide").hidden = !title;
  fill(byId("guide-title"), title);
  fill(byId("guide-text"), sentences.filter(Boolean).map(sentence => element("p", {}, sentence)), list);
  fill(byId("guide-buttons"), buttons.map(([text, act], at) => button(act, { class: at || buttons.length === 1 ? null : "primary", "data-key": text }, text)));
}
