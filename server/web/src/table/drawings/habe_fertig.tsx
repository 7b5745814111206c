// Habe fertig: the two piles with the gap between them, the turned-over card, and what was hidden.

import type { CardFace } from "../../api";
import { CardBack, CardPicture } from "../../cards/Card";
import { faceNumber, stars } from "../../cards/faces";
import type { Strings } from "../../i18n";
import { type BoardControls, numbered, Stock } from "../controls";
import { DiscardZone, PileZone, RowZone } from "../Zones";
import type { Drawing } from ".";

/** The numbers strictly between the two tops; undefined if there is none. */
export function gapBetween(
  left: CardFace | undefined,
  right: CardFace | undefined,
): [number, number] | undefined {
  const [a, b] = [left && faceNumber(left), right && faceNumber(right)];
  if (a === undefined || b === undefined || Math.abs(a - b) < 2) return undefined;
  return [Math.min(a, b) + 1, Math.max(a, b) - 1];
}

function top(controls: Pick<BoardControls, "board">, zoneId: string): CardFace | undefined {
  return controls.board.zones.find((zone) => zone.zoneId === zoneId)?.cards.at(-1)?.face;
}

function Centre({ controls }: { controls: BoardControls }) {
  const { t } = controls;
  const zone = controls.zone;
  const [left, right, turned, draw, under] = [
    zone("left-pile"),
    zone("right-pile"),
    zone("turned-over"),
    zone("draw-pile"),
    zone("under"),
  ];
  const [leftTop, rightTop] = [top(controls, "left-pile"), top(controls, "right-pile")];
  const gap = gapBetween(leftTop, rightTop);
  return (
    <div class="centre centre-habe-fertig">
      <div class="centre-side">
        {draw && <Stock controls={controls} zone={draw} />}
        {under && under.cards.length > 0 && <DiscardZone controls={controls} zone={under} />}
      </div>
      <div class="piles">
        {left && <PileZone controls={controls} zone={left} />}
        <div class={`gap-sign ${gap ? "gap-open" : ""}`}>
          {leftTop && rightTop && (
            <>
              <svg viewBox="0 0 60 20" aria-hidden="true">
                {gap ? (
                  <path d="M2 10h56M8 4l-6 6l6 6M52 4l6 6l-6 6" />
                ) : (
                  <path d="M20 5l20 10M20 15l20 -10" />
                )}
              </svg>
              <span>{gap ? t.gapNumbers(...gap) : t.noGap}</span>
            </>
          )}
        </div>
        {right && <PileZone controls={controls} zone={right} />}
      </div>
      {turned && turned.cards.length > 0 && <RowZone controls={controls} zone={turned} />}
    </div>
  );
}

function SeatZones({ controls, seat }: { controls: BoardControls; seat: number }) {
  const { t, game } = controls;
  const zone = controls.zone(`hidden-${seat}`);
  if (!zone || zone.cards.length + zone.unknownCards === 0) return null;
  const sum = zone.cards.reduce((sum, card) => sum + stars(faceNumber(card.face!) ?? 0), 0);
  return (
    <div class="hidden-cards" role="group" aria-label={zone.label}>
      {numbered(zone.cards).map(({ face, key }) => (
        <span key={key} class="card card-small">
          <CardPicture game={game} face={face} name={face.longLabel} />
        </span>
      ))}
      {Array.from({ length: zone.unknownCards }, (_, index) => (
        <span key={index} class="card card-small">
          <CardBack />
        </span>
      ))}
      <small>
        {zone.label}
        {zone.cards.length > 0 && `: ${t.starsOnCards(sum)}`}
      </small>
    </div>
  );
}

export function habeFertig(t: Strings): Drawing {
  return {
    Centre,
    SeatZones,
    whyNot: (board, _zone, face, picked) => {
      const at = (zoneId: string) => top({ board }, zoneId);
      if (at("turned-over")) return t.layTurnedFirst;
      const [left, right] = [at("left-pile"), at("right-pile")];
      if (!left || !right) return picked.cards.length >= 2 ? t.hideTwo : undefined;
      return `${face.longLabel}: ${t.doesNotFit}`;
    },
  };
}
