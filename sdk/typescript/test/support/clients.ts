/** Clients of both kinds, and players for tests. */
import {
  connect as connectNode,
  type ConnectOptions,
  type Decision,
  type Parlor,
  type Seat,
} from "@parlor/sdk";
import { connect as connectBrowser } from "@parlor/sdk/browser";
import type { Cleanup } from "./server.js";

/** The two ways to reach a server: Play over HTTP/2, and Follow and Act over gRPC-Web as in a browser. */
const CONNECT = { node: connectNode, browser: connectBrowser };

export const KINDS = ["node", "browser"] as const;
export type Kind = (typeof KINDS)[number];

/** A client for a test. */
export function client(test: Cleanup, kind: Kind, address: string, options?: ConnectOptions): Parlor {
  const parlor = CONNECT[kind](address, options);
  test.after(() => parlor.close());
  return parlor;
}

/** A generator of numbers from 0 to 1 with a seed (mulberry32), so that a failure can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plays a seat at random to the end; returns the ids of the decisions that it was given. */
export async function playRandomly(
  seat: Seat,
  random: () => number,
  each: (decision: Decision) => Promise<void> | void = () => {},
): Promise<number[]> {
  const ids = [];
  for await (const decision of seat.decisions()) {
    ids.push(decision.id);
    await each(decision);
    await decision.choose(Math.floor(random() * decision.legalCount));
  }
  return ids;
}

/** The numbers from 1 to the length of the list. */
export function countUp(list: readonly unknown[]): number[] {
  return list.map((_, place) => place + 1);
}
