// What the page computes by itself: scores, gaps, ids and what a selection leaves to choose.

import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

/** A module of the page, compiled for Node. */
async function load(path) {
  const { outputFiles } = await build({
    entryPoints: [new URL(`../src/${path}`, import.meta.url).pathname],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "location.origin": '"http://localhost"' },
    banner: {
      js: "globalThis.navigator ??= { languages: ['en'] }; globalThis.localStorage ??= { getItem: () => null, setItem() {} };",
    },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

test("the score of a round of GAP", async () => {
  const { roundScore } = await load("table/drawings/gap.tsx");
  const cases = [
    [[5, 5, 2, 1, 1], 8],
    [[4, 4, 1], 7],
    [[6, 2], 4],
    [[4, 3, 2], 2],
    [[4, 4], 8],
    [[3], 3],
    [[], 0],
  ];
  for (const [counts, score] of cases) assert.equal(roundScore(counts), score, counts.join());
});

test("the gap of Habe fertig", async () => {
  const { gapBetween } = await load("table/drawings/habe_fertig.tsx");
  const card = (id) => ({ id });
  assert.deepEqual(gapBetween(card("red-4"), card("blue-9")), [5, 8]);
  assert.deepEqual(gapBetween(card("grey-10"), card("red-8")), [9, 9]);
  assert.equal(gapBetween(card("red-5"), card("blue-4")), undefined);
  assert.equal(gapBetween(undefined, card("blue-4")), undefined);
});

test("the kind of a field of Five Three Five", async () => {
  const { fieldKind } = await load("table/drawings/five_three_five.tsx");
  const kind = (...ids) => fieldKind({ cards: ids.map((id) => ({ face: { id } })) });
  assert.deepEqual(
    [kind(), kind("8"), kind("3", "3"), kind("3", "4", "5")],
    [undefined, "single", "set", "run"],
  );
});

test("the score of a placement of No Dice, as the printed figures have it", async () => {
  const { placementScore } = await load("table/drawings/no_dice.tsx");
  const cells = (...parts) => parts.map(([x, y, label]) => ({ x, y, size: 2, label: String(label) }));
  const zone = { cards: [{ cells: cells([0, 0, 8], [2, 0, 5]) }] };
  assert.equal(placementScore(zone, cells([4, 0, 5], [6, 0, 10])), 20, "5|10 against the 5 of 8|5");
  assert.equal(placementScore(zone, cells([2, 0, 5], [4, 0, 10])), 28, "5|10 over that 5, away from the 8");
  assert.equal(placementScore(zone, cells([4, 1, 5], [6, 1, 10])), 20, "half an edge is enough");
  assert.equal(placementScore(zone, cells([4, 2, 5], [6, 2, 10])), 15, "a corner is not");
});

test("an id as bytes", async () => {
  const { idBytes } = await load("table/verify.ts");
  assert.deepEqual([...idBytes("00000000000000000000000001")], [...Array(15).fill(0), 1]);
  assert.deepEqual([...idBytes("7zzzzzzzzzzzzzzzzzzzzzzzzz")], Array(16).fill(255));
  assert.equal(idBytes("8zzzzzzzzzzzzzzzzzzzzzzzzz"), undefined);
  assert.equal(idBytes("short"), undefined);
});

test("a selection leaves the actions that touch all of it", async () => {
  const { Choices, NOTHING } = await load("table/selection.ts");
  const board = { zones: [{ zoneId: "hand-0", owner: 0 }, { zoneId: "middle" }] };
  const action = (hand, middle, ...zoneIds) => ({
    cards: [
      ...hand.map((cardId) => ({ zoneId: "hand-0", cardId })),
      ...middle.map((cardId) => ({ zoneId: "middle", cardId })),
    ],
    zoneIds,
    cells: [],
  });
  const targets = [
    action(["4"], [], "middle"),
    action(["4", "4"], [], "middle"),
    action(["5"], ["6"], "collected-0"),
    action(["5"], ["7"], "collected-0"),
    action([], []),
  ];
  const choices = new Choices(targets, board, 0);
  assert.deepEqual(choices.complete(NOTHING), [4], "with nothing picked, what needs no card");
  const four = choices.click(NOTHING, { zoneId: "hand-0", cardId: "4", nth: 0 });
  assert.deepEqual(choices.candidates(four), [0, 1]);
  assert.deepEqual(choices.complete(four), [0]);
  const fours = choices.click(four, { zoneId: "hand-0", cardId: "4", nth: 1 });
  assert.deepEqual(choices.complete(fours), [1]);
  assert.equal(choices.canPick(fours, "hand-0", "4"), false, "there are no three");
  const five = choices.click(fours, { zoneId: "hand-0", cardId: "5", nth: 0 });
  assert.deepEqual(
    five.cards.map((card) => card.cardId),
    ["5"],
    "what does not fit begins anew",
  );
  assert.deepEqual(choices.complete(five), [2, 3]);
  assert.deepEqual(choices.complete(choices.click(five, { zoneId: "middle", cardId: "7", nth: 0 })), [3]);
  assert.deepEqual(choices.toZone(five, "collected-0"), [2, 3]);
  assert.deepEqual(
    choices.click(five, { zoneId: "hand-0", cardId: "5", nth: 0 }).cards,
    [],
    "a second click drops it",
  );
});

test("moves of others are shown one after another, and all at once when they are skipped", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { Pacer } = await load("table/pacing.ts");
  const pacer = new Pacer(() => {});
  const shown = () => [pacer.view.number, pacer.waiting];
  const push = (number, own = false) => {
    const decided = own ? { decisionId: number } : undefined;
    pacer.push({ kind: "update", update: { number, events: [{ game: {} }], tableEvents: [], decided } });
  };
  pacer.reset([{ kind: "snapshot", snapshot: { number: 1, presence: [] }, at: 0 }]);
  push(2, true);
  assert.deepEqual(shown(), [2, 0], "the own move at once");
  for (const number of [3, 4, 5]) push(number);
  assert.deepEqual(shown(), [2, 3]);
  t.mock.timers.tick(599);
  assert.deepEqual(shown(), [2, 3]);
  t.mock.timers.tick(1);
  assert.deepEqual(shown(), [3, 2]);
  t.mock.timers.tick(600);
  assert.deepEqual(shown(), [4, 1]);
  pacer.skip();
  assert.deepEqual(shown(), [5, 0]);
  push(6);
  assert.deepEqual(shown(), [6, 0], "what comes before the own turn is skipped, too");
  pacer.push({ kind: "decision", decision: { id: 7, after: 6 } });
  push(7, true);
  push(8);
  assert.deepEqual(shown(), [7, 1], "until the next turn");
  t.mock.timers.tick(600);
  assert.deepEqual(shown(), [8, 0]);
});
