/** Decision: what a seat is asked, and the answer. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { clientError } from "./error.js";
import type { Seat } from "./seat.js";
import type { AnswerResult } from "./session/subscription.js";
import {
  AnswerSchema,
  GameActionSchema,
  type Answer,
  type Board,
  type Decided,
  type Decision as DecisionMessage,
  type DecisionTexts,
  type GameAction,
  type GameView,
} from "./wire.js";

/** What to do: the index of a legal action, or an action. */
export type Choice = number | GameAction | MessageInitShape<typeof GameActionSchema>;

/** Sends the answer to a decision. */
export type SendAnswer = (decision: Decision, answer: Answer) => Promise<AnswerResult>;

/** What a seat is asked. It is open until it is decided: here, by another client of the seat, or by the clock. */
export class Decision {
  /** The seat that is asked. */
  readonly seat: Seat;
  readonly #message: DecisionMessage;
  readonly #send: SendAnswer;
  readonly #received = Date.now();
  readonly #controller = new AbortController();
  #decided: Decided | undefined;

  constructor(seat: Seat, message: DecisionMessage, send: SendAnswer) {
    this.seat = seat;
    this.#message = message;
    this.#send = send;
  }

  /** The message as the server sent it. */
  get message(): DecisionMessage {
    return this.#message;
  }

  /** The id, counted for the seat: the first is 1. */
  get id(): number {
    return this.#message.id;
  }

  /** All that the seat knows of the game, unless it was not wanted. */
  get view(): GameView | undefined {
    return this.#message.view;
  }

  /** All that the seat can do, each once, in a documented order; empty if it was not wanted. */
  get legalActions(): readonly GameAction[] {
    return this.#message.legalActions;
  }

  /** How many legal actions there are: at least 1. */
  get legalCount(): number {
    return this.#message.legalCount;
  }

  /** The index of what the clock plays when it runs out. */
  get defaultIndex(): number {
    return this.#message.defaultIndex;
  }

  /** How much of the time for the decision was left when it was sent, in milliseconds; undefined without a limit. */
  get timeLeftMs(): number | undefined {
    return this.#message.timeLeftMs;
  }

  /** How much of the seat's bank was left, in milliseconds; undefined without a limit. */
  get bankLeftMs(): number | undefined {
    return this.#message.bankLeftMs;
  }

  /** Whether nobody else learns that the seat is asked. */
  get hidden(): boolean {
    return this.#message.hidden;
  }

  /** The question and a text for each legal action, if texts were wanted. */
  get texts(): DecisionTexts | undefined {
    return this.#message.texts;
  }

  /** The board with what each legal action touches, if it was wanted. */
  get board(): Board | undefined {
    return this.#message.board;
  }

  /** Whether it can still be answered. */
  get open(): boolean {
    return !this.#controller.signal.aborted;
  }

  /** Aborted when it cannot be answered any more: time to stop thinking. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What was decided, once the seat has been told. */
  get decided(): Decided | undefined {
    return this.#decided;
  }

  /**
   * Answers with a legal action, by its index or as an action. Waits until the server has it on disk, through broken
   * connections and restarts.
   *
   * @throws ParlorError only if the rules refuse the answer (ILLEGAL_ACTION, INVALID_FIELD). The decision stays open.
   */
  async choose(choice: Choice, options: { thinkMs?: number } = {}): Promise<AnswerResult> {
    const answer = create(AnswerSchema, {
      decisionId: this.id,
      choice: this.#toWire(choice),
      thinkMs: Math.round(options.thinkMs ?? Date.now() - this.#received),
    });
    return this.#send(this, answer);
  }

  /** Answers with what the clock would play. */
  chooseDefault(): Promise<AnswerResult> {
    return this.choose(this.defaultIndex);
  }

  /** It was decided, or the table is over: for the seat alone. @internal */
  close(decided?: Decided): void {
    this.#decided ??= decided;
    if (this.open) {
      this.#controller.abort();
    }
  }

  #toWire(choice: Choice): NonNullable<MessageInitShape<typeof AnswerSchema>["choice"]> {
    if (typeof choice !== "number") {
      const index = this.legalActions.indexOf(choice as GameAction);
      return index >= 0 ? { case: "index", value: index } : { case: "action", value: choice };
    }
    if (!Number.isInteger(choice) || choice < 0 || choice >= this.legalCount) {
      throw clientError(
        "ILLEGAL_ACTION",
        `${choice} is not the index of one of the ${this.legalCount} legal actions`,
        `${choice} ist nicht der Index einer der ${this.legalCount} erlaubten Aktionen`,
        "index",
      );
    }
    return { case: "index", value: choice };
  }
}
