// What a player has picked on a board, and which legal actions it leaves. It knows no game: it goes by what each action touches.

import type { ActionTargets, Board } from "../api";

/** A card that is picked. `nth` tells equal cards of a zone apart on the screen. */
export interface PickedCard {
  readonly zoneId: string;
  readonly cardId: string;
  readonly nth: number;
}

/** What is picked. */
export interface Picked {
  readonly cards: readonly PickedCard[];
  readonly zoneId: string | undefined;
}

export const NOTHING: Picked = { cards: [], zoneId: undefined };

/** The legal actions of a decision, by what they touch. */
export class Choices {
  readonly #own: ReadonlySet<string>;

  constructor(
    readonly targets: readonly ActionTargets[],
    board: Board | undefined,
    seat: number | undefined,
  ) {
    this.#own = new Set(
      (board?.zones ?? [])
        .filter((zone) => zone.owner !== undefined && zone.owner === seat)
        .map((zone) => zone.zoneId),
    );
  }

  isOwn(zoneId: string): boolean {
    return this.#own.has(zoneId);
  }

  /** The actions that touch all that is picked, and perhaps more. */
  candidates(picked: Picked): number[] {
    return this.#indices((target) => this.#covers(target, picked));
  }

  /** The actions that need no more cards of the player than those that are picked. */
  complete(picked: Picked): number[] {
    const own = picked.cards.filter((card) => this.#own.has(card.zoneId)).length;
    return this.#indices((target) => this.#covers(target, picked) && this.#ownCards(target) === own);
  }

  /** Whether another card of this face in this zone can be picked, too. */
  canPick(picked: Picked, zoneId: string, cardId: string): boolean {
    const card = { zoneId, cardId, nth: -1 };
    const more = { ...picked, cards: [...picked.cards, card] };
    // The cards of others narrow a choice that is complete; they do not begin one.
    return (this.#own.has(zoneId) ? this.candidates(more) : this.complete(more)).length > 0;
  }

  /** Whether any action touches the card. */
  touches(zoneId: string, cardId: string): boolean {
    return this.targets.some((target) =>
      target.cards.some((card) => card.zoneId === zoneId && card.cardId === cardId),
    );
  }

  /** The complete actions that play to the zone or take from it. */
  toZone(picked: Picked, zoneId: string): number[] {
    return this.complete(picked).filter((index) => this.#touchesZone(this.targets[index]!, zoneId));
  }

  /** What is picked after a click on a card: it is picked, dropped again, or picked instead. */
  click(picked: Picked, card: PickedCard): Picked {
    const same = (other: PickedCard) =>
      other.zoneId === card.zoneId && other.cardId === card.cardId && other.nth === card.nth;
    if (picked.cards.some(same))
      return { cards: picked.cards.filter((other) => !same(other)), zoneId: undefined };
    if (this.canPick(picked, card.zoneId, card.cardId))
      return { cards: [...picked.cards, card], zoneId: undefined };
    if (this.canPick(NOTHING, card.zoneId, card.cardId)) return { cards: [card], zoneId: undefined };
    return picked;
  }

  #ownCards(target: ActionTargets): number {
    return target.cards.filter((card) => this.#own.has(card.zoneId)).length;
  }

  #touchesZone(target: ActionTargets, zoneId: string): boolean {
    return (
      target.zoneIds.includes(zoneId) ||
      target.cards.some((card) => card.zoneId === zoneId && !this.#own.has(zoneId))
    );
  }

  #covers(target: ActionTargets, picked: Picked): boolean {
    if (picked.zoneId !== undefined && !this.#touchesZone(target, picked.zoneId)) return false;
    return picked.cards.every(({ zoneId, cardId }) => {
      const same = (card: { zoneId: string; cardId: string }) =>
        card.zoneId === zoneId && card.cardId === cardId;
      return target.cards.filter(same).length >= picked.cards.filter(same).length;
    });
  }

  #indices(keep: (target: ActionTargets) => boolean): number[] {
    return this.targets.flatMap((target, index) => (keep(target) ? [index] : []));
  }
}

/** How many copies of each face a zone has on one board and not on another: what is new on it. */
export function newCards(
  before: Board | undefined,
  now: Board | undefined,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const result = new Map<string, ReadonlyMap<string, number>>();
  if (!before || !now) return result;
  for (const zone of now.zones) {
    const counts = new Map<string, number>();
    for (const card of zone.cards) add(counts, card.face!.id, 1);
    for (const card of before.zones.find((other) => other.zoneId === zone.zoneId)?.cards ?? [])
      add(counts, card.face!.id, -1);
    const added = new Map([...counts].filter(([, count]) => count > 0));
    if (added.size > 0) result.set(zone.zoneId, added);
  }
  return result;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
