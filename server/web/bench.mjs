// Measures the page: the size of all its files compressed, and the time until a visitor sees the games.
//
//   PROGRAMS=target/release node bench.mjs

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { chromium } from "playwright-core";
import { bundle, compressedKib } from "./build.mjs";

/** Visits that are measured, each by a browser context that has nothing in its cache. */
const VISITS = 15;

const files = await bundle();
console.log(
  `bench web_bundle_kib ${compressedKib(files).toFixed(1)} gzip, ${compressedKib(files, brotliCompressSync).toFixed(1)} brotli`,
);

const data = await mkdtemp(join(tmpdir(), "parlor-web-bench-"));
const server = spawn(join(process.env.PROGRAMS, "parlor-server"), [
  "--listen",
  "127.0.0.1:0",
  "--data",
  data,
  "--set",
  "metrics=",
]);
const address = await new Promise((resolve, reject) => {
  let said = "";
  const read = (chunk) => {
    said += chunk;
    const found = /listens on (\S+)/.exec(said)?.[1];
    if (found) resolve(`http://${found}`);
  };
  server.stdout.on("data", read);
  server.stderr.on("data", read);
  server.on("exit", () => reject(new Error(`the server ended: ${said}`)));
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
  ],
});
try {
  const times = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(address);
    await page.locator(".game-card").first().waitFor();
    // Drawn, and not only in the document.
    times.push(
      await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => seen(performance.now())))),
    );
    await page.context().close();
  }
  times.sort((a, b) => a - b);
  console.log(
    `bench web_first_view_ms ${times[Math.floor(times.length / 2)].toFixed(0)} median, ${times.at(-1).toFixed(0)} at most, of ${VISITS} visits with an empty cache`,
  );
} finally {
  await browser.close();
  server.kill();
  await rm(data, { recursive: true, force: true });
}
