// Draws icon.svg as PNG files, for systems that do not show SVG icons. Knows rectangles, paths of
// lines, and circles.
//   node web/icons.cjs FOLDER
const { readFileSync, writeFileSync } = require("node:fs");
const { crc32, deflateSync } = require("node:zlib");

const SIDE = 24;
const text = readFileSync(`${__dirname}/icon.svg`, "utf8");
const elements = [...text.matchAll(/<(\w+)([^>]*)>/g)].filter(([, tag]) => tag !== "svg");

// The distance of a point to each element, negative inside, with the colour of the element.
const shapes = elements.map(([, tag, attributes]) => {
  const of = Object.fromEntries(
    [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const {
    x,
    y,
    width,
    height,
    rx = 0,
    cx,
    cy,
    r,
  } = Object.fromEntries(Object.entries(of).map(([name, value]) => [name, Number(value)]));
  const colour = (of.fill === "none" ? of.stroke : of.fill)
    .match(/\w\w/g)
    .map((part) => parseInt(part, 16));
  if (tag === "circle") return { colour, far: (px, py) => Math.hypot(px - cx, py - cy) - r };
  if (tag === "rect") {
    const over = (place, start, size) => Math.abs(place - start - size / 2) - size / 2 + rx;
    return {
      colour,
      far: (px, py) =>
        Math.hypot(Math.max(0, over(px, x, width)), Math.max(0, over(py, y, height))) - rx,
    };
  }
  if (tag !== "path") throw new Error(`icons.cjs does not know <${tag}>`);
  const lines = [];
  let at = [0, 0];
  for (const [, command, numbers] of of.d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const [a, b] = numbers.match(/-?[\d.]+/g).map(Number);
    const to = {
      M: [a, b],
      h: [at[0] + a, at[1]],
      v: [at[0], at[1] + a],
      l: [at[0] + a, at[1] + b],
    }[command];
    if (command !== "M") lines.push([at, to]);
    at = to;
  }
  const toLine = (px, py, [[fromX, fromY], [toX, toY]]) => {
    const [dx, dy] = [toX - fromX, toY - fromY];
    const part = Math.max(
      0,
      Math.min(1, ((px - fromX) * dx + (py - fromY) * dy) / (dx * dx + dy * dy)),
    );
    return Math.hypot(px - fromX - part * dx, py - fromY - part * dy);
  };
  return {
    colour,
    far: (px, py) =>
      Math.min(...lines.map((line) => toLine(px, py, line))) - of["stroke-width"] / 2,
  };
});

function chunk(name, data) {
  const content = Buffer.concat([Buffer.from(name), data]),
    frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}

// A maskable icon fills its square, and the system cuts its edges off.
function png(size, isMaskable) {
  const rows = Buffer.alloc(size * (1 + 4 * size)),
    zoom = isMaskable ? 0.72 : 1;
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const [x, y] = [column, row].map(
        (place) => (((place + 0.5) / size - 0.5) * SIDE) / zoom + SIDE / 2,
      );
      let pixel = isMaskable ? [...shapes[0].colour, 1] : [0, 0, 0, 0];
      for (const { colour, far } of shapes) {
        const part = Math.max(0, Math.min(1, 0.5 - (far(x, y) * zoom * size) / SIDE)),
          alpha = part + pixel[3] * (1 - part);
        if (part > 0)
          pixel = [
            ...colour.map(
              (value, at) => (value * part + pixel[at] * pixel[3] * (1 - part)) / alpha,
            ),
            alpha,
          ];
      }
      rows.set(
        [...pixel.slice(0, 3), 255 * pixel[3]].map(Math.round),
        row * (1 + 4 * size) + 1 + 4 * column,
      );
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const folder = process.argv[2],
  path = `${folder}/manifest.webmanifest`;
const manifest = JSON.parse(readFileSync(path, "utf8"));
for (const [size, purpose] of [
  [192, "any"],
  [512, "any"],
  [512, "maskable"],
]) {
  const src = `icon-${size}${purpose === "any" ? "" : `-${purpose}`}.png`;
  writeFileSync(`${folder}/${src}`, png(size, purpose === "maskable"));
  manifest.icons.push({ src, sizes: `${size}x${size}`, type: "image/png", purpose });
}
writeFileSync(path, JSON.stringify(manifest));
