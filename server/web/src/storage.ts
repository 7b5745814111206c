// The seats that this browser holds, in localStorage until their tables are over: a closed tab loses nothing.

/** A seat that this browser holds. */
export interface StoredSeat {
  readonly tableId: string;
  readonly token: string;
  readonly seat: number;
  readonly game: string;
  /** What this browser added to the shuffle, in base 64; empty if the seat came by a link. */
  readonly entropy: string;
  /** The commitment that the server showed when the seat was taken, in base 64. */
  readonly commitment: string;
  /** When it was taken, in milliseconds since 1970. */
  readonly since: number;
  /** Whether the table is over. Such a seat is kept for its replay and for a rematch, and dropped after a week. */
  readonly over: boolean;
}

const PREFIX = "parlor.seat.";

/** How long the seat of a table that is over is kept. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

function parse(value: string | null): StoredSeat | undefined {
  try {
    const seat = JSON.parse(value ?? "") as Partial<StoredSeat>;
    if (typeof seat.tableId !== "string" || typeof seat.token !== "string" || typeof seat.seat !== "number")
      return undefined;
    return { game: "", entropy: "", commitment: "", since: 0, over: false, ...seat } as StoredSeat;
  } catch {
    return undefined;
  }
}

/** The seat at a table. */
export function storedSeat(tableId: string): StoredSeat | undefined {
  try {
    return parse(localStorage.getItem(PREFIX + tableId));
  } catch {
    return undefined;
  }
}

/** Keeps a seat. */
export function storeSeat(seat: StoredSeat): void {
  try {
    localStorage.setItem(PREFIX + seat.tableId, JSON.stringify(seat));
  } catch {
    // The browser keeps nothing: the seat lasts as long as its tab, and its link can be kept by hand.
  }
}

/** Forgets the seat at a table. */
export function forgetSeat(tableId: string): void {
  try {
    localStorage.removeItem(PREFIX + tableId);
  } catch {
    // Nothing was kept.
  }
}

/** All seats, the newest first. Those of tables that were over a week ago are forgotten. */
export function storedSeats(): StoredSeat[] {
  const seats: StoredSeat[] = [];
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(PREFIX)) continue;
      const seat = parse(localStorage.getItem(key));
      if (!seat || (seat.over && Date.now() - seat.since > KEPT_MS)) {
        localStorage.removeItem(key);
        localStorage.removeItem(`parlor.owner.${key.slice(PREFIX.length)}`);
      } else seats.push(seat);
    }
  } catch {
    return [];
  }
  return seats.sort((a, b) => b.since - a.since);
}

/** Bytes as base 64. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Bytes from base 64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
