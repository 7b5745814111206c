// The tables that this browser may act on as their owner, and invites to them.

import { newOwner, parlor, ParlorError, type Parlor } from "./api";
import { storedSeat } from "./storage";

const PREFIX = "parlor.owner.";

const clients = new Map<string, Parlor>();

/** Keeps the token that stands for the owner of a table that a guest made. */
export function storeOwnerToken(tableId: string, token: string): void {
  clients.set(tableId, newOwner(token));
  try {
    localStorage.setItem(PREFIX + tableId, token);
  } catch {
    // The browser keeps nothing: this tab alone owns the table.
  }
}

/** Forgets it, when the table is over for good. */
export function forgetOwnerToken(tableId: string): void {
  clients.delete(tableId);
  try {
    localStorage.removeItem(PREFIX + tableId);
  } catch {
    // Nothing was kept.
  }
}

/** The client for what an owner does: with the token of the table or, on a server without keys, with none. */
export function ownerOf(tableId: string): Parlor {
  const known = clients.get(tableId);
  if (known) return known;
  let token: string | null = null;
  try {
    token = localStorage.getItem(PREFIX + tableId);
  } catch {
    // The browser keeps nothing.
  }
  const client = token ? newOwner(token) : parlor;
  clients.set(tableId, client);
  return client;
}

/** Why a caller is not taken for the owner of a table. */
const NOT_OWNER = ["NOT_OWNER", "TABLE_NOT_FOUND", "CREDENTIALS_MISSING"];

/** Asks as the owner of a table, who may see every hand; or with the seat that this browser has, where others own it. */
export async function askAsOwner<T>(
  tableId: string,
  ask: (client: Parlor, token: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await ask(ownerOf(tableId), undefined);
  } catch (error) {
    const token = storedSeat(tableId)?.token;
    if (token === undefined || !(error instanceof ParlorError) || !NOT_OWNER.includes(error.reason))
      throw error;
    return ask(parlor, token);
  }
}

/** The link of an invite. The secret stands in the fragment, which browsers send to nobody. */
export const inviteLink = (tableId: string, secret: string) =>
  `${location.origin}/t/${tableId}#invite=${secret}`;
