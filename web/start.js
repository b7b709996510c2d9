// Starts the page. If the host does not have a JavaScript module of the page, the page shows the
// name of this module.

// Until the page draws the board, it shows the board of the last visit. At the first visit this is
// the first board of the first game, which is in index.html.
const place = document.getElementById("board");
try {
  const { shape, board, theme } = JSON.parse(localStorage.getItem("ashta.board")) ?? {};
  if (/[?#&]game=/.test(location.href)) place.replaceChildren(place.lastElementChild);
  else if (board) {
    place.innerHTML = board;
    place.closest("main").dataset.shape = shape;
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // The browser has no storage.
}

// These two wait for an answer, so they begin before the other modules.
import("./module.js").catch(() => {});
import("./text.js").catch(() => {});
import("./app.js").catch(async (error) => {
  const links = [...document.querySelectorAll("link[rel=modulepreload]")],
    trouble = document.getElementById("trouble");
  const missing = await Promise.all(
    links.map(({ href }) =>
      fetch(href).then(
        ({ ok }) => (ok ? [] : href),
        () => href,
      ),
    ),
  );
  const names = missing.flat().map((address) => address.split("/").at(-1));
  document.getElementById("turn-title").textContent = "The page cannot be loaded";
  trouble.hidden = false;
  trouble.textContent = names.length
    ? `The page cannot be loaded without ${names.join(", ")}.`
    : `The page cannot be loaded: ${error.message}`;
});
