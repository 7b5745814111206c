/** Exponential backoff with jitter, and waits that can be aborted. */

/** Wait before the first retry, and the upper bound, in milliseconds. */
const INITIAL_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;

/**
 * Exponential backoff: waits double with each attempt, each drawn from the upper half of its interval, so that
 * clients cut off together do not come back together.
 */
export class Backoff {
  #attempts = 0;

  /** Milliseconds to wait before the next attempt, never fewer than the server asked for. */
  wait(askedMs?: number): number {
    const whole = Math.min(INITIAL_WAIT_MS * 2 ** Math.min(this.#attempts, 16), MAX_WAIT_MS);
    this.#attempts += 1;
    const spread = whole * (0.5 + 0.5 * Math.random());
    // The server's wait is a lower bound: the jitter comes on top.
    return askedMs === undefined ? spread : askedMs + Math.min(spread, Math.max(askedMs, INITIAL_WAIT_MS));
  }

  /** Back to the first wait, after a success. */
  reset(): void {
    this.#attempts = 0;
  }
}

/** Waits; ends early, without an error, when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
