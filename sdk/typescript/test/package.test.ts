/** The package itself: its dependencies, what it exports, what its README promises. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as browser from "@parlor/sdk/browser";
import * as node from "@parlor/sdk";
import { codeBlocks } from "./support/readme.js";

interface LockFile {
  packages: { [path: string]: { license?: string; resolved?: string; integrity?: string; dev?: boolean } };
}

const LICENCES = new Set([
  "MIT",
  "Apache-2.0",
  "(Apache-2.0 AND BSD-3-Clause)",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "0BSD",
]);

test("the licences of all dependencies are compatible, and the lock file names no registry", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const names = Object.keys(packages).filter((path) => path !== "");
  assert.ok(names.length > 10);
  for (const name of names) {
    const { license, resolved, integrity } = packages[name] ?? {};
    assert.ok(license !== undefined && LICENCES.has(license), `${name}: ${license}`);
    assert.equal(resolved, undefined, name);
    assert.ok(integrity?.startsWith("sha512-"), name);
  }
});

test("versions that belong together are pinned together", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    [kind: string]: { [name: string]: string };
  };
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
  }
  const connect = ["connect", "connect-node", "connect-web"].map(
    (name) => dependencies?.[`@connectrpc/${name}`],
  );
  assert.equal(new Set(connect).size, 1);
  assert.equal(dependencies?.["@bufbuild/protobuf"], devDependencies?.["@bufbuild/protoc-gen-es"]);
});

test("@parlor/sdk/wire exports everything that is generated", () => {
  const wire = readFileSync("src/wire.ts", "utf8");
  const generated = readdirSync("src/gen/parlor/v1");
  assert.ok(generated.length > 10);
  for (const file of generated) {
    assert.ok(wire.includes(`"./gen/parlor/v1/${file.replace(/\.ts$/, ".js")}"`), file);
    // Numbers, not bigint: 64-bit fields of the API are strings in JavaScript.
    assert.doesNotMatch(readFileSync(`src/gen/parlor/v1/${file}`, "utf8"), /\bbigint\b/, file);
  }
});

test("Node and browsers have the same API", () => {
  assert.deepEqual(Object.keys(browser).sort(), Object.keys(node).sort());
  assert.throws(() => browser.connect("http://localhost").serveAgent({ name: "a" }, () => () => 0), {
    reason: "UNSUPPORTED",
  });
});

test("the README of the repository shows the same bot", () => {
  assert.ok(readFileSync("../../README.md", "utf8").includes("```js\n" + codeBlocks("js")[0] + "```"));
});

test("the bot and the page of the README have at most 15 lines", () => {
  for (const block of [codeBlocks("js")[0], codeBlocks("html")[0]]) {
    assert.ok(block !== undefined);
    assert.ok(block.trimEnd().split("\n").length <= 15, block);
  }
});
