/** Parlor: the client of one server. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Client } from "@connectrpc/connect";
import { AgentRunner, type AgentSettings, type MakeBot } from "./agent.js";
import { callUnary, createCalls, type CallLimits, type Calls } from "./calls.js";
import { clientError, missingField } from "./error.js";
import { heal } from "./heal.js";
import { newTableRequest, type NewTable } from "./new_table.js";
import type { Platform, PlatformConnection } from "./platform.js";
import { SeatPromise, seatCommitment } from "./entropy.js";
import { randomBytes } from "./random.js";
import { Seat, Spectator, type Unsubscribe } from "./seat.js";
import { BidiSession } from "./session/bidi.js";
import { FollowSession } from "./session/follow.js";
import type { ConnectionState, Session } from "./session/session.js";
import { Subscription } from "./session/subscription.js";
import { languageOf, wantsMessage, type LanguageCode, type Wants } from "./wants.js";
import {
  PlayService,
  RecordService,
  TableService,
  TournamentService,
  ViewerSchema,
  type Attach,
  type EnumTexts,
  type FollowTournamentResponse,
  type GameInfo,
  type HouseBotInfo,
  type Invite,
  type JoinTableRequestSchema,
  type ListTablesRequestSchema,
  type Record as GameRecord,
  type ReplayStep,
  type ResultTexts,
  type SigningKey,
  type Table,
  type TableNews,
  type Viewer,
} from "./wire.js";

/** Unread messages of a seat at most; the rest stays at the server until there is room. */
const INBOX_CAPACITY = 256;

/** How to connect. */
export interface ConnectOptions {
  /** API key, sent with every call. */
  readonly apiKey?: string | undefined;
  /** Deadline of a call with all its attempts, in milliseconds. Streams have none. Default: 30000. */
  readonly deadlineMs?: number | undefined;
  /** Timeout of each attempt, in milliseconds. Default: 10000. */
  readonly attemptMs?: number | undefined;
  /**
   * Node: interval of HTTP/2 pings while something waits for the server, and how long their reply may take before the
   * connection counts as broken, in milliseconds. Default: 10000 each.
   */
  readonly keepaliveMs?: number | undefined;
  /** How seats are attached: `play`, one stream both ways, the default in Node; `follow`, as in browsers: Follow and Act. */
  readonly streams?: "play" | "follow" | undefined;
  /**
   * Over Follow: how long the server may be silent before it sends a heartbeat, in milliseconds, at least 1000. A stream
   * that brings nothing for twice as long and two seconds more is broken, and opened again. Default: 5000.
   */
  readonly heartbeatMs?: number | undefined;
  /** Node: certificates (PEM) that may sign the server's, instead of the system's. */
  readonly ca?: string | undefined;
  /** Node: certificate and key (PEM) of this client, for servers that require mutual TLS. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** A table, or its id. */
export type TableRef = string | { readonly tableId: string };

/** How to take a seat. */
export interface JoinOptions extends Wants {
  /** This seat only. Default: the one reserved for the user, or the first that is open. */
  readonly seat?: number | undefined;
  /** The owner's own id of the user who gets the seat. For the owner of the table. */
  readonly userId?: string | undefined;
  /** The name that others see. */
  readonly displayName?: string | undefined;
  /**
   * What the player adds to the shuffle: 16 to 64 bytes. It joins with a commitment to them, and the attached seat
   * reveals them when all seats are filled. Default: 32 random bytes; null: nothing.
   */
  readonly entropy?: Uint8Array | null | undefined;
  /** Token of the seat at the table before: for a rematch. */
  readonly previousToken?: string | undefined;
  /** Makes a repeat harmless across crashes of the program: a secret of at least 22 characters. Default: a random one. */
  readonly requestId?: string | undefined;
}

/** What an invite gives. */
export interface InviteOptions {
  /** This seat only, which may be reserved. Default: any that is open. */
  readonly seat?: number | undefined;
  /** How many seats the invite gives: 1 to 16. Default: 1. */
  readonly uses?: number | undefined;
  /** How long it holds, in milliseconds. Default: as long as the table waits for players. */
  readonly validMs?: number | undefined;
  /** Makes a repeat harmless across crashes of the program. Default: a random one. */
  readonly requestId?: string | undefined;
}

/** Which tables to list. Every condition must hold. */
export type TableFilter = Omit<
  MessageInitShape<typeof ListTablesRequestSchema>,
  "pageToken" | "$typeName" | "$unknown"
>;

/** Whose record or replay. */
export interface RecordOptions {
  /** A seat or spectator token, for a private table. */
  readonly token?: string | undefined;
  /** A seat, or a spectator. Default: the full record, for whoever may see it. */
  readonly viewer?: number | "spectator" | undefined;
  /** Language of the texts. Default: none in a record, English in a replay. */
  readonly texts?: LanguageCode | undefined;
}

/** The client of one server. All its seats share one stream, which heals by itself. */
export class Parlor {
  /** Address of the server. */
  readonly address: string;
  /** Every call of the API as the .proto files define it: with retries, deadlines, request ids and ParlorErrors. */
  readonly calls: Calls;
  readonly #limits: CallLimits;
  readonly #platform: Platform;
  readonly #connection: PlatformConnection;
  readonly #session: Session;
  readonly #closing = new AbortController();
  readonly #agents = new Set<AgentRunner>();

  /** @internal */
  constructor(platform: Platform, address: string | undefined, options: ConnectOptions) {
    const { deadlineMs = 30_000, attemptMs = 10_000, streams = platform.streams } = options;
    this.#platform = platform;
    this.#limits = { deadlineMs, attemptMs: Math.min(attemptMs, deadlineMs) };
    this.address = addressOf(address ?? platform.defaultAddress());
    this.#connection = platform.open(this.address, options);
    const { transport } = this.#connection;
    this.calls = createCalls(transport, this.#limits);
    if (streams === "play") {
      const play: Client<typeof PlayService> = createClient(PlayService, transport);
      this.#session = new BidiSession(this.#limits.attemptMs, (outbox, call) =>
        play.play(toPlayRequests(outbox), call),
      );
    } else {
      this.#session = new FollowSession(this.#limits.attemptMs, transport, options.heartbeatMs ?? 5000);
    }
  }

  /** State of the stream that all seats and spectators share. */
  get connection(): ConnectionState {
    return this.#session.connection;
  }

  /** Calls the listener at every change of `connection`. */
  onConnection(listener: (state: ConnectionState) => void): Unsubscribe {
    return this.#session.onConnection(listener);
  }

  /** The games of the server. */
  async games(): Promise<GameInfo[]> {
    return (await this.calls.catalogue.listGames({})).games;
  }

  /** The house bots, weakest first: all, or those that play a game. */
  async houseBots(game = ""): Promise<HouseBotInfo[]> {
    return (await this.calls.catalogue.listHouseBots({ game })).bots;
  }

  /** The rules of a game, as Markdown. */
  async rules(game: string, language: LanguageCode = "en"): Promise<string> {
    return (await this.calls.catalogue.getRules({ game, language: languageOf(language) })).markdown;
  }

  /** The texts of the enums that people see. */
  async enumTexts(): Promise<EnumTexts[]> {
    return (await this.calls.catalogue.listEnumTexts({})).enums;
  }

  /** The public keys that check the signatures of records: the one in use, then those of before. */
  async signingKeys(): Promise<SigningKey[]> {
    return (await this.calls.catalogue.listSigningKeys({})).keys;
  }

  /** Makes a table. */
  async createTable(table: NewTable): Promise<Table> {
    return required((await this.calls.tables.createTable(newTableRequest(table))).table);
  }

  /**
   * Makes a table, and gives the owner token with it: on a server with API keys that lets guests in, it stands for the
   * owner of this table when it is given to `connect` as `apiKey`. Empty for a caller with a key and on a server without
   * keys, where nobody needs one.
   */
  async createGuestTable(table: NewTable): Promise<{ table: Table; ownerToken: string }> {
    const created = await this.calls.tables.createTable(newTableRequest(table));
    return { table: required(created.table), ownerToken: created.ownerToken };
  }

  /**
   * Makes an invite: a secret with which somebody without an API key takes a seat, see `accept`. For the owner. In a link
   * it belongs into the fragment, which browsers send to nobody: `https://.../#invite=SECRET`.
   */
  async createInvite(
    table: TableRef,
    options: InviteOptions = {},
  ): Promise<{ invite: Invite; secret: string }> {
    const { seat, uses = 0, validMs, requestId = "" } = options;
    const created = await this.calls.tables.createInvite({
      tableId: idOf(table),
      requestId,
      uses,
      ...(seat === undefined ? {} : { seat }),
      ...(validMs === undefined ? {} : { validMs }),
    });
    if (created.invite === undefined) {
      throw missingField("invite");
    }
    return { invite: created.invite, secret: created.secret };
  }

  /** The invites of a table that has not started, in the order of their numbers. For the owner. */
  async invites(table: TableRef): Promise<Invite[]> {
    return (await this.calls.tables.listInvites({ tableId: idOf(table) })).invites;
  }

  /** Ends an invite. Seats that were taken with it stay taken. For the owner. */
  async revokeInvite(table: TableRef, number: number): Promise<void> {
    await this.calls.tables.revokeInvite({ tableId: idOf(table), number });
  }

  /**
   * Takes a seat with an invite, given as its secret or as a link with it, and attaches the seat. Needs no API key.
   *
   * @throws ParlorError if there is no seat: INVITE_SPENT, INVITE_REVOKED, INVITE_EXPIRED, TABLE_STARTED, ...
   */
  accept(invite: string, options: JoinOptions = {}): Promise<Seat> {
    return this.#join({ invite: invite.replace(/^.*#invite=/, "") }, options);
  }

  /** A table as it is now. A private one needs a seat token, a spectator token or an invite. */
  async table(table: TableRef, token = ""): Promise<Table> {
    return required((await this.calls.tables.getTable({ tableId: idOf(table), token })).table);
  }

  /** The result of a table as sentences; undefined before it is over. */
  async resultTexts(table: TableRef, language: LanguageCode, token = ""): Promise<ResultTexts | undefined> {
    const request = { tableId: idOf(table), token, texts: languageOf(language) };
    return (await this.calls.tables.getTable(request)).resultTexts;
  }

  /** Tables, newest first. Pages are fetched on demand. */
  async *tables(filter: TableFilter = {}): AsyncGenerator<Table, undefined> {
    let pageToken = "";
    do {
      const page = await this.calls.tables.listTables({ ...filter, pageToken });
      yield* page.tables;
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return undefined;
  }

  /**
   * News of all tables that the caller owns, each once and in order, through broken connections. `after` is the number
   * of the last news that you have, "0" for all that the server still has. Default: from now on.
   *
   * @throws ParlorError if the server refuses for good.
   */
  async *followTables(after?: string): AsyncGenerator<TableNews, undefined> {
    const tables = createClient(TableService, this.#connection.transport);
    let last = after;
    const request = () => (last === undefined ? {} : { after: last });
    for await (const message of heal((options) => tables.followTables(request(), options), this.#healing())) {
      const begin = last;
      last = message.number;
      yield* message.news.filter((news) => begin === undefined || isAfter(news.number, begin));
    }
    return undefined;
  }

  /** Makes a table like one that is over: by its owner, or by a player with the token of the old seat. */
  async rematch(
    table: TableRef,
    options: { seatToken?: string; rotateSeats?: boolean } = {},
  ): Promise<Table> {
    const request = { tableId: idOf(table), ...options };
    return required((await this.calls.tables.rematch(request)).table);
  }

  /** Ends a table without a score, with a note for its players. For the owner. */
  async cancelTable(table: TableRef, note = ""): Promise<Table> {
    return required((await this.calls.tables.cancelTable({ tableId: idOf(table), note })).table);
  }

  /** Deletes a table that is over, with all that is stored of it. For the owner. */
  async deleteTable(table: TableRef): Promise<void> {
    const { transport } = this.#connection;
    const request = { tableId: idOf(table) };
    const { error, attempts } = await callUnary(
      transport,
      TableService.method.deleteTable,
      request,
      this.#limits,
    );
    // After several attempts, an earlier one did it, and its reply was lost.
    if (error !== undefined && (error.reason !== "TABLE_NOT_FOUND" || attempts === 1)) {
      throw error;
    }
  }

  /** Lets a house bot take over a seat for good. For the owner. */
  async replaceSeat(table: TableRef, seat: number, houseBot: string): Promise<Table> {
    const request = { tableId: idOf(table), seat, houseBot: { name: houseBot } };
    return required((await this.calls.tables.replaceSeat(request)).table);
  }

  /** A token for spectators of a private table. For the owner. */
  async spectatorToken(table: TableRef, options: { revokeEarlier?: boolean } = {}): Promise<string> {
    const request = { tableId: idOf(table), ...options };
    return (await this.calls.tables.createSpectatorToken(request)).spectatorToken;
  }

  /** A new token for a seat; the one before ends. For the owner. */
  async reissueSeatToken(table: TableRef, seat: number): Promise<string> {
    return (await this.calls.tables.reissueSeatToken({ tableId: idOf(table), seat })).seatToken;
  }

  /**
   * Takes a seat of a table that has not started, and attaches it.
   *
   * @throws ParlorError if there is no seat: NO_SEAT_FREE, SEAT_TAKEN, TABLE_STARTED, TABLE_NOT_FOUND, ...
   */
  join(table: TableRef, options: JoinOptions = {}): Promise<Seat> {
    return this.#join({ tableId: idOf(table) }, options);
  }

  /**
   * Attaches a seat by its token. What comes of it is told by the `state` of the seat, even if the token has ended. With the
   * entropy that it has committed to, it is revealed when the table asks for it.
   */
  seat(token: string, options: Wants & { readonly entropy?: Uint8Array | undefined } = {}): Seat {
    const { entropy, ...wants } = options;
    return this.#attachSeat(
      token,
      wants,
      undefined,
      undefined,
      entropy && new SeatPromise(entropy, undefined),
    );
  }

  /** Watches a public table, one that the API key owns, or a private one with a spectator token. */
  watch(table: TableRef | { readonly spectatorToken: string }, wants: Wants = {}): Spectator {
    const viewer: Attach["viewer"] =
      typeof table === "object" && "spectatorToken" in table
        ? { case: "spectatorToken", value: table.spectatorToken }
        : { case: "tableId", value: idOf(table) };
    const subscription = new Subscription({ kind: "client", viewer }, wantsMessage(wants), INBOX_CAPACITY);
    const spectator = new Spectator(this.#session, subscription, undefined);
    this.#session.subscribe(subscription);
    return spectator;
  }

  /** The record of a table that is over. */
  async record(table: TableRef, options: RecordOptions = {}): Promise<GameRecord> {
    const { token = "", viewer, texts } = options;
    const request = { tableId: idOf(table), token, ...viewerOf(viewer), texts: languageOf(texts) };
    const { record } = await this.calls.records.getRecord(request);
    if (record === undefined) {
      throw missingField("record");
    }
    return record;
  }

  /**
   * The steps of a table that is over, each once and in order, through broken connections: texts and a board each.
   *
   * @throws ParlorError if there is no replay: TABLE_NOT_OVER, TABLE_NOT_FOUND, ...
   */
  async *replay(
    table: TableRef,
    options: RecordOptions & { firstStep?: number } = {},
  ): AsyncGenerator<ReplayStep, undefined> {
    const records = createClient(RecordService, this.#connection.transport);
    const { token = "", viewer, texts = "en", firstStep = 0 } = options;
    const request = { tableId: idOf(table), token, ...viewerOf(viewer), language: languageOf(texts) };
    let next = firstStep;
    const open = heal((call) => records.replay({ ...request, firstStep: next }, call), this.#healing());
    for await (const { steps, stepCount } of open) {
      for (const step of steps) {
        if (step.number >= next) {
          next = step.number + 1;
          yield step;
        }
      }
      if (next >= stepCount) {
        break;
      }
    }
    return undefined;
  }

  /**
   * A tournament and its standings, now and whenever they have changed, until it is over. Each message is whole.
   *
   * @throws ParlorError if the server refuses for good: TOURNAMENT_NOT_FOUND, ...
   */
  async *followTournament(tournamentId: string): AsyncGenerator<FollowTournamentResponse, undefined> {
    const tournaments = createClient(TournamentService, this.#connection.transport);
    const open = (call: object) => tournaments.followTournament({ tournamentId }, call);
    yield* heal(open, { ...this.#healing(), endsByItself: true });
    return undefined;
  }

  /**
   * Runs an agent: a bot for each seat that it is given. Only where there is HTTP/2: not in a browser.
   *
   * @throws ParlorError UNSUPPORTED in a browser.
   */
  serveAgent(settings: AgentSettings, makeBot: MakeBot): AgentRunner {
    if (this.#platform.streams !== "play") {
      throw clientError(
        "UNSUPPORTED",
        "agents need a stream both ways, which browsers do not have: run the agent in Node",
        "Agenten brauchen einen Stream in beide Richtungen, den Browser nicht haben: bitte in Node ausführen",
      );
    }
    const listGames = async () => (await this.games()).map(({ game }) => game);
    const { transport } = this.#connection;
    const agent = new AgentRunner(this.#limits.attemptMs, transport, listGames, settings, makeBot);
    this.#agents.add(agent);
    void agent.finished.then(() => this.#agents.delete(agent));
    return agent;
  }

  /** Detaches all seats, stops agents and ends all streams. Nothing is resigned. */
  close(): void {
    this.#closing.abort();
    for (const agent of this.#agents) {
      agent.stop();
    }
    this.#session.close();
    this.#connection.close();
  }

  async #join(target: MessageInitShape<typeof JoinTableRequestSchema>, options: JoinOptions): Promise<Seat> {
    const { seat, userId = "", displayName = "", previousToken = "", requestId = "" } = options;
    const entropy = options.entropy === null ? undefined : (options.entropy ?? randomBytes(32));
    // The commitment names the table, which an invite does, too.
    const tableId =
      target.tableId || (entropy && target.invite ? (await this.table("", target.invite)).tableId : "");
    const joined = await this.calls.tables.joinTable({
      ...target,
      tableId,
      ...(seat === undefined ? {} : { seat }),
      requestId,
      userId,
      displayName,
      previousToken,
      ...(entropy === undefined ? {} : { entropyCommitment: seatCommitment(tableId, entropy) }),
    });
    const table = required(joined.table);
    const promise = entropy && new SeatPromise(entropy, table.shuffle?.commitment);
    return this.#attachSeat(joined.seatToken, options, table, joined.seat, promise);
  }

  #attachSeat(
    token: string,
    wants: Wants,
    table: Table | undefined,
    seat: number | undefined,
    promise: SeatPromise | undefined,
  ): Seat {
    const viewer: Attach["viewer"] = { case: "seatToken", value: token };
    const subscription = new Subscription({ kind: "client", viewer }, wantsMessage(wants), INBOX_CAPACITY);
    const resign = async () => {
      await this.calls.tables.resignSeat({ seat: { case: "seatToken", value: token } });
    };
    subscription.onStarting = (tableId, shuffle) => {
      const entropy = promise?.toReveal(tableId ?? attached.tableId ?? "", attached.seat ?? seat, shuffle);
      if (entropy !== undefined) {
        // What fails for good is refused, or too late; and a broken connection asks again with its snapshot.
        this.calls.play.revealEntropy({ seatToken: token, entropy }).catch(() => {});
      }
    };
    const attached = new Seat(this.#session, subscription, token, { resign }, table, seat);
    this.#session.subscribe(subscription);
    return attached;
  }

  #healing() {
    return { signal: this.#closing.signal, attemptMs: this.#limits.attemptMs };
  }
}

async function* toPlayRequests<T>(outbox: AsyncIterable<T[]>): AsyncIterable<{ items: T[] }> {
  for await (const items of outbox) {
    yield { items };
  }
}

function idOf(table: TableRef): string {
  return typeof table === "string" ? table : table.tableId;
}

function required(table: Table | undefined): Table {
  if (table === undefined) {
    throw missingField("table");
  }
  return table;
}

function viewerOf(viewer: RecordOptions["viewer"]): { viewer?: Viewer } {
  if (viewer === undefined) {
    return {};
  }
  const who =
    viewer === "spectator"
      ? ({ case: "spectator", value: {} } as const)
      : ({ case: "seat", value: viewer } as const);
  return { viewer: create(ViewerSchema, { viewer: who }) };
}

/** Whether a number in decimal digits is greater than another. */
function isAfter(number: string, other: string): boolean {
  return number.length === other.length ? number > other : number.length > other.length;
}

/** The address with a scheme and without a slash at its end. */
function addressOf(address: string): string {
  const whole = address.includes("://") ? address : `http://${address}`;
  if (!isHttpUrl(whole)) {
    throw clientError(
      "SETTINGS",
      `${address} is not the address of a server: write http://HOST:PORT or https://HOST`,
      `${address} ist keine Adresse eines Servers: bitte http://HOST:PORT oder https://HOST angeben`,
    );
  }
  return whole.replace(/\/+$/, "");
}

function isHttpUrl(text: string): boolean {
  try {
    return ["http:", "https:"].includes(new URL(text).protocol);
  } catch {
    return false;
  }
}
