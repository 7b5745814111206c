/** The examples and the bot of the README, as they stand. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, describe, test } from "node:test";
import { join } from "node:path";
import { runProgram, writeProgram } from "./support/program.js";
import { codeBlocks } from "./support/readme.js";
import { PROGRAMS, SuiteCleanup, TestServer } from "./support/server.js";

describe("examples", { concurrency: 3 }, () => {
  const cleanup = new SuiteCleanup();
  let server: TestServer;
  before(async () => {
    server = await TestServer.start(cleanup);
  });
  after(() => cleanup.run());

  test("the bot of the README plays a game, and the program ends", async () => {
    const bot = writeProgram("readme_bot.js", codeBlocks("js")[0] ?? "");
    const { code, output, errors } = await runProgram("node", [bot, server.address]);
    assert.equal(errors, "");
    assert.match(output, /^seat 0: place [12] with -?\d+ points\nseat 1: place [12] with -?\d+ points\n$/);
    assert.equal(code, 0);
  });

  test("the bot plays every game", async () => {
    for (const game of ["gap", "habe_fertig", "five_three_five", "no_dice", "high_card"]) {
      const { code, output, errors } = await runProgram("node", ["examples/bot.js", game, server.address]);
      assert.equal(errors, "", game);
      assert.match(output, /^seat 0: place [12]/, game);
      assert.equal(code, 0, game);
    }
  });

  test("a new bot of parlor new-bot plays a game", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parlor-new-bot-"));
    cleanup.after(() => rmSync(folder, { recursive: true }));
    const parlor = await runProgram(join(PROGRAMS, "parlor"), [
      "new-bot",
      "typescript",
      folder,
      "--sdk",
      "..",
    ]);
    assert.equal(parlor.code, 0, parlor.errors);
    const installed = await runProgram("npm", [
      "install",
      "--offline",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
    ]);
    assert.equal(installed.code, 0, installed.errors);
    const { code, output, errors } = await runProgram("node", [
      join(folder, "bot.js"),
      "gap",
      server.address,
    ]);
    assert.equal(errors, "");
    assert.match(output, /^seat 0: place [12]/);
    assert.equal(code, 0);
  });

  test("the bot says why there is no table", async () => {
    const { code, errors } = await runProgram("node", ["examples/bot.js", "chess", server.address]);
    assert.match(errors, /GAME_NOT_FOUND/);
    assert.notEqual(code, 0);
  });

  test("the agent passes every check of parlor conformance", async () => {
    const args = [
      "conformance",
      "--listen",
      "127.0.0.1:0",
      "--patience",
      "60s",
      "--",
      "node",
      "examples/agent.js",
    ];
    const { code, output, errors } = await runProgram(join(PROGRAMS, "parlor"), args);
    assert.match(output, /\n\d+ passed, 0 failed, 0 skipped/, errors);
    assert.equal(code, 0);
  });
});
