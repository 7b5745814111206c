/** Against a real server: games, restarts, cuts, several clients on one seat, tokens that end. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ParlorError, type Decision, type Parlor, type Seat, type SeatState } from "@parlor/sdk";
import { EndReason, TableState } from "@parlor/sdk/wire";
import { client, countUp, KINDS, playRandomly, seededRandom } from "./support/clients.js";
import { TcpProxy } from "./support/proxy.js";
import { SuiteCleanup, TestServer } from "./support/server.js";

const seed = Number(process.env["PARLOR_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
console.log(`PARLOR_TEST_SEED=${seed}`);

for (const kind of KINDS) {
  describe(`with a client as in ${kind === "node" ? "Node" : "a browser"}`, { concurrency: 4 }, () => {
    const cleanup = new SuiteCleanup();
    let server: TestServer;
    let parlor: Parlor;
    const random = seededRandom(seed);

    before(async () => {
      server = await TestServer.start(cleanup);
      parlor = client(cleanup, kind, server.address);
    });
    after(() => cleanup.run());

    test("every game is played to its end, and each decision is given once", async () => {
      for (const { game } of await parlor.games()) {
        const table = await parlor.createTable({ game, seats: ["open", "bot:greedy", "open"] });
        const seats = [await parlor.join(table), await parlor.join(table, { board: true, texts: "de" })];
        const ids = await Promise.all(seats.map((seat) => playRandomly(seat, random)));
        for (const [place, seat] of seats.entries()) {
          assert.deepEqual(ids[place], countUp(ids[place] ?? []), game);
          assert.equal(seat.state.kind, "over");
          assert.equal(seat.result?.reason, EndReason.PLAYED_OUT);
          assert.equal(seat.table?.state, TableState.FINISHED);
          assert.equal(seat.result.seats.length, 3);
          assert.equal(seat.decision, undefined);
        }
        assert.match(
          seats[1]?.resultTexts?.seats[2]?.parts.map(({ text }) => text).join("") ?? "",
          /^Du belegst /,
        );
        assert.ok((seats[1]?.board?.zones.length ?? 0) > 0);
      }
    });

    test("an invite is made, accepted by its link, listed and revoked", async () => {
      const table = await parlor.createTable({
        game: "gap",
        seats: ["open", "open", "open"],
        visibility: "private",
      });
      const { secret, invite } = await parlor.createInvite(table, { uses: 3, validMs: 60_000 });
      assert.equal((await parlor.table("", secret)).tableId, table.tableId);
      const byLink = await parlor.accept(`https://example.org/t/x#invite=${secret}`, { displayName: "Ada" });
      const bySecret = await parlor.accept(secret);
      assert.deepEqual([byLink.seat, bySecret.seat], [0, 1]);
      await parlor.revokeInvite(table, invite.number);
      const [listed] = await parlor.invites(table);
      assert.deepEqual([listed?.used, listed?.uses, listed?.revoked], [2, 3, true]);
      await assert.rejects(parlor.accept(secret), { reason: "INVITE_REVOKED" });
      await assert.rejects(parlor.accept("pli_wrong"), { reason: "TOKEN_INVALID" });
      byLink.close();
      bySecret.close();
    });

    test("updates are gapless, and spectators see as many events as there are", async () => {
      const table = await parlor.createTable({ game: "gap", seats: ["open", "bot:random"] });
      const spectator = parlor.watch(table);
      const seat = await parlor.join(table);
      const numbers = async (viewer: { updates: Seat["updates"] }) => {
        const all = [];
        for await (const update of viewer.updates()) {
          all.push(update.number);
        }
        return all;
      };
      const [ids, own, watched] = await Promise.all([
        playRandomly(seat, random),
        numbers(seat),
        numbers(spectator),
      ]);
      assert.ok(ids.length > 3);
      for (const list of [own, watched]) {
        const first = list[0] ?? 0;
        assert.deepEqual(
          list,
          list.map((_, place) => first + place),
        );
      }
      assert.equal(watched.at(-1), spectator.number);
      assert.deepEqual(spectator.result, seat.result);
    });

    test("the result of a seat that is taken by its token after the end is there at once", async () => {
      const table = await parlor.createTable({ game: "high_card", seats: ["open", "bot:random"] });
      const seat = await parlor.join(table);
      await playRandomly(seat, random);
      const again = parlor.seat(seat.token);
      const { kind } = await again.ready();
      assert.equal(kind, "over");
      assert.deepEqual(again.result, seat.result);
      assert.equal(again.seat, seat.seat);
      const asked = [];
      for await (const decision of again.decisions()) {
        asked.push(decision);
      }
      assert.deepEqual(asked, []);
    });

    test("two clients on one seat: both are asked, one answers, and the other one learns it", async (t) => {
      const other = client(t, kind, server.address);
      const table = await parlor.createTable({ game: "gap", seats: ["open", "open"] });
      const seat = await parlor.join(table);
      const twin = other.seat(seat.token);
      const opponent = await parlor.join(table);
      const opposing = playRandomly(opponent, random);
      const first = await firstDecision(seat);
      const same = await firstDecision(twin);
      assert.equal(first.id, same.id);
      assert.ok(first.legalCount > 1);

      const closed = new Promise((resolve) => same.signal.addEventListener("abort", resolve));
      assert.equal((await first.choose(0)).kind, "accepted");
      assert.equal(first.open, false);
      // The twin is told of the move by an update, for which somebody must listen.
      const unsubscribe = twin.onChange(() => {});
      await closed;
      assert.equal(same.decided?.index, 0);
      const late = await same.choose(1);
      assert.equal(late.kind, "conflict");
      assert.equal((await same.choose(0)).kind, "accepted");
      unsubscribe();

      // Both go on together: whoever is first plays, and no decision is lost.
      const ids = await Promise.all([playRandomly(seat, random), playRandomly(twin, random)]);
      await opposing;
      assert.equal(seat.state.kind, "over");
      assert.equal(twin.state.kind, "over");
      const all = [...new Set(ids.flat())].sort((a, b) => a - b);
      assert.deepEqual(
        all,
        all.map((_, place) => place + 2),
      );
    });

    test("an illegal answer is thrown to its caller, and the decision stays open", async () => {
      const table = await parlor.createTable({ game: "gap", seats: ["open", "bot:random"] });
      const seat = await parlor.join(table);
      const decision = await firstDecision(seat);
      for (const index of [-1, decision.legalCount, 0.5, Number.NaN]) {
        await assert.rejects(decision.choose(index), { reason: "ILLEGAL_ACTION", field: "index" });
      }
      const other = parlor.createTable({ game: "no_dice", seats: ["open", "bot:random"] });
      const foreign = (await firstDecision(await parlor.join(await other))).legalActions[0];
      assert.ok(foreign);
      await assert.rejects(decision.choose(foreign), (error: ParlorError) => {
        assert.ok(error instanceof ParlorError);
        assert.equal(error.reason, "ILLEGAL_ACTION");
        assert.match(error.text.de, /\p{L}/u);
        return true;
      });
      assert.equal(decision.open, true);
      assert.equal((await decision.chooseDefault()).kind, "accepted");
      seat.close();
      assert.equal(seat.state.kind, "closed");
    });

    test("the server refuses with a reason, a field and a text in both languages", async () => {
      await assert.rejects(
        parlor.createTable({ game: "gap", options: { rounds: 101 }, seats: ["open", "open"] }),
        (error: ParlorError) => {
          assert.equal(error.reason, "INVALID_FIELD");
          assert.equal(error.field, "options.gap.rounds");
          assert.match(error.message, /101/);
          assert.match(error.text.de, /Feld/);
          assert.equal(error.temporary, false);
          return true;
        },
      );
      await assert.rejects(parlor.createTable({ game: "chess", seats: ["open"] }), {
        reason: "GAME_NOT_FOUND",
      });
      await assert.rejects(parlor.join("01hf7yat000w3ge1r70w3ge1r7"), { reason: "TABLE_NOT_FOUND" });
      const table = await parlor.createTable({ game: "gap", seats: ["open", "bot:random"] });
      await parlor.join(table, { seat: 0, entropy: null });
      await assert.rejects(parlor.join(table), { reason: "TABLE_STARTED" });
      await assert.rejects(parlor.record(table), { reason: "TABLE_NOT_OVER" });
    });

    test("a token that has ended is a state, not an exception", async () => {
      const table = await parlor.createTable({ game: "gap", seats: ["open", "open"] });
      const seat = await parlor.join(table);
      await seat.ready();
      const playing = playRandomly(seat, random);
      const token = await parlor.reissueSeatToken(table, 0);
      const state = await seat.finished();
      assert.equal(state.kind, "ended");
      assert.equal(state.kind === "ended" && state.error.reason, "TOKEN_EXPIRED");
      assert.deepEqual(await playing, []);

      const renewed = parlor.seat(token);
      assert.equal((await renewed.ready()).kind, "open");
      await parlor.join(table);
      const decision = await firstDecision(renewed);
      await parlor.replaceSeat(table, 0, "greedy");
      await renewed.finished();
      assert.deepEqual(reason(renewed.state), "TOKEN_EXPIRED");
      assert.equal(decision.open, false);
      assert.equal((await decision.choose(0)).kind, "closed");

      const unknown = parlor.seat("no token at all");
      assert.equal(reason(await unknown.ready()), "TOKEN_INVALID");
      const nowhere = parlor.watch("01hf7yat000w3ge1r70w3ge1r7");
      assert.equal(reason(await nowhere.ready()), "TABLE_NOT_FOUND");
      // The others are not disturbed.
      assert.equal((await parlor.games()).length, 5);
    });

    test("news of tables, lists of tables and replays", async () => {
      const news = parlor.followTables("0");
      const table = await parlor.createTable({
        game: "high_card",
        seats: ["open", "bot:random"],
        metadata: { a: kind },
      });
      const seat = await parlor.join(table, { displayName: "Ada" });
      await playRandomly(seat, random);
      const kinds = [];
      for await (const { tableId, news: what } of news) {
        if (tableId === table.tableId) {
          kinds.push(what.case);
        }
        if (tableId === table.tableId && what.case === "over") {
          break;
        }
      }
      assert.deepEqual(kinds, ["created", "joined", "started", "over"]);

      const listed = [];
      for await (const { tableId } of parlor.tables({ metadata: { a: kind }, owned: true, pageSize: 1 })) {
        listed.push(tableId);
      }
      assert.deepEqual(listed, [table.tableId]);

      const steps = [];
      for await (const step of parlor.replay(table, { texts: "de" })) {
        steps.push(step.number);
      }
      assert.deepEqual(
        steps,
        steps.map((_, place) => place),
      );
      assert.ok(steps.length > 1);
      assert.equal((await parlor.record(table)).seats[0]?.occupant.case, "player");
      await parlor.deleteTable(table);
      await assert.rejects(parlor.table(table), { reason: "TABLE_NOT_FOUND" });
    });

    test("the rematch is told to who wants it", async () => {
      const table = await parlor.createTable({ game: "high_card", seats: ["open", "bot:random"] });
      const seat = await parlor.join(table, { rematch: true });
      await playRandomly(seat, random);
      assert.equal(seat.state.kind, "over");
      const told = new Promise<void>((resolve) => {
        seat.onChange(() => {
          if (seat.rematchTableId !== undefined) {
            resolve();
          }
        });
      });
      const next = await parlor.rematch(table, { seatToken: seat.token });
      await told;
      assert.equal(seat.rematchTableId, next.tableId);
      const again = await parlor.join(next, { previousToken: seat.token });
      await playRandomly(again, random);
      assert.equal(again.state.kind, "over");
      seat.close();
    });
  });

  describe(
    `breaks, with a client as in ${kind === "node" ? "Node" : "a browser"}`,
    { concurrency: 4 },
    () => {
      const random = seededRandom(seed + 1);

      test("the server is killed and started again in mid-game", async (t) => {
        const server = await TestServer.start(t);
        const proxy = await TcpProxy.start(t, () => server.port);
        const parlor = client(t, kind, proxy.address);
        const table = await parlor.createTable({
          game: "gap",
          seats: ["open", "open"],
          clock: { decisionMs: 600_000 },
        });
        const seats = [await parlor.join(table), await parlor.join(table)];
        const states: string[] = [];
        seats[0]?.onChange(() => states.push(seats[0]?.state.kind ?? ""));
        let kills = 0;
        const ids = await Promise.all(
          seats.map((seat) =>
            playRandomly(seat, random, async (decision) => {
              if (decision.seat === seats[0] && decision.id % 4 === 2 && kills < 3) {
                kills += 1;
                await server.kill();
                // The answer is given while there is no server, and counts when there is one again.
                const restarted = untilState(seat, "reconnecting").then(() => server.run());
                const result = await decision.choose(0);
                assert.equal(result.kind, "accepted");
                await restarted;
              }
            }),
          ),
        );
        assert.equal(kills, 3);
        for (const [place, seat] of seats.entries()) {
          assert.deepEqual(ids[place], countUp(ids[place] ?? []));
          assert.equal(seat.state.kind, "over");
          assert.ok(seat.result?.seats.every(({ clocksRunOut }) => clocksRunOut === 0));
        }
        assert.ok(states.includes("reconnecting") && states.includes("open"));
      });

      test("connections are cut all the time", async (t) => {
        const server = await TestServer.start(t);
        const proxy = await TcpProxy.start(t, () => server.port);
        const parlor = client(t, kind, proxy.address);
        const table = await parlor.createTable({ game: "no_dice", seats: ["open", "bot:random", "open"] });
        const seats = [await parlor.join(table), await parlor.join(table)];
        let decisions = 0;
        const ids = await Promise.all(
          seats.map((seat) =>
            playRandomly(seat, random, (decision) => {
              decisions += 1;
              if (decisions % 5 === 0) {
                setTimeout(() => proxy.cut(), Math.floor(random() * 3));
              }
              assert.equal(decision.seat, seat);
            }),
          ),
        );
        for (const [place, seat] of seats.entries()) {
          assert.deepEqual(ids[place], countUp(ids[place] ?? []));
          assert.equal(seat.state.kind, "over");
        }
      });

      test("a server that is not there is a state of the seat, and an error of a call", async (t) => {
        const server = await TestServer.start(t);
        const proxy = await TcpProxy.start(t, () => server.port);
        const parlor = client(t, kind, proxy.address);
        const table = await parlor.createTable({ game: "gap", seats: ["open", "open"] });
        const { token } = await parlor.join(table);
        parlor.close();
        await server.kill();

        const later = client(t, kind, proxy.address);
        const impatient = client(t, kind, proxy.address, { deadlineMs: 300 });
        const seat = later.seat(token);
        await assert.rejects(impatient.games(), (error: ParlorError) => {
          assert.ok(["UNREACHABLE", "DEADLINE_EXCEEDED"].includes(error.reason), error.reason);
          assert.ok(error.temporary);
          return true;
        });
        assert.equal(seat.state.kind, "connecting");
        assert.equal(seat.table, undefined);
        await server.run();
        assert.equal((await seat.ready()).kind, "open");
        assert.equal(seat.tableId, table.tableId);
        later.close();
        assert.equal(seat.state.kind, "closed");
        assert.equal(later.connection.kind, "closed");
        assert.equal(later.seat(token).state.kind, "closed");
      });

      test("news and replays go on after a restart", async (t) => {
        const server = await TestServer.start(t);
        const proxy = await TcpProxy.start(t, () => server.port);
        const parlor = client(t, kind, proxy.address);
        const seen: string[] = [];
        const news = parlor.followTables("0");
        const take = async () => {
          const { value } = await news.next();
          seen.push(`${value?.number} ${value?.news.case}`);
        };
        const table = await parlor.createTable({ game: "high_card", seats: ["open", "bot:random"] });
        await take();
        await server.kill();
        const joined = take();
        await server.run();
        const seat = await parlor.join(table);
        await joined;
        proxy.cut();
        await playRandomly(seat, random);
        await take();
        await take();
        assert.deepEqual(seen, ["1 created", "2 joined", "3 started", "4 over"]);

        const steps = [];
        for await (const step of parlor.replay(table)) {
          steps.push(step.number);
          proxy.cut();
        }
        assert.deepEqual(
          steps,
          steps.map((_, place) => place),
        );
      });
    },
  );
}

/** The first decision that a seat is asked. */
async function firstDecision(seat: Seat): Promise<Decision> {
  for await (const decision of seat.decisions()) {
    return decision;
  }
  throw new Error(`the seat is asked nothing: ${JSON.stringify(seat.state)}`);
}

/** Waits until the seat is in a state. */
async function untilState(seat: Seat, kind: SeatState["kind"]): Promise<void> {
  await new Promise<void>((resolve) => {
    const unsubscribe = seat.onChange(() => {
      if (seat.state.kind === kind) {
        unsubscribe();
        resolve();
      }
    });
  });
}

function reason(state: SeatState): string {
  return state.kind === "ended" ? state.error.reason : state.kind;
}
