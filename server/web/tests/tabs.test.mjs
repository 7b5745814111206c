// Many tabs of one browser share one stream, with a SharedWorker and without.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clickMove, Gate, seeded, Server, startAgainstBots, visitor, waitForTurn } from "./support.mjs";

const server = await Server.start();

async function tenTabs(t, { shared }) {
  const gate = await Gate.start(server);
  const context = await visitor(t, gate.address);
  if (!shared) await context.addInitScript(() => delete window.SharedWorker);
  const first = await context.newPage();
  await startAgainstBots(first, gate.address, "GAP");
  const url = first.url();
  const tabs = [first];
  for (let tab = 1; tab < 10; tab++) {
    const page = await context.newPage();
    await page.goto(url);
    tabs.push(page);
  }
  for (const tab of tabs) assert.equal(await waitForTurn(tab), "turn");
  // A move in one tab shows in all.
  const before = await tabs[9].locator(".hand .card").count();
  await clickMove(tabs[9], seeded(1));
  for (const tab of tabs)
    await tab.waitForFunction(
      (count) => document.querySelectorAll(".hand .card").length === count - 1,
      before,
    );
  assert.equal(gate.mostFollows, 1, "streams at once");
  return { tabs, gate };
}

test("ten tabs share one stream", async (t) => {
  const { tabs } = await tenTabs(t, { shared: true });
  assert.equal(await tabs[0].evaluate(() => typeof SharedWorker), "function");
});

test("ten tabs without SharedWorker share the stream of one of them, and of another when it closes", async (t) => {
  const { tabs } = await tenTabs(t, { shared: false });
  // The first tab leads. When it is gone, another takes over.
  await tabs.shift().close();
  for (const tab of tabs) assert.equal(await waitForTurn(tab), "turn");
  const before = await tabs[0].locator(".hand .card").count();
  await clickMove(tabs[0], seeded(2));
  for (const tab of tabs)
    await tab.waitForFunction(
      (count) => document.querySelectorAll(".hand .card").length === count - 1,
      before,
    );
});
