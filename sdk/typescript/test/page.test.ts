/** The pages of the README and the examples, as they stand, in Chromium. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { codeBlocks } from "./support/readme.js";
import { TestServer, type Cleanup } from "./support/server.js";

/** Serves files by their paths; returns the origin. */
async function serveFiles(test: Cleanup, files: { [path: string]: string }): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (path === "/favicon.ico") {
      response.writeHead(204).end();
      return;
    }
    const text = files[path];
    const type = path.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

/** Presses the first button, each once, until a condition holds: the buttons of the next decision are new ones. */
async function pressUntil(page: Page, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await page.evaluate(() => {
      const button = document.querySelector("button");
      if (button !== null && button.dataset["pressed"] === undefined) {
        button.dataset["pressed"] = "true";
        button.click();
      }
    });
    await page.waitForTimeout(5);
  }
}

test("the pages play a game to its end, and one goes on after a reload", async (t) => {
  const server = await TestServer.start(t, "connections.cors_origins=*");
  const origin = await serveFiles(t, {
    "/readme.html": codeBlocks("html")[0] ?? "",
    "/page.html": readFileSync("examples/page.html", "utf8"),
    "/parlor.js": readFileSync("dist/parlor.js", "utf8"),
  });
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    // The pages name the server's usual address, which leads to that of this test.
    args: ["--no-sandbox", `--host-resolver-rules=MAP localhost:7766 127.0.0.1:${server.port}`],
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`${error}`));
  page.on("console", (message) => problems.push(message.text()));

  await page.goto(`${origin}/readme.html`);
  const view = page.locator("#view");
  await page.locator("button").first().waitFor();
  assert.match((await view.textContent()) ?? "", /GAP/);
  await pressUntil(page, async () => ((await view.textContent()) ?? "").startsWith("The game was played"));
  assert.equal(await page.locator("button").count(), 0);
  assert.deepEqual(problems, []);

  await page.goto(`${origin}/page.html?game=no_dice&lang=de`);
  await page.locator("button").first().waitFor();
  const token = await page.evaluate(() => localStorage.getItem("seat"));
  await page.reload();
  await page.locator("button").first().waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("seat")), token);
  assert.deepEqual(problems, []);
  await pressUntil(page, async () =>
    ((await page.locator("#moves").textContent()) ?? "").includes("belegst"),
  );
  assert.equal(await page.locator("#state").textContent(), "over");
  assert.equal(await page.evaluate(() => localStorage.getItem("seat")), null);
  assert.deepEqual(problems, []);
});
