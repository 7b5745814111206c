/** Sends the API key with every call. */
import type { Interceptor } from "@connectrpc/connect";

export function withApiKey(apiKey: string | undefined): Interceptor[] {
  if (apiKey === undefined) {
    return [];
  }
  return [
    (next) => (request) => {
      request.header.set("authorization", `Bearer ${apiKey}`);
      return next(request);
    },
  ];
}
