/** Random bytes and ids. */

/** Random bytes of the platform's generator for secrets. */
export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** A new request id of 128 random bits. It is a secret: on a server without API keys it alone protects the reply. */
export function requestId(): string {
  return Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
