// The lobby: the games with a picture of their cards, a table against bots in two clicks, and tables to join or to watch.

import { useEffect, useState } from "preact/hooks";
import {
  type CardFace,
  type GameInfo,
  parlor,
  ParlorError,
  type Table,
  TableState,
  Visibility,
} from "../api";
import { isOver } from "../table/state";
import { loadCatalogue, useGameName } from "../catalogue";
import { CardPicture } from "../cards/Card";
import { useStrings } from "../i18n";
import { forgetOwnerToken } from "../owner";
import { useSettings } from "../settings";
import { storedSeat, storedSeats, storeSeat, type StoredSeat, forgetSeat } from "../storage";
import { playersOf } from "../table/players";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { useEvery, useLoaded } from "../ui/load";
import { Rules } from "../ui/Rules";
import { FriendsDialog, StartDialog } from "./Start";

function face(id: string): CardFace {
  const [suit, number] = id.split("-");
  const label = number ?? suit!;
  return {
    id,
    shortLabel: label,
    longLabel: label,
    ...(number ? { suit: { id: suit!, name: suit! } } : {}),
  } as CardFace;
}

/** Cards that stand for a game, as a hand that is fanned out. A game that the page does not know shows plain cards. */
const PICTURES: Readonly<Record<string, readonly string[]>> = {
  habe_fertig: ["red-4", "yellow-6", "blue-9", "green-7"],
  gap: ["blue-9", "pink-0", "green-1", "purple-5"],
  five_three_five: ["3", "4", "8", "13"],
  no_dice: ["5|8", "5|10", "x2", "2|9"],
};

export function GamePicture({ game }: { game: string }) {
  return (
    <div class="game-picture" aria-hidden="true">
      {(PICTURES[game] ?? ["2", "7", "10", "13"]).map((id) => (
        <span key={id} class="card">
          <CardPicture game={game} face={face(id)} />
        </span>
      ))}
    </div>
  );
}

type Open = { readonly kind: "start" | "friends" | "rules"; readonly game: GameInfo };

export function Lobby() {
  const t = useStrings();
  const { lang } = useSettings();
  const catalogue = useLoaded("catalogue", loadCatalogue);
  const [open, setOpen] = useState<Open>();
  useEffect(() => void (document.title = t.brand));
  const close = () => setOpen(undefined);
  return (
    <div class="page lobby">
      <header class="hero">
        <h1>{t.headline}</h1>
        <p>{t.subline}</p>
      </header>
      <YourTables />
      {catalogue.state === "failed" && <Failure error={catalogue.error} again={catalogue.again} />}
      <ul class="games">
        {(catalogue.state === "ready" ? catalogue.value.games : []).map((game) => (
          <li key={game.game} class={`game-card game-${game.game}`}>
            <GamePicture game={game.game} />
            <div class="game-text">
              <h2>{game.name![lang]}</h2>
              <p>{game.summary![lang]}</p>
              <p class="game-players">{t.players(game.minPlayers, game.maxPlayers)}</p>
            </div>
            <div class="game-actions">
              <button
                type="button"
                class="button button-primary"
                aria-label={`${t.playNow}: ${t.playAgainst(game.name![lang])}`}
                onClick={() => setOpen({ kind: "start", game })}
              >
                {t.playNow}
              </button>
              <button
                type="button"
                class="button"
                aria-label={`${game.name![lang]}: ${t.friends}`}
                onClick={() => setOpen({ kind: "friends", game })}
              >
                {t.friends}
              </button>
              <button
                type="button"
                class="button button-quiet"
                aria-label={t.rulesOf(game.name![lang])}
                onClick={() => setOpen({ kind: "rules", game })}
              >
                {t.rules}
              </button>
            </div>
          </li>
        ))}
      </ul>
      <PublicTables />
      {open?.kind === "start" && <StartDialog game={open.game} onClose={close} />}
      {open?.kind === "friends" && <FriendsDialog game={open.game} onClose={close} />}
      {open?.kind === "rules" && (
        <Dialog title={t.rulesOf(open.game.name![lang])} class="dialog-rules" onClose={close}>
          <Rules game={open.game.game} />
        </Dialog>
      )}
    </div>
  );
}

/** The tables at which this browser has a seat and that are not over. */
function YourTables() {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  const [seats, setSeats] = useState<readonly StoredSeat[]>(() => storedSeats().filter((seat) => !seat.over));
  useEffect(() => {
    // Tables may have ended while no tab was open.
    for (const seat of seats.slice(0, 12)) {
      parlor.table(seat.tableId, seat.token).then(
        (table) => {
          if (!isOver(table)) return;
          storeSeat({ ...seat, over: true });
          setSeats((current) => current.filter((other) => other.tableId !== seat.tableId));
        },
        (error: unknown) => {
          if (!(error instanceof ParlorError) || error.reason !== "TABLE_NOT_FOUND") return;
          forgetSeat(seat.tableId);
          forgetOwnerToken(seat.tableId);
          setSeats((current) => current.filter((other) => other.tableId !== seat.tableId));
        },
      );
    }
  }, []);
  if (seats.length === 0) return null;
  return (
    <section class="your-tables" aria-labelledby="your-tables">
      <h2 id="your-tables">{t.yourTables}</h2>
      <ul class="chips">
        {seats.slice(0, 6).map((seat) => (
          <li key={seat.tableId}>
            <a class="button" href={`/t/${seat.tableId}`}>
              {gameName(seat.game, lang)} <small>{t.resume}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How often the lists of tables are asked for anew. */
const REFRESH_MS = 5000;

/** More tables than are shown are asked for, as some are left out. */
const ASKED_TABLES = 40;

/**
 * The newest tables in a state that everyone may see. A server without keys lists private ones too, as everybody is its
 * owner. Games of tournaments stand on the pages of these. Tables of this browser stand above while they go on, and are
 * listed here when they are over.
 */
async function listTables(state: TableState, most: number): Promise<Table[]> {
  const openSeat = state === TableState.OPEN;
  const { tables } = await parlor.calls.tables.listTables({
    states: [state],
    openSeat,
    pageSize: ASKED_TABLES,
  });
  const isListed = ({ tableId, visibility, shuffle }: Table) => {
    if (storedSeat(tableId) !== undefined) return state === TableState.FINISHED;
    return visibility === Visibility.PUBLIC && shuffle?.dealGroup === undefined;
  };
  return tables.filter(isListed).slice(0, most);
}

function PublicTables() {
  const t = useStrings();
  const open = useLoaded("open tables", () => listTables(TableState.OPEN, 8));
  const running = useLoaded("running tables", () => listTables(TableState.PLAYING, 6));
  const finished = useLoaded("finished tables", () => listTables(TableState.FINISHED, 6));
  useEvery(REFRESH_MS, () => {
    open.again();
    running.again();
    finished.again();
  });
  const rows = (loaded: typeof open) => (loaded.state === "ready" ? loaded.value : []);
  return (
    <div class="public-tables">
      <section aria-labelledby="open-tables">
        <h2 id="open-tables">{t.openTables}</h2>
        {open.state === "ready" && rows(open).length === 0 && <p class="muted">{t.noOpenTables}</p>}
        <TableRows tables={rows(open)} path="/t/" label={t.join} />
      </section>
      {rows(running).length > 0 && (
        <section aria-labelledby="running-tables">
          <h2 id="running-tables">{t.runningTables}</h2>
          <TableRows tables={rows(running)} path="/watch/" label={t.watch} />
        </section>
      )}
      {rows(finished).length > 0 && (
        <section aria-labelledby="finished-tables">
          <h2 id="finished-tables">{t.recentGames}</h2>
          <TableRows tables={rows(finished)} path="/replay/" label={t.replay} />
        </section>
      )}
    </div>
  );
}

function TableRows({ tables, path, label }: { tables: readonly Table[]; path: string; label: string }) {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  return (
    <ul class="table-rows">
      {tables.map((table) => {
        const players = playersOf(table, undefined, t);
        const free = players.filter((player) => player.kind === "free").length;
        const names = players
          .filter((player) => player.kind !== "free")
          .map((player) => (player.kind === "bot" ? `${player.name} (${t.bot})` : player.name));
        return (
          <li key={table.tableId} class="table-row">
            <span class="table-row-text">
              <b>{gameName(table.game, lang)}</b>
              <small>
                {names.join(", ")}
                {free > 0 && `${names.length > 0 ? " · " : ""}${t.seatsFree(free)}`}
              </small>
            </span>
            <a
              class="button"
              href={`${path}${table.tableId}`}
              aria-label={`${label}: ${gameName(table.game, lang)}, ${names.join(", ")}`}
            >
              {label}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
