// Builds dist/: the modules with their types, and parlor.js, the whole of it in one file for browsers.
//
// node build.js
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", { stdio: "inherit" });
await build({
  entryPoints: ["dist/browser.js"],
  outfile: "dist/parlor.js",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  legalComments: "eof",
  sourcemap: true,
  logLevel: "warning",
});
