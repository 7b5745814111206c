// For work on the page: builds it whenever its sources change, serves it, and passes calls on to a server.
//
//   node dev.mjs [--port 7780] [--server http://127.0.0.1:7766]

import { createServer, request } from "node:http";
import { watch } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundle } from "./build.mjs";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "7780" },
    server: { type: "string", default: "http://127.0.0.1:7766" },
  },
});
const server = new URL(values.server);
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
// As the server sends it, so that what it forbids is noticed here.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

let files = await bundle();
let timer;
watch(join(dirname(fileURLToPath(import.meta.url)), "src"), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    bundle().then(
      (built) => (files = built),
      () => {},
    );
  }, 100);
});

createServer((incoming, answer) => {
  const { pathname } = new URL(incoming.url, "http://localhost");
  if (pathname.startsWith("/parlor.v1.")) {
    const options = {
      host: server.hostname,
      port: server.port,
      path: incoming.url,
      method: incoming.method,
      headers: incoming.headers,
    };
    const passed = request(options, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      answer.flushHeaders();
      reply.pipe(answer);
    });
    passed.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on("close", () => passed.destroy());
    incoming.pipe(passed);
    return;
  }
  const path = pathname.startsWith("/assets/") ? pathname.slice(1) : "index.html";
  const bytes = files.get(path);
  if (!bytes) return answer.writeHead(404).end();
  answer.writeHead(200, {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "content-security-policy": POLICY,
    "cache-control": "no-store",
  });
  answer.end(bytes);
}).listen(Number(values.port), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${values.port} with the server at ${values.server}`),
);
