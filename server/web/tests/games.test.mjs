// A whole game of each kind, by clicking; and one that the page does not know.

import assert from "node:assert/strict";
import { test } from "node:test";
import { playOn, seeded, Server, startAgainstBots, visitor } from "./support.mjs";

const server = await Server.start();
const SEED = Number(process.env.SEED ?? 1);

for (const game of ["Habe fertig", "GAP", "Five Three Five", "No Dice", "High Card"]) {
  test(`a whole game of ${game} by clicking`, async (t) => {
    const context = await visitor(t, server.address);
    const page = await context.newPage();
    await startAgainstBots(page, server.address, game);
    t.diagnostic(`SEED=${SEED}`);
    const moves = await playOn(page, seeded(SEED));
    assert(moves >= 1, `${moves} moves`);
    const title = await page.locator(".dialog-result h2").innerText();
    assert.match(title, /^You (came \d(st|nd|rd|th)|share \d(st|nd|rd|th) place)$/);
    assert.equal(await page.locator(".dialog-result tbody tr").count(), 3);
    for (const name of ["Rematch", "Verify", "Share"]) await page.getByRole("button", { name }).waitFor();
    // Nobody is called by a number of a seat.
    assert.doesNotMatch(await page.locator("body").innerText(), /\bseat \d/i);

    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".check-holds").nth(3).waitFor();
    assert.equal(await page.locator(".check-fails").count(), 0);
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "Replay" }).click();
    await page.getByRole("slider", { name: "Step" }).waitFor();
    // The game is over, and so all hands can be seen.
    await page.locator(".other-hand-open").nth(2).waitFor();
    await page.keyboard.press("End");
    const steps = /Step (\d+) of (\d+)/.exec(await page.locator(".replay-slider output").innerText());
    assert.equal(steps[1], steps[2]);
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(new RegExp(`#step=${Number(steps[2]) - 1}$`));
    // A link can name a decision, too: the first one of the player who began the table.
    const output = page.locator(".replay-slider output");
    const before = await output.innerText();
    await page.goto(`${page.url().replace(/#.*/, "")}#seat=0&decision=1`);
    await page.waitForFunction(
      (before) => document.querySelector(".replay-slider output").innerText !== before,
      before,
    );
    const [, step, last] = /Step (\d+) of (\d+)/.exec(await output.innerText());
    assert(Number(step) > 0 && Number(step) < Number(last), `step ${step}`);
  });
}
