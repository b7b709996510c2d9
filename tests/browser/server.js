// A small file host: serves folders below paths, and records the requests.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

// Compressed forms of a file, the smallest first.
const PACKED = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

// Serves `folders`, { "/path/": folder }. Returns { url, asked: [{ path, bytes }], close }.
export async function serve(folders) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://local").pathname);
    if (path === "/favicon.ico") {
      response.writeHead(204).end();
      return;
    }
    const under = Object.keys(folders)
      .filter((prefix) => path.startsWith(prefix))
      .sort((a, b) => b.length - a.length)[0];
    const name = under && normalize(path.slice(under.length) || "index.html");
    const file = name && !name.startsWith("..") ? join(folders[under], name) : null;
    const found = file && (await stat(file).catch(() => null));
    if (!found?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    let sent = { file, size: found.size, encoding: null };
    for (const [encoding, end] of PACKED) {
      const packed =
        request.headers["accept-encoding"]?.includes(encoding) &&
        (await stat(file + end).catch(() => null));
      if (!packed) continue;
      sent = { file: file + end, size: packed.size, encoding };
      break;
    }
    asked.push({ path, bytes: sent.size });
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-length": sent.size,
      ...(sent.encoding ? { "content-encoding": sent.encoding } : {}),
    });
    createReadStream(sent.file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}
