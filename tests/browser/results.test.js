// Finished games: the own statistics, and the picture to share.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { expect, hurry, newGame, openGames, pageTests, playTurn, press, state } from "./browser.js";

const { pageTest } = pageTests();

async function finish(page) {
  while (!(await state(page)).endsWith("over")) await playTurn(page);
}

async function saved(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return readFile(await file.path());
}

pageTest(
  "a finished game becomes a picture and counts once; games of persons count apart",
  { colorScheme: "dark" },
  async (page) => {
    await hurry(page);
    await newGame(page, { game: "ashtapada", players: { S: "person", N: "bot:novice" } });
    await finish(page);
    await page.evaluate(() => {
      const piece = document.querySelector("#board .piece").cloneNode(true);
      piece.classList.add("petal");
      document.querySelector("#board svg > :last-child").append(piece);
      const { serializeToString } = XMLSerializer.prototype;
      XMLSerializer.prototype.serializeToString = function (picture) {
        globalThis.parts = [".emblem", ".letter", ".petal"].map(
          (kind) =>
            [...picture.querySelectorAll(kind)].filter(
              (part) => part.getAttribute("display") !== "none",
            ).length,
        );
        return serializeToString.call(this, picture);
      };
    });
    const picture = (await saved(page, "#share")).toString("base64");
    await page.getByText("The picture is saved").waitFor();
    const [width, ground, ...seats] = await page.evaluate(async (picture) => {
      const image = await createImageBitmap(
        new Blob([Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))]),
      );
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const pixels = new Uint32Array(
        canvas.getImageData(0, 0, image.width, image.height).data.buffer,
      ).map((pixel) => pixel & 0xffffff);
      return [
        image.width,
        pixels[0],
        ...[0xf0b85c, 0xa1cb35].map((colour) => pixels.filter((pixel) => pixel === colour).length),
      ];
    }, picture);
    assert.deepEqual([width, ground], [1080, 0x171c22]);
    const [emblems, ...others] = await page.evaluate(() => globalThis.parts);
    assert.ok(emblems > 1);
    assert.deepEqual(others, [0, 0], "no letters over the emblems, and no petals");
    assert.ok(
      seats.every((pixels) => pixels > 1000),
      `pieces and lines of both seats: ${seats}`,
    );
    await page.evaluate(() =>
      Object.assign(navigator, {
        canShare: () => true,
        share: async ({ files }) => {
          globalThis.shared = files[0].type;
        },
      }),
    );
    await page.click("#look-back");
    await page.locator("#review-seats li").first().waitFor();
    await page.click("#share-review");
    await page.waitForFunction(() => globalThis.shared === "image/png");
    await page.click("#review [data-close]");
    await press(page, "#undo");
    await finish(page);
    await newGame(page, { game: "ashtapada", players: { S: "person", N: "person" } });
    await finish(page);
    await openGames(page);
    const rows = await page
      .locator("#stats-rows tr")
      .evaluateAll((all) =>
        all.map((row) => [...row.children].map((cell) => cell.textContent).join(" | ")),
      );
    assert.match(
      rows.join("\n"),
      /^easy \| 1 \| [01] \| −?\d+\.\d % \| \d+\.\d %\npeople \| 1 \| – \| – \| –$/,
    );
    const results = JSON.parse(await saved(page, "#save-stats"));
    assert.deepEqual(
      results.map(({ game, seat, against }) => [game, seat, against]),
      [
        ["ashtapada", "S", "bot:novice"],
        ["ashtapada", "SN", "people"],
      ],
    );
    page.once("dialog", (dialog) => dialog.accept());
    await page.click("#reset-stats");
    await expect(page.locator("#stats")).not.toBeVisible();
    await page.click("#exchange [data-close]");
    await press(page, "#step-back");
    await press(page, "#step-on");
    await openGames(page);
    assert.ok(await page.isHidden("#stats"), "deleted results stay deleted");
  },
);
