// Playing with friends by invites, and as guests of a server with keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { playOn, playTogether, seeded, Server, startAgainstBots, visitor, waitForTurn } from "./support.mjs";

const KEYS = `[[keys]]
owner = "platform"
hash = "sha256:${"0".repeat(64)}"
scopes = ["tables"]
`;

const open = await Server.start();
const withGuests = await Server.start(["web.guests=true"], KEYS);

/** Makes a private table for a friend, and gives the page that waits at it and the link of an invite. */
async function inviteFriend(t, server) {
  const page = await (await visitor(t, server.address)).newPage();
  await page.goto(server.address);
  await page.getByRole("button", { name: "GAP: With friends" }).click();
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.waitForURL(/\/t\//);
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.getByRole("textbox", { name: "Copy link" }).inputValue();
  assert.match(link, /\/t\/[^#]+#invite=pli_/);
  return { page, link };
}

for (const [name, server] of [
  ["a server without keys", open],
  ["guests of a server with keys", withGuests],
]) {
  test(`two browsers play each other over an invite: ${name}`, async (t) => {
    const { page, link } = await inviteFriend(t, server);
    const friend = await (await visitor(t, server.address)).newPage();
    const asked = [];
    friend.on("request", (request) => asked.push(request.url()));
    // By the address without the table, too: the invite names it.
    await friend.goto(`${server.address}/#${new URL(link).hash.slice(1)}`);
    await friend.getByRole("heading", { name: "You are invited" }).waitFor();
    await friend.getByRole("textbox", { name: "Your name" }).fill("Gus");
    await friend.getByRole("button", { name: "Join the table" }).click();
    await friend.waitForURL(/\/t\/[^#]+$/);
    await page.getByText("Gus").first().waitFor();
    await page.locator(".log", { hasText: "Gus takes a seat." }).waitFor();
    assert(
      asked.every((url) => !url.includes("pli_")),
      "the secret is in no address that is asked for",
    );
    await playTogether([page, friend], seeded(7));
    for (const one of [page, friend]) await one.locator(".dialog-result h2").waitFor();
    assert.doesNotMatch(await page.locator(".log").innerText(), /\bseat \d/i);
    // One makes the rematch, and the other joins it.
    const before = page.url();
    await page.getByRole("button", { name: "Rematch" }).click();
    await page.waitForURL((url) => url.href !== before);
    await friend.getByRole("button", { name: "Join the rematch" }).click();
    await friend.waitForURL(page.url());
    for (const one of [page, friend]) await one.locator(".hand .card").first().waitFor();
  });
}

test("a wrong, a withdrawn and a used up invite each give a sentence", async (t) => {
  const { page, link } = await inviteFriend(t, open);
  const other = await (await visitor(t, open.address, { troubled: true })).newPage();
  await other.goto(`${link.slice(0, -6)}AAAAAA`);
  await other.getByText("This invitation is not valid.").waitFor();

  await page.getByRole("button", { name: /^Withdraw/ }).click();
  await page.getByRole("textbox", { name: "Copy link" }).waitFor({ state: "detached" });
  await other.goto(open.address);
  await other.goto(link);
  await other.getByText("This invite was revoked").waitFor();

  await page.getByRole("button", { name: "Make a link" }).click();
  const second = await page.getByRole("textbox", { name: "Copy link" }).inputValue();
  await page.getByRole("button", { name: "Easy" }).click();
  await waitForTurn(page);
  await other.goto(open.address);
  await other.goto(second);
  await other.getByText("The game has begun", { exact: false }).waitFor();
});

test("a guest of a server with keys plays against bots, and keeps the table to itself", async (t) => {
  const page = await (await visitor(t, withGuests.address)).newPage();
  await startAgainstBots(page, withGuests.address, "GAP");
  await playOn(page, seeded(5));
  const stranger = await (await visitor(t, withGuests.address, { troubled: true })).newPage();
  await stranger.goto(page.url());
  await stranger.getByText("There is no such table").waitFor();
});
