// Starts the worker and asks it for the games, while the page loads its other files.

import { attempt } from "./attempt.js";
import { Client } from "./client.js";
import { source } from "./engine.js";

// The name of this tab. It stays the same after a reload, so that the program can cancel old
// requests of the tab.
const tab =
  attempt(() => (sessionStorage["ashta-tab"] ??= String(Math.random()))) ?? String(Math.random());
export const client = new Client(
  () => new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: tab }),
  () => source && new URL(`./${source}`, import.meta.url).href,
);
export const listed = client.send("ask", { request: { op: "games" } });
// games.js waits for `listed` and handles the error.
listed.catch(() => {});
