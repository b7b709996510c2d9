// Elements of HTML and SVG, made in a line; and a few shapes.

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

// A drawing that is one picture to those who do not see it.
export function picture(width, height, label, ...parts) {
  const hidden = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, ...hidden }, ...parts);
}
