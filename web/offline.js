// Lets the page start without a network. The program has the files of its own page, so `ashta serve` needs no service
// worker.

import { byId, showText } from "./dom.js";
import { source } from "./engine.js";
import { text } from "./text.js";

// Registers the service worker. When it has a new version of the page, shows a notice. Without a service worker, the
// page works as before.
export async function keepOffline() {
  if (source === null || !navigator.serviceWorker) return;
  const registration = await navigator.serviceWorker.register(new URL("./sw.js", import.meta.url)).catch(() => null);
  registration?.addEventListener("updatefound", () => {
    const { installing: next, active } = registration;
    next.addEventListener("statechange", () => active && next.state === "installed" && showText(byId("notice"), text("offline.ready")));
  });
}
