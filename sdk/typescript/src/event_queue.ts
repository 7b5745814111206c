/** EventQueue: a bounded buffer between a stream and one iterator over it. */

/** Events that an iterator buffers at most before its source is made to wait. */
const CAPACITY = 256;

export class EventQueue<T> {
  readonly #items: T[] = [];
  #waiting: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #ended = false;
  readonly #onRoom: () => void;

  /** `onRoom` is called when a full queue has room again. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  get hasRoom(): boolean {
    return this.#items.length < CAPACITY;
  }

  push(item: T): void {
    if (this.#ended) {
      return;
    }
    if (this.#waiting !== undefined) {
      this.#waiting({ value: item, done: false });
      this.#waiting = undefined;
    } else {
      this.#items.push(item);
    }
  }

  /** No more items will come; those in the queue are still to be read. */
  end(): void {
    this.#ended = true;
    this.#waiting?.({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  /** The next item, or the end. One call at a time. */
  next(): Promise<IteratorResult<T, undefined>> {
    const wasFull = !this.hasRoom;
    const item = this.#items.shift();
    if (item !== undefined) {
      if (wasFull) {
        this.#onRoom();
      }
      return Promise.resolve({ value: item, done: false });
    }
    if (this.#ended) {
      return Promise.resolve({ value: undefined, done: true });
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}
