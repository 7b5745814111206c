// The page of a table: taking a seat, waiting for others, playing, and the end.

import { useEffect, useRef, useState } from "preact/hooks";
import { parlor, ParlorError, type Table, TableState } from "../api";
import { isOver } from "./state";
import { loadCatalogue, useCatalogue, useGameName } from "../catalogue";
import { hub } from "../hub/client";
import type { ViewerRef } from "../hub/protocol";
import { useStrings, useText } from "../i18n";
import { ownerOf, storeOwnerToken } from "../owner";
import { fragment, go } from "../router";
import { takeSeat } from "../seats";
import { change, useSettings } from "../settings";
import { forgetSeat, fromBase64, storedSeat, type StoredSeat, storeSeat } from "../storage";
import { CopyField } from "../ui/CopyField";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { useLoaded } from "../ui/load";
import { chime } from "../ui/sound";
import { InvitePage } from "./InvitePage";
import { Invites } from "./Invites";
import { usePacedTable } from "./pacing";
import { initial, playersOf, strength } from "./players";
import { Playing } from "./Playing";
import { ResultDialog, RoundDialog } from "./Result";
import type { TableView } from "./state";

export function TablePage({ tableId, hash }: { tableId: string; hash: string }) {
  const handed = fragment(hash, "seat");
  const [seat, setSeat] = useState<StoredSeat | undefined>(() => storedSeat(tableId));
  useEffect(() => {
    if (handed !== undefined) {
      // The seat comes from another device. Out of the address with it, so that nobody reads it there.
      const taken = {
        tableId,
        token: handed,
        seat: -1,
        game: "",
        entropy: "",
        commitment: "",
        since: Date.now(),
        over: false,
      };
      storeSeat(taken);
      setSeat(taken);
      go(`/t/${tableId}`, true);
    } else setSeat(storedSeat(tableId));
  }, [tableId, handed]);
  const current = seat?.tableId === tableId ? seat : undefined;
  if (current) {
    const leave = () => {
      forgetSeat(tableId);
      setSeat(undefined);
    };
    return <OwnSeat key={`${tableId} ${current.token}`} seat={current} forget={leave} />;
  }
  const invite = fragment(hash, "invite");
  if (invite !== undefined) return <InvitePage invite={invite} tableId={tableId} />;
  return handed === undefined ? (
    <Arrive key={tableId} tableId={tableId} onSeat={() => setSeat(storedSeat(tableId))} />
  ) : null;
}

/** Somebody without a seat comes to a table: they take one, or they watch. */
function Arrive({ tableId, onSeat }: { tableId: string; onSeat: () => void }) {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  const loaded = useLoaded(`table ${tableId}`, () => parlor.table(tableId));
  const [error, setError] = useState<unknown>();
  const [joining, setJoining] = useState(false);
  if (loaded.state === "loading") return <p class="page muted">{t.loading}</p>;
  if (loaded.state === "failed") {
    const gone =
      loaded.error instanceof ParlorError &&
      ["TABLE_NOT_FOUND", "INVALID_FIELD"].includes(loaded.error.reason);
    return (
      <div class="page">
        {gone ? (
          <p class="notice-page">{t.tableGone}</p>
        ) : (
          <Failure error={loaded.error} again={loaded.again} />
        )}
      </div>
    );
  }
  const table = loaded.value;
  const free = table.seats.filter((seat) => seat.occupant.case === "open").length;
  if (table.state !== TableState.OPEN || free === 0) {
    go(`/watch/${tableId}`, true);
    return null;
  }
  const join = async () => {
    setJoining(true);
    setError(undefined);
    try {
      await takeSeat({ tableId });
      onSeat();
    } catch (failure) {
      setError(failure);
      setJoining(false);
    }
  };
  return (
    <div class="page page-narrow">
      <h1>{gameName(table.game, lang)}</h1>
      <SeatList table={table} own={undefined} />
      <p class="muted">{t.seatsFree(free)}</p>
      <NameField />
      {error !== undefined && <Failure error={error} />}
      <div class="dialog-actions">
        <button
          type="button"
          class="button button-primary button-large"
          disabled={joining}
          onClick={() => void join()}
        >
          {t.join}
        </button>
        <a class="button button-large" href={`/watch/${tableId}`}>
          {t.watch}
        </a>
      </div>
    </div>
  );
}

/** The name that others see, kept in the settings. */
export function NameField() {
  const t = useStrings();
  const { name } = useSettings();
  return (
    <label class="field-label">
      <span>{t.yourName}</span>
      <input
        class="input"
        type="text"
        maxLength={40}
        autocomplete="nickname"
        value={name}
        onInput={(event) => change({ name: event.currentTarget.value })}
      />
      <small class="muted">{t.yourNameHint}</small>
    </label>
  );
}

export function SeatList({ table, own }: { table: Table; own: number | undefined }) {
  const t = useStrings();
  return (
    <ul class="seat-list">
      {playersOf(table, own, t).map((player) => (
        <li key={player.seat} class={`seat-chip seat-chip-${player.kind}`}>
          <span class={`avatar avatar-${player.seat}`} aria-hidden="true">
            {player.kind === "bot" || player.kind === "agent" ? (
              <Icon name="bot" />
            ) : player.kind === "free" ? (
              <Icon name="plus" />
            ) : (
              initial(player)
            )}
          </span>
          <span>
            {player.name}
            {player.detail && (
              <small> {player.kind === "bot" ? `${t.bot} · ${player.detail}` : player.detail}</small>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Makes the rematch of a table, and gives its id. Whoever owned the table owns its rematch. */
async function makeRematch({ tableId, token }: StoredSeat): Promise<string> {
  const owner = ownerOf(tableId);
  const request = { tableId, rotateSeats: true, seatToken: owner === parlor ? token : "" };
  const { table, ownerToken } = await owner.calls.tables.rematch(request);
  if (ownerToken !== "") storeOwnerToken(table!.tableId, ownerToken);
  return table!.tableId;
}

/** The table of a seat that this browser holds. */
function OwnSeat({ seat, forget }: { seat: StoredSeat; forget: () => void }) {
  const t = useStrings();
  const text = useText();
  const { lang, sound } = useSettings();
  const gameName = useGameName();
  const viewer: ViewerRef = {
    kind: "seat",
    token: seat.token,
    entropy: seat.entropy ? fromBase64(seat.entropy) : undefined,
  };
  const paced = usePacedTable(viewer, lang);
  const { view, waiting, skip, goOn } = paced;
  const [sent, setSent] = useState<number>();
  const [message, setMessage] = useState("");
  const [closed, setClosed] = useState(false);
  const { table, connection } = view;
  const players = playersOf(table, view.seat, t);
  const names = (number: number) => players[number]?.name;

  // The seat as the server numbers it, and that its table is over, are kept.
  useEffect(() => {
    if (!table || view.seat === undefined) return;
    const over = isOver(table);
    storeSeat({ ...(storedSeat(seat.tableId) ?? seat), seat: view.seat, game: table.game, over });
  }, [table?.state, view.seat]);

  // A decision is open when all that led to it is shown.
  const decision =
    view.decision && waiting === 0 && !view.summary && view.number >= view.decision.after
      ? view.decision
      : undefined;
  const announced = useRef(0);
  useEffect(() => {
    if (!decision || decision.id <= announced.current) return;
    announced.current = decision.id;
    if (sound) chime();
  }, [decision?.id]);
  useEffect(() => {
    const title = table ? gameName(table.game, lang) : t.brand;
    document.title = decision ? `● ${t.yourTurn} – ${title}` : `${title} – ${t.brand}`;
  });

  if (connection.kind === "ended") {
    return (
      <div class="page">
        <div class="failure" role="alert">
          <p>
            {["TOKEN_EXPIRED", "TOKEN_INVALID"].includes(connection.reason)
              ? t.seatGone
              : text(connection.text) || t.tableGone}
          </p>
          <button type="button" class="button" onClick={forget}>
            {t.watch}
          </button>
        </div>
      </div>
    );
  }
  if (!table || view.seat === undefined) return <p class="page muted">{t.connecting}</p>;

  const choose = async (index: number) => {
    if (!decision) return;
    setSent(decision.id);
    setMessage("");
    const result = await hub.choose(viewer, lang, decision.id, index);
    if (result.kind !== "accepted") {
      setSent(undefined);
      setMessage(result.kind === "refused" ? text(result.text) : t.decidedElsewhere);
    }
  };
  const rematch = async () => {
    try {
      const next = view.rematchTableId ?? (await makeRematch(seat));
      if (!storedSeat(next)) await takeSeat({ tableId: next }, seat.token);
      go(`/t/${next}`);
    } catch (error) {
      setMessage(error instanceof ParlorError ? text(error.text) : t.unexpected);
    }
  };
  const over = view.result !== undefined && isOver(table);
  return (
    <div class="table-page">
      <TableHead view={view} title={gameName(table.game, lang)} tableId={seat.tableId} seat={seat}>
        {over && closed && (
          <button type="button" class="button" onClick={() => setClosed(false)}>
            {t.showResult}
          </button>
        )}
      </TableHead>
      {message && (
        <p class="banner" role="alert">
          {message}
        </p>
      )}
      {view.board ? (
        <Playing
          game={table.game}
          view={view}
          players={players}
          decision={decision}
          busy={decision !== undefined && sent === decision.id}
          choose={(index) => void choose(index)}
          skip={waiting > 0 ? skip : undefined}
        >
          {view.summary && (
            <RoundDialog summary={view.summary} players={players} names={names} own={view.seat} goOn={goOn} />
          )}
        </Playing>
      ) : (
        !over && <WaitingRoom table={table} view={view} />
      )}
      {over && waiting === 0 && !closed && (
        <ResultDialog
          table={table}
          result={view.result!}
          texts={view.resultTexts}
          players={players}
          names={names}
          own={view.seat}
          rematch={table.state === TableState.FINISHED ? () => void rematch() : undefined}
          rematchOffered={view.rematchTableId !== undefined}
          onClose={() => setClosed(true)}
        />
      )}
    </div>
  );
}

interface HeadProps {
  view: TableView;
  title: string;
  tableId: string;
  seat: StoredSeat | undefined;
  children?: preact.ComponentChildren;
}

/** The name of the game, the connection, and what can be done about the table. */
export function TableHead({ view, title, seat, tableId, children }: HeadProps) {
  const t = useStrings();
  const [dialog, setDialog] = useState<"device" | "resign">();
  const trouble =
    view.connection.kind === "reconnecting"
      ? t.reconnecting
      : view.connection.kind === "connecting"
        ? t.connecting
        : "";
  const playing = view.table?.state === TableState.PLAYING;
  return (
    <div class="table-head">
      <h1>{title}</h1>
      <span class={`connection connection-${view.connection.kind}`} role="status">
        {trouble}
      </span>
      <span class="table-head-tools">
        {children}
        {seat && playing && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label={t.shareSeat}
              title={t.shareSeat}
              onClick={() => setDialog("device")}
            >
              <Icon name="device" />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label={t.resign}
              title={t.resign}
              onClick={() => setDialog("resign")}
            >
              <Icon name="flag" />
            </button>
          </>
        )}
      </span>
      {dialog === "device" && (
        <Dialog title={t.shareSeat} onClose={() => setDialog(undefined)}>
          <p>{t.shareSeatText}</p>
          <CopyField value={`${location.origin}/t/${tableId}#seat=${seat!.token}`} />
        </Dialog>
      )}
      {dialog === "resign" && (
        <Dialog title={t.resign} onClose={() => setDialog(undefined)}>
          <p>{t.resignAsk}</p>
          <div class="dialog-actions">
            <button
              type="button"
              class="button button-danger"
              onClick={() => {
                setDialog(undefined);
                void parlor.calls.tables
                  .resignSeat({ seat: { case: "seatToken", value: seat!.token } })
                  .catch(() => {});
              }}
            >
              {t.resign}
            </button>
            <button type="button" class="button" onClick={() => setDialog(undefined)}>
              {t.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** A table that waits for players. */
function WaitingRoom({ table, view }: { table: Table; view: TableView }) {
  const t = useStrings();
  const text = useText();
  const { bots } = useCatalogue();
  const [error, setError] = useState("");
  const open = table.seats.filter((seat) => seat.occupant.case === "open");
  const fits = bots.filter((bot) => bot.games.includes(table.game));
  const fail = (failure: unknown) =>
    setError(failure instanceof ParlorError ? text(failure.text) : t.unexpected);
  const fill = async (bot: string) => {
    setError("");
    try {
      const owner = ownerOf(table.tableId);
      for (const seat of open) await owner.replaceSeat(table.tableId, seat.seat, bot);
    } catch (failure) {
      fail(failure);
    }
  };
  return (
    <div class="page page-narrow waiting-room">
      <h2>{t.waitingForPlayers}</h2>
      <SeatList table={table} own={view.seat} />
      {open.length > 0 && <Invites table={table} free={open.length} />}
      {open.length > 0 && fits.length > 0 && (
        <section class="panel">
          <h3>{t.fillWithBots}</h3>
          <div class="dialog-actions">
            {fits.map((bot) => (
              <button key={bot.name} type="button" class="button" onClick={() => void fill(bot.name)}>
                {strength(bot.name, t)}
              </button>
            ))}
          </div>
        </section>
      )}
      {error && (
        <p class="banner" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** A table as whoever has no seat sees it. */
export function WatchPage({ tableId, hash }: { tableId: string; hash: string }) {
  const t = useStrings();
  const text = useText();
  const { lang } = useSettings();
  const gameName = useGameName();
  const token = fragment(hash, "token");
  const viewer: ViewerRef =
    token === undefined ? { kind: "spectator", tableId } : { kind: "invited", spectatorToken: token };
  const { view, waiting, skip, goOn } = usePacedTable(viewer, lang);
  const [closed, setClosed] = useState(false);
  const { table, connection } = view;
  const players = playersOf(table, undefined, t);
  const names = (number: number) => players[number]?.name;
  useEffect(() => {
    void loadCatalogue().catch(() => {});
  }, []);
  useEffect(() => {
    document.title = table ? `${t.watchingOf(gameName(table.game, lang))} – ${t.brand}` : t.brand;
  });
  if (connection.kind === "ended") {
    const gone = connection.reason === "TABLE_NOT_FOUND" || connection.reason === "INVALID_FIELD";
    return <p class="page notice-page">{gone ? t.tableGone : text(connection.text)}</p>;
  }
  if (!table) return <p class="page muted">{t.connecting}</p>;
  const over = view.result !== undefined && isOver(table);
  return (
    <div class="table-page">
      <TableHead
        view={view}
        title={t.watchingOf(gameName(table.game, lang))}
        tableId={tableId}
        seat={undefined}
      >
        {waiting > 0 && (
          <button type="button" class="button" onClick={skip}>
            {t.skip}
          </button>
        )}
        {over && table.state === TableState.FINISHED && (
          <a class="button" href={`/replay/${tableId}`}>
            {t.replay}
          </a>
        )}
      </TableHead>
      {view.board ? (
        <Playing
          game={table.game}
          view={view}
          players={players}
          decision={undefined}
          busy={false}
          choose={() => {}}
          note={<p class="question">{t.watcherNote}</p>}
        >
          {view.summary && (
            <RoundDialog summary={view.summary} players={players} names={names} own={undefined} goOn={goOn} />
          )}
        </Playing>
      ) : (
        !over && (
          <div class="page page-narrow">
            <h2>{t.waitingForPlayers}</h2>
            <SeatList table={table} own={undefined} />
          </div>
        )
      )}
      {over && waiting === 0 && !closed && (
        <ResultDialog
          table={table}
          result={view.result!}
          texts={view.resultTexts}
          players={players}
          names={names}
          own={undefined}
          rematch={undefined}
          onClose={() => setClosed(true)}
        />
      )}
    </div>
  );
}
