// Every page: what axe-core finds, in light and in dark; and a tournament page that moves.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { playOn, seeded, Server, startAgainstBots, visitor, waitForTurn } from "./support.mjs";

const server = await Server.start();
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const CUP = `name = "House cup"
game = "gap"
format = "round_robin"
groups = 6
entrants = ["bot:random", "bot:greedy", "bot:search:4"]
`;

const KNOCKOUT = `name = "Knockout"
game = "gap"
format = "knockout"
groups = 1
entrants = ["bot:random", "bot:greedy", "bot:search:2", "bot:search:4"]
`;

server.background("bot", "random", "--agent", "ada");

async function makeTournament(text) {
  const file = join(tmpdir(), `parlor-web-${process.pid}-${text.length}.toml`);
  await writeFile(file, text);
  return (await server.cli("tournament", "create", file)).match(/[0-9a-hjkmnp-tv-z]{26}/)[0];
}

/** Fails on what axe-core calls serious or critical. */
async function checkAccessible(page, where) {
  const { violations } = await page.evaluate(async (source) => {
    if (!window.axe) (0, eval)(source);
    // The numbers on a card are a drawing: "red 5" names it, and the three 5 that are drawn on it are no text.
    window.axe.configure({ rules: [{ id: "label-content-name-mismatch", selector: "button:not(.card)" }] });
    return window.axe.run(document, { resultTypes: ["violations"] });
  }, AXE);
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = serious.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
  );
  assert.deepEqual(told, [], where);
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing serious on any page, ${colorScheme}`, async (t) => {
    // The tests run axe-core in the page, which the policy of the page forbids, and rightly.
    const context = await visitor(t, server.address, { colorScheme, bypassCSP: true });
    const page = await context.newPage();
    const tournament = await makeTournament(CUP);
    await server.cli("tournament", "start", tournament);
    await server.cli("tournament", "follow", tournament);
    const cup = await makeTournament(KNOCKOUT);
    await server.cli("tournament", "start", cup);
    await server.cli("tournament", "follow", cup);
    await page.goto(server.address);
    await page.locator(".game-card").first().waitFor();
    await checkAccessible(page, "lobby");
    await page.getByRole("button", { name: "GAP against bots" }).click();
    await checkAccessible(page, "start");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Settings" }).click();
    await checkAccessible(page, "settings");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "GAP: With friends" }).click();
    await page.getByRole("button", { name: "Create the table" }).click();
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = await page.getByRole("textbox", { name: "Copy link" }).inputValue();
    await checkAccessible(page, "waiting for players");
    const guest = await visitor(t, server.address, { colorScheme, bypassCSP: true });
    const friend = await guest.newPage();
    await friend.goto(link);
    await friend.getByRole("button", { name: "Join the table" }).waitFor();
    await checkAccessible(friend, "invited");
    for (const game of ["Habe fertig", "GAP", "Five Three Five", "No Dice", "High Card"]) {
      await startAgainstBots(page, server.address, game);
      await waitForTurn(page);
      await playOn(page, seeded(1), { moves: game === "High Card" ? 0 : 3 });
      await page.locator(".hand .card-button").first().click({ force: true });
      await checkAccessible(page, game);
    }
    await playOn(page, seeded(1));
    await checkAccessible(page, "result");
    await page.getByRole("link", { name: "Replay" }).click();
    await page.getByRole("slider", { name: "Step" }).waitFor();
    await checkAccessible(page, "replay");
    await page.goto(`${server.address}/tournaments`);
    await page.locator(".tournament-card").first().waitFor();
    await checkAccessible(page, "tournaments");
    await page.locator(".tournament-card", { hasText: "House cup" }).first().click();
    await page.locator(".cross").waitFor();
    await page.locator(".data a").first().waitFor();
    await checkAccessible(page, "tournament");
    await page.goto(`${server.address}/tournaments/${cup}`);
    await page.locator(".bracket .lineup").nth(2).waitFor();
    await checkAccessible(page, "knockout");
    await page.goto(`${server.address}/agents`);
    await page.locator(".house-bots li").first().waitFor();
    await page.locator("tr", { hasText: "ada" }).getByText("here", { exact: true }).waitFor();
    await checkAccessible(page, "agents");
    await page.goto(`${server.address}/watch/01m7jpjh457gb3wsktabxkrwzg`);
    await page.getByText("There is no such table").waitFor();
    await checkAccessible(page, "nothing");
  });
}

test("a tournament page moves, and every game is one click from its replay", async (t) => {
  const page = await (await visitor(t, server.address)).newPage();
  // More games than are played while the page is looked at, so that it moves for as long as that takes.
  const long = await makeTournament(CUP.replace("groups = 6", "groups = 5000"));
  await page.goto(`${server.address}/tournaments/${long}`);
  const played = () => page.locator(".progress small").innerText();
  await page.locator(".standings").waitFor();
  assert.match(await played(), /^0 of/);
  await server.cli("tournament", "start", long);
  for (let moves = 0; moves < 3; moves++) {
    await page.waitForFunction(
      (before) => document.querySelector(".progress small").innerText !== before,
      await played(),
    );
  }
  await server.cli("tournament", "cancel", long);
  await page.getByText("cancelled").first().waitFor();

  // Enough deals for intervals.
  const short = await makeTournament(CUP.replace("groups = 6", "groups = 20"));
  await page.goto(`${server.address}/tournaments/${short}`);
  await page.locator(".standings").waitFor();
  await server.cli("tournament", "start", short);
  await page.getByText("finished").first().waitFor();
  assert.match(await played(), /60 of 60 deals count/);
  assert.equal(await page.locator(".standings tbody tr").count(), 3);
  await page.locator(".interval-range").nth(2).waitFor();
  assert.equal(await page.locator(".cross .heat").count(), 6);
  await page.locator(".chart-rating").nth(2).waitFor();
  await page.getByRole("link", { name: "Replay: Deal 1.1" }).click();
  await page.getByRole("slider", { name: "Step" }).waitFor();
});

test("a spectator watches, and sees nobody's hand", async (t) => {
  const context = await visitor(t, server.address);
  const page = await context.newPage();
  await page.goto(server.address);
  await page.getByRole("button", { name: "GAP: With friends" }).click();
  await page.getByRole("button", { name: "Anyone" }).click();
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.waitForURL(/\/t\//);
  await page.getByRole("button", { name: "Easy" }).click();
  await waitForTurn(page);
  const other = await (await visitor(t, server.address)).newPage();
  await other.goto(page.url());
  await other.waitForURL(/\/watch\//);
  await other.getByText("You see what everyone at the table sees.").waitFor();
  assert.equal(await other.locator(".other-hand .card-small").count(), 0);
  const own = await page.locator(".hand .card").count();
  await playOn(page, seeded(1), { moves: 1 });
  await other.waitForFunction(
    (count) =>
      [...document.querySelectorAll(".other-hand-count")].some(
        (element) => Number(element.textContent) === count - 1,
      ),
    own,
  );
});
