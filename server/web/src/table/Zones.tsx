// The zones of any game, drawn by their kind. Games with a drawing of their own use parts of it.

import { useState } from "preact/hooks";
import { type Zone, ZoneKind } from "../api";
import { CardBack, CardPicture } from "../cards/Card";
import { Dialog } from "../ui/Dialog";
import { type BoardControls, BoardCardView, numbered, Stock, ZoneBox, ZoneCards } from "./controls";
import { Grid } from "./Grid";

/** The cards that are out of play: the last one, and all of them on request. */
export function DiscardZone({ controls, zone }: { controls: BoardControls; zone: Zone }) {
  const [open, setOpen] = useState(false);
  const last = zone.cards.at(-1)?.face;
  return (
    <ZoneBox controls={controls} zone={zone} class="zone-discard">
      <button
        type="button"
        class={`card card-button ${last ? "" : "card-gone"}`}
        aria-label={`${zone.label}: ${controls.t.cards(zone.cards.length)}`}
        disabled={!last}
        onClick={() => setOpen(true)}
      >
        {last ? <CardPicture game={controls.game} face={last} /> : <span class="card-empty" />}
        <span class="stock-count" aria-hidden="true">
          {zone.cards.length}
        </span>
      </button>
      {open && (
        <Dialog title={zone.label} onClose={() => setOpen(false)}>
          <div class="card-list">
            {numbered(zone.cards).map(({ face, key }) => (
              <span key={key} class="card">
                <CardPicture game={controls.game} face={face} name={face.longLabel} />
              </span>
            ))}
          </div>
        </Dialog>
      )}
    </ZoneBox>
  );
}

/** A pile of which the top counts. */
export function PileZone({ controls, zone }: { controls: BoardControls; zone: Zone }) {
  const top = numbered(zone.cards).at(-1);
  return (
    <ZoneBox controls={controls} zone={zone} class="zone-pile">
      {top ? (
        <BoardCardView
          key={top.key}
          controls={controls}
          zone={zone}
          face={top.face}
          nth={top.nth}
          copies={top.nth + 1}
        />
      ) : (
        <span class="card card-gone" role="img" aria-label={controls.t.empty}>
          <span class="card-empty" />
        </span>
      )}
    </ZoneBox>
  );
}

/** Cards beside each other. */
export function RowZone({ controls, zone, label }: { controls: BoardControls; zone: Zone; label?: string }) {
  return (
    <ZoneBox controls={controls} zone={zone} class="zone-row" {...(label === undefined ? {} : { label })}>
      <div class="card-row">
        <ZoneCards controls={controls} zone={zone} />
        {Array.from({ length: Math.min(zone.unknownCards, 12) }, (_, index) => (
          <span key={index} class="card">
            <CardBack />
          </span>
        ))}
        {zone.cards.length + zone.unknownCards === 0 && (
          <span class="card card-gone" role="img" aria-label={controls.t.empty}>
            <span class="card-empty" />
          </span>
        )}
      </div>
    </ZoneBox>
  );
}

/** A zone that belongs to nobody. */
export function CommonZone({ controls, zone }: { controls: BoardControls; zone: Zone }) {
  switch (zone.kind) {
    case ZoneKind.STOCK:
      return <Stock controls={controls} zone={zone} />;
    case ZoneKind.PILE:
      return <PileZone controls={controls} zone={zone} />;
    case ZoneKind.DISCARD:
      return <DiscardZone controls={controls} zone={zone} />;
    case ZoneKind.GRID:
      return <Grid controls={controls} zone={zone} />;
    default:
      return <RowZone controls={controls} zone={zone} />;
  }
}

/** The middle of the table of any game. */
export function GenericCentre({ controls }: { controls: BoardControls }) {
  return (
    <div class="centre centre-generic">
      {controls.board.zones
        .filter((zone) => zone.owner === undefined)
        .map((zone) => (
          <CommonZone key={zone.zoneId} controls={controls} zone={zone} />
        ))}
    </div>
  );
}

/** A zone of a seat beside its hand: what it has collected, hidden or played. */
export function SeatZone({ controls, zone }: { controls: BoardControls; zone: Zone }) {
  const count = zone.cards.length + zone.unknownCards;
  if (count === 0 && zone.kind !== ZoneKind.ROW) return null;
  return <RowZone controls={controls} zone={zone} />;
}

/** The zones of a seat without its hand. */
export function GenericSeatZones({ controls, seat }: { controls: BoardControls; seat: number }) {
  return (
    <div class="seat-zones">
      {controls.board.zones
        .filter((zone) => zone.owner === seat && zone.kind !== ZoneKind.HAND)
        .map((zone) => (
          <SeatZone key={zone.zoneId} controls={controls} zone={zone} />
        ))}
    </div>
  );
}
