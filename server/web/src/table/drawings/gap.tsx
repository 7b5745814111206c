// GAP: the middle row, and the collected colours of each player with the score of the round so far.

import type { CardFace, Zone } from "../../api";
import { faceNumber } from "../../cards/faces";
import { suitStyle } from "../../cards/suits";
import { signed } from "../../i18n";
import { type BoardControls, Stock } from "../controls";
import { RowZone } from "../Zones";
import type { Drawing } from ".";

/** The score of collected cards: the largest count for each colour that has it, less the smallest for each that has that. */
export function roundScore(counts: readonly number[]): number {
  const own = counts.filter((count) => count > 0);
  if (own.length === 0) return 0;
  const [most, least] = [Math.max(...own), Math.min(...own)];
  const sum = (count: number) => count * own.filter((other) => other === count).length;
  return sum(most) - (most === least ? 0 : sum(least));
}

function Centre({ controls }: { controls: BoardControls }) {
  const [middle, stack] = [controls.zone("middle"), controls.zone("stack")];
  return (
    <div class="centre">
      {stack && <Stock controls={controls} zone={stack} />}
      {middle && <RowZone controls={controls} zone={middle} />}
    </div>
  );
}

function bySuit(zone: Zone): Map<string, CardFace[]> {
  const suits = new Map<string, CardFace[]>();
  for (const { face } of zone.cards) {
    const suit = face!.suit!.id;
    suits.set(suit, [...(suits.get(suit) ?? []), face!]);
  }
  return suits;
}

function SeatZones({ controls, seat }: { controls: BoardControls; seat: number }) {
  const { t } = controls;
  const zone = controls.zone(`collected-${seat}`);
  if (!zone) return null;
  const suits = bySuit(zone);
  const counts = [...suits.values()].map((cards) => cards.length);
  const [most, least] = [Math.max(...counts), Math.min(...counts)];
  return (
    <div class="collected" role="group" aria-label={zone.label}>
      <ul class="collected-suits">
        {[...suits].map(([suit, cards]) => {
          const style = suitStyle(suit);
          const part = cards.length === most ? "plus" : cards.length === least ? "minus" : "even";
          return (
            <li
              key={suit}
              class={`collected-suit collected-${part} suit-${style.colour}`}
              title={cards.map((face) => face.longLabel).join(", ")}
            >
              <svg viewBox="-50 -50 100 100" aria-hidden="true">
                <path class="face-fill" d={style.shape} />
              </svg>
              <b aria-hidden="true">
                {part === "minus" ? "−" : ""}
                {cards.length}
              </b>
              <span class="visually-hidden">
                {cards[0]!.suit!.name}: {cards.map(faceNumber).join(", ")}
              </span>
            </li>
          );
        })}
      </ul>
      <p class="collected-score">
        <b>{signed(roundScore(counts))}</b> {t.roundScore}
      </p>
    </div>
  );
}

export function gap(): Drawing {
  return { Centre, SeatZones };
}
