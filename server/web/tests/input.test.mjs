// Ways to play: by keyboard alone, by dragging, in German, on a phone; and what cannot be played says why.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clickMove, playOn, seeded, Server, startAgainstBots, visitor, waitForTurn } from "./support.mjs";

const server = await Server.start();

/** Presses Tab until what has the focus answers. */
async function tabTo(page, selector, key = "Tab") {
  for (let presses = 0; presses < 90; presses++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${selector}`);
}

test("a whole game by keyboard alone", async (t) => {
  const page = await (await visitor(t, server.address)).newPage();
  await page.goto(server.address);
  await page.locator(".game-card").first().waitFor();
  await tabTo(page, "[aria-label='Play: Five Three Five against bots']");
  await page.keyboard.press("Enter");
  await page.locator(".dialog-start").waitFor();
  // The dialog has the focus on the weakest bots; one opponent is enough.
  await tabTo(page, "[aria-label='Opponents: One fewer']");
  await page.keyboard.press("Enter");
  await tabTo(page, ".strength");
  await page.keyboard.press("Enter");
  await page.locator(".action-bar").waitFor();
  let moves = 0;
  for (let waits = await waitForTurn(page); waits !== "over"; waits = await waitForTurn(page)) {
    if (waits === "round") {
      await page.keyboard.press("Enter");
      await page.locator(".dialog-round").waitFor({ state: "detached" });
      continue;
    }
    const decision = await page.locator(".action-bar").getAttribute("data-decision");
    if (await page.locator(".hand .card-playable").count()) {
      await tabTo(page, ".hand button");
      for (let presses = 0; presses < 30; presses++) {
        if (await page.evaluate(() => document.activeElement.classList.contains("card-playable"))) break;
        await page.keyboard.press("ArrowRight");
      }
      await page.keyboard.press(moves % 2 ? "Space" : "Enter");
      await page.locator(".card-picked").waitFor();
    }
    if (await page.locator(".moves .button-primary").count()) {
      // The buttons stand before the cards.
      await tabTo(page, ".moves .button-primary", "Shift+Tab");
    } else {
      // The card goes only with others, or none can be played: the list has every move.
      await page.keyboard.press("Escape");
      await tabTo(page, ".all-moves summary", "Shift+Tab");
      await page.keyboard.press("Enter");
      await tabTo(page, ".all-moves .button");
    }
    await page.keyboard.press("Enter");
    moves++;
    await page.waitForFunction(
      (id) =>
        document.querySelector(".dialog") ||
        document.querySelector(".action-bar")?.getAttribute("data-decision") !== id,
      decision,
    );
  }
  assert(moves > 2);
  await tabTo(page, ".dialog-result .button-primary");
});

test("a card that is picked as soon as it is drawn stays picked", async (t) => {
  const page = await (await visitor(t, server.address)).newPage();
  await startAgainstBots(page, server.address, "GAP");
  await waitForTurn(page);
  // In the very task that draws the next decision, before anything that the page does after its drawing.
  const clicked = page.evaluate(
    () =>
      new Promise((done) => {
        const before = document.querySelector(".action-bar").getAttribute("data-decision");
        const observer = new MutationObserver(() => {
          const bar = document.querySelector(".action-bar-open");
          const card = document.querySelector(".hand .card-playable");
          if (!bar || bar.getAttribute("data-decision") === before || !card) return;
          observer.disconnect();
          card.click();
          const nextTurn = () => new Promise((next) => setTimeout(() => requestAnimationFrame(next)));
          const picked = [];
          const look = () => picked.push(document.querySelectorAll(".card-picked").length);
          void (async () => {
            for (let turns = 0; turns < 5; turns++) {
              await nextTurn();
              look();
            }
            done(picked);
          })();
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      }),
  );
  await clickMove(page, seeded(1));
  assert.deepEqual(await clicked, [1, 1, 1, 1, 1]);
});

test("a card is dragged to where it goes", async (t) => {
  const page = await (await visitor(t, server.address)).newPage();
  await startAgainstBots(page, server.address, "GAP");
  await waitForTurn(page);
  const random = seeded(1);
  // A card with one move alone goes wherever it is dropped on the table. Some hand has one.
  for (;;) {
    assert.equal(await waitForTurn(page), "turn", "no card ever had one move alone");
    const before = await page.locator(".hand .card").count();
    for (const card of await page.locator(".hand .card-playable").all()) {
      await card.click();
      const choices = await page.locator(".moves .button-primary").count();
      await page.locator(".hand").press("Escape");
      if (choices !== 1) continue;
      const [from, to] = [await card.boundingBox(), await page.locator("[data-zone=middle]").boundingBox()];
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 });
      await page.mouse.up();
      await page.waitForFunction(
        (count) => document.querySelectorAll(".hand .card").length === count - 1,
        before,
      );
      return;
    }
    await playOn(page, random, { moves: 1 });
  }
});

test("a card that cannot be played says why", async (t) => {
  const page = await (await visitor(t, server.address)).newPage();
  await startAgainstBots(page, server.address, "Habe fertig");
  const random = seeded(7);
  for (let moves = 0; moves < 60; moves++) {
    const waits = await waitForTurn(page);
    assert.notEqual(waits, "over");
    if (waits === "round") {
      await page.locator(".dialog-round .button-primary").click();
      continue;
    }
    const dull = page.locator(".hand .card-dull");
    if ((await page.getByText("Play a card, or pass.").count()) && (await dull.count())) {
      // It is disabled for what it would do, and can be clicked all the same.
      await dull.first().click({ force: true });
      await page.getByText("neither the colour nor the number of a top").waitFor();
      return;
    }
    await clickMove(page, random);
  }
  assert.fail("every card could always be played");
});

test("a whole game in German", async (t) => {
  const page = await (await visitor(t, server.address, { lang: "de" })).newPage();
  await startAgainstBots(page, server.address, "Habe fertig", {
    strength: "Leicht",
    against: "gegen Bots",
  });
  await page.getByText("Verstecke zwei Karten.").waitFor();
  await page.getByRole("tab", { name: "Regeln" }).click();
  await page.getByText("Nachziehstapel").first().waitFor();
  await playOn(page, seeded(3));
  assert.match(await page.locator(".dialog-result h2").innerText(), /^Du (bist \d\.|teilst dir Platz \d)$/);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
  // The language can be switched where one stands.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("heading", { name: "Habe fertig" }).waitFor();
  await page.getByText("The game is over").first().waitFor();
});

test("a whole game on a phone of 360 px", async (t) => {
  const page = await (
    await visitor(t, server.address, { width: 360, height: 700, hasTouch: true, isMobile: true })
  ).newPage();
  const fits = async (where) =>
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, where);
  await page.goto(server.address);
  await page.locator(".game-card").first().waitFor();
  await fits("the lobby");
  await startAgainstBots(page, server.address, "No Dice");
  await fits("the table");
  await waitForTurn(page);
  // Fingers need room: every card of the hand can be hit.
  const narrow = await page
    .locator(".hand .card")
    .evaluateAll((cards) => cards.filter((card) => card.getBoundingClientRect().width < 24).length);
  assert.equal(narrow, 0);
  await playOn(page, seeded(5));
  await fits("the end");
});

test("bots are paced, and can be skipped", async (t) => {
  const page = await (await visitor(t, server.address, { settings: { paceMs: 1200 } })).newPage();
  await startAgainstBots(page, server.address, "GAP");
  await waitForTurn(page);
  // What is held back is skipped to as soon as it is: the page itself clicks, so that no moment is missed.
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      const skip = document.querySelector(".moves .button-quiet");
      if (!skip) return;
      observer.disconnect();
      window.skipped = [skip.innerText, document.querySelector(".action-bar-open") !== null];
      skip.click();
    });
    observer.observe(document.body, { subtree: true, childList: true });
  });
  // On a slow machine a bot may take so long by itself that its move is not held back: then a later one is.
  let skipped;
  for (const random = seeded(2); skipped === undefined;) {
    assert.notEqual(await playOn(page, random, { moves: 1 }), 0, "no move was ever held back");
    skipped = await page.evaluate(() => window.skipped);
  }
  assert.deepEqual(skipped, ["Skip ahead", false], "what is held back, and no move is asked for yet");
  await page.locator(".log-since").waitFor();
});
