// The games that have a drawing of their own. Any other game is drawn from its board alone.

import type { JSX } from "preact";
import type { BoardControls, WhyNot } from "../controls";
import { fiveThreeFive } from "./five_three_five";
import { gap } from "./gap";
import { habeFertig } from "./habe_fertig";
import { noDice } from "./no_dice";

/** How a game is drawn. What is not set is drawn as for any game. */
export interface Drawing {
  /** The middle of the table. */
  readonly Centre?: (props: { controls: BoardControls }) => JSX.Element;
  /** What lies before a seat, without its hand. */
  readonly SeatZones?: (props: { controls: BoardControls; seat: number }) => JSX.Element | null;
  /** Why a card of the own hand cannot be picked. */
  readonly whyNot?: WhyNot;
  /** Marks of a seat that the drawing shows by itself. */
  readonly ownMarks?: boolean;
}

const DRAWINGS: Readonly<Record<string, (t: BoardControls["t"]) => Drawing>> = {
  gap,
  habe_fertig: habeFertig,
  five_three_five: fiveThreeFive,
  no_dice: noDice,
};

/** The drawing of a game. */
export function drawingOf(game: string, t: BoardControls["t"]): Drawing {
  return DRAWINGS[game]?.(t) ?? {};
}
