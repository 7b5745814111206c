// A board that can be played on: what is picked, what can be, and the cards and zones that are clicked, dragged or focused.

import type { ComponentChildren, TargetedPointerEvent } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type Board, type BoardCard, type CardFace, type RichText, type Zone, ZoneKind } from "../api";
import { CardBack, CardPicture } from "../cards/Card";
import type { OpenDecision } from "../hub/protocol";
import type { Strings } from "../i18n";
import type { SeatNames } from "../ui/Rich";
import { Choices, newCards, NOTHING, type Picked, type PickedCard } from "./selection";

/** Why a card cannot be picked, by a game that knows more than that no action has it. */
export type WhyNot = (board: Board, zone: Zone, face: CardFace, picked: Picked) => string | undefined;

/** A board as it is drawn, and what can be done on it. */
export interface BoardControls {
  readonly game: string;
  readonly board: Board;
  /** The own seat; undefined for whoever only watches. */
  readonly seat: number | undefined;
  readonly t: Strings;
  readonly names: SeatNames;
  readonly decision: OpenDecision | undefined;
  readonly choices: Choices | undefined;
  readonly picked: Picked;
  /** The actions that are one click away. */
  readonly ready: readonly number[];
  /** Whether a move is on its way. */
  readonly busy: boolean;
  readonly notice: string;
  zone(id: string): Zone | undefined;
  /** How many copies of a face in a zone are new since the own last move. */
  fresh(zoneId: string, cardId: string): number;
  pick(card: PickedCard): void;
  clear(): void;
  clickZone(zoneId: string): void;
  play(index: number): void;
  actionText(index: number): RichText | undefined;
  explain(zone: Zone, face: CardFace): void;
  startDrag(event: TargetedPointerEvent<HTMLElement>, card: PickedCard): void;
}

interface Setup {
  readonly game: string;
  readonly board: Board;
  readonly before: Board | undefined;
  readonly seat: number | undefined;
  readonly decision: OpenDecision | undefined;
  readonly busy: boolean;
  readonly t: Strings;
  readonly names: SeatNames;
  readonly whyNot: WhyNot | undefined;
  readonly choose: (index: number) => void;
}

/** What a player has done about a decision before a move is complete. */
interface Selection {
  readonly decisionId: number | undefined;
  readonly picked: Picked;
  /** What the page says to it. */
  readonly notice: string;
}

const UNTOUCHED = { picked: NOTHING, notice: "" } as const;

/** A drag begins when the pointer has moved so far. */
const DRAG_PX = 8;

export function useBoardControls(setup: Setup): BoardControls {
  const { game, board, before, seat, decision, busy, t, names, whyNot, choose } = setup;
  // What is picked belongs to one decision: with the next one it is nothing, from its first drawing on. An effect that
  // cleared it would come after that drawing, and could take back a card that was picked at once.
  const [selection, setSelection] = useState<Selection>({ decisionId: undefined, ...UNTOUCHED });
  const decisionId = decision?.id;
  const { picked, notice } = selection.decisionId === decisionId ? selection : UNTOUCHED;
  const select = (picked: Picked, notice = "") => setSelection({ decisionId, picked, notice });
  const choices = useMemo(
    () => (decision?.board ? new Choices(decision.board.targets, decision.board, seat) : undefined),
    [decision, seat],
  );
  const fresh = useMemo(() => newCards(before, board), [before, board]);
  const ready = useMemo(() => (choices && !busy ? choices.complete(picked) : []), [choices, picked, busy]);
  const play = (index: number) => {
    if (busy) return;
    select(NOTHING);
    choose(index);
  };
  const suppressClick = useRef(false);

  const controls: BoardControls = {
    game,
    board,
    seat,
    t,
    names,
    decision,
    choices,
    picked,
    ready,
    busy,
    notice,
    zone: (id) => board.zones.find((zone) => zone.zoneId === id),
    fresh: (zoneId, cardId) => fresh.get(zoneId)?.get(cardId) ?? 0,
    pick: (card) => {
      if (suppressClick.current || !choices || busy) return;
      const selected = picked.cards.some(
        (other) => other.zoneId === card.zoneId && other.cardId === card.cardId && other.nth === card.nth,
      );
      const all = choices.candidates(picked);
      // A second click plays, where nothing else is left to choose.
      if (selected && all.length === 1 && choices.complete(picked).length === 1) return play(all[0]!);
      select(choices.click(picked, card));
    },
    clear: () => select(NOTHING),
    clickZone: (zoneId) => {
      if (!choices || busy) return;
      const indices = choices.toZone(picked, zoneId);
      if (indices.length === 1) play(indices[0]!);
      else if (indices.length > 1) select({ ...picked, zoneId });
    },
    play,
    actionText: (index) => decision?.texts?.actions[index],
    explain: (zone, face) => {
      if (suppressClick.current) return;
      if (busy) return select(picked, t.sent);
      if (!decision) return select(picked, t.notYourTurn);
      const why = whyNot?.(board, zone, face, picked);
      select(
        picked,
        why ??
          (picked.cards.length > 0 && choices?.touches(zone.zoneId, face.id)
            ? t.notWithSelection
            : t.notPlayable),
      );
    },
    startDrag: (event, card) => {
      if (!choices || busy || event.button !== 0) return;
      startDrag(event, {
        begin: () => {
          suppressClick.current = true;
          const already = picked.cards.some(
            (other) => other.zoneId === card.zoneId && other.cardId === card.cardId && other.nth === card.nth,
          );
          if (already) return picked;
          const next = choices.click(picked, card);
          select(next);
          return next;
        },
        drop: (next, zoneId, cardId) => {
          setTimeout(() => (suppressClick.current = false));
          const complete = choices.complete(next);
          if (zoneId === undefined) return;
          const onCard =
            cardId === undefined
              ? []
              : complete.filter((index) =>
                  choices.targets[index]!.cards.some(
                    (target) => target.zoneId === zoneId && target.cardId === cardId,
                  ),
                );
          const onZone = choices.toZone(next, zoneId);
          const fits =
            onCard.length > 0 ? onCard : onZone.length > 0 ? onZone : zoneId === "felt" ? complete : [];
          if (fits.length === 1 && choices.targets[fits[0]!]!.cells.length === 0) play(fits[0]!);
          else if (
            onZone.length > 0 &&
            board.zones.find((zone) => zone.zoneId === zoneId)?.kind !== ZoneKind.GRID
          )
            select({ ...next, zoneId });
        },
      });
    },
  };
  return controls;
}

interface Drag {
  begin(): Picked;
  drop(picked: Picked, zoneId: string | undefined, cardId: string | undefined): void;
}

/** Lets a card follow the pointer, and tells where it was dropped. */
function startDrag(event: TargetedPointerEvent<HTMLElement>, drag: Drag): void {
  const element = event.currentTarget;
  const { clientX, clientY, pointerId } = event;
  let picked: Picked | undefined;
  let over: Element | undefined;
  const under = (move: PointerEvent) => {
    element.style.pointerEvents = "none";
    const hit = document.elementFromPoint(move.clientX, move.clientY);
    element.style.pointerEvents = "";
    return hit ?? undefined;
  };
  const onMove = (move: PointerEvent) => {
    if (move.pointerId !== pointerId) return;
    const [dx, dy] = [move.clientX - clientX, move.clientY - clientY];
    if (!picked) {
      if (Math.hypot(dx, dy) < DRAG_PX) return;
      picked = drag.begin();
      element.setPointerCapture(pointerId);
      element.classList.add("dragging");
    }
    element.style.translate = `${dx}px ${dy}px`;
    const zone = under(move)?.closest("[data-zone]") ?? undefined;
    if (zone === over) return;
    over?.classList.remove("drag-over");
    over = zone;
    over?.classList.add("drag-over");
  };
  const end = (up: PointerEvent) => {
    if (up.pointerId !== pointerId) return;
    removeEventListener("pointermove", onMove);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    over?.classList.remove("drag-over");
    element.classList.remove("dragging");
    element.style.translate = "";
    if (!picked) return;
    const hit = up.type === "pointerup" ? under(up) : undefined;
    const zone = hit?.closest<HTMLElement>("[data-zone]");
    const card = hit?.closest<HTMLElement>("[data-card]");
    drag.drop(picked, zone?.dataset.zone, card?.dataset.card);
  };
  addEventListener("pointermove", onMove);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** The cards of a zone with the number of each among its equals. */
export function numbered(
  cards: readonly BoardCard[],
): { readonly face: CardFace; readonly nth: number; readonly key: string }[] {
  const seen = new Map<string, number>();
  return cards.map(({ face }) => {
    const nth = seen.get(face!.id) ?? 0;
    seen.set(face!.id, nth + 1);
    return { face: face!, nth, key: `${face!.id} ${nth}` };
  });
}

/** A card on the board: a button where it can be picked or may be asked about, a picture otherwise. */
export function BoardCardView({
  controls,
  zone,
  face,
  nth,
  copies,
}: {
  controls: BoardControls;
  zone: Zone;
  face: CardFace;
  nth: number;
  copies: number;
}) {
  const { game, t, choices, picked, seat } = controls;
  const zoneId = zone.zoneId;
  // Of several equal cards, the last ones are the new ones.
  const isNew = nth >= copies - controls.fresh(zoneId, face.id) && zone.owner === undefined;
  const selected = picked.cards.some(
    (card) => card.zoneId === zoneId && card.cardId === face.id && card.nth === nth,
  );
  const inHand = zone.owner !== undefined && zone.owner === seat && zone.kind === ZoneKind.HAND;
  const open = !controls.busy && choices !== undefined;
  // Whether it goes with what is picked; otherwise it may still be picked instead.
  const joins = open && choices.canPick(picked, zoneId, face.id);
  const playable = open && (selected || joins || choices.canPick(NOTHING, zoneId, face.id));
  // What the one move that is left takes along.
  const taken =
    !inHand &&
    controls.ready.length === 1 &&
    picked.cards.length > 0 &&
    choices!.targets[controls.ready[0]!]!.cards.some(
      (card) => card.zoneId === zoneId && card.cardId === face.id,
    );
  const picture = <CardPicture game={game} face={face} />;
  const name = isNew ? `${face.longLabel}, ${t.newCard}` : face.longLabel;
  const classes = ["card", isNew && "card-new", taken && "card-taken"];
  if (!inHand && !(playable && picked.cards.length > 0)) {
    return (
      <span class={classes.filter(Boolean).join(" ")} role="img" aria-label={name} data-card={face.id}>
        {picture}
      </span>
    );
  }
  classes.push("card-button", selected && "card-picked", playable ? "card-playable" : "card-dull");
  if (picked.cards.length > 0 && !selected) classes.push(joins ? "card-joins" : "card-apart");
  const card = { zoneId, cardId: face.id, nth };
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(" ")}
      aria-label={name}
      aria-pressed={selected}
      aria-disabled={!playable}
      data-card={face.id}
      onClick={() => (playable ? controls.pick(card) : controls.explain(zone, face))}
      onPointerDown={(event) => playable && inHand && controls.startDrag(event, card)}
    >
      {picture}
    </button>
  );
}

/** The cards of a zone that its viewer knows, and the backs of the others. */
export function ZoneCards({
  controls,
  zone,
  most = 40,
}: {
  controls: BoardControls;
  zone: Zone;
  most?: number;
}) {
  const cards = numbered(zone.cards);
  const copies = new Map<string, number>();
  for (const { face } of cards) copies.set(face.id, (copies.get(face.id) ?? 0) + 1);
  return (
    <>
      {cards.slice(-most).map(({ face, nth, key }) => (
        <BoardCardView
          key={key}
          controls={controls}
          zone={zone}
          face={face}
          nth={nth}
          copies={copies.get(face.id)!}
        />
      ))}
    </>
  );
}

/** A zone with its label. Where a move can go to the zone, all of it is a button. */
export function ZoneBox({
  controls,
  zone,
  class: name = "",
  label,
  children,
}: {
  controls: BoardControls;
  zone: Zone;
  class?: string;
  label?: string;
  children: ComponentChildren;
}) {
  const { choices, picked, busy } = controls;
  const target = choices !== undefined && !busy && choices.toZone(picked, zone.zoneId).length > 0;
  const text = label ?? zone.label;
  return (
    <section class={`zone ${name} ${target ? "zone-target" : ""}`} data-zone={zone.zoneId} aria-label={text}>
      {children}
      <span class="zone-label" aria-hidden="true">
        {text}
      </span>
      {target && (
        <button
          type="button"
          class="zone-button"
          aria-label={text}
          onClick={() => controls.clickZone(zone.zoneId)}
        />
      )}
    </section>
  );
}

/** A face-down pile with the number of its cards. */
export function Stock({ controls, zone }: { controls: BoardControls; zone: Zone }) {
  const count = zone.unknownCards + zone.cards.length;
  return (
    <ZoneBox controls={controls} zone={zone} class="zone-stock">
      <span
        class={`card ${count > 1 ? "card-stacked" : ""} ${count === 0 ? "card-gone" : ""}`}
        role="img"
        aria-label={controls.t.unknownCards(count)}
      >
        {count > 0 ? <CardBack /> : <span class="card-empty" />}
        <span class="stock-count" aria-hidden="true">
          {count}
        </span>
      </span>
    </ZoneBox>
  );
}
