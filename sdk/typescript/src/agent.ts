/** Agents: bots with a registered name that are given seats at many tables over one stream. */
import { create } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { Choice, Decision } from "./decision.js";
import { clientError, ParlorError } from "./error.js";
import { callListener } from "./listeners.js";
import { Seat, type Unsubscribe } from "./seat.js";
import { AgentSession } from "./session/agent.js";
import type { ConnectionState } from "./session/session.js";
import type { Subscription } from "./session/subscription.js";
import { wantsMessage, type Wants } from "./wants.js";
import {
  AgentHelloSchema,
  GameOptionsSchema,
  SeatedBy,
  type AgentHello,
  type AgentWelcome,
  type SeatGiven,
  type SetAside,
  type TableResult,
  type Update,
  type Wants as WantsMessage,
} from "./wire.js";

/** Answers a decision. */
export type Decide = (decision: Decision) => Choice | Promise<Choice>;

/** Plays one seat. */
export interface Bot {
  /** Answers a decision. */
  decide: Decide;
  /** Sees what happened. */
  observe?(update: Update): void | Promise<void>;
  /** The table is over; its result is unknown if it ended while the agent was away. */
  end?(result: TableResult | undefined): void | Promise<void>;
}

/** Makes the bot of a seat. */
export type MakeBot = (given: SeatGiven, seat: Seat) => Bot | Decide;

/** Name, credentials and capacity of an agent. */
export interface AgentSettings {
  /** 1 to 64 letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** Version of the program. Ratings belong to a name and a version. Default: empty. */
  readonly version?: string | undefined;
  /** Secret that owns the name, 16 to 64 bytes: the first connection fixes it. Not needed with an API key. */
  readonly key?: string | Uint8Array | undefined;
  /** Ids of the games that it plays. Default: all that the server has and this version of the SDK knows. */
  readonly games?: readonly string[] | undefined;
  /** At how many tables it plays at once: 1 to 10000. Default: 16. */
  readonly maxTables?: number | undefined;
  /** What it is sent, at all tables. */
  readonly wants?: Wants | undefined;
  /** Whether it adds 32 random bytes to the shuffles of each tournament. Default: true. */
  readonly addsEntropy?: boolean | undefined;
  /** Who may give it seats: anyone, the owner of its name, or tournaments alone. Default: anyone. */
  readonly seatedBy?: "anyone" | "owner" | "tournaments" | undefined;
  /** Shortest time for a decision at which it plays, in milliseconds. Default: any. */
  readonly minDecisionMs?: number | undefined;
}

/** Something in the life of an agent. */
export type AgentEvent =
  /** Connected, for the first time or again. */
  | { readonly kind: "connected"; readonly welcome: AgentWelcome }
  /** The connection broke. It heals by itself, and all tables go on. */
  | { readonly kind: "disconnected"; readonly why: string }
  /** It gets no new seats for a while, and keeps those it has. */
  | { readonly kind: "setAside"; readonly setAside: SetAside }
  | { readonly kind: "seatGiven"; readonly given: SeatGiven; readonly seat: Seat }
  | { readonly kind: "tableOver"; readonly given: SeatGiven; readonly seat: Seat }
  /** The bot at a table threw something. The clock plays its seat; the other tables go on. */
  | { readonly kind: "botFailed"; readonly given: SeatGiven; readonly error: unknown }
  /** The rules refused an answer of the bot. The default was played, so that the others need not wait for the clock. */
  | { readonly kind: "answerRefused"; readonly given: SeatGiven; readonly error: ParlorError };

/** How an agent ended. */
export type AgentEnd =
  /** By `stop`. */
  | { readonly kind: "stopped" }
  /** The server refuses it for good: above all AGENT_REPLACED, if another program connects under the name. */
  | { readonly kind: "ended"; readonly error: ParlorError };

/** A running agent. It heals by itself: each table goes on where it was, and each decision is answered once. */
export class AgentRunner {
  /** Resolves when the agent was stopped, or refused for good. Never rejects. */
  readonly finished: Promise<AgentEnd>;
  #session: AgentSession | undefined;
  readonly #makeBot: MakeBot;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #seats = new Set<Seat>();
  readonly #deciding = new Set<Seat>();
  #isStopping = false;
  #finish: (end: AgentEnd) => void = () => {};

  /** `listGames` asks the server for the ids of its games. @internal */
  constructor(
    attemptMs: number,
    transport: Transport,
    listGames: () => Promise<string[]>,
    settings: AgentSettings,
    makeBot: MakeBot,
  ) {
    this.#makeBot = makeBot;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    void this.#connect(attemptMs, transport, listGames, settings);
  }

  /** State of the agent's stream. */
  get connection(): ConnectionState {
    return this.#session?.connection ?? { kind: "connecting" };
  }

  /** The seats at which it plays now. */
  get seats(): readonly Seat[] {
    return [...this.#seats];
  }

  /** Calls the listener with every event. Without any listener, what bots throw goes to console.error. */
  onEvent(listener: (event: AgentEvent) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends once the decisions in progress are answered. The seats stay the agent's, so that it can come back. */
  stop(): void {
    this.#isStopping = true;
    for (const seat of this.#seats) {
      if (!this.#deciding.has(seat)) {
        seat.close();
      }
    }
    this.#stopIfIdle();
  }

  #stopIfIdle(): void {
    if (this.#isStopping && this.#deciding.size === 0) {
      this.#session?.close();
      this.#finish({ kind: "stopped" });
    }
  }

  async #connect(
    attemptMs: number,
    transport: Transport,
    listGames: () => Promise<string[]>,
    settings: AgentSettings,
  ): Promise<void> {
    const games = settings.games ?? (await this.#findGames(listGames));
    if (games === undefined || this.#isStopping) {
      return;
    }
    const wants = settings.wants === undefined ? undefined : wantsMessage(settings.wants);
    const session = new AgentSession(attemptMs, transport, helloOf(settings, games, wants), wants, {
      welcome: (welcome) => this.#emit({ kind: "connected", welcome }),
      setAside: (setAside) => this.#emit({ kind: "setAside", setAside }),
      seat: (subscription, given) => this.#begin(session, subscription, given),
    });
    this.#session = session;
    session.onConnection((state) => this.#connectionChanged(state));
    // Not before the caller has set its listeners.
    queueMicrotask(() => session.open());
  }

  /** The games of the server that this SDK knows; undefined if the server refuses for good. */
  async #findGames(listGames: () => Promise<string[]>): Promise<string[] | undefined> {
    const known = GameOptionsSchema.fields.map(({ name }) => name);
    while (!this.#isStopping) {
      try {
        const games = await listGames();
        return known.filter((game) => games.includes(game));
      } catch (thrown) {
        const error = ParlorError.from(thrown);
        // A server for agents alone, such as that of `parlor conformance`.
        if (error.reason === "UNSUPPORTED") {
          return known;
        }
        if (!error.temporary) {
          this.#finish({ kind: "ended", error });
          return undefined;
        }
        this.#emit({ kind: "disconnected", why: error.message });
      }
    }
    return undefined;
  }

  #emit(event: AgentEvent): void {
    if (this.#listeners.size === 0 && (event.kind === "botFailed" || event.kind === "answerRefused")) {
      console.error(`the bot at table ${event.given.tableId}:`, event.error);
    }
    for (const listener of [...this.#listeners]) {
      callListener(listener, event);
    }
  }

  #connectionChanged(state: ConnectionState): void {
    if (state.kind === "reconnecting") {
      this.#emit({ kind: "disconnected", why: state.why });
    } else if (state.kind === "ended") {
      this.#finish({ kind: "ended", error: state.error });
    }
  }

  #begin(session: AgentSession, subscription: Subscription, given: SeatGiven): void {
    const resign = () =>
      Promise.reject(
        clientError(
          "UNSUPPORTED",
          "an agent does not resign a seat: its bot plays on, or fails and leaves it to the clock",
          "Ein Agent gibt keinen Platz auf: Sein Bot spielt weiter oder überlässt ihn der Uhr",
        ),
      );
    const seat = new Seat(session, subscription, "", { resign }, undefined, given.seat);
    this.#seats.add(seat);
    this.#emit({ kind: "seatGiven", given, seat });
    void this.#play(seat, given);
  }

  async #play(seat: Seat, given: SeatGiven): Promise<void> {
    try {
      const made = this.#makeBot(given, seat);
      const bot: Bot = typeof made === "function" ? { decide: made } : made;
      for await (const event of seat.events()) {
        if (event.kind === "update") {
          await bot.observe?.(event.update);
        } else if (event.kind === "decision" && event.decision.open) {
          await this.#decide(seat, given, bot, event.decision);
        }
        // Only a rematch can follow the end.
        if (seat.result !== undefined || this.#isStopping) {
          break;
        }
      }
      if (!this.#isStopping && seat.state.kind === "over") {
        await bot.end?.(seat.result);
        this.#emit({ kind: "tableOver", given, seat });
      }
    } catch (thrown) {
      this.#emit({ kind: "botFailed", given, error: thrown });
    } finally {
      this.#seats.delete(seat);
      seat.close();
    }
  }

  async #decide(seat: Seat, given: SeatGiven, bot: Bot, decision: Decision): Promise<void> {
    this.#deciding.add(seat);
    try {
      const begun = Date.now();
      const choice = await bot.decide(decision);
      try {
        await decision.choose(choice, { thinkMs: Date.now() - begun });
      } catch (thrown) {
        this.#emit({ kind: "answerRefused", given, error: ParlorError.from(thrown) });
        await decision.chooseDefault();
      }
    } finally {
      this.#deciding.delete(seat);
      this.#stopIfIdle();
    }
  }
}

const SEATED_BY = {
  anyone: SeatedBy.ANYONE,
  owner: SeatedBy.OWNER,
  tournaments: SeatedBy.TOURNAMENTS,
} as const;

function helloOf(
  settings: AgentSettings,
  games: readonly string[],
  wants: WantsMessage | undefined,
): AgentHello {
  const { name, version, key, maxTables, addsEntropy, seatedBy, minDecisionMs } = settings;
  return create(AgentHelloSchema, {
    name,
    version: version ?? "",
    agentKey: typeof key === "string" ? new TextEncoder().encode(key) : (key ?? new Uint8Array()),
    games: [...games],
    maxTables: maxTables ?? 16,
    addsEntropy: addsEntropy ?? true,
    seatedBy: SEATED_BY[seatedBy ?? "anyone"],
    minDecisionMs: minDecisionMs ?? 0,
    ...(wants === undefined ? {} : { wants }),
  });
}
