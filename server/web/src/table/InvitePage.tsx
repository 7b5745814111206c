// Somebody comes with an invite: they see the table, give a name, and take a seat.

import { useEffect, useState } from "preact/hooks";
import { parlor, ParlorError } from "../api";
import { useGameName } from "../catalogue";
import { JoinError } from "../hub/client";
import { useStrings } from "../i18n";
import { go } from "../router";
import { takeSeat } from "../seats";
import { useSettings } from "../settings";
import { storedSeat } from "../storage";
import { Failure } from "../ui/Failure";
import { useLoaded } from "../ui/load";
import { NameField, SeatList } from "./TablePage";

/** Reasons whose text does not help whoever opened a link. */
const WRONG = ["TOKEN_INVALID", "INVALID_FIELD", "TABLE_NOT_FOUND", "INVITE_NOT_FOUND"];

function InviteFailure({ error, again }: { error: unknown; again?: () => void }) {
  const t = useStrings();
  const reason =
    error instanceof ParlorError ? error.reason : error instanceof JoinError ? error.detail.reason : "";
  return WRONG.includes(reason) ? (
    <p class="banner" role="alert">
      {t.inviteWrong}
    </p>
  ) : (
    <Failure error={error} {...(again && { again })} />
  );
}

export function InvitePage({ invite, tableId }: { invite: string; tableId: string }) {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  const loaded = useLoaded(`invite ${invite}`, () => parlor.table(tableId, invite));
  const [error, setError] = useState<unknown>();
  const [joining, setJoining] = useState(false);
  useEffect(() => void (document.title = `${t.joinTitle} – ${t.brand}`));
  const known = loaded.state === "ready" ? loaded.value.tableId : tableId;
  const seated = known !== "" && storedSeat(known) !== undefined;
  useEffect(() => {
    // This browser has its seat already, perhaps by this very link.
    if (seated) go(`/t/${known}`, true);
  }, [seated]);
  if (seated) return null;
  if (loaded.state === "loading") return <p class="page muted">{t.loading}</p>;
  if (loaded.state === "failed") {
    return (
      <div class="page page-narrow">
        <InviteFailure error={loaded.error} again={loaded.again} />
        <a class="button" href="/">
          {t.lobby}
        </a>
      </div>
    );
  }
  const table = loaded.value;
  const join = async () => {
    setJoining(true);
    setError(undefined);
    try {
      await takeSeat({ invite });
      go(`/t/${table.tableId}`, true);
    } catch (failure) {
      setError(failure);
      setJoining(false);
    }
  };
  return (
    <div class="page page-narrow">
      <h1>{t.joinTitle}</h1>
      <p>{t.joinText(gameName(table.game, lang))}</p>
      <SeatList table={table} own={undefined} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void join();
        }}
      >
        <NameField />
        {error !== undefined && <InviteFailure error={error} />}
        <div class="dialog-actions">
          <button type="submit" class="button button-primary button-large" disabled={joining}>
            {t.joinButton}
          </button>
        </div>
      </form>
    </div>
  );
}
