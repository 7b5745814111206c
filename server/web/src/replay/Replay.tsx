// The replay of a game that is over: a slider, steps, play, every hand, and links to a step or to a decision.

import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { parlor, ParlorError, type ReplayStep, type Table, TableState } from "../api";
import { useGameName } from "../catalogue";
import { useStrings } from "../i18n";
import { askAsOwner } from "../owner";
import { fragment, go } from "../router";
import { useSettings } from "../settings";
import { storedSeat } from "../storage";
import { Playing } from "../table/Playing";
import { playersOf } from "../table/players";
import { headline, ShareButton } from "../table/Result";
import { EMPTY_VIEW, isOver, type TableView } from "../table/state";
import { Failure } from "../ui/Failure";
import { Icon, type IconName } from "../ui/Icon";
import { useLoaded } from "../ui/load";

/** Whose game is shown: all that this browser may see, which is everyone's hands or the own ones; a seat's; or a spectator's. */
type ViewOf = "all" | "spectator" | number;

interface Replayed {
  readonly table: Table;
  readonly steps: readonly ReplayStep[];
  /** Whether every hand can be shown. Otherwise the table is private, and this browser had no more than a seat at it. */
  readonly everyone: boolean;
}

async function load(tableId: string, viewOf: ViewOf, lang: "en" | "de"): Promise<Replayed> {
  const token = storedSeat(tableId)?.token;
  const table = await parlor.table(tableId, token);
  if (table.state !== TableState.FINISHED) return { table, steps: [], everyone: false };
  const viewer = viewOf === "all" ? undefined : viewOf;
  return askAsOwner(tableId, async (client, token) => {
    const steps: ReplayStep[] = [];
    for await (const step of client.replay(tableId, { token, viewer, texts: lang })) steps.push(step);
    return { table, steps, everyone: token === undefined };
  });
}

/** The view after a step, in the form in which tables are drawn. */
function viewAt(replayed: Replayed, number: number, viewOf: ViewOf): TableView {
  const step = replayed.steps[number]!;
  const last = number === replayed.steps.length - 1;
  return {
    ...EMPTY_VIEW,
    connection: { kind: "over" },
    table: replayed.table,
    board: step.board,
    seat: typeof viewOf === "number" ? viewOf : undefined,
    number,
    log: replayed.steps
      .slice(0, number + 1)
      .map((step) => ({ number: step.number, texts: step.texts, seated: [], own: false })),
    lastMove: { number: number - 1, board: replayed.steps[Math.max(0, number - 1)]!.board },
    result: last ? replayed.table.result : undefined,
  };
}

/** The step that a link names, by its number or by a decision of a seat. */
function linkedStep(hash: string, steps: readonly ReplayStep[]): number | undefined {
  const [seat, decision] = [fragment(hash, "seat"), fragment(hash, "decision")];
  if (seat !== undefined && decision !== undefined) {
    const found = steps.findIndex((step) =>
      step.decisions.some((made) => made.seat === Number(seat) && made.decisionId === Number(decision)),
    );
    if (found >= 0) return found;
  }
  const number = Number(fragment(hash, "step") ?? Number.NaN);
  return Number.isInteger(number) ? Math.min(Math.max(number, 0), steps.length - 1) : undefined;
}

export function ReplayPage({ tableId, hash }: { tableId: string; hash: string }) {
  const t = useStrings();
  const { lang, paceMs } = useSettings();
  const gameName = useGameName();
  const [viewOf, setViewOf] = useState<ViewOf>("all");
  const [place, setPlace] = useState<number>();
  const [playing, setPlaying] = useState(false);
  const loaded = useLoaded(`replay ${tableId} ${viewOf} ${lang}`, () => load(tableId, viewOf, lang));
  const replayed = loaded.state === "ready" ? loaded.value : undefined;
  const count = replayed?.steps.length ?? 0;
  const number =
    replayed && count > 0 ? Math.min(place ?? linkedStep(hash, replayed.steps) ?? 0, count - 1) : 0;

  const step = (to: number) => {
    const next = Math.min(Math.max(to, 0), count - 1);
    setPlace(next);
    history.replaceState(null, "", `/replay/${tableId}#step=${next}`);
  };
  useEffect(() => {
    const linked = replayed && linkedStep(hash, replayed.steps);
    if (linked !== undefined) setPlace(linked);
  }, [hash]);
  useEffect(() => {
    if (!playing) return;
    if (number >= count - 1) return setPlaying(false);
    const timer = setTimeout(() => step(number + 1), Math.max(paceMs, 300));
    return () => clearTimeout(timer);
  }, [playing, number, count, paceMs]);
  // With the drawing itself: a key pressed at once after it starts from the step that is seen.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.defaultPrevented ||
        event.altKey ||
        event.ctrlKey ||
        event.metaKey ||
        (event.target as Element).closest("input, select, dialog, [role=tablist], .hand, .log")
      )
        return;
      const to = { ArrowLeft: number - 1, ArrowRight: number + 1, Home: 0, End: count - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      setPlaying(false);
      step(to);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  const view = useMemo(
    () => (replayed && count > 0 ? viewAt(replayed, number, viewOf) : undefined),
    [replayed, number, viewOf],
  );
  useEffect(() => {
    document.title = replayed ? `${t.replayOf(gameName(replayed.table.game, lang))} – ${t.brand}` : t.brand;
  });

  if (loaded.state === "failed") {
    const { error } = loaded;
    const gone = error instanceof ParlorError && ["TABLE_NOT_FOUND", "INVALID_FIELD"].includes(error.reason);
    return (
      <div class="page">
        {gone ? <p class="notice-page">{t.tableGone}</p> : <Failure error={error} again={loaded.again} />}
      </div>
    );
  }
  if (!replayed) return <p class="page muted">{t.loading}</p>;
  const { table } = replayed;
  if (!isOver(table)) {
    go(`/watch/${tableId}`, true);
    return null;
  }
  const own = storedSeat(tableId)?.seat;
  const players = playersOf(table, own, t);
  const button = (label: string, icon: IconName, to: number) => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={to < 0 || to > count - 1 || to === number}
      onClick={() => {
        setPlaying(false);
        step(to);
      }}
    >
      <Icon name={icon} />
    </button>
  );
  const tools = (
    <div class="replay-tools">
      <div class="replay-buttons">
        {button(t.first, "first", 0)}
        {button(t.previous, "previous", number - 1)}
        <button
          type="button"
          class="button button-primary"
          onClick={() => (number >= count - 1 ? step(0) : undefined, setPlaying(!playing))}
        >
          <Icon name={playing ? "pause" : "play"} />
          {playing ? t.pauseReplay : t.playReplay}
        </button>
        {button(t.next, "next", number + 1)}
        {button(t.last, "last", count - 1)}
      </div>
      <label class="replay-slider">
        <span class="visually-hidden">{t.stepSlider}</span>
        <input
          type="range"
          min={0}
          max={Math.max(count - 1, 0)}
          value={number}
          aria-valuetext={t.step(number, count - 1)}
          onInput={(event) => {
            setPlaying(false);
            step(event.currentTarget.valueAsNumber);
          }}
        />
        <output>{t.step(number, count - 1)}</output>
      </label>
      <label class="replay-view" hidden={!replayed.everyone}>
        <span>{t.viewOf}</span>
        <select
          class="input"
          value={String(viewOf)}
          onChange={({ currentTarget: { value } }) =>
            setViewOf(value === "all" || value === "spectator" ? value : Number(value))
          }
        >
          <option value="all">{t.everyone}</option>
          {players.map((player) => (
            <option key={player.seat} value={player.seat}>
              {player.kind === "you" ? t.you : player.name}
            </option>
          ))}
          <option value="spectator">{t.spectator}</option>
        </select>
      </label>
    </div>
  );
  return (
    <div class="table-page">
      <div class="table-head">
        <h1>{t.replayOf(gameName(table.game, lang))}</h1>
        <span class="connection">
          {number === count - 1 && table.result ? headline(table.result, players, own, t) : ""}
        </span>
        <span class="table-head-tools">
          <ShareButton
            path={`/replay/${tableId}#step=${number}`}
            title={t.replayOf(gameName(table.game, lang))}
            label={t.linkToStep}
          />
        </span>
      </div>
      {view?.board ? (
        <Playing
          game={table.game}
          view={view}
          players={players}
          decision={undefined}
          busy={false}
          choose={() => {}}
          note={tools}
        />
      ) : (
        <p class="page notice-page">{t.gameOver}</p>
      )}
    </div>
  );
}
