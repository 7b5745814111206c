/** Seat and Spectator: one viewer of a table, with its state and its events in order. */
import { clone } from "@bufbuild/protobuf";
import { Decision } from "./decision.js";
import type { ParlorError } from "./error.js";
import { EventQueue } from "./event_queue.js";
import { callListener } from "./listeners.js";
import type { Session } from "./session/session.js";
import type { AnswerResult, InboxItem, Subscription } from "./session/subscription.js";
import { applyTableEvents } from "./table_state.js";
import {
  TableSchema,
  type Answer,
  type Board,
  type Decision as DecisionMessage,
  type GameView,
  type Presence,
  type ResultTexts,
  type RichText,
  type Snapshot,
  type Table,
  type TableResult,
  type TimeLeft,
  type Update,
  type Viewer,
} from "./wire.js";

/** Something that a viewer of a table is told. */
export type SeatEvent =
  | { readonly kind: "snapshot"; readonly snapshot: Snapshot }
  | { readonly kind: "update"; readonly update: Update }
  | { readonly kind: "decision"; readonly decision: Decision }
  | { readonly kind: "presence"; readonly presence: Presence }
  | { readonly kind: "timeLeft"; readonly timeLeft: TimeLeft };

/** How a seat or spectator stands. Nothing of it is ever thrown. */
export type SeatState =
  /** Not attached yet; `why` is there if the server could not be reached so far. */
  | { readonly kind: "connecting"; readonly why?: string }
  | { readonly kind: "open" }
  /** The connection broke; it heals by itself. */
  | { readonly kind: "reconnecting"; readonly why: string }
  /** The table is over: finished, cancelled, expired or faulted. */
  | { readonly kind: "over"; readonly result: TableResult | undefined }
  /** The server refuses the seat for good: its token ended, a house bot took over, the table is not there. */
  | { readonly kind: "ended"; readonly error: ParlorError }
  /** Closed by this program. */
  | { readonly kind: "closed" };

/** Stops a listener. */
export type Unsubscribe = () => void;

/** What an iterator wants of the events. */
interface Consumer {
  readonly hasRoom: boolean;
  push(event: SeatEvent): void;
  end(): void;
}

/**
 * One viewer of a table: what Seat and Spectator have in common.
 *
 * The iterators give everything once and in order, through broken connections and restarts of the server. They never
 * throw: they end when `state` is over, ended or closed. Each buffers up to 256 events; while one of them is full, the
 * events stay at the server, so read an iterator to its end or leave its loop. Events that come before there is an
 * iterator or listener wait for the first one.
 */
export abstract class TableViewer {
  /** The table after the events read so far; undefined before the first snapshot. */
  table: Table | undefined;
  /** The latest view that was sent, with a snapshot, an update or a decision. */
  view: GameView | undefined;
  /** The latest board that was sent, if boards are wanted. */
  board: Board | undefined;
  /** The latest text of the view, if texts are wanted. */
  viewText: RichText | undefined;
  /** The result as sentences, if texts are wanted, once the table is over. */
  resultTexts: ResultTexts | undefined;
  /** How much time is left, if it is wanted. */
  timeLeft: TimeLeft | undefined;
  /** Number of the last update read. */
  number: number | undefined;

  protected readonly session: Session;
  protected readonly subscription: Subscription;
  readonly #presence = new Map<number, Presence>();
  readonly #consumers = new Set<Consumer>();
  readonly #listeners = new Set<(event: SeatEvent | undefined) => void>();
  #isClosed = false;
  #isPumping = false;
  #ready: (() => void)[] = [];
  #finished: (() => void)[] = [];

  /** @internal */
  constructor(session: Session, subscription: Subscription, table: Table | undefined) {
    this.session = session;
    this.subscription = subscription;
    this.table = table;
    subscription.onReadable = () => this.#received();
    subscription.onStatus = () => this.#changed(undefined);
  }

  /** How it stands: whether it is attached, and why not. */
  get state(): SeatState {
    if (this.result !== undefined || this.#hasEndedWithTable()) {
      return { kind: "over", result: this.result };
    }
    if (this.#isClosed) {
      return { kind: "closed" };
    }
    if (this.#error !== undefined) {
      return this.#error.reason === "CLOSED" ? { kind: "closed" } : { kind: "ended", error: this.#error };
    }
    const { connection } = this.session;
    if (connection.kind === "open" && this.subscription.channel !== undefined) {
      return { kind: "open" };
    }
    const why = connection.kind === "reconnecting" ? connection.why : undefined;
    if (!this.subscription.hasReceived) {
      return why === undefined ? { kind: "connecting" } : { kind: "connecting", why };
    }
    return { kind: "reconnecting", why: why ?? "attaching again" };
  }

  get #error(): ParlorError | undefined {
    return this.subscription.end?.error;
  }

  /** Whether everything was read up to the end of the table. */
  #hasEndedWithTable(): boolean {
    const { end, unread } = this.subscription;
    return end !== undefined && end.error === undefined && unread === 0 && !this.#isClosed;
  }

  /** Id of the table; undefined before the first snapshot. */
  get tableId(): string | undefined {
    return this.table?.tableId;
  }

  /** The result, once the table is over. */
  get result(): TableResult | undefined {
    return this.table?.result;
  }

  /** Id of the table of the rematch, once there is one. To be told of it, want `rematch`. */
  get rematchTableId(): string | undefined {
    return this.table?.rematchTableId || undefined;
  }

  /** Who is connected, by seat. Seats of house bots have no entry. */
  get presence(): ReadonlyMap<number, Presence> {
    return this.#presence;
  }

  /** Everything that happens, in order. The first event is a snapshot. */
  events(): AsyncIterableIterator<SeatEvent, undefined> {
    return this.#iterate((event, queue: EventQueue<SeatEvent>) => queue.push(event));
  }

  /** Updates: what happened at the table and in the game. */
  updates(): AsyncIterableIterator<Update, undefined> {
    return this.#iterate((event, queue: EventQueue<Update>) => {
      if (event.kind === "update") {
        queue.push(event.update);
      }
    });
  }

  /** Calls the listener after every event, and with undefined after every change of `state`. */
  onChange(listener: (event: SeatEvent | undefined) => void): Unsubscribe {
    this.#listeners.add(listener);
    // Not before the caller has the function that unsubscribes.
    queueMicrotask(() => this.#pump());
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once attached, so that `table` is there; or over, ended or closed. Never rejects. */
  ready(): Promise<SeatState> {
    return this.#until(this.#ready, () => this.subscription.hasReceived);
  }

  /** Resolves once over, ended or closed. Never rejects. */
  finished(): Promise<SeatState> {
    const finished = this.#until(this.#finished, () => false);
    this.#pump();
    return finished;
  }

  /** Leaves the table to itself: detaches, and resigns nothing. */
  close(): void {
    if (this.#isClosed || this.subscription.end !== undefined) {
      return;
    }
    this.#isClosed = true;
    this.session.unsubscribe(this.subscription);
    this.#received();
  }

  /** Called with each event before everybody else. */
  protected observe(_event: SeatEvent): void {}

  /** The event of an item. */
  protected toEvent(item: InboxItem): SeatEvent | undefined {
    switch (item.case) {
      case "snapshot":
        return { kind: "snapshot", snapshot: item.value };
      case "update":
        return { kind: "update", update: item.value };
      case "presence":
        return { kind: "presence", presence: item.value };
      case "timeLeft":
        return { kind: "timeLeft", timeLeft: item.value };
      // A spectator is asked nothing.
      case "decision":
        return undefined;
    }
  }

  /** An iterator over what `take` puts into its queue. It exists from the first call of `next` on. */
  protected async *iterate<T>(
    take: (event: SeatEvent, queue: EventQueue<T>) => void,
    begin: (queue: EventQueue<T>) => void = () => {},
    endsWithTable = false,
  ): AsyncGenerator<T, undefined> {
    const queue = new EventQueue<T>(() => this.#pump());
    const consumer: Consumer = {
      get hasRoom() {
        return queue.hasRoom;
      },
      push: (event) => {
        take(event, queue);
        if (endsWithTable && this.result !== undefined) {
          queue.end();
        }
      },
      end: () => queue.end(),
    };
    begin(queue);
    if (this.#isOver(endsWithTable)) {
      queue.end();
    }
    this.#consumers.add(consumer);
    this.#pump();
    try {
      for (;;) {
        const next = await queue.next();
        if (next.done === true) {
          return undefined;
        }
        yield next.value;
      }
    } finally {
      this.#consumers.delete(consumer);
      this.#pump();
    }
  }

  #iterate<T>(take: (event: SeatEvent, queue: EventQueue<T>) => void): AsyncIterableIterator<T, undefined> {
    return this.iterate(take);
  }

  /** Whether no more events will come; or, for what ends with the table, no more that matter. */
  #isOver(endsWithTable: boolean): boolean {
    const isRead = this.subscription.end !== undefined && this.subscription.unread === 0;
    return isRead || this.#isClosed || (endsWithTable && this.result !== undefined);
  }

  #until(waiting: (() => void)[], isDone: () => boolean): Promise<SeatState> {
    if (isDone() || this.#isFinished()) {
      return Promise.resolve(this.state);
    }
    return new Promise((resolve) => waiting.push(() => resolve(this.state)));
  }

  #isFinished(): boolean {
    const { kind } = this.state;
    return kind === "over" || kind === "ended" || kind === "closed";
  }

  /** There is an item to read, or the end. */
  #received(): void {
    const first = this.subscription.peek();
    if (this.number === undefined && first?.case === "snapshot") {
      this.#foldSnapshot(first.value);
    }
    this.#pump();
    if (this.subscription.hasReceived || this.#isFinished()) {
      this.#ready.splice(0).forEach((resolve) => resolve());
    }
    if (this.subscription.end !== undefined) {
      this.#changed(undefined);
    }
  }

  /** Reads events for as long as somebody takes them and everybody has room. */
  #pump(): void {
    if (this.#isPumping) {
      return;
    }
    this.#isPumping = true;
    while (this.#isConsumed() && !this.#isClosed) {
      const item = this.subscription.read();
      if (item === undefined) {
        break;
      }
      this.#take(item);
    }
    this.#isPumping = false;
    if (this.#isOver(false)) {
      for (const consumer of this.#consumers) {
        consumer.end();
      }
    }
    if (this.#isFinished()) {
      this.onFinished();
      this.#ready.splice(0).forEach((resolve) => resolve());
      this.#finished.splice(0).forEach((resolve) => resolve());
    } else {
      this.session.afterRead(this.subscription);
    }
  }

  /** Called once or more when the table is over, or the seat ended or closed. */
  protected onFinished(): void {}

  #isConsumed(): boolean {
    if (this.#consumers.size === 0 && this.#listeners.size === 0 && this.#finished.length === 0) {
      return false;
    }
    return [...this.#consumers].every((consumer) => consumer.hasRoom);
  }

  #take(item: InboxItem): void {
    this.#fold(item);
    const event = this.toEvent(item);
    if (event === undefined) {
      return;
    }
    this.observe(event);
    for (const consumer of this.#consumers) {
      consumer.push(event);
    }
    this.#changed(event);
  }

  #fold(item: InboxItem): void {
    switch (item.case) {
      case "snapshot":
        this.#foldSnapshot(item.value);
        break;
      case "update":
        this.#foldUpdate(item.value);
        break;
      case "decision":
        this.#keepLatest(item.value);
        break;
      case "presence":
        this.#presence.set(item.value.seat, item.value);
        break;
      case "timeLeft":
        this.timeLeft = item.value;
        break;
    }
  }

  #foldSnapshot(snapshot: Snapshot): void {
    this.number = snapshot.number;
    // A copy, because the table is brought up to date with each update.
    this.table = snapshot.table === undefined ? this.table : clone(TableSchema, snapshot.table);
    this.#presence.clear();
    snapshot.presence.forEach((presence) => this.#presence.set(presence.seat, presence));
    this.timeLeft = snapshot.timeLeft;
    this.#keepLatest(snapshot);
    this.resultTexts = snapshot.texts?.result ?? this.resultTexts;
    this.foldViewer(snapshot.viewer);
  }

  #foldUpdate(update: Update): void {
    this.number = update.number;
    if (this.table !== undefined) {
      applyTableEvents(this.table, update.tableEvents);
    }
    this.#keepLatest(update);
    this.resultTexts = update.texts?.result ?? this.resultTexts;
  }

  #keepLatest({
    view,
    board,
    texts,
  }: Pick<Snapshot | Update | DecisionMessage, "view" | "board" | "texts">): void {
    this.view = view ?? this.view;
    this.board = board ?? this.board;
    this.viewText = texts?.view ?? this.viewText;
  }

  /** A snapshot says who the viewer is. */
  protected foldViewer(_viewer: Viewer | undefined): void {}

  #changed(event: SeatEvent | undefined): void {
    for (const listener of [...this.#listeners]) {
      callListener(listener, event);
    }
  }
}

/** A spectator of a table: sees what is public, and nobody's hand. */
export class Spectator extends TableViewer {}

/** What a seat can do beside watching. */
export interface SeatActions {
  resign(): Promise<void>;
}

/** A seat at a table. It counts as connected until it is closed, or the program ends. */
export class Seat extends TableViewer {
  /** The token of the seat: whoever has it can play. Empty for a seat of an agent. */
  readonly token: string;
  readonly #actions: SeatActions;
  #number: number | undefined;
  #decision: Decision | undefined;

  /** @internal */
  constructor(
    session: Session,
    subscription: Subscription,
    token: string,
    actions: SeatActions,
    table?: Table,
    seat?: number,
  ) {
    super(session, subscription, table);
    this.token = token;
    this.#actions = actions;
    this.#number = seat;
  }

  /** Number of the seat, from 0; undefined before the first snapshot of a seat that is only known by its token. */
  get seat(): number | undefined {
    return this.#number;
  }

  /** The decision that is open, as far as events were read. */
  get decision(): Decision | undefined {
    return this.#decision?.open === true ? this.#decision : undefined;
  }

  /**
   * What the seat is asked, each decision once: first the one that is open. Decisions that were decided before the
   * iterator came to them are left out. Ends when the table is over.
   */
  decisions(): AsyncIterableIterator<Decision, undefined> {
    return this.#openDecisions();
  }

  async *#openDecisions(): AsyncGenerator<Decision, undefined> {
    const all = this.iterate<Decision>(
      (event, queue) => {
        if (event.kind === "decision") {
          queue.push(event.decision);
        }
      },
      (queue) => {
        if (this.decision !== undefined) {
          queue.push(this.decision);
        }
      },
      true,
    );
    for await (const decision of all) {
      if (decision.open) {
        yield decision;
      }
    }
    return undefined;
  }

  /** Gives the seat up: it plays defaults to the end and ranks last. */
  resign(): Promise<void> {
    return this.#actions.resign();
  }

  protected override toEvent(item: InboxItem): SeatEvent | undefined {
    if (item.case !== "decision") {
      return super.toEvent(item);
    }
    const send = (decision: Decision, answer: Answer) => this.#answer(decision, answer);
    this.#decision?.close();
    this.#decision = new Decision(this, item.value, send);
    return { kind: "decision", decision: this.#decision };
  }

  protected override observe(event: SeatEvent): void {
    if (event.kind === "update" && event.update.decided !== undefined) {
      const { decided } = event.update;
      if (this.#decision?.id === decided.decisionId) {
        this.#decision.close(decided);
      }
    }
    if (this.result !== undefined) {
      this.#decision?.close();
    }
  }

  protected override foldViewer(viewer: Viewer | undefined): void {
    if (viewer?.viewer.case === "seat") {
      this.#number = viewer.viewer.value;
    }
  }

  protected override onFinished(): void {
    this.#decision?.close();
  }

  async #answer(decision: Decision, answer: Answer): Promise<AnswerResult> {
    const result = await this.session.answer(this.subscription, answer);
    decision.close();
    return result;
  }
}
