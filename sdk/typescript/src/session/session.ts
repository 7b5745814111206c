/**
 * A session: any number of seats and spectators over one stream that is opened again after every break.
 *
 * Here is what all kinds of streams share: the subscriptions, their channels, the reconnects. `bidi.ts` has the
 * streams that send and receive (Play, and an agent's Connect), `follow.ts` the one for browsers.
 */
import { clientError, ParlorError, reopensStream } from "../error.js";
import { callListener } from "../listeners.js";
import { Backoff, sleep } from "../retry.js";
import type { Answer, StreamEnding, StreamItem, TournamentEntropyAsked } from "../wire.js";
import type { AnswerResult, FollowUp, Subscription } from "./subscription.js";

/** State of a session's stream. */
export type ConnectionState =
  /** Not needed now. */
  | { readonly kind: "idle" }
  /** Being opened for the first time. */
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** Broken, about to be opened again. */
  | {
      readonly kind: "reconnecting";
      readonly why: string;
      readonly error: ParlorError;
      readonly retryAt: Date;
    }
  /** Refused for good. */
  | { readonly kind: "ended"; readonly error: ParlorError }
  /** Closed by this program. */
  | { readonly kind: "closed" };

/** Unpacked message of the server. */
export interface StreamMessage {
  readonly items: StreamItem[];
  readonly ending?: StreamEnding | undefined;
}

/** How a stream ended. */
export type StreamEnd =
  /** It broke, or the server ended it. */
  | { readonly kind: "broken"; readonly error: ParlorError; readonly notBeforeMs: number | undefined }
  /** It is not needed any more, or another one takes its place. */
  | { readonly kind: "done" };

export abstract class Session {
  protected readonly subscriptions = new Set<Subscription>();
  protected readonly channels = new Map<number, Subscription>();
  protected readonly attemptMs: number;
  /** Aborts everything when the session is closed. */
  protected readonly closing = new AbortController();
  readonly #listeners = new Set<(state: ConnectionState) => void>();
  readonly #backoff = new Backoff();
  #lastChannel = 0;
  #connection: ConnectionState = { kind: "idle" };
  #running = false;

  constructor(attemptMs: number) {
    this.attemptMs = attemptMs;
  }

  get connection(): ConnectionState {
    return this.#connection;
  }

  /** Calls the listener at every change of the stream's state. */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds a subscription: its channel is opened. */
  subscribe(subscription: Subscription): void {
    if (this.closing.signal.aborted) {
      subscription.fail(new ParlorError("CLOSED"));
      subscription.onReadable();
      return;
    }
    this.subscriptions.add(subscription);
    this.#poke(subscription);
  }

  /** Closes a subscription. The table goes on without it. */
  unsubscribe(subscription: Subscription): void {
    const { channel } = subscription;
    subscription.fail(undefined);
    this.subscriptions.delete(subscription);
    if (channel !== undefined) {
      this.channels.delete(channel);
      this.detach(channel);
    }
    this.stopUnlessNeeded();
  }

  /** Sends an answer; it is kept and sent again until it is acknowledged. */
  answer(subscription: Subscription, answer: Answer): Promise<AnswerResult> {
    const result = subscription.queueAnswer(answer);
    this.#poke(subscription);
    return result;
  }

  /** The reader made room: fetches what was left out. */
  afterRead(subscription: Subscription): void {
    if (subscription.isAttachDue || subscription.needsNewStream) {
      this.#poke(subscription);
    }
  }

  /** Detaches everything and ends the stream. Nothing is resigned. */
  close(): void {
    if (this.closing.signal.aborted) {
      return;
    }
    this.failAll(new ParlorError("CLOSED"));
    this.setConnection({ kind: "closed" });
    this.closing.abort(new ParlorError("CLOSED"));
  }

  /** Opens a stream and reads it until it ends. */
  protected abstract runStream(): Promise<StreamEnd>;
  /** A subscription has something to send, or must be attached. */
  protected abstract wake(subscription: Subscription): void;
  /** A channel is not needed any more. */
  protected abstract detach(channel: number): void;
  /** Ends the stream if no subscription needs it. */
  protected abstract stopUnlessNeeded(): void;

  /** Whether a stream is needed. */
  protected isNeeded(): boolean {
    for (const subscription of this.subscriptions) {
      if (subscription.isAttachDue || subscription.channel !== undefined) {
        return true;
      }
    }
    return false;
  }

  protected newChannel(): number {
    this.#lastChannel = (this.#lastChannel + 1) >>> 0;
    return this.#lastChannel;
  }

  /** Runs streams, one after the other, for as long as one is needed. */
  protected start(): void {
    if (!this.#running && this.isNeeded() && !this.closing.signal.aborted) {
      this.#running = true;
      void this.#run();
    }
  }

  async #run(): Promise<void> {
    while (this.isNeeded() && !this.closing.signal.aborted) {
      if (this.#connection.kind !== "open" && this.#connection.kind !== "reconnecting") {
        this.setConnection({ kind: "connecting" });
      }
      const end = await this.runStream();
      if (this.closing.signal.aborted) {
        break;
      }
      if (end.kind === "done") {
        continue;
      }
      const { error, notBeforeMs } = end;
      if (!reopensStream(error)) {
        this.setConnection({ kind: "ended", error });
        this.failAll(error);
        break;
      }
      const waitMs = this.#backoff.wait(notBeforeMs ?? error.retryMs);
      const retryAt = new Date(Date.now() + waitMs);
      this.setConnection({ kind: "reconnecting", why: error.message, error, retryAt });
      await sleep(waitMs, this.closing.signal);
    }
    this.#running = false;
    if (this.#connection.kind !== "ended" && this.#connection.kind !== "closed") {
      this.setConnection({ kind: "idle" });
    }
  }

  /** The server answers: the stream is open. */
  protected opened(): void {
    this.setConnection({ kind: "open" });
  }

  protected setConnection(state: ConnectionState): void {
    const { kind } = this.#connection;
    if (kind === "closed" || (kind === state.kind && kind !== "reconnecting")) {
      return;
    }
    this.#connection = state;
    for (const listener of [...this.#listeners]) {
      callListener(listener, state);
    }
    for (const subscription of [...this.subscriptions]) {
      subscription.onStatus();
    }
  }

  /** Hands the server's items to their subscriptions. */
  protected receive({ items }: StreamMessage): void {
    this.#backoff.reset();
    for (const { channel, item } of items) {
      const isOfAgent = item.case === "seatGiven" || item.case === "entropyAsked";
      const subscription = isOfAgent ? undefined : this.channels.get(channel);
      if (item.case === "seatGiven") {
        this.assignSeat(channel, item.value);
      } else if (item.case === "entropyAsked") {
        this.answerEntropy(item.value);
      } else if (subscription !== undefined) {
        this.followUp(subscription, subscription.receive(item));
        if (subscription.channel === undefined) {
          this.channels.delete(channel);
          subscription.onStatus();
        }
        if (subscription.end !== undefined) {
          this.subscriptions.delete(subscription);
        }
      }
    }
  }

  /** A seat was given. Only agents are given seats. */
  protected assignSeat(_channel: number, _given: { tableId: string; seat: number }): void {}

  /** A tournament asks for entropy. Only agents are asked. */
  protected answerEntropy(_asked: TournamentEntropyAsked): void {}

  /** Does what a received item requires. */
  protected followUp(subscription: Subscription, followUp: FollowUp): void {
    if (followUp === "readable") {
      subscription.onReadable();
    } else if (followUp === "retry-later") {
      void this.#retryLater(subscription);
    }
  }

  async #retryLater(subscription: Subscription): Promise<void> {
    await sleep(subscription.backoff.wait(), this.closing.signal);
    if (this.subscriptions.has(subscription)) {
      subscription.retry();
      this.#poke(subscription);
    }
  }

  /** A subscription has something to send: over a new stream if none is open. */
  #poke(subscription: Subscription): void {
    this.start();
    this.wake(subscription);
  }

  /** Ends all subscriptions with an error. */
  protected failAll(error: ParlorError): void {
    for (const subscription of [...this.subscriptions]) {
      subscription.fail(error);
      subscription.onReadable();
    }
    this.subscriptions.clear();
    this.channels.clear();
  }
}

/** The error of a stream that the server ended without a word. */
export function streamEnded(): ParlorError {
  return new ParlorError("SERVER_STOPPING", {
    text: { en: "the server ended the stream", de: "Der Server hat den Stream beendet" },
  });
}

/** The error of a stream that did not open in time. */
export function openTimeout(limitMs: number): ParlorError {
  return clientError(
    "DEADLINE_EXCEEDED",
    `the server did not answer within ${limitMs} ms`,
    `Der Server hat nicht innerhalb von ${limitMs} ms geantwortet`,
  );
}
