// The hub: one client, and so one stream, for all seats and spectators of all tabs.

import {
  connect,
  ParlorError,
  type Decision,
  type Parlor,
  type Seat,
  type SeatEvent,
  type SeatState,
  type Spectator,
} from "@parlor/sdk";
import { AnswerStatus } from "@parlor/sdk/wire";
import type { LanguageCode } from "../api";
import {
  DROPPED_AFTER_MS,
  viewerKey,
  type ChooseResult,
  type FromHub,
  type OpenDecision,
  type ToHub,
  type ViewerEvent,
  type ViewerRef,
  type ViewerState,
} from "./protocol";

/** How long a viewer stays attached when no tab looks on: long enough for a tab to be loaded again. */
const LINGER_MS = 4000;

/** The most events that are kept for tabs that come later. */
const MAX_HISTORY = 400;

/** A tab, as the hub sees it. */
export interface TabPort {
  send(message: FromHub): void;
}

interface Tab {
  readonly port: TabPort;
  readonly subscriptions: Map<string, Feed>;
  heard: number;
}

/** A viewer that tabs look on as. */
interface Feed {
  readonly key: string;
  readonly viewer: Seat | Spectator;
  readonly tabs: Map<Tab, string>;
  events: ViewerEvent[];
  closing: ReturnType<typeof setTimeout> | undefined;
}

const WANTS = {
  board: true,
  events: true,
  updateViews: false,
  decisionViews: false,
  legalActions: false,
  rematch: true,
  timeLeft: true,
};

/** Serves the tabs of one browser. */
export class Hub {
  readonly #parlor: Parlor;
  readonly #feeds = new Map<string, Feed>();
  readonly #tabs = new Map<TabPort, Tab>();

  constructor(address: string) {
    this.#parlor = connect(address);
    setInterval(() => this.#dropSilent(), DROPPED_AFTER_MS / 2);
  }

  /** Takes a message of a tab. */
  async receive(port: TabPort, message: ToHub): Promise<void> {
    const tab = this.#tabs.get(port) ?? { port, subscriptions: new Map(), heard: 0 };
    tab.heard = Date.now();
    this.#tabs.set(port, tab);
    switch (message.kind) {
      case "alive":
        return;
      case "bye":
        return this.#drop(tab);
      case "subscribe":
        return this.#subscribe(tab, message.subscription, message.viewer, message.lang);
      case "unsubscribe":
        return this.#unsubscribe(tab, message.subscription);
      case "choose": {
        const feed = this.#feed(message.viewer, message.lang);
        port.send({
          kind: "chosen",
          call: message.call,
          result: await this.#choose(feed.viewer as Seat, message.decision, message.index),
        });
        return this.#closeUnused(feed);
      }
      case "join": {
        try {
          const { to, requestId, displayName, entropy, lang, previousToken } = message.request;
          const options = {
            ...WANTS,
            texts: lang,
            requestId,
            displayName,
            entropy,
            ...(previousToken === undefined ? {} : { previousToken }),
          };
          const seat =
            "invite" in to
              ? await this.#parlor.accept(to.invite, options)
              : await this.#parlor.join(to.tableId, options);
          const feed = this.#add(viewerKey({ kind: "seat", token: seat.token, entropy }, lang), seat);
          const table = seat.table ?? (await this.#parlor.table(seat.tableId!, seat.token));
          port.send({
            kind: "joined",
            call: message.call,
            joined: { token: seat.token, tableId: table.tableId, seat: seat.seat!, table },
          });
          this.#closeUnused(feed);
        } catch (error) {
          const known =
            error instanceof ParlorError
              ? { reason: error.reason, text: error.text }
              : { reason: "OTHER", text: { en: String(error), de: String(error) } };
          port.send({ kind: "joined", call: message.call, error: known });
        }
        return;
      }
    }
  }

  async #choose(seat: Seat, decisionId: number, index: number): Promise<ChooseResult> {
    try {
      const open = seat.decision;
      if (open?.id === decisionId) {
        const { kind } = await open.choose(index);
        return { kind: kind === "accepted" || kind === "conflict" ? kind : "gone" };
      }
      // A hub that has just taken over may not have been told of the decision yet: the server knows what it is worth.
      const answer = { decisionId, choice: { case: "index", value: index } } as const;
      const { answered } = await this.#parlor.calls.play.act({ seatToken: seat.token, answer });
      switch (answered?.status) {
        case AnswerStatus.ACCEPTED:
        case AnswerStatus.REPEATED:
          return { kind: "accepted" };
        default:
          return { kind: "conflict" };
      }
    } catch (error) {
      if (error instanceof ParlorError) return { kind: "refused", text: error.text };
      throw error;
    }
  }

  /** Forgets a tab that is gone. */
  #drop(tab: Tab): void {
    for (const subscription of [...tab.subscriptions.keys()]) this.#unsubscribe(tab, subscription);
    this.#tabs.delete(tab.port);
  }

  #dropSilent(): void {
    for (const tab of [...this.#tabs.values()]) {
      if (Date.now() - tab.heard > DROPPED_AFTER_MS) this.#drop(tab);
    }
  }

  #subscribe(tab: Tab, subscription: string, viewer: ViewerRef, lang: LanguageCode): void {
    this.#unsubscribe(tab, subscription);
    const feed = this.#feed(viewer, lang);
    feed.tabs.set(tab, subscription);
    tab.subscriptions.set(subscription, feed);
    tab.port.send({ kind: "history", subscription, history: { events: feed.events } });
  }

  #unsubscribe(tab: Tab, subscription: string): void {
    const feed = tab.subscriptions.get(subscription);
    if (!feed) return;
    tab.subscriptions.delete(subscription);
    feed.tabs.delete(tab);
    this.#closeUnused(feed);
  }

  #feed(viewer: ViewerRef, lang: LanguageCode): Feed {
    const key = viewerKey(viewer, lang);
    const known = this.#feeds.get(key);
    if (known) {
      clearTimeout(known.closing);
      return known;
    }
    const wants = { ...WANTS, texts: lang };
    switch (viewer.kind) {
      case "seat":
        return this.#add(key, this.#parlor.seat(viewer.token, { ...wants, entropy: viewer.entropy }));
      case "spectator":
        return this.#add(key, this.#parlor.watch(viewer.tableId, wants));
      case "invited":
        return this.#add(key, this.#parlor.watch({ spectatorToken: viewer.spectatorToken }, wants));
    }
  }

  #add(key: string, viewer: Seat | Spectator): Feed {
    const known = this.#feeds.get(key);
    if (known) {
      if (known.viewer !== viewer) viewer.close();
      return known;
    }
    const feed: Feed = { key, viewer, tabs: new Map(), events: [], closing: undefined };
    this.#feeds.set(key, feed);
    let told = "";
    const tellState = () => {
      const state = plainState(viewer.state);
      if (told === JSON.stringify(state)) return;
      told = JSON.stringify(state);
      this.#tell(feed, { kind: "state", state });
    };
    viewer.onChange(tellState);
    tellState();
    void (async () => {
      for await (const event of viewer.events()) this.#tell(feed, plainEvent(event));
      tellState();
    })();
    return feed;
  }

  #tell(feed: Feed, event: ViewerEvent): void {
    // A snapshot says all that came before it.
    if (event.kind === "snapshot")
      feed.events = feed.events.filter((earlier) => earlier.kind === "update" || earlier.kind === "state");
    if (event.kind === "state") feed.events = feed.events.filter((earlier) => earlier.kind !== "state");
    feed.events.push(event);
    if (feed.events.length > MAX_HISTORY) feed.events = compacted(feed.events);
    for (const [tab, subscription] of feed.tabs) tab.port.send({ kind: "event", subscription, event });
  }

  #closeUnused(feed: Feed): void {
    if (feed.tabs.size > 0) return;
    clearTimeout(feed.closing);
    feed.closing = setTimeout(() => {
      if (feed.tabs.size > 0) return;
      this.#feeds.delete(feed.key);
      feed.viewer.close();
    }, LINGER_MS);
  }
}

/** The events without the oldest updates and times: a tab still learns where everything stands. */
function compacted(events: readonly ViewerEvent[]): ViewerEvent[] {
  const half = events.length - MAX_HISTORY / 2;
  const lastTime = events.findLastIndex((event) => event.kind === "timeLeft");
  const lastDecision = events.findLastIndex((event) => event.kind === "decision");
  return events.filter((event, index) => {
    if (event.kind === "timeLeft") return index === lastTime;
    if (event.kind === "decision") return index === lastDecision;
    return index >= half || event.kind === "snapshot" || event.kind === "state" || event.kind === "presence";
  });
}

function plainState(state: SeatState): ViewerState {
  switch (state.kind) {
    case "connecting":
    case "open":
    case "reconnecting":
    case "over":
      return { kind: state.kind };
    case "ended":
      return { kind: "ended", reason: state.error.reason, text: state.error.text };
    case "closed":
      return { kind: "connecting" };
  }
}

function plainDecision(decision: Decision, after: number): OpenDecision {
  const { id, legalCount, defaultIndex, hidden, texts, board } = decision;
  return { id, after, legalCount, defaultIndex, hidden, texts, board };
}

function plainEvent(event: SeatEvent): ViewerEvent {
  switch (event.kind) {
    case "snapshot":
      return { kind: "snapshot", snapshot: event.snapshot, at: Date.now() };
    case "update":
      return { kind: "update", update: event.update };
    case "decision":
      return { kind: "decision", decision: plainDecision(event.decision, event.decision.seat.number ?? 0) };
    case "presence":
      return { kind: "presence", presence: event.presence };
    case "timeLeft":
      return { kind: "timeLeft", timeLeft: event.timeLeft, at: Date.now() };
  }
}
