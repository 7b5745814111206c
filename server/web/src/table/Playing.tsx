// A table as it is played, watched or replayed: the seats around the middle, the own hand, and what happened.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ZoneKind } from "../api";
import { useStrings } from "../i18n";
import { Icon } from "../ui/Icon";
import { Rules } from "../ui/Rules";
import type { SeatNames } from "../ui/Rich";
import type { OpenDecision } from "../hub/protocol";
import { useBoardControls } from "./controls";
import { drawingOf } from "./drawings";
import { ActionBar, Hand } from "./Hand";
import { Log } from "./Log";
import { othersFrom, type Player } from "./players";
import { SeatPlate } from "./Seats";
import type { TableView } from "./state";
import { GenericCentre } from "./Zones";

interface Props {
  game: string;
  view: TableView;
  players: readonly Player[];
  /** The decision that can be answered now: not before all that led to it is shown. */
  decision: OpenDecision | undefined;
  busy: boolean;
  choose: (index: number) => void;
  skip?: (() => void) | undefined;
  /** What stands in the place of the question for whoever only watches. */
  note?: ComponentChildren;
  children?: ComponentChildren;
}

export function Playing({ game, view, players, decision, busy, choose, skip, note, children }: Props) {
  const t = useStrings();
  const [panel, setPanel] = useState<"log" | "rules">("log");
  const names: SeatNames = (seat) => players[seat]?.name;
  const board = view.board!;
  const { seat } = view;
  const drawing = drawingOf(game, t);
  const controls = useBoardControls({
    game,
    board,
    before: view.lastMove?.board,
    seat,
    decision,
    busy,
    t,
    names,
    whyNot: drawing.whyNot,
    choose,
  });
  const Centre = drawing.Centre ?? GenericCentre;
  const seats = board.seats.length;
  const waiting = board.seats
    .filter((entry) => entry.toAct && entry.seat !== seat)
    .map((entry) => names(entry.seat) ?? "");
  const waitingText = view.result
    ? t.gameOver
    : waiting.length === 0 || waiting.length > 2
      ? t.waitingOthers
      : t.waitingFor(waiting.join(", "));
  const plate = (number: number) => (
    <SeatPlate
      key={number}
      controls={controls}
      drawing={drawing}
      view={view}
      player={players[number]!}
      seat={board.seats.find((entry) => entry.seat === number)}
    />
  );
  const grid = board.zones.some((zone) => zone.kind === ZoneKind.GRID);
  return (
    <div class={`play-area game-${game} ${grid ? "play-area-grid" : ""}`}>
      <div class="felt" data-zone="felt">
        <div class="seats" data-count={seats - (seat === undefined ? 0 : 1)}>
          {othersFrom(seats, seat).map(plate)}
        </div>
        <Centre controls={controls} />
        <div class="own-area">
          {note !== undefined && <div class="action-bar">{note}</div>}
          {seat !== undefined && (
            <>
              {note === undefined && <ActionBar controls={controls} waitingText={waitingText} skip={skip} />}
              <div class="own-row">
                {plate(seat)}
                <Hand controls={controls} />
              </div>
            </>
          )}
        </div>
        {children}
      </div>
      <aside class="side" aria-label={panel === "log" ? t.whatHappened : t.rules}>
        <div class="tabs" role="tablist">
          <button
            type="button"
            role="tab"
            id="tab-log"
            aria-controls="side-panel"
            aria-selected={panel === "log"}
            onClick={() => setPanel("log")}
          >
            <Icon name="log" /> {t.whatHappened}
          </button>
          <button
            type="button"
            role="tab"
            id="tab-rules"
            aria-controls="side-panel"
            aria-selected={panel === "rules"}
            onClick={() => setPanel("rules")}
          >
            <Icon name="book" /> {t.rules}
          </button>
        </div>
        <div class="side-panel" id="side-panel" role="tabpanel" aria-labelledby={`tab-${panel}`}>
          {/* The log stays, so that a screen reader goes on reading it. */}
          <div hidden={panel !== "log"} class="side-log">
            <Log entries={view.log} since={view.lastMove?.number ?? 0} names={names} own={seat} />
          </div>
          {panel === "rules" && (
            <div class="side-rules" tabIndex={0}>
              <Rules game={game} />
            </div>
          )}
        </div>
      </aside>
    </div>
  );
}
