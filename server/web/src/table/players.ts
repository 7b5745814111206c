// Who sits at a table: names for people, never numbers of seats.

import { type Table, type TableSeat } from "../api";
import type { Strings } from "../i18n";

/** Names for bots of the house, by their seat. */
const BOT_NAMES = ["Ada", "Ben", "Cleo", "Dario", "Emmy", "Finn"];

/** A player, for people. */
export interface Player {
  readonly seat: number;
  readonly name: string;
  /** What kind of player it is, such as "greedy" for a bot. */
  readonly kind: "you" | "person" | "bot" | "agent" | "free" | "reserved";
  /** More about a bot or agent: its strength or version. */
  readonly detail: string;
}

/** The strengths of house bots, in words, by their names. */
const STRENGTHS: readonly string[] = ["random", "greedy", "search"];

/** The place of a bot among these strengths. Its name may say how long it thinks: `search:1000`. */
const strengthOf = (bot: string) => STRENGTHS.indexOf(bot.split(":", 1)[0]!);

/** The strength of a house bot in words; its own name if the page has no word for it. */
export function strength(bot: string, t: Strings): string {
  return t.strengths[strengthOf(bot)] ?? bot;
}

/** What that strength is like; undefined if the page has no word for it. */
export function strengthHint(bot: string, t: Strings): string | undefined {
  return t.strengthHints[strengthOf(bot)];
}

export function playerOf(seat: TableSeat, own: number | undefined, t: Strings): Player {
  const { occupant, seat: number } = seat;
  const name = (given: string) => given || t.guest(number + 1);
  switch (occupant.case) {
    case "player":
      return number === own
        ? { seat: number, name: t.youCapital, kind: "you", detail: occupant.value.displayName }
        : { seat: number, name: name(occupant.value.displayName), kind: "person", detail: "" };
    case "houseBot":
      return {
        seat: number,
        name: BOT_NAMES[number] ?? occupant.value.name,
        kind: "bot",
        detail: strength(occupant.value.name, t),
      };
    case "agent":
      return { seat: number, name: occupant.value.name, kind: "agent", detail: occupant.value.version };
    case "reserved":
      return { seat: number, name: occupant.value.displayName || t.reserved, kind: "reserved", detail: "" };
    default:
      return { seat: number, name: t.free, kind: "free", detail: "" };
  }
}

/** The players of a table, in the order of the seats. */
export function playersOf(table: Table | undefined, own: number | undefined, t: Strings): Player[] {
  return (table?.seats ?? []).map((seat) => playerOf(seat, own, t));
}

/** The seats clockwise from one's own, which is left out; all of them for a spectator. */
export function othersFrom(seats: number, own: number | undefined): number[] {
  if (own === undefined) return Array.from({ length: seats }, (_, seat) => seat);
  return Array.from({ length: seats - 1 }, (_, index) => (own + 1 + index) % seats);
}

/** The letter that stands for a player: of the name that the others see, where there is one. */
export function initial({ name, kind, detail }: Player): string {
  return ((kind === "you" && detail.trim()) || name).slice(0, 1).toUpperCase();
}
