// Lets the page start without a network. The program has the files of its own page, so
// `ashta serve` needs no service worker.

import { button, byId, showText } from "./dom.js";
import { source } from "./engine.js";
import { setAway } from "./players.js";
import { text } from "./text.js";

// Registers the service worker. When it has a new version of the page, shows a notice. Without a
// service worker, the page works as before.
export async function keepOffline() {
  const { serviceWorker } = navigator;
  if (source === null || !serviceWorker) return;
  // A new version starts in all tabs.
  if (serviceWorker.controller)
    serviceWorker.addEventListener("controllerchange", () => location.reload());
  const registration = await serviceWorker
    .register(new URL("./sw.js", import.meta.url))
    .catch(() => null);
  if (registration?.waiting) offer(registration.waiting);
  registration?.addEventListener("updatefound", () => {
    const { installing: next, active } = registration;
    next.addEventListener("statechange", () => active && next.state === "installed" && offer(next));
  });
}

// Finds out which bots can be loaded: without a network, those in the browser.
export async function findBots() {
  if (source === null || navigator.onLine || !globalThis.caches) return setAway(() => true);
  const lists = (await caches.keys()).map(async (name) => (await caches.open(name)).keys());
  const kept = (await Promise.all(lists)).flat().map(({ url }) => new URL(url).pathname);
  setAway((file) => kept.some((path) => path.endsWith(`/${file}`)));
}
for (const change of ["online", "offline"]) addEventListener(change, findBots);

function offer(next) {
  showText(byId("notice"), text("offline.ready"));
  byId("notice").firstElementChild.append(
    " ",
    button(() => next.postMessage("start"), {}, text("offline.start")),
  );
}
