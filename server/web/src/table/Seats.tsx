// The players around a table: names, points, cards, clocks, and whether they are there.

import { useEffect, useState } from "preact/hooks";
import { type BoardSeat, SeatFinish, ZoneKind } from "../api";
import { CardBack, CardPicture } from "../cards/Card";
import { duration, signed } from "../i18n";
import { Icon } from "../ui/Icon";
import { type BoardControls, numbered } from "./controls";
import type { Drawing } from "./drawings";
import { initial, type Player } from "./players";
import type { TableView } from "./state";
import { GenericSeatZones } from "./Zones";

/** The time that a seat has left, counted down. */
export function Clock({ view, seat }: { view: TableView; seat: number }) {
  const [, tick] = useState(0);
  const entry = view.timeLeft?.time.seats.find((entry) => entry.seat === seat);
  const running = entry?.running === true;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => tick((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, [running]);
  if (!entry) return null;
  const gone = running ? Date.now() - view.timeLeft!.at : 0;
  const decision = Math.max(0, entry.decisionMs - gone);
  const bank = Math.max(0, entry.bankMs - Math.max(0, gone - entry.decisionMs));
  const left = decision > 0 ? decision : bank;
  return (
    <span
      class={`clock ${running && left < 10_000 ? "clock-short" : ""} ${decision > 0 ? "" : "clock-bank"}`}
      role="timer"
    >
      {duration(left)}
      {decision > 0 && bank > 0 && <small> +{duration(bank)}</small>}
    </span>
  );
}

/** The hand of another: its backs, and the cards in it that the viewer knows. */
function OtherHand({ controls, seat }: { controls: BoardControls; seat: number }) {
  const zone = controls.board.zones.find((zone) => zone.owner === seat && zone.kind === ZoneKind.HAND);
  if (!zone) return null;
  const count = zone.cards.length + zone.unknownCards;
  return (
    <div
      class={`other-hand ${zone.cards.length > 0 ? "other-hand-open" : ""}`}
      role="img"
      aria-label={`${zone.label}: ${controls.t.cards(count)}${zone.cards.length > 0 ? ` (${zone.cards.map((card) => card.face!.longLabel).join(", ")})` : ""}`}
    >
      {numbered(zone.cards).map(({ face, key }) => (
        <span key={key} class="card card-small">
          <CardPicture game={controls.game} face={face} />
        </span>
      ))}
      {Array.from({ length: Math.min(zone.unknownCards, 15) }, (_, index) => (
        <span key={index} class="card card-mini">
          <CardBack />
        </span>
      ))}
      <span class="other-hand-count" aria-hidden="true">
        {count}
      </span>
    </div>
  );
}

interface SeatProps {
  controls: BoardControls;
  drawing: Drawing;
  view: TableView;
  player: Player;
  seat: BoardSeat | undefined;
}

/** A player with all that lies before them. The own seat is drawn without its hand, which lies below. */
export function SeatPlate({ controls, drawing, view, player, seat }: SeatProps) {
  const { t, choices, picked, busy } = controls;
  const own = player.seat === controls.seat;
  const presence = view.presence.get(player.seat);
  const away = presence !== undefined && !presence.connected && !own && !view.result;
  const forfeited = view.table?.seats[player.seat]?.forfeited ?? SeatFinish.UNSPECIFIED;
  const toAct = seat?.toAct === true && !view.result;
  const Zones = drawing.SeatZones ?? GenericSeatZones;
  const hand = controls.board.zones.find((zone) => zone.owner === player.seat && zone.kind === ZoneKind.HAND);
  const target =
    !own &&
    hand !== undefined &&
    choices !== undefined &&
    !busy &&
    choices.toZone(picked, hand.zoneId).length > 0;
  return (
    <section
      class={`seat ${own ? "seat-own" : ""} ${toAct ? "seat-to-act" : ""} ${target ? "zone-target" : ""}`}
      aria-label={player.name}
      data-zone={hand?.zoneId}
      data-seat={player.seat}
    >
      <div class="seat-head">
        <span class={`avatar avatar-${player.seat}`} aria-hidden="true">
          {player.kind === "bot" || player.kind === "agent" ? <Icon name="bot" /> : initial(player)}
        </span>
        <span class="seat-name">
          <b>{player.name}</b>
          <small>
            {player.kind === "bot" ? `${t.bot} · ${player.detail}` : player.detail}
            {away && (
              <span class="seat-away">
                <Icon name="offline" /> {t.offline}
              </span>
            )}
          </small>
        </span>
        <span class="seat-points" title={t.points(seat?.points ?? 0)}>
          <span aria-hidden="true">{signed(seat?.points ?? 0)}</span>
          <span class="visually-hidden">{t.points(seat?.points ?? 0)}</span>
        </span>
      </div>
      <div class="seat-body">
        {!own && <OtherHand controls={controls} seat={player.seat} />}
        <Zones controls={controls} seat={player.seat} />
        <div class="seat-marks">
          {toAct && !own && (
            <span class="mark mark-turn">
              {player.kind === "you" ? t.yourTurn : t.waitingFor(player.name)}
            </span>
          )}
          <Clock view={view} seat={player.seat} />
          {seat?.marks.map((mark) => (
            <span key={mark} class="mark">
              {mark}
            </span>
          ))}
          {forfeited !== SeatFinish.UNSPECIFIED && (
            <span class="mark">
              <Icon name="flag" />
            </span>
          )}
        </div>
      </div>
      {target && (
        <button
          type="button"
          class="zone-button"
          aria-label={player.name}
          onClick={() => controls.clickZone(hand!.zoneId)}
        />
      )}
    </section>
  );
}
