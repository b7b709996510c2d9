// Starts the page. If the host does not have a JavaScript module of the page, the page shows the
// name of this module.

import("./module.js").catch(() => {});
import("./app.js").catch(async (error) => {
  const modules = [...document.querySelectorAll("link[rel=modulepreload]")].map(({ href }) => href);
  const answers = await Promise.all(
    modules.map((address) =>
      fetch(address).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  );
  const missing = modules
    .filter((_, at) => !answers[at])
    .map((address) => address.split("/").at(-1));
  document.getElementById("turn-title").textContent = "The page cannot be loaded";
  document.getElementById("trouble").hidden = false;
  document.getElementById("trouble").textContent = missing.length
    ? `The page cannot be loaded without ${missing.join(", ")}.`
    : `The page cannot be loaded: ${error.message}`;
});
