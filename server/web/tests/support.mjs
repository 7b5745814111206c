// What the tests in a browser share: servers, browsers whose every message and request is watched, and a player who clicks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";

/** How long anything may take before a test fails: far longer than it does on a machine that does much else. */
export const PATIENCE_MS = 60_000;

const PROGRAMS = process.env.PROGRAMS;
assert(PROGRAMS, "PROGRAMS names the folder of parlor-server and parlor");

/**
 * A port for a server. Below those that the system gives to connections: while the server is down, a browser that tries
 * again and again would sooner or later get the server's own port, and keep it.
 */
const anyPort = () => 12_000 + Math.floor(Math.random() * 18_000);

/** A server of its own for a test file. It listens on the same port again after a restart. */
export class Server {
  #process;
  #data;
  #settings;
  address = "";

  static async start(settings = [], config = "") {
    const server = new Server();
    server.#data = await mkdtemp(join(tmpdir(), "parlor-web-"));
    server.#settings = settings;
    await writeFile(server.#config, config);
    for (let tries = 1; server.address === ""; tries++) {
      await server.#run(`127.0.0.1:${anyPort()}`).catch((error) => {
        // Somebody else has the port.
        if (tries === 20 || !/in use/i.test(error.message)) throw error;
      });
    }
    after(async () => {
      await server.kill();
      await rm(server.#data, { recursive: true, force: true });
    });
    return server;
  }

  get #config() {
    return join(this.#data, "parlor.toml");
  }

  async #run(listen) {
    const settings = ["metrics=", "testing.games=true", ...this.#settings].flatMap((setting) => [
      "--set",
      setting,
    ]);
    this.#process = spawn(
      join(PROGRAMS, "parlor-server"),
      ["--config", this.#config, "--listen", listen, "--data", this.#data, ...settings],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const child = this.#process;
    let said = "";
    this.address = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        said += chunk;
        const address = /listens on (\S+)/.exec(said)?.[1];
        if (address) resolve(`http://${address}`);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("exit", () => reject(new Error(`the server ended: ${said}`)));
    });
  }

  /** Ends it without warning. */
  async kill() {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** Starts it again, at the same address and with the same data. */
  async restart() {
    await this.#run(new URL(this.address).host);
  }

  /** Runs the command-line client until the test file is done. */
  background(...args) {
    const child = spawn(join(PROGRAMS, "parlor"), [...args, "--server", this.address], { stdio: "ignore" });
    after(() => child.kill());
  }

  /** Runs the command-line client, and gives what it prints. */
  async cli(...args) {
    const child = spawn(join(PROGRAMS, "parlor"), [...args, "--server", this.address, "--lang", "en"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.stdin.end();
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.equal(code, 0, `parlor ${args.join(" ")}: ${err}`);
    return out;
  }
}

/** A proxy before a server, which counts the streams of Follow that are open, and can freeze the network. */
export class Gate {
  #frozen = false;
  #sockets = new Set();
  #http;
  followsNow = 0;
  mostFollows = 0;
  address = "";

  static async start(server) {
    const gate = new Gate();
    const { hostname, port } = new URL(server.address);
    gate.#http = createServer((incoming, answer) => {
      const follows = incoming.url.endsWith("/Follow");
      if (follows) gate.mostFollows = Math.max(gate.mostFollows, ++gate.followsNow);
      const passed = request(
        { hostname, port, path: incoming.url, method: incoming.method, headers: incoming.headers },
        (reply) => {
          answer.writeHead(reply.statusCode, reply.headers);
          answer.flushHeaders();
          reply.pipe(answer);
        },
      );
      passed.on("error", () => answer.destroy());
      answer.on("close", () => {
        if (follows) gate.followsNow--;
        passed.destroy();
      });
      incoming.pipe(passed);
    });
    // A connection that idles stays: to end it could meet a call that the browser has just sent on it.
    gate.#http.keepAliveTimeout = 0;
    gate.#http.on("connection", (socket) => {
      gate.#sockets.add(socket);
      socket.on("close", () => gate.#sockets.delete(socket));
      // A frozen network passes no bytes on, in either direction, and closes nothing.
      if (gate.#frozen) gate.#freeze(socket);
    });
    await new Promise((resolve) => gate.#http.listen(0, "127.0.0.1", resolve));
    gate.address = `http://127.0.0.1:${gate.#http.address().port}`;
    // It ends with the process: a browser that is closed later finds no connection broken before.
    gate.#http.unref();
    return gate;
  }

  #freeze(socket) {
    socket.pause();
    socket.cork();
  }

  freeze() {
    this.#frozen = true;
    for (const socket of this.#sockets) this.#freeze(socket);
  }

  thaw() {
    this.#frozen = false;
    for (const socket of this.#sockets) {
      while (socket.writableCorked > 0) socket.uncork();
      socket.resume();
    }
  }
}

/** The browser of this test file. */
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
after(() => browser.close());

/**
 * A person with a browser: one context with its own storage. At the end of its test, nothing may stand on the console and no
 * request may have left the origin; `troubled` allows what the browser itself says about connections that break.
 */
export async function visitor(
  t,
  origin,
  { lang = "en", width = 1280, height = 800, troubled = false, settings = {}, ...options } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    locale: lang === "de" ? "de-DE" : "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const wrong = [];
  await context.addInitScript(
    (kept) => {
      // An empty page, as a tab begins with, has no storage.
      if (location.origin !== "null")
        localStorage.getItem("parlor.settings") ?? localStorage.setItem("parlor.settings", kept);
    },
    JSON.stringify({ paceMs: 0, ...settings }),
  );
  context.on("page", (page) => {
    page.on("console", (message) => {
      if (!(troubled && message.text().startsWith("Failed to load resource")))
        wrong.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  });
  context.on("request", (asked) => {
    const url = new URL(asked.url());
    if (url.origin !== origin && !["data:", "blob:"].includes(url.protocol))
      wrong.push(`request: ${asked.url()}`);
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  return context;
}

/** Starts a game against bots by its name, in two clicks. */
export async function startAgainstBots(
  page,
  origin,
  game,
  { strength = "Easy", against = "against bots" } = {},
) {
  await page.goto(origin);
  await page.getByRole("button", { name: `${game} ${against}` }).click();
  await page.locator(".strength", { hasText: strength }).click();
  await page.waitForURL(/\/t\//);
  await page.locator(".action-bar").waitFor();
}

/** In the page: what it waits for now: a move, a round's summary or the result; false if for nothing. */
function awaited() {
  if (document.querySelector(".dialog-result")) return "over";
  if (document.querySelector(".dialog-round")) return "round";
  const bar = document.querySelector(".action-bar-open");
  return bar && bar.getAttribute("data-busy") !== "true" ? "turn" : false;
}

/** What the page waits for: a move, a round's summary or the result. */
export async function waitForTurn(page) {
  const handle = await page.waitForFunction(awaited, undefined, { timeout: PATIENCE_MS });
  return handle.jsonValue();
}

/** The pages of several players, each played when it waits for its player, to the end of the game. */
export async function playTogether(pages, random) {
  for (let over = 0; over < pages.length;) {
    over = 0;
    for (const page of pages) {
      const state = await page.evaluate(awaited);
      if (state === "over") over++;
      else if (state) await playOn(page, random, { moves: 1, atOnce: true });
      else await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
    }
  }
}

/**
 * Makes one move by clicks: cards that can be played until a move is complete, then its button or its place. All clicks go
 * through the page, as a person's do, in one call each.
 */
export async function clickMove(page, random) {
  for (let tries = 0; tries < 8; tries++) {
    const clicked = await page.evaluate((draw) => {
      const one = (elements) => elements[Math.floor(draw * elements.length)];
      const button =
        document.querySelector(".grid-places .button-primary") ??
        one([...document.querySelectorAll(".moves .button-primary")]);
      const joins = [...document.querySelectorAll(".hand .card-joins")];
      const card = one(
        joins.length > 0 ? joins : [...document.querySelectorAll(".hand .card-playable:not(.card-picked)")],
      );
      const other = one([
        ...document.querySelectorAll(".moves .button:not(.button-primary):not(.button-quiet)"),
      ]);
      const target = button ?? card ?? other;
      target?.click();
      return target === undefined ? "nothing" : target === card ? "card" : "move";
    }, random());
    if (clicked === "move") return;
    if (clicked === "nothing") {
      // Nothing goes with what is picked: it is put back.
      await page.locator(".hand").press("Escape");
    }
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  }
  throw new Error(`no move can be made: ${await page.locator(".action-bar").innerText()}`);
}

/** A generator of random numbers, so that a failure can be played again. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plays to the end of the game; gives how many moves that took. */
export async function playOn(page, random, { moves = Infinity, atOnce = false } = {}) {
  for (let made = 0; ;) {
    switch (await waitForTurn(page)) {
      case "over":
        return made;
      case "round":
        await page.locator(".dialog-round .button-primary").click();
        if (atOnce) return made;
        break;
      case "turn":
        if (made === moves) return made;
        await clickMove(page, random);
        made++;
        // What comes next may be somebody else's move.
        if (atOnce && made === moves) return made;
        await page.waitForFunction(
          () =>
            document.querySelector(".dialog") ||
            !document.querySelector(".action-bar-open") ||
            document.querySelector(".action-bar-open")?.getAttribute("data-busy") !== "true",
        );
        break;
    }
  }
}
