// No Dice: the cards on the table, with pan and zoom, and what each place would score.

import type { BoardCell, Zone } from "../../api";
import type { Strings } from "../../i18n";
import { type BoardControls, Stock } from "../controls";
import { Grid } from "../Grid";
import { DiscardZone } from "../Zones";
import type { Drawing } from ".";

const overlaps = (a: BoardCell, b: BoardCell) => Math.abs(a.x - b.x) < a.size && Math.abs(a.y - b.y) < a.size;

/** Whether the two share a stretch of edge: half an edge is enough, a corner is not. */
const touches = (a: BoardCell, b: BoardCell) => {
  const [dx, dy] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
  return (dx === a.size && dy < a.size) || (dx < a.size && dy === a.size);
};

/** The segments that no later card covers. */
function visible(zone: Zone): BoardCell[] {
  const cells: BoardCell[] = [];
  for (const card of zone.cards) {
    for (const cell of card.cells) {
      const covered = cells.findIndex((other) => other.x === cell.x && other.y === cell.y);
      if (covered >= 0) cells.splice(covered, 1);
    }
    cells.push(...card.cells);
  }
  return cells;
}

/** What a card scores at a place: its own values, those that it covers, and those that it touches, each once. */
export function placementScore(zone: Zone, cells: readonly BoardCell[]): number {
  const own = cells.reduce((sum, cell) => sum + Number(cell.label), 0);
  return visible(zone).reduce(
    (sum, cell) =>
      cells.some((other) => overlaps(cell, other) || touches(cell, other)) ? sum + Number(cell.label) : sum,
    own,
  );
}

function Centre({ controls }: { controls: BoardControls }) {
  const [grid, draw, played] = [controls.zone("grid"), controls.zone("draw-pile"), controls.zone("played")];
  return (
    <div class="centre centre-grid">
      {grid && <Grid controls={controls} zone={grid} score={placementScore} />}
      <div class="centre-side">
        {draw && <Stock controls={controls} zone={draw} />}
        {played && <DiscardZone controls={controls} zone={played} />}
      </div>
    </div>
  );
}

export function noDice(t: Strings): Drawing {
  return {
    Centre,
    whyNot: (_board, _zone, face) =>
      face.id.includes("|") ? `${face.longLabel}: ${t.noPlace}` : t.onlyPassCard,
  };
}
