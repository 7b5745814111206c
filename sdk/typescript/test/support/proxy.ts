/** A TCP proxy that cuts, refuses and freezes connections. Its address stays while the server behind it changes. */
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Cleanup } from "./server.js";

export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  #port = 0;

  private constructor(target: () => number) {
    this.#server = createServer((client) => {
      const upstream = connect(target(), "127.0.0.1");
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        // What comes while it is frozen is lost, as with a cable that is pulled out.
        socket.on("data", (data) => {
          if (!this.#isFrozen) {
            other.write(data);
          }
        });
      }
    });
  }

  /** Starts a proxy for the port that `target` returns at each connection. */
  static async start(test: Cleanup, target: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    test.after(() => proxy.#stop());
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    const address = proxy.#server.address();
    proxy.#port = typeof address === "object" && address !== null ? address.port : 0;
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Cuts all connections. New ones work. */
  cut(): void {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  /** Lets nothing through any more, without closing anything; `thaw` ends it for new connections. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Lets new connections work; what was lost stays lost, so those of before are cut. */
  thaw(): void {
    this.#isFrozen = false;
    this.cut();
  }

  async #stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }
}
