// The summary of a round, the end of a game, and the check of its shuffle.

import { useEffect, useState } from "preact/hooks";
import {
  EndReason,
  parlor,
  RecordSchema,
  type ResultTexts,
  type Table,
  type TableResult,
  TableState,
  toBinary,
} from "../api";
import { signed, type Strings, useStrings } from "../i18n";
import { askAsOwner } from "../owner";
import { storedSeat } from "../storage";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Rich, type SeatNames } from "../ui/Rich";
import type { Player } from "./players";
import type { RoundSummary } from "./state";
import { canVerify, type Check, verifyShuffle } from "./verify";

/** What a round brought, before the next one. */
export function RoundDialog({
  summary,
  players,
  names,
  own,
  goOn,
}: {
  summary: RoundSummary;
  players: readonly Player[];
  names: SeatNames;
  own: number | undefined;
  goOn: () => void;
}) {
  const t = useStrings();
  return (
    <Dialog title={t.roundOver} class="dialog-round" onClose={goOn}>
      <div class="summary-texts">
        {summary.texts.map((text, index) => (
          <p key={index}>
            <Rich text={text} names={names} own={own} />
          </p>
        ))}
      </div>
      <table class="scores">
        <thead>
          <tr>
            <th scope="col">{t.player}</th>
            <th scope="col">{t.roundHead}</th>
            <th scope="col">{t.total}</th>
          </tr>
        </thead>
        <tbody>
          {players.map((player) => (
            <tr key={player.seat} class={player.seat === own ? "scores-own" : ""}>
              <th scope="row">{player.name}</th>
              <td>{signed(summary.points[player.seat] ?? 0)}</td>
              <td>{signed(summary.totals[player.seat] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="dialog-actions">
        <button type="button" class="button button-primary" data-focus="true" onClick={goOn}>
          {t.goOn}
        </button>
      </div>
    </Dialog>
  );
}

/** "You came 2nd", or who won. */
export function headline(
  result: TableResult,
  players: readonly Player[],
  own: number | undefined,
  t: Strings,
): string {
  if (result.reason !== EndReason.PLAYED_OUT) return t.gameOver;
  const name = (seat: number) => players[seat]?.name ?? t.guest(seat + 1);
  const mine = result.seats.find((seat) => seat.seat === own);
  if (mine) {
    const shared = result.seats.filter((seat) => seat.place === mine.place).length > 1;
    return shared ? t.youCameShared(t.ordinal(mine.place)) : t.youCame(t.ordinal(mine.place));
  }
  const winners = result.seats.filter((seat) => seat.place === 1).map((seat) => name(seat.seat));
  return winners.length === 1 ? t.won(winners[0]!) : t.wonShared(winners.join(", "));
}

interface ResultProps {
  table: Table;
  result: TableResult;
  texts: ResultTexts | undefined;
  players: readonly Player[];
  names: SeatNames;
  own: number | undefined;
  rematch: (() => void) | undefined;
  /** Whether somebody has made the rematch already. */
  rematchOffered?: boolean;
  onClose: () => void;
}

export function ResultDialog({
  table,
  result,
  texts,
  players,
  names,
  own,
  rematch,
  rematchOffered = false,
  onClose,
}: ResultProps) {
  const t = useStrings();
  const [verifying, setVerifying] = useState(false);
  const [asked, setAsked] = useState(false);
  const mine = result.seats.find((seat) => seat.seat === own);
  const ranking = [...result.seats].sort((a, b) => a.place - b.place || a.seat - b.seat);
  if (verifying) return <VerifyDialog table={table} onClose={() => setVerifying(false)} />;
  return (
    <Dialog
      title={headline(result, players, own, t)}
      class={`dialog-result ${mine?.place === 1 ? "dialog-won" : ""}`}
      onClose={onClose}
    >
      {mine?.place === 1 && (
        <div class="trophy">
          <Icon name="trophy" />
        </div>
      )}
      {result.reason !== EndReason.PLAYED_OUT && texts?.reason && (
        <p>
          <Rich text={texts.reason} names={names} own={own} />
        </p>
      )}
      {ranking.length > 0 && (
        <table class="scores">
          <thead>
            <tr>
              <th scope="col">{t.place}</th>
              <th scope="col">{t.player}</th>
              <th scope="col">{t.pointsHead}</th>
            </tr>
          </thead>
          <tbody>
            {ranking.map((seat) => (
              <tr key={seat.seat} class={seat.seat === own ? "scores-own" : ""}>
                <td>{t.ordinal(seat.place)}</td>
                <th scope="row">{players[seat.seat]?.name}</th>
                <td>{signed(seat.points)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="dialog-actions">
        {rematch && (
          <button
            type="button"
            class="button button-primary"
            data-focus="true"
            disabled={asked}
            onClick={() => {
              setAsked(true);
              rematch();
            }}
          >
            {rematchOffered ? t.rematchJoin : t.rematch}
          </button>
        )}
        {table.state === TableState.FINISHED && (
          <a class="button" href={`/replay/${table.tableId}`}>
            {t.replay}
          </a>
        )}
        {table.state === TableState.FINISHED && (
          <button type="button" class="button" onClick={() => setVerifying(true)}>
            {t.verify}
          </button>
        )}
        <ShareButton
          path={`/replay/${table.tableId}`}
          title={headline(result, players, undefined, t)}
          label={t.share}
        />
        <a class="button button-quiet" href="/">
          {t.backToLobby}
        </a>
      </div>
    </Dialog>
  );
}

/** Shares a link by the device, or copies it. */
export function ShareButton({ path, title, label }: { path: string; title: string; label: string }) {
  const t = useStrings();
  const [copied, setCopied] = useState(false);
  const url = new URL(path, location.origin).href;
  const share = async () => {
    try {
      if (navigator.share) await navigator.share({ title, url });
      else {
        await navigator.clipboard.writeText(url);
        setCopied(true);
      }
    } catch {
      // The person thought better of it, or the browser lets no page copy here: the link stands in the address of the page.
    }
  };
  return (
    <button type="button" class="button" onClick={() => void share()}>
      {copied ? t.copied : label}
    </button>
  );
}

function checkText(name: Check["name"], t: Strings): string {
  switch (name) {
    case "commitment":
      return t.verifyCommitment;
    case "commitmentSeen":
      return t.verifyCommitmentSeen;
    case "entropy":
      return t.verifyEntropy;
    case "ownEntropy":
      return t.verifyOwnEntropy;
    case "seed":
      return t.verifySeed;
  }
}

export function VerifyDialog({ table, onClose }: { table: Table; onClose: () => void }) {
  const t = useStrings();
  const [current, setCurrent] = useState<Table>();
  const [checks, setChecks] = useState<Check[]>();
  const shuffle = current?.shuffle;
  useEffect(() => {
    const own = storedSeat(table.tableId);
    parlor.table(table.tableId, own?.token).then(
      async (now) => {
        setCurrent(now);
        if (now.shuffle && !now.shuffle.seedGiven && !now.shuffle.dealGroup && canVerify())
          setChecks(await verifyShuffle(now, own));
      },
      () => setCurrent(table),
    );
  }, [table.tableId]);
  return (
    <Dialog title={t.verifyTitle} class="dialog-verify" onClose={onClose}>
      <p>{shuffle?.seedGiven ? t.verifyGiven : shuffle?.dealGroup ? t.verifyDeal : t.verifyIntro}</p>
      <ul class="checks">
        {checks?.map(({ name, holds }) => (
          <li key={name} class={holds ? "check-holds" : "check-fails"}>
            <Icon name={holds ? "check" : "close"} />
            <span>
              {checkText(name, t)} {!holds && <b>{t.verifyFailed}</b>}
            </span>
          </li>
        ))}
      </ul>
      <p>{shuffle && !shuffle.seedGiven && !canVerify() ? t.verifyInsecure : t.verifyRest}</p>
      <pre class="command">
        <code>{`parlor record get ${table.tableId} -o game.txt\nparlor verify game.txt`}</code>
      </pre>
      <div class="dialog-actions">
        <DownloadRecord tableId={table.tableId} />
      </div>
    </Dialog>
  );
}

/** The record as a file, for `parlor verify`. */
function DownloadRecord({ tableId }: { tableId: string }) {
  const t = useStrings();
  const [failed, setFailed] = useState(false);
  const download = async () => {
    try {
      const record = await askAsOwner(tableId, (client, token) => client.record(tableId, { token }));
      const url = URL.createObjectURL(
        new Blob([toBinary(RecordSchema, record) as BlobPart], { type: "application/octet-stream" }),
      );
      const link = document.createElement("a");
      link.href = url;
      link.download = `${tableId}.binpb`;
      link.click();
      URL.revokeObjectURL(url);
    } catch {
      setFailed(true);
    }
  };
  return (
    <button type="button" class="button" disabled={failed} onClick={() => void download()}>
      {t.downloadRecord}
    </button>
  );
}
