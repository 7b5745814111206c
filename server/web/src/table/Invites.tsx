// Inviting friends to a table that waits: links that are made, copied and withdrawn.

import { useState } from "preact/hooks";
import { ParlorError, type Table, toDate, Visibility } from "../api";
import { useStrings } from "../i18n";
import { inviteLink, ownerOf } from "../owner";
import { CopyField } from "../ui/CopyField";
import { Failure } from "../ui/Failure";
import { useLoaded } from "../ui/load";

/** Why a caller may not invite: it does not own the table. */
const NOT_OWNER = ["NOT_OWNER", "TABLE_NOT_FOUND", "CREDENTIALS_MISSING", "TABLE_STARTED", "TABLE_OVER"];

export function Invites({ table, free }: { table: Table; free: number }) {
  const t = useStrings();
  const { tableId } = table;
  const owner = ownerOf(tableId);
  const invites = useLoaded(`invites ${tableId}`, () => owner.invites(tableId));
  const [links, setLinks] = useState<Readonly<Record<number, string>>>({});
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  if (invites.state === "loading") return null;
  if (invites.state === "failed") {
    const foreign = invites.error instanceof ParlorError && NOT_OWNER.includes(invites.error.reason);
    if (!foreign) return <Failure error={invites.error} again={invites.again} />;
    // Anyone may come to a public table, so that its address is an invitation.
    return table.visibility === Visibility.PUBLIC ? (
      <section class="panel">
        <h3>{t.invite}</h3>
        <p class="muted">{t.inviteText}</p>
        <CopyField value={`${location.origin}/t/${tableId}`} />
      </section>
    ) : null;
  }
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      invites.again();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const make = () =>
    act(async () => {
      const { invite, secret } = await owner.createInvite(tableId, { uses: free });
      setLinks((all) => ({ ...all, [invite.number]: inviteLink(tableId, secret) }));
    });
  const open = invites.value.filter(
    ({ revoked, used, uses, expireTime }) =>
      !revoked && used < uses && !(expireTime && toDate(expireTime)!.getTime() <= Date.now()),
  );
  return (
    <section class="panel invites">
      <h3>{t.invite}</h3>
      <p class="muted">{t.inviteText}</p>
      <ul>
        {open.map((invite) => (
          <li key={invite.number}>
            {links[invite.number] === undefined ? (
              <span class="invite-name">{t.inviteNumber(invite.number)}</span>
            ) : (
              <CopyField value={links[invite.number]!} />
            )}
            <small class="muted">{t.inviteUses(invite.used, invite.uses)}</small>
            <button
              type="button"
              class="button button-quiet"
              disabled={busy}
              aria-label={`${t.inviteRevoke}: ${t.inviteNumber(invite.number)}`}
              onClick={() => void act(() => owner.revokeInvite(tableId, invite.number))}
            >
              {t.inviteRevoke}
            </button>
          </li>
        ))}
      </ul>
      {error !== undefined && <Failure error={error} />}
      <div class="dialog-actions">
        <button type="button" class="button button-primary" disabled={busy} onClick={() => void make()}>
          {t.inviteMake}
        </button>
      </div>
    </section>
  );
}
