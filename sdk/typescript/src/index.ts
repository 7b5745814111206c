/** @parlor/sdk in Node: gRPC over HTTP/2. */
import type { Interceptor } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { withApiKey } from "./api_key.js";
import { Parlor, type ConnectOptions } from "./client.js";
import type { Platform } from "./platform.js";

export * from "./api.js";

const node: Platform = {
  streams: "play",
  defaultAddress: () => "http://127.0.0.1:7766",
  open(address, { apiKey, ca, clientCertificate, keepaliveMs = 10_000 }) {
    const nodeOptions = { ...(ca === undefined ? {} : { ca }), ...clientCertificate };
    const pings = { pingIntervalMs: keepaliveMs, pingTimeoutMs: keepaliveMs };
    const sessionManager = new Http2SessionManager(address, pings, nodeOptions);
    const interceptors: Interceptor[] = withApiKey(apiKey);
    const transport = createGrpcTransport({ baseUrl: address, sessionManager, interceptors });
    return { transport, close: () => sessionManager.abort() };
  },
};

/**
 * A client of the server at an address such as `http://localhost:7766` or `https://parlor.example.org`. Nothing is
 * sent before it is needed, and the program may end when no seat or call needs the connection.
 */
export function connect(address?: string, options: ConnectOptions = {}): Parlor {
  return new Parlor(node, address, options);
}
