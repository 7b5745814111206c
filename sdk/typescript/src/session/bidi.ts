/** Sessions over a stream that sends and receives: Play, and an agent's Connect. */
import { clientError, closeError, ParlorError } from "../error.js";
import { untilAborted } from "./abortable.js";
import { openTimeout, Session, streamEnded, type StreamEnd, type StreamMessage } from "./session.js";
import type { RequestItem, Subscription } from "./subscription.js";

/** Maximum number of items in a message. */
const MAX_ITEMS = 1024;
/** What one subscription sends at most at once: a detach, an attach, and its answers. */
const MAX_ITEMS_PER_SUBSCRIPTION = 18;

/** How a stream is opened. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Called when the server answers. */
  readonly onHeader: () => void;
}

/** Opens a stream that sends the items of the outbox. */
export type OpenStream = (
  outbox: AsyncIterable<RequestItem[]>,
  options: StreamOptions,
) => AsyncIterable<StreamMessage>;

export class BidiSession extends Session {
  protected stream = 0;
  readonly #open: OpenStream;
  readonly #due = new Set<Subscription>();
  readonly #detaches: number[] = [];
  /** Items that are about no subscription. */
  readonly #others: RequestItem[] = [];
  #controller: AbortController | undefined;
  #wakeOutbox: () => void = () => {};

  constructor(attemptMs: number, open: OpenStream) {
    super(attemptMs);
    this.#open = open;
  }

  protected override wake(subscription: Subscription): void {
    if (subscription.needsNewStream) {
      this.#controller?.abort(
        clientError(
          "UNREACHABLE",
          "a seat missed items: opening the stream again",
          "Ein Platz hat etwas verpasst: Der Stream wird neu geöffnet",
        ),
      );
      return;
    }
    this.#due.add(subscription);
    this.#wakeOutbox();
  }

  /** Sends an item that is about no subscription, on the current stream alone. */
  protected send(item: RequestItem): void {
    this.#others.push(item);
    this.#wakeOutbox();
  }

  protected override detach(channel: number): void {
    this.#detaches.push(channel);
    this.#wakeOutbox();
  }

  protected override stopUnlessNeeded(): void {
    if (!this.isNeeded()) {
      this.#controller?.abort(STREAM_DONE);
    }
  }

  protected override async runStream(): Promise<StreamEnd> {
    const stream = this.#beginStream();
    const controller = new AbortController();
    this.#controller = controller;
    const close = () => controller.abort(STREAM_DONE);
    this.closing.signal.addEventListener("abort", close);
    const timer = setTimeout(() => controller.abort(openTimeout(this.attemptMs)), this.attemptMs);
    const onHeader = () => {
      clearTimeout(timer);
      this.opened();
    };
    try {
      const messages = this.#open(this.#outbox(stream), { signal: controller.signal, onHeader });
      for await (const message of untilAborted(messages, controller.signal)) {
        this.receive(message);
        if (message.ending !== undefined) {
          const { ending } = message;
          return { kind: "broken", error: closeError(ending), notBeforeMs: ending.retryMs };
        }
        this.stopUnlessNeeded();
      }
      return endOf(controller.signal, streamEnded());
    } catch (thrown) {
      return endOf(controller.signal, thrown);
    } finally {
      clearTimeout(timer);
      this.closing.signal.removeEventListener("abort", close);
      controller.abort(STREAM_DONE);
      this.#endStream();
    }
  }

  /** Every subscription attaches again, and unacknowledged answers are sent again. */
  #beginStream(): number {
    this.stream += 1;
    this.#detaches.length = 0;
    this.#others.length = 0;
    for (const subscription of this.subscriptions) {
      this.#due.add(subscription);
    }
    return this.stream;
  }

  #endStream(): void {
    this.stream += 1;
    this.#controller = undefined;
    this.channels.clear();
    for (const subscription of this.subscriptions) {
      subscription.resetForNewStream();
    }
    this.#wakeOutbox();
  }

  /** All that is ready to be sent, message by message, until the stream has ended. */
  async *#outbox(stream: number): AsyncIterable<RequestItem[]> {
    while (this.stream === stream) {
      const items = this.#collectItems();
      if (items.length > 0) {
        yield items;
      } else {
        await new Promise<void>((resolve) => {
          this.#wakeOutbox = resolve;
        });
      }
    }
  }

  #collectItems(): RequestItem[] {
    const items: RequestItem[] = this.#detaches
      .splice(0, MAX_ITEMS)
      .map((channel) => ({ channel, item: { case: "detach", value: {} } }));
    items.push(...this.#others.splice(0, MAX_ITEMS - items.length));
    for (const subscription of this.#due) {
      if (items.length + MAX_ITEMS_PER_SUBSCRIPTION > MAX_ITEMS) {
        break;
      }
      this.#due.delete(subscription);
      this.#collectFrom(subscription, items);
    }
    return items;
  }

  #collectFrom(subscription: Subscription, items: RequestItem[]): void {
    if (subscription.isAttachDue) {
      const old = subscription.channel;
      if (old !== undefined) {
        items.push({ channel: old, item: { case: "detach", value: {} } });
        this.channels.delete(old);
      }
      // A fresh channel number, so that late items of the old channel cannot be mistaken.
      const channel = this.newChannel();
      items.push({ channel, item: { case: "attach", value: subscription.attach(channel) } });
      this.channels.set(channel, subscription);
      subscription.onStatus();
    }
    const { channel } = subscription;
    if (channel !== undefined) {
      for (const { answer } of subscription.takeDueAnswers()) {
        items.push({ channel, item: { case: "answer", value: answer } });
      }
    }
  }
}

/** Why the session itself aborted a stream: it is not needed any more. */
const STREAM_DONE = new ParlorError("CLOSED");

function endOf(signal: AbortSignal, thrown: unknown): StreamEnd {
  if (signal.reason === STREAM_DONE) {
    return { kind: "done" };
  }
  const error = ParlorError.from(signal.reason instanceof ParlorError ? signal.reason : thrown);
  return { kind: "broken", error, notBeforeMs: undefined };
}
