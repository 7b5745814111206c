/** A parlor-server process on a port and a store of its own, which tests kill and start again. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Directory of the built programs. */
export const PROGRAMS = process.env["PROGRAMS"] ?? "../../target/debug";

/** Where what is to be done when a test, or a suite, is over is registered. */
export interface Cleanup {
  after(action: () => void | Promise<void>): void;
}

/** The cleanup of a suite, to be run when it is over. */
export class SuiteCleanup implements Cleanup {
  readonly #actions: (() => void | Promise<void>)[] = [];

  after(action: () => void | Promise<void>): void {
    this.#actions.push(action);
  }

  async run(): Promise<void> {
    for (const action of this.#actions.reverse()) {
      await action();
    }
  }
}

export class TestServer {
  readonly #data = mkdtempSync(join(tmpdir(), "parlor-typescript-"));
  readonly #settings: string[];
  #process: ChildProcess | undefined;
  #port = 0;

  private constructor(settings: string[]) {
    this.#settings = settings;
  }

  /** Starts a server for a test, with the game for tests and `settings` of the form `section.key=value`. */
  static async start(test: Cleanup, ...settings: string[]): Promise<TestServer> {
    const server = new TestServer(["testing.games=true", ...settings]);
    test.after(() => server.#stop());
    await server.run();
    return server;
  }

  /** The port that it listens on: another one after each start. */
  get port(): number {
    return this.#port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts the process; the store is that of the one before. */
  async run(): Promise<void> {
    const settings = this.#settings.flatMap((setting) => ["--set", setting]);
    const args = ["--listen", "127.0.0.1:0", "--metrics", "", "--data", this.#data, ...settings];
    const child = spawn(join(PROGRAMS, "parlor-server"), args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    let errors = "";
    child.stderr.on("data", (data) => (errors += data));
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /^parlor-server .* listens on [^ ]*:(\d+)/.exec(line)?.[1];
      if (port !== undefined) {
        this.#port = Number(port);
        child.stdout.resume();
        return;
      }
    }
    await new Promise((resolve) => child.once("close", resolve));
    throw new Error(`the server does not start: ${errors}`);
  }

  /** Kills the process, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child !== undefined && child.exitCode === null) {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await exited;
    }
  }

  async #stop(): Promise<void> {
    await this.kill();
    rmSync(this.#data, { recursive: true, force: true });
  }
}
