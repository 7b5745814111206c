/** The session of an agent: its stream starts with a hello, and the server opens the channels. */
import { createClient, type Transport } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AgentService,
  type AgentHello,
  type AgentWelcome,
  type ConnectRequestSchema,
  type SeatGiven,
  type SetAside,
  type TournamentEntropyAsked,
  type Wants,
} from "../wire.js";
import { AgentEntropy } from "../entropy.js";
import { BidiSession, type StreamOptions } from "./bidi.js";
import type { StreamMessage } from "./session.js";
import { Subscription, type RequestItem } from "./subscription.js";

/** Inbox capacity of each seat: larger than a player's, because an overflow costs all seats of the agent a new stream. */
const INBOX_CAPACITY = 1024;

/** Maximum number of bookmarks in a hello, so that it fits into one message. Further tables start with a snapshot. */
const MAX_BOOKMARKS = 2000;

/** What an agent is told beside what its seats are told. */
export interface AgentHandlers {
  /** Connected, for the first time or again. */
  welcome(welcome: AgentWelcome): void;
  setAside(setAside: SetAside): void;
  /** A seat was given. */
  seat(subscription: Subscription, given: SeatGiven): void;
}

export class AgentSession extends BidiSession {
  readonly #handlers: AgentHandlers;
  readonly #wants: Wants | undefined;
  readonly #entropy = new AgentEntropy();
  readonly #assigned = new Map<string, Subscription>();
  /** How many seats of earlier streams the server is still to assign on this one. */
  #seatsExpected: number | undefined;

  constructor(
    attemptMs: number,
    transport: Transport,
    hello: AgentHello,
    wants: Wants | undefined,
    handlers: AgentHandlers,
  ) {
    const agents = createClient(AgentService, transport);
    super(attemptMs, (outbox, options) => this.#connect(agents, hello, outbox, options));
    this.#handlers = handlers;
    this.#wants = wants;
  }

  /** Connects. */
  open(): void {
    this.start();
  }

  /** An agent needs its stream to be given seats. */
  protected override isNeeded(): boolean {
    return !this.closing.signal.aborted;
  }

  /** To detach would be to resign: the seats stay the agent's. */
  protected override detach(): void {}

  async *#connect(
    agents: ReturnType<typeof createClient<typeof AgentService>>,
    hello: AgentHello,
    outbox: AsyncIterable<RequestItem[]>,
    options: StreamOptions,
  ): AsyncIterable<StreamMessage> {
    this.#seatsExpected = undefined;
    const bookmarks = [...this.subscriptions].map((subscription) => subscription.bookmark());
    const known = bookmarks.filter((bookmark) => bookmark !== undefined).slice(0, MAX_BOOKMARKS);
    const requests = withHello({ ...hello, bookmarks: known }, outbox);
    for await (const { welcome, setAside, items, ending } of agents.connect(requests, options)) {
      if (welcome !== undefined) {
        this.#seatsExpected = welcome.seats;
        this.#handlers.welcome(welcome);
        this.#endUnassigned();
      }
      if (setAside !== undefined) {
        this.#handlers.setAside(setAside);
      }
      yield { items, ending };
    }
  }

  /** A tournament asks for entropy: for what the agent commits to, and then for the entropy. */
  protected override answerEntropy(asked: TournamentEntropyAsked): void {
    const answer = this.#entropy.answer(asked);
    if (answer !== undefined) {
      this.send({ channel: 0, item: { case: "tournamentEntropy", value: answer } });
    }
  }

  /** A seat was assigned: a known one that goes on over a new stream, or a new one. */
  protected override assignSeat(channel: number, given: SeatGiven): void {
    const key = `${given.tableId} ${given.seat}`;
    const known = this.#assigned.get(key);
    const goesOn = known !== undefined && known.end === undefined;
    const opener = { kind: "server", tableId: given.tableId, seat: given.seat } as const;
    const subscription = goesOn ? known : new Subscription(opener, this.#wants, INBOX_CAPACITY);
    subscription.assign(channel, this.stream);
    this.channels.set(channel, subscription);
    if (!goesOn) {
      this.#assigned.set(key, subscription);
      this.subscriptions.add(subscription);
      this.#handlers.seat(subscription, given);
    }
    this.wake(subscription);
    if (this.#seatsExpected !== undefined) {
      this.#seatsExpected -= 1;
    }
    this.#endUnassigned();
  }

  /** Once all seats are assigned, those that were not are at tables that have ended. */
  #endUnassigned(): void {
    if (this.#seatsExpected !== 0) {
      return;
    }
    this.#seatsExpected = undefined;
    for (const subscription of [...this.subscriptions]) {
      subscription.endUnlessAssignedOn(this.stream);
      if (subscription.end !== undefined) {
        this.subscriptions.delete(subscription);
        subscription.onReadable();
      }
    }
    for (const [key, subscription] of this.#assigned) {
      if (subscription.end !== undefined) {
        this.#assigned.delete(key);
      }
    }
  }
}

async function* withHello(
  hello: AgentHello,
  outbox: AsyncIterable<RequestItem[]>,
): AsyncIterable<MessageInitShape<typeof ConnectRequestSchema>> {
  yield { hello };
  for await (const items of outbox) {
    yield { items };
  }
}
