/** @parlor/sdk in browsers: gRPC-Web over fetch. */
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { withApiKey } from "./api_key.js";
import { Parlor, type ConnectOptions } from "./client.js";
import type { Platform } from "./platform.js";

export * from "./api.js";

const browser: Platform = {
  streams: "follow",
  defaultAddress: () => globalThis.location.origin,
  open: (address, { apiKey }) => ({
    transport: createGrpcWebTransport({ baseUrl: address, interceptors: withApiKey(apiKey) }),
    close: () => {},
  }),
};

/** A client of the server at an address; default: the one that the page comes from. Nothing is sent before it is needed. */
export function connect(address?: string, options: ConnectOptions = {}): Parlor {
  return new Parlor(browser, address, { ...options, streams: "follow" });
}
