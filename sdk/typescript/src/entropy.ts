/** Entropy for shuffles: committed to, and revealed only after the commitments of all are known. */
import { create } from "@bufbuild/protobuf";
import { randomBytes } from "./random.js";
import { sha256 } from "./sha256.js";
import {
  TournamentEntropySchema,
  type FairShuffle,
  type TournamentEntropy,
  type TournamentEntropyAsked,
} from "./wire.js";

/** At most so many tournaments that an agent has entropy for at once. */
const MAX_TOURNAMENTS = 1024;

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** The 16 bytes of an id; undefined if it is malformed. */
export function idBytes(id: string): Uint8Array | undefined {
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id)) {
    return undefined;
  }
  let value = 0n;
  for (const digit of id) {
    value = value * 32n + BigInt(DIGITS.indexOf(digit));
  }
  return Uint8Array.from({ length: 16 }, (_, index) => Number((value >> BigInt(8 * (15 - index))) & 255n));
}

/** What a seat commits to at a table; empty for a malformed id, which the server refuses. */
export function seatCommitment(tableId: string, entropy: Uint8Array): Uint8Array {
  return commitment("parlor entropy commitment v1", tableId, entropy);
}

/** What an entrant or the organiser commits to; empty for a malformed id, which the server refuses. */
export function tournamentCommitment(tournamentId: string, entropy: Uint8Array): Uint8Array {
  return commitment("parlor tournament entropy commitment v1", tournamentId, entropy);
}

function commitment(text: string, id: string, entropy: Uint8Array): Uint8Array {
  const bytes = idBytes(id);
  return bytes === undefined ? new Uint8Array() : sha256(new TextEncoder().encode(text), bytes, entropy);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** What a seat has committed to, and what its table showed with it. */
export class SeatPromise {
  readonly #entropy: Uint8Array;
  /** What the server is bound to, as it was shown first. */
  #server: Uint8Array | undefined;
  /** What all seats are bound to, as it was shown first. */
  #shown: readonly Uint8Array[] | undefined;

  constructor(entropy: Uint8Array, server: Uint8Array | undefined) {
    this.#entropy = entropy;
    this.#server = server;
  }

  /** The entropy to reveal at a table that shows this; undefined if it is not ours, or has changed. */
  toReveal(tableId: string, seat: number | undefined, shuffle: FairShuffle): Uint8Array | undefined {
    const shown = shuffle.entropy.map(({ commitment }) => commitment);
    const own = seatCommitment(tableId, this.#entropy);
    const isOurs =
      seat === undefined
        ? shown.some((entry) => equal(entry, own))
        : equal(shown[seat] ?? new Uint8Array(), own);
    this.#server ??= shuffle.commitment;
    if (!isOurs || !equal(this.#server, shuffle.commitment) || !isSame(this.#shown ?? shown, shown)) {
      return undefined;
    }
    this.#shown = shown;
    return this.#entropy;
  }
}

function isSame(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((entry, index) => equal(entry, b[index]!));
}

/** Entropy of an agent for the tournaments that ask for it. */
export class AgentEntropy {
  readonly #promises = new Map<
    string,
    { readonly entropy: Uint8Array; readonly server: Uint8Array; shown: readonly Uint8Array[] | undefined }
  >();

  /** The answer to a request; undefined if what is shown has changed. */
  answer(asked: TournamentEntropyAsked): TournamentEntropy | undefined {
    const { tournamentId, commitment: server, entropyCommitments } = asked;
    if (entropyCommitments.length === 0 && !this.#promises.has(tournamentId)) {
      this.#promises.set(tournamentId, { entropy: randomBytes(32), server, shown: undefined });
      const oldest = this.#promises.keys().next().value;
      if (this.#promises.size > MAX_TOURNAMENTS && oldest !== undefined) {
        this.#promises.delete(oldest);
      }
    }
    const promise = this.#promises.get(tournamentId);
    if (promise === undefined || !equal(promise.server, server)) {
      return undefined;
    }
    const own = tournamentCommitment(tournamentId, promise.entropy);
    if (entropyCommitments.length === 0) {
      return create(TournamentEntropySchema, { tournamentId, step: { case: "commitment", value: own } });
    }
    promise.shown ??= entropyCommitments;
    if (
      !isSame(promise.shown, entropyCommitments) ||
      !entropyCommitments.some((entry) => equal(entry, own))
    ) {
      return undefined;
    }
    return create(TournamentEntropySchema, {
      tournamentId,
      step: { case: "reveal", value: promise.entropy },
    });
  }
}
