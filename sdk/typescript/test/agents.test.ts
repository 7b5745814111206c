/** Agents against a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentEvent, type AgentRunner, type Parlor } from "@parlor/sdk";
import { TableState } from "@parlor/sdk/wire";
import { client, countUp, seededRandom } from "./support/clients.js";
import { TcpProxy } from "./support/proxy.js";
import { TestServer } from "./support/server.js";

/** Resolves when the agent has had as many events of a kind. */
function eventsOf(agent: AgentRunner, kind: AgentEvent["kind"], count = 1): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    agent.onEvent((event) => {
      left -= event.kind === kind ? 1 : 0;
      if (left === 0) {
        resolve();
      }
    });
  });
}

async function untilOver(parlor: Parlor, tableId: string): Promise<TableState | undefined> {
  const spectator = parlor.watch(tableId);
  await spectator.finished();
  return spectator.table?.state;
}

test("agents play many tables through cuts and a restart, and each decision is answered once", async (t) => {
  const server = await TestServer.start(t);
  const proxy = await TcpProxy.start(t, () => server.port);
  const parlor = client(t, "node", proxy.address);
  const random = seededRandom(Number(process.env["PARLOR_TEST_SEED"] ?? 1));
  const asked = new Map<string, number[]>();
  let decisions = 0;
  const agent = parlor.serveAgent({ name: "ada", key: "a secret of sixteen bytes" }, ({ tableId, seat }) => {
    const ids: number[] = [];
    asked.set(`${tableId} ${seat}`, ids);
    return {
      decide: async (decision) => {
        ids.push(decision.id);
        decisions += 1;
        if (decisions % 40 === 0) {
          proxy.cut();
        }
        return Math.floor(random() * decision.legalCount);
      },
    };
  });
  const over = eventsOf(agent, "tableOver", 10);
  const failures: AgentEvent[] = [];
  agent.onEvent((event) => {
    if (event.kind === "botFailed" || event.kind === "answerRefused") {
      failures.push(event);
    }
  });
  await eventsOf(agent, "connected");
  const clock = { decisionMs: 600_000 };
  const tables = [];
  for (let number = 0; number < 5; number += 1) {
    tables.push(
      await parlor.createTable({ game: "gap", seats: ["agent:ada", "bot:random", "agent:ada"], clock }),
    );
  }
  await server.kill();
  await server.run();
  for (const table of tables) {
    assert.equal(await untilOver(parlor, table.tableId), TableState.FINISHED);
  }
  await over;
  assert.deepEqual(failures, []);
  assert.equal(asked.size, 10);
  for (const ids of asked.values()) {
    assert.deepEqual(ids, countUp(ids));
  }
  agent.stop();
  assert.deepEqual(await agent.finished, { kind: "stopped" });
});

test("what a bot does wrong is told, and the table goes on", async (t) => {
  const server = await TestServer.start(t);
  const parlor = client(t, "node", server.address);
  const settings = { name: "ada", key: "a secret of sixteen bytes", games: ["gap"], maxTables: 2 };
  let refused = false;
  const agent = parlor.serveAgent(settings, () => (decision) => {
    if (!refused) {
      refused = true;
      return decision.legalCount;
    }
    return 0;
  });
  const answerRefused = eventsOf(agent, "answerRefused");
  await eventsOf(agent, "connected");
  const table = await parlor.createTable({ game: "gap", seats: ["agent:ada", "bot:random"] });
  await answerRefused;
  assert.equal(await untilOver(parlor, table.tableId), TableState.FINISHED);

  const failing = parlor.serveAgent({ ...settings, name: "bob" }, () => {
    throw new Error("no bot today");
  });
  const failed = eventsOf(failing, "botFailed");
  await eventsOf(failing, "connected");
  await parlor.createTable({ game: "gap", seats: ["agent:bob", "bot:random"] });
  await failed;
  parlor.close();
  assert.deepEqual(await agent.finished, { kind: "stopped" });
  assert.deepEqual(await failing.finished, { kind: "stopped" });
});

test("an agent ends when another program takes its name, or the name is somebody else's", async (t) => {
  const server = await TestServer.start(t);
  const parlor = client(t, "node", server.address);
  const settings = { name: "ada", key: "a secret of sixteen bytes", games: ["gap"] };
  const first = parlor.serveAgent(settings, () => () => 0);
  await eventsOf(first, "connected");
  const second = parlor.serveAgent(settings, () => () => 0);
  const end = await first.finished;
  assert.equal(end.kind === "ended" && end.error.reason, "AGENT_REPLACED");
  const thief = parlor.serveAgent({ ...settings, key: "another one of sixteen" }, () => () => 0);
  const refused = await thief.finished;
  assert.equal(refused.kind === "ended" && refused.error.reason, "AGENT_NAME_TAKEN");
  second.stop();
  assert.deepEqual(await second.finished, { kind: "stopped" });
});
