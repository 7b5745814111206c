/** Calls functions of the caller where nothing can be thrown to it. */

/** Calls a listener. What it throws does not disturb the SDK: it becomes an uncaught error of the program. */
export function callListener<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
