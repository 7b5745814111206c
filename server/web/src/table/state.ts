// A table as one viewer sees it: the fold of what the hub tells.

import {
  type Board,
  type GameEventLike,
  type Presence,
  type ResultTexts,
  type RichText,
  type Table,
  type TableResult,
  TableState,
  type TimeLeft,
  type Update,
} from "../api";
import type { OpenDecision, ViewerEvent, ViewerState } from "../hub/protocol";

/** An entry of the log: what one update said. */
export interface LogEntry {
  readonly number: number;
  readonly texts: readonly RichText[];
  /** Who has sat down with it. */
  readonly seated: readonly number[];
  /** Whether it is a move of this viewer. */
  readonly own: boolean;
}

/** What a round brought. */
export interface RoundSummary {
  readonly number: number;
  readonly texts: readonly RichText[];
  readonly points: readonly number[];
  readonly totals: readonly number[];
}

/** A table as one viewer sees it. */
export interface TableView {
  readonly connection: ViewerState;
  readonly table: Table | undefined;
  readonly board: Board | undefined;
  /** The viewer's own seat; undefined for a spectator, and before the first snapshot. */
  readonly seat: number | undefined;
  readonly number: number;
  readonly log: readonly LogEntry[];
  readonly decision: OpenDecision | undefined;
  readonly presence: ReadonlyMap<number, Presence>;
  readonly timeLeft: { readonly at: number; readonly time: TimeLeft } | undefined;
  readonly result: TableResult | undefined;
  readonly resultTexts: ResultTexts | undefined;
  readonly rematchTableId: string | undefined;
  /** The round that has just ended. */
  readonly summary: RoundSummary | undefined;
  /** The number of the viewer's last move, and the board after it. */
  readonly lastMove: { readonly number: number; readonly board: Board | undefined } | undefined;
}

export const EMPTY_VIEW: TableView = {
  connection: { kind: "connecting" },
  table: undefined,
  board: undefined,
  seat: undefined,
  number: 0,
  log: [],
  decision: undefined,
  presence: new Map(),
  timeLeft: undefined,
  result: undefined,
  resultTexts: undefined,
  rematchTableId: undefined,
  summary: undefined,
  lastMove: undefined,
};

/** The most entries of a log that are kept. */
const MAX_LOG = 500;

/** The view after an event. */
export function apply(view: TableView, event: ViewerEvent): TableView {
  switch (event.kind) {
    case "state":
      return { ...view, connection: event.state };
    case "snapshot": {
      const { snapshot, at } = event;
      const seat = snapshot.viewer?.viewer.case === "seat" ? snapshot.viewer.viewer.value : undefined;
      return {
        ...view,
        table: snapshot.table,
        board: snapshot.board,
        seat,
        number: snapshot.number,
        decision: undefined,
        presence: new Map(snapshot.presence.map((presence) => [presence.seat, presence])),
        timeLeft: snapshot.timeLeft && { at, time: snapshot.timeLeft },
        result: snapshot.table?.result,
        resultTexts: snapshot.texts?.result,
        rematchTableId: snapshot.table?.rematchTableId || view.rematchTableId,
        lastMove: view.lastMove ?? { number: snapshot.number, board: snapshot.board },
      };
    }
    case "update":
      return applyUpdate(view, event.update);
    case "decision":
      return { ...view, decision: event.decision, board: event.decision.board ?? view.board };
    case "presence":
      return { ...view, presence: new Map(view.presence).set(event.presence.seat, event.presence) };
    case "timeLeft":
      return { ...view, timeLeft: { at: event.at, time: event.timeLeft } };
  }
}

/** What the page says in its own words: the texts have numbers of seats and ids of tables in them. */
const OWN_WORDS: ReadonlySet<string | undefined> = new Set(["seatJoined", "seatReplaced", "rematch"]);

function applyUpdate(view: TableView, update: Update): TableView {
  // What ended the table comes after the moves that led to it, what began it before them.
  const atTable = (update.texts?.tableEvents ?? []).filter(
    (_, index) => !OWN_WORDS.has(update.tableEvents[index]?.event.case),
  );
  const seated = update.tableEvents.flatMap(({ event }) =>
    event.case === "seatJoined" || event.case === "seatReplaced" ? [event.value.seat!.seat] : [],
  );
  const inGame = update.texts?.events ?? [];
  const over = update.tableEvents.some(({ event }) => event.case === "over");
  const texts = (over ? [...inGame, ...atTable] : [...atTable, ...inGame]).filter(
    (text) => text.parts.length > 0,
  );
  const own = update.decided !== undefined;
  const board = update.board ?? view.board;
  const entry = { number: update.number, texts, seated, own };
  let next: TableView = {
    ...view,
    number: update.number,
    board,
    log: texts.length + seated.length > 0 ? [...view.log.slice(-MAX_LOG), entry] : view.log,
    decision: own && update.decided!.decisionId === view.decision?.id ? undefined : view.decision,
    lastMove: own ? { number: update.number, board } : view.lastMove,
    resultTexts: update.texts?.result ?? view.resultTexts,
  };
  const scored = roundScored(update.events);
  if (scored) {
    // The texts of the events stand in their order; those of the next round are left out.
    const summed =
      update.texts?.events.slice(0, scored.index + 1).filter((text) => text.parts.length > 0) ?? [];
    next = {
      ...next,
      summary: {
        number: update.number,
        texts: summed,
        points: scored.points,
        totals: board?.seats.map((seat) => seat.points) ?? [],
      },
    };
  }
  for (const { event } of update.tableEvents) {
    const table = next.table;
    if (!table) break;
    switch (event.case) {
      case "seatJoined":
      case "seatReplaced": {
        const changed = event.value.seat!;
        next = {
          ...next,
          table: {
            ...table,
            seats: table.seats.map((seat) => (seat.seat === changed.seat ? changed : seat)),
          },
        };
        break;
      }
      case "starting":
        next = {
          ...next,
          table: {
            ...table,
            state: TableState.STARTING,
            ...(event.value.shuffle ? { shuffle: event.value.shuffle } : {}),
          },
        };
        break;
      case "started":
        next = {
          ...next,
          table: {
            ...table,
            state: TableState.PLAYING,
            ...(event.value.shuffle ? { shuffle: event.value.shuffle } : {}),
          },
          lastMove: next.lastMove?.board ? next.lastMove : { number: update.number, board },
        };
        break;
      case "seatForfeited": {
        const { seat: number, why } = event.value;
        next = {
          ...next,
          table: {
            ...table,
            seats: table.seats.map((seat) => (seat.seat === number ? { ...seat, forfeited: why } : seat)),
          },
        };
        break;
      }
      case "over": {
        const { result, shuffle } = event.value;
        next = {
          ...next,
          decision: undefined,
          timeLeft: undefined,
          result,
          table: {
            ...table,
            state: stateAfter(result),
            ...(result ? { result } : {}),
            ...(shuffle ? { shuffle } : {}),
          },
        };
        break;
      }
      case "rematch":
        next = { ...next, rematchTableId: event.value.tableId };
        break;
    }
  }
  return next;
}

/** Whether a table is over: neither open nor starting nor played. */
export function isOver({ state }: Pick<Table, "state">): boolean {
  return state !== TableState.OPEN && state !== TableState.STARTING && state !== TableState.PLAYING;
}

function stateAfter(result: TableResult | undefined): TableState {
  return [
    TableState.FINISHED,
    TableState.FINISHED,
    TableState.CANCELLED,
    TableState.EXPIRED,
    TableState.FAULTED,
  ][result?.reason ?? 0]!;
}

/**
 * The place of the event that ends a round, and the points of each seat in it. Games tell of it in an event whose name ends with "Scored" and that
 * has the points of each seat: a game that the page does not know gets its summary too if it keeps to that.
 */
function roundScored(
  events: readonly GameEventLike[],
): { readonly index: number; readonly points: readonly number[] } | undefined {
  for (const [index, { game }] of events.entries()) {
    const event = (game.value as { event?: { case?: string; value?: { points?: unknown } } } | undefined)
      ?.event;
    if (!event?.case?.endsWith("Scored")) continue;
    const points = event.value?.points;
    if (Array.isArray(points) && points.every((point) => typeof point === "number")) return { index, points };
  }
  return undefined;
}
