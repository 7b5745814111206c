/** What differs between Node and browsers. */
import type { Transport } from "@connectrpc/connect";
import type { ConnectOptions } from "./client.js";

/** Connections to one server. */
export interface PlatformConnection {
  readonly transport: Transport;
  /** Ends them. */
  close(): void;
}

/** A platform that the SDK runs on. */
export interface Platform {
  /** How seats are attached by default; `play` where there is HTTP/2 with streams both ways. */
  readonly streams: "play" | "follow";
  /** The server to connect to if none is named. */
  defaultAddress(): string;
  open(address: string, options: ConnectOptions): PlatformConnection;
}
