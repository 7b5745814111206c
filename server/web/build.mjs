// Builds the page into dist/, which is committed: the server embeds it, and a Rust toolchain alone builds the server.
//
//   node build.mjs            builds
//   node build.mjs --check    builds into memory, and fails if dist/ differs
//   node build.mjs --size     builds into memory, and prints the size of every file as it is and compressed

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

/** The most that all files together may have, compressed with gzip. */
export const MAX_COMPRESSED_KIB = 120;

/** Leaves out the JSON of messages, a tenth of the code: Connect has it for its own protocol, and the page speaks gRPC-Web. */
const withoutJson = {
  name: "without-json",
  setup({ onLoad }) {
    onLoad({ filter: /@bufbuild[\\/]protobuf[\\/]dist[\\/]esm[\\/](from|to)-json\.js$/ }, ({ path }) => {
      const names = [...readFileSync(path, "utf8").matchAll(/^export function (\w+)/gm)].map(
        ([, name]) => name,
      );
      const left = (name) =>
        `export function ${name}() { throw new Error("${name} is left out of the page"); }`;
      return { contents: names.map(left).join("\n"), loader: "js" };
    });
  },
};

/** The files of dist/, by their paths. */
export async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { main: "src/main.tsx", worker: "src/hub/worker.ts" },
    outdir: "dist/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "shared-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: ["es2022", "chrome109", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    legalComments: "none",
    plugins: [withoutJson],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  const files = new Map(
    result.outputFiles.map((file) => [
      relative(dist, file.path).replaceAll("\\", "/"),
      Buffer.from(file.contents),
    ]),
  );
  const output = (entry) =>
    Object.entries(result.metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
  const name = ([path]) => `/${path.replace(/^dist\//, "")}`;
  const main = output("src/main.tsx");
  const icon = readFileSync(join(here, "src/icon.svg"));
  files.set("favicon.svg", icon);
  const chunks = main[1].imports
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => `<link rel="modulepreload" href="/${path.replace(/^dist\//, "")}">`);
  const values = {
    main: name(main),
    worker: name(output("src/hub/worker.ts")),
    style: `/${main[1].cssBundle.replace(/^dist\//, "")}`,
    icon: "/favicon.svg",
    preloads: chunks.join("\n    "),
  };
  const html = readFileSync(join(here, "src/index.html"), "utf8").replace(
    /\{\{(\w+)\}\}/g,
    (_, key) => values[key],
  );
  files.set("index.html", Buffer.from(html));
  return files;
}

/** The files that are in dist/ now. */
function committed() {
  const names = readdirSync(dist, { recursive: true, withFileTypes: true });
  return new Map(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        return [relative(dist, path).replaceAll("\\", "/"), readFileSync(path)];
      }),
  );
}

/** The sum of the sizes of all files, each compressed for itself, in KiB. */
export function compressedKib(files, compress = (bytes) => gzipSync(bytes, { level: 9 })) {
  return [...files.values()].reduce((sum, bytes) => sum + compress(bytes).length, 0) / 1024;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const files = await bundle();
  const kib = compressedKib(files);
  if (process.argv.includes("--size")) {
    for (const [path, bytes] of files) {
      const gzip = gzipSync(bytes, { level: 9 }).length;
      console.log(
        `${path.padEnd(34)} ${String(bytes.length).padStart(8)} bytes, ${String(gzip).padStart(7)} with gzip, ${String(brotliCompressSync(bytes).length).padStart(7)} with brotli`,
      );
    }
    console.log(
      `${"all".padEnd(34)} ${kib.toFixed(1)} KiB with gzip, ${compressedKib(files, brotliCompressSync).toFixed(1)} KiB with brotli`,
    );
  } else if (process.argv.includes("--check")) {
    const now = committed();
    const wrong = [...new Set([...files.keys(), ...now.keys()])].filter(
      (path) => !files.get(path)?.equals(now.get(path) ?? Buffer.alloc(0)),
    );
    if (wrong.length > 0) {
      console.error(
        `server/web/dist is not what its sources make: ${wrong.join(", ")}. Run "make web" and commit it.`,
      );
      process.exit(1);
    }
  } else {
    rmSync(dist, { recursive: true, force: true });
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(dist, path)), { recursive: true });
      writeFileSync(join(dist, path), bytes);
    }
  }
  if (kib > MAX_COMPRESSED_KIB) {
    console.error(`The page has ${kib.toFixed(1)} KiB compressed; it may have ${MAX_COMPRESSED_KIB}.`);
    process.exit(1);
  }
}
