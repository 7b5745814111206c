/**
 * One subscription of a session: the inbox, position and unacknowledged answers of a seat or spectator.
 *
 * Exactly-once delivery lives here: updates and snapshots are deduplicated by number, decisions by id, and answers
 * are kept until acknowledged. Pure state: no I/O, no waiting.
 */
import { create, equals, type MessageInitShape } from "@bufbuild/protobuf";
import { clientError, closeError, ParlorError, refusalError } from "../error.js";
import { Backoff } from "../retry.js";
import {
  AgentBookmarkSchema,
  AnswerStatus,
  ErrorReason,
  GameActionSchema,
  TableState,
  type AgentBookmark,
  type Answer,
  type Answered,
  type Attach,
  type AttachSchema,
  type ChannelClosed,
  type Decided,
  type Decision,
  type FairShuffle,
  type GameAction,
  type GameView,
  type PlayRequestItemSchema,
  type Snapshot,
  type StreamItem,
  type Update,
  type Wants,
} from "../wire.js";

/** Maximum number of unacknowledged answers per seat. */
const MAX_UNACKED_ANSWERS = 16;

/** A received item that was not read yet. */
export type InboxItem = Extract<
  StreamItem["item"],
  { case: "snapshot" | "update" | "decision" | "presence" | "timeLeft" }
>;

/** What became of an answer. */
export type AnswerResult =
  /** It counts, and is on disk. */
  | { readonly kind: "accepted"; readonly action: GameAction; readonly number: number }
  /** The decision was decided otherwise: by another client of the seat, or by the clock. */
  | { readonly kind: "conflict"; readonly action: GameAction | undefined; readonly number: number }
  /** The table was over before the answer came. */
  | { readonly kind: "over" }
  /** The seat ended or was closed before the answer was acknowledged: it may count or not. */
  | { readonly kind: "closed"; readonly error: ParlorError | undefined };

/** An item to send. */
export type RequestItem = MessageInitShape<typeof PlayRequestItemSchema>;

/** An unacknowledged answer. */
export interface PendingAnswer {
  readonly answer: Answer;
  /** Whether it was sent on the current stream, or is being sent by a call. */
  sent: boolean;
  /** Whether it waits to be retried, after the server could not store it. */
  held: boolean;
  /** The update that carries the decision, if it came before the acknowledgement. */
  decided: { number: number; decided: Decided } | undefined;
  readonly resolve: (result: AnswerResult) => void;
  readonly reject: (error: ParlorError) => void;
}

/** The side that opens a subscription's channel. */
export type ChannelOpener =
  /** The client, by attaching. */
  | { readonly kind: "client"; readonly viewer: Attach["viewer"] }
  /** The server, which assigns the seat to an agent, once per stream. */
  | { readonly kind: "server"; readonly tableId: string; readonly seat: number };

/** What a received item requires. */
export type FollowUp =
  | "none"
  /** There is an item to read, or the end. */
  | "readable"
  /** Call `retry` after a wait: an attach, or an answer that the server could not store just then. */
  | "retry-later";

export class Subscription {
  readonly opener: ChannelOpener;
  readonly wants: Wants | undefined;
  /** Called when there is an item to read, or the end. */
  onReadable: () => void = () => {};
  /** Called when the table asks for entropy, with its id where the item has it, and what all are bound to. */
  onStarting: (tableId: string | undefined, shuffle: FairShuffle) => void = () => {};
  /** Called when the channel was opened or closed, or the session's stream broke or came back. */
  onStatus: () => void = () => {};
  /** Channel number on the current stream, while attached. */
  channel: number | undefined;
  /** Whether any item was ever received. */
  hasReceived = false;
  readonly backoff = new Backoff();

  readonly #capacity: number;
  readonly #inbox: InboxItem[] = [];
  readonly #answers: PendingAnswer[] = [];
  #lastView: { number: number; view: GameView } | undefined;
  #lastUpdate: number | undefined;
  #lastDecision = 0;
  /** The inbox overflowed: what follows `#lastUpdate` is fetched again when there is room. */
  #hasMissing = false;
  /** The channel must be opened: by an attach or, if the server opens it, over a new stream. */
  #attachDue: boolean;
  /** The server closed the channel, and attaching again helps. */
  #temporarilyClosed = false;
  /** The stream on which the server last assigned the seat. */
  #assignedOnStream = 0;
  #end: { readonly error: ParlorError | undefined } | undefined;

  constructor(opener: ChannelOpener, wants: Wants | undefined, capacity: number) {
    this.opener = opener;
    this.wants = wants;
    this.#capacity = capacity;
    this.#attachDue = opener.kind === "client";
  }

  /** The end, once it is reached; items may be left to read. */
  get end(): { readonly error: ParlorError | undefined } | undefined {
    return this.#end;
  }

  /** Whether the client must open the channel. */
  get isAttachDue(): boolean {
    return this.#end === undefined && this.#attachDue && this.opener.kind === "client";
  }

  /** Whether only a new stream can deliver what is missing: a channel of the server's cannot be attached. */
  get needsNewStream(): boolean {
    return this.#end === undefined && this.#attachDue && this.opener.kind === "server";
  }

  /** The attach that opens the channel on a stream. */
  attach(channel: number): MessageInitShape<typeof AttachSchema> {
    this.channel = channel;
    this.#attachDue = false;
    this.#temporarilyClosed = false;
    this.#hasMissing = false;
    for (const pending of this.#answers) {
      pending.sent = false;
    }
    const viewer = this.opener.kind === "client" ? this.opener.viewer : ({ case: undefined } as const);
    return {
      viewer,
      ...(this.#lastUpdate === undefined ? {} : { after: this.#lastUpdate }),
      ...(this.wants === undefined ? {} : { wants: this.wants }),
    };
  }

  /** The server assigned the seat, on this channel of this stream. */
  assign(channel: number, stream: number): void {
    this.channel = channel;
    this.#assignedOnStream = stream;
    this.#temporarilyClosed = false;
  }

  /** Ends the subscription if the server did not assign its seat on this stream: the table ended meanwhile. */
  endUnlessAssignedOn(stream: number): void {
    if (this.opener.kind === "server" && this.#assignedOnStream !== stream && this.#end === undefined) {
      this.#resolveAnswers();
      this.#finish(undefined);
    }
  }

  /** What an agent's hello says of the table; undefined before the first update and after the end. */
  bookmark(): AgentBookmark | undefined {
    if (this.opener.kind !== "server" || this.#lastUpdate === undefined || this.#end !== undefined) {
      return undefined;
    }
    const { tableId, seat } = this.opener;
    return create(AgentBookmarkSchema, { tableId, seat, after: this.#lastUpdate });
  }

  /** The stream is gone: attaches and unacknowledged answers are due again. */
  resetForNewStream(): void {
    if (this.opener.kind === "client") {
      // A channel that the server closed waits for its own retry.
      this.#attachDue ||= this.channel !== undefined;
    } else {
      this.#attachDue = false;
      this.#temporarilyClosed = false;
      this.#hasMissing = false;
    }
    this.channel = undefined;
    for (const pending of this.#answers) {
      pending.sent = false;
    }
  }

  /** Ends a wait: held answers and attaches become due. */
  retry(): void {
    for (const pending of this.#answers) {
      pending.held = false;
    }
    this.#scheduleAttach();
  }

  /** The answers to send, marked as sent. */
  takeDueAnswers(): PendingAnswer[] {
    const due = this.#answers.filter((pending) => !pending.sent && !pending.held);
    for (const pending of due) {
      pending.sent = true;
    }
    return due;
  }

  /** Queues an answer. */
  queueAnswer(answer: Answer): Promise<AnswerResult> {
    if (this.#end !== undefined) {
      const { error } = this.#end;
      return Promise.resolve(error === undefined ? { kind: "over" } : { kind: "closed", error });
    }
    if (this.#answers.length >= MAX_UNACKED_ANSWERS) {
      const most = MAX_UNACKED_ANSWERS;
      const error = clientError(
        "SETTINGS",
        `${most} answers of this seat wait to be acknowledged: wait for them first`,
        `${most} Antworten dieses Platzes sind noch nicht bestätigt: bitte erst auf sie warten`,
      );
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#answers.push({ answer, sent: false, held: false, decided: undefined, resolve, reject });
      this.#scheduleAttach();
    });
  }

  /** The next item to read; undefined if there is none now. */
  read(): InboxItem | undefined {
    const item = this.#inbox.shift();
    if (item !== undefined && this.#canRefetch()) {
      this.#attachDue = true;
    }
    return item;
  }

  /** The next item to read, left in place. */
  peek(): InboxItem | undefined {
    return this.#inbox[0];
  }

  /** The number of items to read. */
  get unread(): number {
    return this.#inbox.length;
  }

  /** Takes in an item of the server. */
  receive(item: StreamItem["item"]): FollowUp {
    if (item.case !== "closed" && item.case !== "answered") {
      this.backoff.reset();
    }
    switch (item.case) {
      case "snapshot": {
        const { table } = item.value;
        if (table?.state === TableState.STARTING && table.shuffle !== undefined) {
          this.onStarting(table.tableId, table.shuffle);
        }
        return this.#receiveSnapshot(item);
      }
      case "update":
        for (const { event } of item.value.tableEvents) {
          if (event.case === "starting" && event.value.shuffle !== undefined) {
            this.onStarting(undefined, event.value.shuffle);
          }
        }
        return this.#receiveUpdate(item);
      case "decision":
        return this.#receiveDecision(item);
      case "presence":
      case "timeLeft":
        // They are not repeated, so that there is nothing to fetch when the inbox is full.
        return this.#inbox.length >= this.#capacity ? "none" : this.#push(item);
      case "answered":
        return this.#acknowledge(item.value);
      case "closed":
        return this.#receiveClosed(item.value);
      // A seat is given before there is a subscription; and items of a newer server are ignored.
      default:
        return "none";
    }
  }

  /** An answer could not be delivered by its call: it is kept for a retry, or its caller is told. */
  answerFailed(pending: PendingAnswer, error: ParlorError): FollowUp {
    if (!this.#answers.includes(pending)) {
      return "none";
    }
    if (error.temporary) {
      pending.sent = false;
      pending.held = true;
      return "retry-later";
    }
    this.#answers.splice(this.#answers.indexOf(pending), 1);
    pending.resolve({ kind: "closed", error });
    return "none";
  }

  /** Ends with an error, or because the caller closed it. */
  fail(error: ParlorError | undefined): void {
    if (this.#end !== undefined) {
      return;
    }
    for (const pending of this.#answers.splice(0)) {
      pending.resolve({ kind: "closed", error });
    }
    this.#finish(error);
  }

  #finish(error: ParlorError | undefined): void {
    this.channel = undefined;
    this.#end = { error };
  }

  #receiveSnapshot(item: InboxItem & { value: Snapshot }): FollowUp {
    const { number, view } = item.value;
    this.#keepView(number, view);
    const followUp = this.#push(item);
    if (followUp === "readable") {
      this.#lastUpdate = number;
    }
    return followUp;
  }

  #receiveUpdate(item: InboxItem & { value: Update }): FollowUp {
    const { number, view, decided } = item.value;
    this.#keepView(number, view);
    for (const pending of this.#answers) {
      if (decided !== undefined && pending.answer.decisionId === decided.decisionId) {
        pending.decided = { number, decided };
      }
    }
    if (this.#lastUpdate !== undefined && number <= this.#lastUpdate) {
      return "none";
    }
    // A server leaves no gaps. What is missing is fetched again.
    if (this.#lastUpdate !== undefined && number > this.#lastUpdate + 1 && !this.#hasMissing) {
      this.#hasMissing = true;
      return "retry-later";
    }
    const followUp = this.#push(item);
    if (followUp === "readable") {
      this.#lastUpdate = number;
    }
    return followUp;
  }

  #receiveDecision(item: InboxItem & { value: Decision }): FollowUp {
    const decision = item.value;
    if (decision.id <= this.#lastDecision) {
      return "none";
    }
    if (decision.view === undefined && this.#lastView?.number === decision.after) {
      decision.view = this.#lastView.view;
    }
    const followUp = this.#push(item);
    if (followUp === "readable") {
      this.#lastDecision = decision.id;
    }
    return followUp;
  }

  /** Keeps the view that the server does not send again with the decision about it. */
  #keepView(number: number, view: GameView | undefined): void {
    if (view !== undefined && this.wants?.updateViews === true && this.wants.decisionViews !== false) {
      this.#lastView = { number, view };
    }
  }

  /** Appends an item to the inbox, unless it is full. */
  #push(item: InboxItem): FollowUp {
    if (this.#hasMissing || this.#inbox.length >= this.#capacity) {
      this.#hasMissing = true;
      return "none";
    }
    this.#inbox.push(item);
    this.hasReceived = true;
    return "readable";
  }

  /** Acknowledges the oldest answer sent for this decision. One that the server could not store is kept for a retry. */
  #acknowledge(answered: Answered): FollowUp {
    const place = this.#answers.findIndex(
      (pending) => pending.sent && pending.answer.decisionId === answered.decisionId,
    );
    const pending = this.#answers[place];
    if (pending === undefined) {
      return "none";
    }
    const outcome = answerOutcome(answered);
    if (outcome instanceof ParlorError && outcome.temporary) {
      pending.sent = false;
      pending.held = true;
      return "retry-later";
    }
    this.backoff.reset();
    this.#answers.splice(place, 1);
    settle(pending, outcome);
    return "none";
  }

  #receiveClosed(closed: ChannelClosed): FollowUp {
    this.channel = undefined;
    if (closed.reason === ErrorReason.UNSPECIFIED) {
      // The table is over, but what is missing is still to be read first.
      this.#resolveAnswers();
      if (!this.#hasMissing) {
        this.#finish(undefined);
      }
      return "readable";
    }
    const error = closeError(closed);
    if (closed.retry || error.temporary) {
      this.#temporarilyClosed = true;
      return "retry-later";
    }
    this.fail(error);
    return "readable";
  }

  /** At the end of the table, the updates that carried the decisions tell what became of the answers. */
  #resolveAnswers(): void {
    for (const pending of this.#answers.splice(0)) {
      if (pending.decided === undefined) {
        pending.resolve({ kind: "over" });
        continue;
      }
      const { number, decided } = pending.decided;
      const status = isSameChoice(pending.answer, decided) ? AnswerStatus.ACCEPTED : AnswerStatus.CONFLICT;
      settle(pending, answerOutcome({ status, action: decided.action, number }));
    }
  }

  /** Opens the channel again if it is closed, or if items are missing and there is room. */
  #scheduleAttach(): void {
    // The server opens an agent's channels; only one that it closed needs a new stream.
    const closed = this.opener.kind === "client" ? this.channel === undefined : this.#temporarilyClosed;
    if (closed || this.#canRefetch()) {
      this.#attachDue = true;
    }
  }

  #canRefetch(): boolean {
    return this.#hasMissing && this.#inbox.length <= this.#capacity / 2;
  }
}

/** What an acknowledgement says: the result, or why the answer was refused. */
function answerOutcome(answered: Pick<Answered, "status" | "action" | "number"> & Partial<Answered>) {
  const { status, action, number } = answered;
  switch (status) {
    case AnswerStatus.ACCEPTED:
    case AnswerStatus.REPEATED:
      return action === undefined
        ? new ParlorError("UNKNOWN_REPLY")
        : ({ kind: "accepted", action, number } as const satisfies AnswerResult);
    case AnswerStatus.CONFLICT:
      return { kind: "conflict", action, number } as const satisfies AnswerResult;
    default: {
      const error = refusalError(answered as Answered);
      return error.reason === "TABLE_OVER" ? ({ kind: "over" } as const satisfies AnswerResult) : error;
    }
  }
}

function settle(pending: PendingAnswer, outcome: AnswerResult | ParlorError): void {
  if (outcome instanceof ParlorError) {
    pending.reject(outcome);
  } else {
    pending.resolve(outcome);
  }
}

/** Whether what was decided is what was answered. */
function isSameChoice({ choice }: Answer, decided: Decided): boolean {
  switch (choice.case) {
    case "index":
      return choice.value === decided.index;
    case "action":
      return decided.action !== undefined && equals(GameActionSchema, choice.value, decided.action);
    default:
      return false;
  }
}
