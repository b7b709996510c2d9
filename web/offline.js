// Lets the page start without a network. The program has the files of its own page, so
// `ashta serve` needs no service worker.

import { button, byId, showText } from "./dom.js";
import { source } from "./engine.js";
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

function offer(next) {
  showText(byId("notice"), text("offline.ready"));
  byId("notice").firstElementChild.append(
    " ",
    button(() => next.postMessage("start"), {}, text("offline.start")),
  );
}
