/** The small parts: errors, backoff, queues, tables to make, texts. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { connect, ParlorError, plain, toDate, type SeatSpec } from "@parlor/sdk";
import {
  create,
  EndReason,
  ErrorDetailSchema,
  ErrorReason,
  FairShuffleSchema,
  RichTextSchema,
  SeatFinish,
  TableEventSchema,
  TableSchema,
  TableState,
  type MessageInitShape,
} from "@parlor/sdk/wire";
import { SeatPromise, seatCommitment, tournamentCommitment } from "#src/entropy.js";
import { EventQueue } from "#src/event_queue.js";
import { newTableRequest } from "#src/new_table.js";
import { Backoff } from "#src/retry.js";
import { sha256 } from "#src/sha256.js";
import { applyTableEvents } from "#src/table_state.js";
import { wantsMessage } from "#src/wants.js";

test("an error with a detail has its reason, field, text and wait", () => {
  const value = {
    reason: ErrorReason.RATE_LIMITED,
    field: "a.b",
    text: { en: "too fast", de: "zu schnell" },
    retryMs: 250,
    metadata: { most: "3" },
  };
  const thrown = new ConnectError("too fast", Code.ResourceExhausted, undefined, [
    { desc: ErrorDetailSchema, value },
  ]);
  const error = ParlorError.from(thrown);
  assert.equal(error.reason, "RATE_LIMITED");
  assert.equal(error.field, "a.b");
  assert.equal(error.message, "too fast");
  assert.equal(error.text.de, "zu schnell");
  assert.equal(error.retryMs, 250);
  assert.deepEqual({ ...error.metadata }, { most: "3" });
  assert.ok(error.temporary);
  assert.equal(error.cause, thrown);
  assert.equal(ParlorError.from(error), error);
});

test("an error without a detail has the reason of its code", () => {
  const cases: [Code, ParlorError["reason"], boolean][] = [
    [Code.Unavailable, "UNREACHABLE", true],
    [Code.Canceled, "UNREACHABLE", true],
    [Code.Internal, "UNREACHABLE", true],
    [Code.Unknown, "UNREACHABLE", true],
    [Code.DeadlineExceeded, "DEADLINE_EXCEEDED", true],
    [Code.ResourceExhausted, "RATE_LIMITED", true],
    [Code.Unauthenticated, "CREDENTIALS_MISSING", false],
    [Code.PermissionDenied, "FORBIDDEN", false],
    [Code.Unimplemented, "UNSUPPORTED", false],
    [Code.NotFound, "OTHER", false],
  ];
  for (const [code, reason, temporary] of cases) {
    const error = ParlorError.from(new ConnectError("said\nso", code));
    assert.equal(error.reason, reason);
    assert.equal(error.temporary, temporary, reason);
    assert.match(error.message, /\(said so\)$/);
    assert.notEqual(error.text.en, error.text.de);
  }
  assert.equal(ParlorError.from(new TypeError("fetch failed")).reason, "UNREACHABLE");
  // A reason of a newer server.
  const newer = new ConnectError("new", Code.NotFound, undefined, [
    { desc: ErrorDetailSchema, value: { reason: 9999 as ErrorReason, text: { en: "new", de: "neu" } } },
  ]);
  assert.equal(ParlorError.from(newer).reason, "OTHER");
  assert.equal(ParlorError.from(newer).text.de, "neu");
});

test("the backoff doubles up to its maximum, and is never shorter than the server asked for", () => {
  const backoff = new Backoff();
  for (const whole of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
    const wait = backoff.wait();
    assert.ok(whole / 2 <= wait && wait <= whole, `${wait} of ${whole}`);
  }
  backoff.reset();
  assert.ok(backoff.wait() <= 100);
  for (let attempts = 0; attempts < 10; attempts += 1) {
    const wait = backoff.wait(700);
    assert.ok(700 <= wait && wait <= 1400, `${wait}`);
  }
  backoff.reset();
  const wait = backoff.wait(0);
  assert.ok(50 <= wait && wait <= 100, `${wait}`);
});

test("a queue is full at 256 items, and says when it has room again", async () => {
  let room = 0;
  const queue = new EventQueue<number>(() => (room += 1));
  for (let number = 0; number < 256; number += 1) {
    assert.ok(queue.hasRoom);
    queue.push(number);
  }
  assert.ok(!queue.hasRoom);
  assert.deepEqual(await queue.next(), { value: 0, done: false });
  assert.equal(room, 1);
  queue.end();
  queue.push(999);
  let last;
  for (let next = await queue.next(); next.done !== true; next = await queue.next()) {
    last = next.value;
  }
  assert.equal(last, 255);
  const waiting = new EventQueue<string>(() => {});
  const next = waiting.next();
  waiting.push("a");
  assert.deepEqual(await next, { value: "a", done: false });
  const end = waiting.next();
  waiting.end();
  assert.equal((await end).done, true);
});

test("a table to make: seats in words, options by the names of the catalogue", () => {
  const request = newTableRequest({
    game: "gap",
    seats: [
      "open",
      "bot:search:20",
      "agent:first",
      { occupant: { case: "reserved", value: { userId: "u" } } },
    ],
    options: { rounds: 3 },
    visibility: "private",
    clock: { decisionMs: 0 },
  });
  assert.deepEqual(request.seats, [
    { occupant: { case: "open", value: {} } },
    { occupant: { case: "houseBot", value: { name: "search:20" } } },
    { occupant: { case: "agent", value: { name: "first" } } },
    { occupant: { case: "reserved", value: { userId: "u" } } },
  ]);
  const { options } = request;
  assert.equal(options?.game?.case, "gap");
  assert.deepEqual(options.game.case === "gap" && options.game.value.length, { case: "rounds", value: 3 });
  const flag = newTableRequest({ game: "five_three_five", seats: [], options: { beginner: true } }).options;
  assert.equal(flag?.game?.case === "fiveThreeFive" && flag.game.value.beginner, true);

  const make = (options: { [name: string]: number }, game = "gap") =>
    newTableRequest({ game, seats: [], options });
  assert.throws(() => make({ rouds: 3 }), { reason: "INVALID_FIELD", field: "options.gap.rouds" });
  assert.throws(() => make({ rounds: 3 }, "chess"), { reason: "INVALID_FIELD", field: "options" });
  assert.throws(() => newTableRequest({ game: "gap", seats: ["greedy" as SeatSpec] }), {
    reason: "SETTINGS",
  });
});

test("an address must be one of a web server", () => {
  assert.equal(connect("localhost:7766").address, "http://localhost:7766");
  assert.equal(connect("https://parlor.example.org/").address, "https://parlor.example.org");
  for (const wrong of ["", "ftp://example.org", "http://", "http://a b"]) {
    assert.throws(() => connect(wrong), { name: "ParlorError", reason: "SETTINGS" }, wrong);
  }
});

test("defaults are not sent", () => {
  assert.equal(wantsMessage({}), undefined);
  const wants = wantsMessage({ board: true, decisionViews: false, texts: undefined });
  assert.deepEqual([wants?.board, wants?.decisionViews, wants?.events], [true, false, undefined]);
});

test("a text is its parts, with names in the place of seats", () => {
  const text = create(RichTextSchema, {
    parts: [{ text: "Seat 1", subject: { case: "seat", value: 1 } }, { text: " plays " }, { text: "blue 9" }],
  });
  assert.equal(plain(text), "Seat 1 plays blue 9");
  assert.equal(
    plain(text, (seat, words) => `${words} (${seat})`),
    "Seat 1 (1) plays blue 9",
  );
  assert.equal(plain(undefined), "");
});

test("a time is a date", () => {
  assert.equal(toDate(undefined), undefined);
  const table = create(TableSchema, { createTime: { seconds: 1_700_000_000n, nanos: 5_000_000 } });
  assert.equal(toDate(table.createTime)?.toISOString(), "2023-11-14T22:13:20.005Z");
});

test("table events update seats, state and result", () => {
  const events = (...all: NonNullable<MessageInitShape<typeof TableEventSchema>["event"]>[]) =>
    all.map((event) => create(TableEventSchema, { event }));
  const table = create(TableSchema, {
    state: TableState.OPEN,
    seats: [{ seat: 0 }, { seat: 1 }],
    expireTime: { seconds: 1n },
  });
  const ada = { seat: 1, occupant: { case: "player", value: { displayName: "Ada" } } } as const;
  applyTableEvents(
    table,
    events(
      { case: "seatJoined", value: { seat: ada } },
      { case: "started", value: { shuffle: { seedGiven: true } } },
      { case: "clockRanOut", value: { seat: 1, times: 1 } },
      { case: "seatForfeited", value: { seat: 0, why: SeatFinish.RESIGNED } },
    ),
  );
  assert.equal(table.state, TableState.PLAYING);
  assert.equal(table.expireTime, undefined);
  assert.equal(table.shuffle?.seedGiven, true);
  assert.equal(table.seats[0]?.forfeited, SeatFinish.RESIGNED);
  const { occupant } = table.seats[1] ?? {};
  assert.equal(occupant?.case === "player" && occupant.value.displayName, "Ada");
  const states: [EndReason, TableState][] = [
    [EndReason.PLAYED_OUT, TableState.FINISHED],
    [EndReason.CANCELLED, TableState.CANCELLED],
    [EndReason.EXPIRED, TableState.EXPIRED],
    [EndReason.SERVER_FAULT, TableState.FAULTED],
  ];
  for (const [reason, state] of states) {
    applyTableEvents(table, events({ case: "over", value: { result: { reason } } }));
    assert.equal(table.state, state);
    assert.equal(table.result?.reason, reason);
  }
  applyTableEvents(table, events({ case: "rematch", value: { tableId: "next" } }));
  assert.equal(table.rematchTableId, "next");
});

test("commitments are those of the specification", () => {
  const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");
  for (const length of [0, 1, 55, 56, 63, 64, 65, 200]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
    assert.equal(hex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"), `${length} bytes`);
  }
  const id = "00041061050r3gg28a1c60t3gf";
  const counted = Uint8Array.from({ length: 32 }, (_, index) => index);
  assert.equal(
    hex(seatCommitment(id, counted)),
    "022fdbae917d52c05a1f6e28b9430bfd7eacb85267a00c0ee6d82c78b253e4f6",
  );
  const most = new Uint8Array(64).fill(0xff);
  assert.equal(
    hex(tournamentCommitment(id, most)),
    "a46367a93c556ff64b501a987d3dcd3727f4a0574746c1b85c9d1da5c872eb08",
  );
  assert.equal(seatCommitment("t", counted).length, 0);
});

test("entropy is revealed only for what was shown first", () => {
  const id = "00041061050r3gg28a1c60t3gf";
  const entropy = new Uint8Array(32).fill(7);
  const own = { seat: 1, commitment: seatCommitment(id, entropy) };
  const shown = (server: number, other: number) =>
    create(FairShuffleSchema, {
      commitment: new Uint8Array(32).fill(server),
      entropy: [{ seat: 0, commitment: new Uint8Array(32).fill(other) }, own],
    });
  const promise = new SeatPromise(entropy, new Uint8Array(32).fill(9));
  assert.equal(promise.toReveal(id, 1, shown(8, 1)), undefined, "the server has changed its mind");
  assert.equal(promise.toReveal(id, 0, shown(9, 1)), undefined, "another seat");
  assert.deepEqual(promise.toReveal(id, 1, shown(9, 1)), entropy);
  assert.deepEqual(promise.toReveal(id, 1, shown(9, 1)), entropy);
  assert.equal(promise.toReveal(id, 1, shown(9, 2)), undefined, "a puppet has committed anew");
});
