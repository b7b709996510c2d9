// Helpers for elements of HTML and SVG.

export const byId = (id) => document.getElementById(id);

// Makes an element. Attributes that begin with "on" are event listeners; null and false attributes
// are left out.
export const element = (tag, attributes, ...children) =>
  filled(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  fill(made, ...children);
  return made;
}

// Replaces the children of an element. Flattens lists and leaves out null. The focus stays on the
// child with the same `data-key`.
export function fill(place, ...children) {
  const focused = place.contains(document.activeElement)
    ? document.activeElement.dataset.key
    : null;
  place.replaceChildren(
    ...children.flat(2).filter((child) => child !== null && child !== undefined),
  );
  if (focused)
    place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

export const button = (onclick, attributes, ...children) =>
  element("button", { type: "button", onclick, ...attributes }, ...children);
// The options of a list: [[value, text]]; a third part false disables the option.
export const options = (entries, chosen) =>
  entries.map(([value, text, isPossible = true]) =>
    element("option", { value, selected: value === chosen, disabled: !isPossible }, text),
  );
// The letter of a seat in its colour; hidden from screen readers.
export const chip = (seat) => element("span", { class: "chip", "aria-hidden": "true" }, seat);

// A drawing. For screen readers, it is one picture with this label.
export function picture(width, height, label, ...parts) {
  const hidden = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, ...hidden }, ...parts);
}

// Shows a text, in the first paragraph of the element if it has one; hides the element if the text
// is empty.
export function showText(place, text) {
  place.hidden = !text;
  (place.querySelector("p") ?? place).textContent = text ?? "";
}

// The button or label that was clicked last.
let pressed = null;
addEventListener("click", ({ target }) => (pressed = target.closest("button, label")), true);

// Shows a text beside the button that was pressed last, or at the end of the open dialog if the
// button is not in it. Scrolls the text into the window.
export function tell(place, said) {
  const row = said && pressed?.closest(".row, .ends, ol, dialog div"),
    dialog = [...document.querySelectorAll("dialog[open]")].at(-1) ?? null;
  if (row && row.closest("dialog") === dialog && row.checkVisibility())
    row[row.matches(".ends") ? "before" : "after"](place);
  else if (said && (place.closest("dialog") !== dialog || !place.parentElement.checkVisibility()))
    dialog?.querySelector(".ends").before(place);
  showText(place, said);
  if (said) place.scrollIntoView({ block: "nearest" });
}

// Calls a function on clicks on the elements of its selector; passes the element.
export function onClick(does) {
  for (const [selector, act] of Object.entries(does)) {
    const places = document.querySelectorAll(selector);
    if (!places.length) throw new Error(`no element has the selector ${selector}`);
    for (const place of places) place.addEventListener("click", () => act(place));
  }
}

export function saveFile(file) {
  const url = URL.createObjectURL(file);
  element("a", { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Calls `take` with each file that is chosen in a field.
export function onFile(id, take) {
  byId(id).addEventListener("change", async ({ target }) => {
    if (target.files.length) await take(target.files[0]);
    target.value = "";
  });
}
