/** Exactly-once delivery: what a subscription makes of the items of the server. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ParlorError } from "@parlor/sdk";
import {
  AnswerSchema,
  AnswerStatus,
  create,
  ErrorReason,
  StreamItemSchema,
  WantsSchema,
  type MessageInitShape,
  type StreamItem,
} from "@parlor/sdk/wire";
import { Subscription } from "#src/session/subscription.js";

type ItemInit = NonNullable<MessageInitShape<typeof StreamItemSchema>["item"]>;

const item = (init: ItemInit): StreamItem["item"] => create(StreamItemSchema, { item: init }).item;
const snapshot = (number: number) => item({ case: "snapshot", value: { number } });
const update = (number: number) => item({ case: "update", value: { number } });
const decision = (id: number, after = 0) => item({ case: "decision", value: { id, after, legalCount: 1 } });
const answered = (decisionId: number, status: AnswerStatus, reason = ErrorReason.UNSPECIFIED) =>
  item({
    case: "answered",
    value: {
      decisionId,
      status,
      number: 7,
      ...(reason === ErrorReason.UNSPECIFIED
        ? { action: {} }
        : { refusal: { reason, text: { en: "no", de: "nein" } } }),
    },
  });
const closed = (reason: ErrorReason, retry = false) =>
  item({ case: "closed", value: { reason, retry, message: "why" } });
const answer = (decisionId: number, index = 0) =>
  create(AnswerSchema, { decisionId, choice: { case: "index", value: index } });

function attached(capacity = 256): Subscription {
  const subscription = new Subscription(
    { kind: "client", viewer: { case: "seatToken", value: "t" } },
    undefined,
    capacity,
  );
  subscription.attach(1);
  subscription.receive(snapshot(0));
  subscription.read();
  return subscription;
}

/** The numbers and ids of everything that can be read. */
function readAll(subscription: Subscription): string[] {
  const all = [];
  for (let next = subscription.read(); next !== undefined; next = subscription.read()) {
    all.push(
      `${next.case} ${"number" in next.value ? next.value.number : "id" in next.value ? next.value.id : ""}`,
    );
  }
  return all;
}

describe("items are delivered once and in order", () => {
  test("updates and decisions that come again are dropped", () => {
    const subscription = attached();
    for (const each of [
      update(1),
      update(1),
      decision(1, 1),
      update(2),
      decision(1, 1),
      update(1),
      decision(2, 2),
    ]) {
      subscription.receive(each);
    }
    assert.deepEqual(readAll(subscription), ["update 1", "decision 1", "update 2", "decision 2"]);
  });

  test("a new stream attaches after the last update", () => {
    const subscription = attached();
    subscription.receive(update(1));
    subscription.receive(update(2));
    subscription.resetForNewStream();
    assert.ok(subscription.isAttachDue);
    assert.deepEqual(subscription.attach(2), { viewer: { case: "seatToken", value: "t" }, after: 2 });
    assert.ok(!subscription.isAttachDue);
  });

  test("a gap is fetched again", () => {
    const subscription = attached();
    subscription.receive(update(1));
    assert.equal(subscription.receive(update(3)), "retry-later");
    subscription.receive(update(4));
    assert.deepEqual(readAll(subscription), ["update 1"]);
    subscription.retry();
    assert.equal(subscription.attach(2).after, 1);
    subscription.receive(update(2));
    assert.deepEqual(readAll(subscription), ["update 2"]);
  });

  test("what does not fit into the inbox is fetched when half of it is read", () => {
    const subscription = attached(4);
    for (let number = 1; number <= 6; number += 1) {
      subscription.receive(update(number));
    }
    assert.equal(subscription.unread, 4);
    subscription.read();
    assert.ok(!subscription.isAttachDue);
    subscription.read();
    assert.ok(subscription.isAttachDue);
    assert.equal(subscription.attach(2).after, 4);
    subscription.receive(update(5));
    assert.deepEqual(readAll(subscription), ["update 3", "update 4", "update 5"]);
  });

  test("the view that was sent with an update is that of the decision about it", () => {
    const wants = create(WantsSchema, { updateViews: true });
    const subscription = new Subscription(
      { kind: "client", viewer: { case: "seatToken", value: "t" } },
      wants,
      256,
    );
    subscription.attach(1);
    subscription.receive(item({ case: "snapshot", value: { number: 0, view: {} } }));
    subscription.receive(item({ case: "update", value: { number: 1, view: { seedGiven: true } } }));
    subscription.receive(decision(1, 1));
    subscription.receive(decision(2, 0));
    const views = [];
    for (let next = subscription.read(); next !== undefined; next = subscription.read()) {
      if (next.case === "decision") {
        views.push(next.value.view?.seedGiven);
      }
    }
    assert.deepEqual(views, [true, undefined]);
  });

  test("the end of the table is the end, and an error that lasts too", () => {
    const over = attached();
    over.receive(update(1));
    assert.equal(over.receive(closed(ErrorReason.UNSPECIFIED)), "readable");
    assert.deepEqual(over.end, { error: undefined });
    assert.deepEqual(readAll(over), ["update 1"]);

    const refused = attached();
    refused.receive(closed(ErrorReason.TOKEN_EXPIRED));
    assert.equal(refused.end?.error?.reason, "TOKEN_EXPIRED");
    assert.equal(refused.end.error.message, "why");
  });

  test("a channel that is closed for now is attached after its own wait, also over a new stream", () => {
    const subscription = attached();
    assert.equal(subscription.receive(closed(ErrorReason.TOO_SLOW, true)), "retry-later");
    assert.equal(subscription.end, undefined);
    subscription.resetForNewStream();
    assert.ok(!subscription.isAttachDue);
    subscription.retry();
    assert.ok(subscription.isAttachDue);
  });
});

describe("answers are kept until they are acknowledged", () => {
  test("an acknowledgement tells what became of the answer", async () => {
    const subscription = attached();
    const results = [answer(1), answer(2), answer(3), answer(4)].map((each) =>
      subscription.queueAnswer(each),
    );
    assert.equal(subscription.takeDueAnswers().length, 4);
    assert.equal(subscription.takeDueAnswers().length, 0);
    subscription.receive(answered(1, AnswerStatus.ACCEPTED));
    subscription.receive(answered(2, AnswerStatus.REPEATED));
    subscription.receive(answered(3, AnswerStatus.CONFLICT));
    subscription.receive(answered(4, AnswerStatus.REFUSED, ErrorReason.ILLEGAL_ACTION));
    const kinds = await Promise.all(results.slice(0, 3).map(async (result) => (await result).kind));
    assert.deepEqual(kinds, ["accepted", "accepted", "conflict"]);
    await assert.rejects(results[3] ?? Promise.resolve(), { reason: "ILLEGAL_ACTION", message: "no" });
  });

  test("an answer that was not acknowledged is sent again over a new stream", async () => {
    const subscription = attached();
    const result = subscription.queueAnswer(answer(1));
    subscription.takeDueAnswers();
    subscription.resetForNewStream();
    subscription.attach(2);
    assert.equal(subscription.takeDueAnswers()[0]?.answer.decisionId, 1);
    subscription.receive(answered(1, AnswerStatus.REPEATED));
    assert.equal((await result).kind, "accepted");
  });

  test("an answer that could not be stored is sent again after a wait", async () => {
    const subscription = attached();
    const result = subscription.queueAnswer(answer(1));
    subscription.takeDueAnswers();
    assert.equal(
      subscription.receive(answered(1, AnswerStatus.REFUSED, ErrorReason.STORE_UNAVAILABLE)),
      "retry-later",
    );
    assert.equal(subscription.takeDueAnswers().length, 0);
    subscription.retry();
    assert.equal(subscription.takeDueAnswers().length, 1);
    subscription.receive(answered(1, AnswerStatus.ACCEPTED));
    assert.equal((await result).kind, "accepted");
  });

  test("the last update tells of an answer whose acknowledgement was lost", async () => {
    const subscription = attached();
    const [same, other, unknown] = [answer(1, 3), answer(2, 3), answer(3, 3)].map((each) =>
      subscription.queueAnswer(each),
    );
    subscription.takeDueAnswers();
    for (const decisionId of [1, 2]) {
      const decided = { decisionId, index: decisionId + 2, action: {} };
      subscription.receive(item({ case: "update", value: { number: decisionId, decided } }));
    }
    subscription.receive(closed(ErrorReason.UNSPECIFIED));
    assert.equal((await same)?.kind, "accepted");
    assert.equal((await other)?.kind, "conflict");
    assert.equal((await unknown)?.kind, "over");
    assert.equal((await subscription.queueAnswer(answer(4))).kind, "over");
  });

  test("a seat that ended tells every caller so", async () => {
    const subscription = attached();
    const result = subscription.queueAnswer(answer(1));
    subscription.receive(closed(ErrorReason.TOKEN_EXPIRED));
    for (const outcome of [await result, await subscription.queueAnswer(answer(2))]) {
      assert.equal(outcome.kind === "closed" && outcome.error?.reason, "TOKEN_EXPIRED");
    }
  });

  test("at most 16 answers wait", async () => {
    const subscription = attached();
    for (let id = 1; id <= 16; id += 1) {
      void subscription.queueAnswer(answer(id));
    }
    await assert.rejects(subscription.queueAnswer(answer(17)), ParlorError);
  });
});

describe("seats of an agent are assigned by the server", () => {
  const agentSeat = () => new Subscription({ kind: "server", tableId: "table", seat: 2 }, undefined, 4);

  test("the bookmark is that of the last update", () => {
    const subscription = agentSeat();
    subscription.assign(9, 1);
    assert.equal(subscription.bookmark(), undefined);
    subscription.receive(snapshot(5));
    const { tableId, seat, after } = subscription.bookmark() ?? {};
    assert.deepEqual({ tableId, seat, after }, { tableId: "table", seat: 2, after: 5 });
    assert.ok(!subscription.isAttachDue);
  });

  test("a seat that is not assigned again has ended", () => {
    const subscription = agentSeat();
    subscription.assign(9, 1);
    subscription.endUnlessAssignedOn(1);
    assert.equal(subscription.end, undefined);
    subscription.endUnlessAssignedOn(2);
    assert.deepEqual(subscription.end, { error: undefined });
  });

  test("only a new stream brings what did not fit", () => {
    const subscription = agentSeat();
    subscription.assign(9, 1);
    for (let number = 0; number <= 5; number += 1) {
      subscription.receive(number === 0 ? snapshot(0) : update(number));
    }
    readAll(subscription);
    assert.ok(subscription.needsNewStream);
    subscription.resetForNewStream();
    assert.ok(!subscription.needsNewStream);
  });
});
