/** Waiting for a promise until a signal is aborted. */

/** Resolves as the promise does, or rejects with the reason of the signal as soon as it is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) {
      abort();
      // It may still fail, which is nobody's concern any more.
      promise.catch(() => {});
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The messages of a stream until the signal is aborted: then the iteration throws its reason, at once. */
export async function* untilAborted<T>(
  messages: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined> {
  const iterator = messages[Symbol.asyncIterator]();
  for (;;) {
    const next = await abortable(iterator.next(), signal);
    if (next.done === true) {
      return undefined;
    }
    yield next.value;
  }
}
