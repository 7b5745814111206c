// A tab's side of the hub: subscriptions, joins and moves.

import type { LanguageCode } from "../api";
import { connectLeader } from "./leader";
import {
  ALIVE_EVERY_MS,
  type ChooseResult,
  type FromHub,
  type JoinedSeat,
  type JoinRequest,
  type PlainError,
  type ToHub,
  type ViewerEvent,
  type ViewerHistory,
  type ViewerRef,
} from "./protocol";

/** What a subscriber is told: first what came before, then each event. A second history replaces the first. */
export interface Subscriber {
  history(history: ViewerHistory): void;
  event(event: ViewerEvent): void;
}

interface Subscription {
  readonly viewer: ViewerRef;
  readonly lang: LanguageCode;
  readonly subscriber: Subscriber;
}

/** A join that the server refused. */
export class JoinError extends Error {
  constructor(readonly detail: PlainError) {
    super(detail.text.en);
  }
}

class HubClient {
  #send: ((message: ToHub) => void) | undefined;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #calls = new Map<number, { message: ToHub; receive: (message: FromHub) => void }>();
  #count = 0;

  /** Looks on as a viewer, until the returned function is called. */
  subscribe(viewer: ViewerRef, lang: LanguageCode, subscriber: Subscriber): () => void {
    const id = String(++this.#count);
    this.#subscriptions.set(id, { viewer, lang, subscriber });
    this.#say({ kind: "subscribe", subscription: id, viewer, lang });
    return () => {
      this.#subscriptions.delete(id);
      this.#say({ kind: "unsubscribe", subscription: id });
    };
  }

  /** Takes a seat. Rejects with a JoinError. */
  join(request: JoinRequest): Promise<JoinedSeat> {
    return new Promise((resolve, reject) => {
      this.#call(
        (call) => ({ kind: "join", call, request }),
        (message) => {
          if (message.kind !== "joined") return;
          if (message.joined) resolve(message.joined);
          else reject(new JoinError(message.error!));
        },
      );
    });
  }

  /** Makes a move. */
  choose(viewer: ViewerRef, lang: LanguageCode, decision: number, index: number): Promise<ChooseResult> {
    return new Promise((resolve) => {
      this.#call(
        (call) => ({ kind: "choose", call, viewer, lang, decision, index }),
        (message) => message.kind === "chosen" && resolve(message.result),
      );
    });
  }

  #call(make: (call: number) => ToHub, receive: (message: FromHub) => void): void {
    const call = ++this.#count;
    const message = make(call);
    this.#calls.set(call, { message, receive });
    this.#say(message);
  }

  #say(message: ToHub): void {
    this.#send ??= this.#connect();
    this.#send(message);
  }

  /** Tells a hub that has just taken over what this tab wants. What was asked of the one before is asked again. */
  #resubscribe(): void {
    for (const [subscription, { viewer, lang }] of this.#subscriptions)
      this.#say({ kind: "subscribe", subscription, viewer, lang });
    for (const { message } of this.#calls.values()) this.#say(message);
  }

  #receive(message: FromHub): void {
    if (message.kind === "history")
      this.#subscriptions.get(message.subscription)?.subscriber.history(message.history);
    else if (message.kind === "event")
      this.#subscriptions.get(message.subscription)?.subscriber.event(message.event);
    else {
      const call = this.#calls.get(message.call);
      this.#calls.delete(message.call);
      call?.receive(message);
    }
  }

  #connect(): (message: ToHub) => void {
    const say = this.#connectWorker() ?? this.#connectLeader();
    setInterval(() => this.#say({ kind: "alive" }), ALIVE_EVERY_MS);
    addEventListener("pagehide", () => this.#say({ kind: "bye" }));
    addEventListener("pageshow", (event) => event.persisted && this.#resubscribe());
    return say;
  }

  #connectWorker(): ((message: ToHub) => void) | undefined {
    const url = document.querySelector<HTMLMetaElement>('meta[name="parlor-worker"]')?.content;
    if (!url || typeof SharedWorker === "undefined") return undefined;
    try {
      const worker = new SharedWorker(url, { type: "module", name: "parlor" });
      worker.port.onmessage = (event: MessageEvent<FromHub>) => this.#receive(event.data);
      // The browser has SharedWorker, but refuses this one: the tabs do without.
      worker.onerror = () => {
        worker.port.close();
        this.#send = this.#connectLeader();
        this.#resubscribe();
      };
      return (message) => worker.port.postMessage(message);
    } catch {
      return undefined;
    }
  }

  #connectLeader(): (message: ToHub) => void {
    return connectLeader(
      "parlor",
      (message) => this.#receive(message),
      () => this.#resubscribe(),
    );
  }
}

/** The hub, as this tab reaches it. */
export const hub = new HubClient();
