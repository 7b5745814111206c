// Checks of a table's shuffle in the browser: what docs/fairness.md specifies of commitment and seed, with the browser's own
// SHA-256 and HKDF.

import { type Table } from "../api";
import { fromBase64, type StoredSeat } from "../storage";

/** A check and what came of it. */
export interface Check {
  readonly name: "commitment" | "commitmentSeen" | "entropy" | "ownEntropy" | "seed";
  readonly holds: boolean;
}

type Bytes = Uint8Array<ArrayBuffer>;

const text = (words: string): Bytes => new TextEncoder().encode(words) as Bytes;

function join(...parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const equal = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/** The 16 bytes of an id in Crockford's base 32: 26 digits, of which the first has three bits. */
export function idBytes(id: string): Bytes | undefined {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id)) return undefined;
  let value = 0n;
  for (const digit of id) value = value * 32n + BigInt(digits.indexOf(digit));
  return Uint8Array.from({ length: 16 }, (_, index) => Number((value >> BigInt(8 * (15 - index))) & 255n));
}

/** Whether this browser can check: pages without TLS have no SHA-256, except on the same machine. */
export function canVerify(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** Checks the shuffle of a table that is over, of fresh chance. */
export async function verifyShuffle(table: Table, own: StoredSeat | undefined): Promise<Check[]> {
  const shuffle = table.shuffle!;
  const id = idBytes(table.tableId);
  const added = ({ seat }: { seat: number }) =>
    shuffle.entropy.find((entry) => entry.seat === seat)?.entropy ?? new Uint8Array();
  if (!id) return [{ name: "commitment", holds: false }];
  const commitment = await digest(text("parlor commitment v1"), id, shuffle.serverSeed);
  const checks: Check[] = [{ name: "commitment", holds: equal(commitment, shuffle.commitment) }];
  if (own?.commitment)
    checks.push({ name: "commitmentSeen", holds: equal(fromBase64(own.commitment), shuffle.commitment) });
  const revealed = shuffle.entropy.filter(
    ({ commitment, entropy }) => commitment.length > 0 && entropy.length > 0,
  );
  if (revealed.length > 0) {
    const holds = await Promise.all(
      revealed.map(async ({ commitment, entropy }) =>
        equal(await digest(text("parlor entropy commitment v1"), id, entropy), commitment),
      ),
    );
    checks.push({ name: "entropy", holds: holds.every((one) => one) });
  }
  if (own?.entropy) {
    checks.push({ name: "ownEntropy", holds: equal(added({ seat: own.seat }), fromBase64(own.entropy)) });
  }
  checks.push({
    name: "seed",
    holds: equal(await gameSeed(shuffle.serverSeed, id, table.seats.map(added)), shuffle.gameSeed),
  });
  return checks;
}

async function digest(...parts: readonly Uint8Array[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));
}

/** The seed of the game: HKDF-SHA256 of the server's seed, with the id of the table and what every seat added. */
async function gameSeed(serverSeed: Uint8Array, id: Bytes, entropy: readonly Uint8Array[]): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", join(serverSeed), "HKDF", false, ["deriveBits"]);
  const info = join(id, ...entropy.flatMap((added) => [Uint8Array.of(added.length), added]));
  return new Uint8Array(
    await crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: text("parlor seed v1"), info },
      key,
      256,
    ),
  );
}
