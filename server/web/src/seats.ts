// Taking seats: every one is kept in this browser as soon as it is taken.

import { hub } from "./hub/client";
import type { JoinedSeat, JoinRequest } from "./hub/protocol";
import { settings } from "./settings";
import { storeSeat, toBase64 } from "./storage";

/** Takes a seat and keeps it. Rejects with a JoinError. */
export async function takeSeat(to: JoinRequest["to"], previousToken?: string): Promise<JoinedSeat> {
  const entropy = crypto.getRandomValues(new Uint8Array(32));
  const { lang, name } = settings();
  const joined = await hub.join({
    to,
    requestId: toBase64(crypto.getRandomValues(new Uint8Array(24))),
    displayName: name.trim(),
    entropy,
    lang,
    ...(previousToken === undefined ? {} : { previousToken }),
  });
  storeSeat({
    tableId: joined.tableId,
    token: joined.token,
    seat: joined.seat,
    game: joined.table.game,
    entropy: toBase64(entropy),
    commitment: toBase64(joined.table.shuffle?.commitment ?? new Uint8Array()),
    since: Date.now(),
    over: false,
  });
  return joined;
}
