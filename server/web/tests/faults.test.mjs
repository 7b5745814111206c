// The server dies and comes back, and the network freezes, in the middle of a game.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clickMove,
  Gate,
  playOn,
  seeded,
  Server,
  startAgainstBots,
  visitor,
  waitForTurn,
} from "./support.mjs";

test("the server is killed and restarted in the middle of a game", async (t) => {
  const server = await Server.start();
  const page = await (await visitor(t, server.address, { troubled: true })).newPage();
  await startAgainstBots(page, server.address, "GAP");
  const random = seeded(11);
  await playOn(page, random, { moves: 2 });
  const cards = await page.locator(".hand .card").count();
  await server.kill();
  await page.getByText("Connection lost").waitFor();
  // A move that is made now is not lost.
  await clickMove(page, random);
  await page.getByText("Sent").waitFor();
  await server.restart();
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await page.waitForFunction((count) => document.querySelectorAll(".hand .card").length === count - 1, cards);
  await playOn(page, random);
});

test("the network freezes for 20 seconds", async (t) => {
  const server = await Server.start();
  const gate = await Gate.start(server);
  const page = await (await visitor(t, gate.address, { troubled: true })).newPage();
  await startAgainstBots(page, gate.address, "GAP");
  const random = seeded(3);
  await playOn(page, random, { moves: 2 });
  const cards = await page.locator(".hand .card").count();
  gate.freeze();
  const frozen = new Promise((resolve) => setTimeout(resolve, 20_000));
  // Nothing breaks, so that only missing heartbeats tell that nobody is there.
  await page.getByText("Connection lost").waitFor();
  await clickMove(page, random);
  await page.getByText("Sent").waitFor();
  await frozen;
  gate.thaw();
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await page.waitForFunction((count) => document.querySelectorAll(".hand .card").length === count - 1, cards);
  await playOn(page, random);
});

test("a closed tab loses nothing", async (t) => {
  const server = await Server.start();
  const context = await visitor(t, server.address);
  const page = await context.newPage();
  await startAgainstBots(page, server.address, "GAP");
  await playOn(page, seeded(1), { moves: 2 });
  const hand = await page.locator(".hand").getAttribute("aria-label");
  await page.close();
  const later = await context.newPage();
  await later.goto(server.address);
  await later.getByRole("link", { name: /GAP.*Go on playing/ }).click();
  await waitForTurn(later);
  assert.equal(await later.locator(".hand").getAttribute("aria-label"), hand);
});

test("a seat is handed to another device by a link", async (t) => {
  const server = await Server.start();
  const here = await (await visitor(t, server.address)).newPage();
  await startAgainstBots(here, server.address, "GAP");
  await waitForTurn(here);
  await here.getByRole("button", { name: "Play on another device" }).click();
  const link = await here.getByRole("textbox", { name: "Copy link" }).inputValue();
  await here.keyboard.press("Escape");
  const there = await (await visitor(t, server.address)).newPage();
  await there.goto(link);
  await waitForTurn(there);
  assert.equal(new URL(there.url()).hash, "", "the token is out of the address");
  const cards = await there.locator(".hand .card").count();
  await clickMove(there, seeded(1));
  await here.waitForFunction((count) => document.querySelectorAll(".hand .card").length === count - 1, cards);
});
