/** Streams of the server that are opened again after every break. */
import type { CallOptions } from "@connectrpc/connect";
import { ParlorError } from "./error.js";
import { Backoff, sleep } from "./retry.js";
import { untilAborted } from "./session/abortable.js";
import { openTimeout, streamEnded } from "./session/session.js";

/** Reasons after which a stream is opened again, beside the temporary ones. */
const REOPENED = new Set(["TOO_MANY_STREAMS", "SERVER_FAULT"]);

export interface HealOptions {
  /** Ends the stream without an error. */
  readonly signal: AbortSignal;
  /** How long the server has to answer when a stream is opened. */
  readonly attemptMs: number;
  /** Whether the end of the stream is the end of what it tells, and no break. */
  readonly endsByItself?: boolean;
}

/** The messages of a stream. `open` is called anew after each break, with what has been received in mind. */
export async function* heal<M>(
  open: (options: CallOptions) => AsyncIterable<M>,
  { signal, attemptMs, endsByItself = false }: HealOptions,
): AsyncGenerator<M, undefined> {
  const backoff = new Backoff();
  while (!signal.aborted) {
    const controller = new AbortController();
    const close = () => controller.abort();
    signal.addEventListener("abort", close);
    const timer = setTimeout(() => controller.abort(openTimeout(attemptMs)), attemptMs);
    let error = streamEnded();
    try {
      const messages = open({ signal: controller.signal, onHeader: () => clearTimeout(timer) });
      for await (const message of untilAborted(messages, controller.signal)) {
        backoff.reset();
        yield message;
      }
      if (endsByItself) {
        return undefined;
      }
    } catch (thrown) {
      const { reason } = controller.signal;
      error = ParlorError.from(reason instanceof ParlorError ? reason : thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", close);
      controller.abort();
    }
    if (signal.aborted) {
      break;
    }
    if (!error.temporary && !REOPENED.has(error.reason)) {
      throw error;
    }
    await sleep(backoff.wait(error.retryMs), signal);
  }
  return undefined;
}
