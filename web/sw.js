// The service worker of the page on a host of static files: keeps the files in the browser, so that
// the page starts without a network. `web/build` writes two lists before this text, each with the
// hashes of files by name: CORE, the files that are fetched at once, and LATER, the bots and
// tables, which are kept after their first use.
//
// `ashta serve` serves this text without the lists: then the worker removes itself and its files.

const SCOPE = registration.scope,
  CACHE = `ashta ${SCOPE}`;
const known = { ...self.CORE, ...self.LATER };
// The address of a file in the cache. A changed file has another address.
const addressOf = (name) => new URL(`${name}?${known[name]}`, SCOPE).href;

async function install() {
  if (!self.CORE) return skipWaiting();
  const cache = await caches.open(CACHE);
  await Promise.all(
    Object.entries(self.CORE).map(async ([name, integrity]) => {
      if (await cache.match(addressOf(name))) return;
      await cache.put(
        addressOf(name),
        await fetch(new URL(`./${name}`, SCOPE), {
          integrity,
          cache: "no-cache",
          redirect: "error",
        }),
      );
    }),
  );
}

async function activate() {
  if (!self.CORE) {
    await caches.delete(CACHE);
    await registration.unregister();
    return Promise.all((await clients.matchAll()).map((client) => client.navigate(client.url)));
  }
  const cache = await caches.open(CACHE),
    own = new Set(Object.keys(known).map(addressOf));
  await Promise.all(
    (await cache.keys()).filter(({ url }) => !own.has(url)).map((old) => cache.delete(old)),
  );
  await clients.claim();
}

async function answer(event, name) {
  const cache = await caches.open(CACHE),
    kept = await cache.match(addressOf(name));
  if (kept) return kept;
  const found = await fetch(addressOf(name));
  if (found.ok) event.waitUntil(keep(cache, name, found.clone()).catch(() => {}));
  return found;
}

// Keeps a file if it has the hash of this version.
async function keep(cache, name, found) {
  const content = await found.arrayBuffer(),
    hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  if (`sha256-${btoa(String.fromCharCode(...hash))}` === known[name])
    await cache.put(addressOf(name), new Response(content, found));
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("message", () => skipWaiting());
addEventListener("fetch", (event) => {
  const [address] = event.request.url.split(/[?#]/);
  const name = address.startsWith(SCOPE)
    ? address.slice(SCOPE.length).replace(/^index\.html$/, "")
    : null;
  if (event.request.method === "GET" && Object.hasOwn(known, name))
    event.respondWith(answer(event, name));
});
