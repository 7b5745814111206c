// The own hand and the moves that can be made.

import type { TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import { ZoneKind } from "../api";
import { Rich } from "../ui/Rich";
import { type BoardControls, ZoneCards } from "./controls";

/** The cards of the own hand: arrow keys move between them, Enter and Space pick. */
export function Hand({ controls }: { controls: BoardControls }) {
  const element = useRef<HTMLDivElement>(null);
  const zone = controls.board.zones.find(
    (zone) => zone.owner === controls.seat && zone.kind === ZoneKind.HAND,
  );
  if (!zone) return null;
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : undefined;
    if (event.key === "Escape") controls.clear();
    if (step === undefined) return;
    const buttons = [...element.current!.querySelectorAll<HTMLButtonElement>("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
    event.preventDefault();
  };
  const count = zone.cards.length;
  return (
    <div class="hand-frame">
      <div
        ref={element}
        class={`hand ${count > 7 ? "hand-large" : ""}`}
        style={{ "--count": Math.max(count, 1), "--half": Math.max(Math.ceil(count / 2), 1) }}
        role="group"
        aria-label={`${controls.t.yourHand}: ${controls.t.cards(count)}`}
        onKeyDown={onKeyDown}
      >
        <ZoneCards controls={controls} zone={zone} />
      </div>
    </div>
  );
}

/** The most moves that stand as buttons of their own. */
const MAX_BUTTONS = 6;

function MoveButton({
  controls,
  index,
  primary,
}: {
  controls: BoardControls;
  index: number;
  primary: boolean;
}) {
  const text = controls.actionText(index);
  return (
    <button
      type="button"
      class={`button ${primary ? "button-primary" : ""}`}
      data-action={index}
      onClick={() => controls.play(index)}
    >
      <span>
        {text ? <Rich text={text} names={controls.names} own={controls.seat} /> : controls.t.confirmPlay}
      </span>
    </button>
  );
}

/** What is asked, why something cannot be done, and the moves that are one click away. */
export function ActionBar({
  controls,
  waitingText,
  skip,
}: {
  controls: BoardControls;
  waitingText: string;
  skip: (() => void) | undefined;
}) {
  const { t, decision, choices, picked, ready, busy, notice } = controls;
  const question = decision?.texts?.question;
  // The places on a grid are chosen there.
  const buttons = ready.filter((index) => choices!.targets[index]!.cells.length === 0);
  const places = ready.length - buttons.length;
  const hint =
    !choices || busy || picked.cards.length === 0
      ? ""
      : ready.length === 0
        ? t.chooseMore
        : buttons.length > 1 && places === 0
          ? t.chooseTarget
          : "";
  return (
    <div
      class={`action-bar ${decision ? "action-bar-open" : ""}`}
      data-busy={busy}
      data-decision={decision?.id}
    >
      <p class="question" role="status">
        {busy ? t.sent : decision ? <strong>{t.yourTurn}</strong> : waitingText}
        {!busy && question && (
          <span>
            {" "}
            <Rich text={question} names={controls.names} own={controls.seat} />
          </span>
        )}
      </p>
      <p class="notice" aria-live="polite">
        {notice || hint}
      </p>
      <div class="moves">
        {buttons.length <= MAX_BUTTONS &&
          buttons.map((index) => (
            <MoveButton key={index} controls={controls} index={index} primary={picked.cards.length > 0} />
          ))}
        {skip && (
          <button type="button" class="button button-quiet" onClick={skip}>
            {t.skip}
          </button>
        )}
      </div>
      {decision && choices && <AllMoves controls={controls} />}
    </div>
  );
}

/** Every legal move as a line of text: what a keyboard or a screen reader needs for any game. */
function AllMoves({ controls }: { controls: BoardControls }) {
  const { decision, t } = controls;
  const count = decision!.legalCount;
  return (
    <details class="all-moves" key={decision!.id}>
      <summary>{t.allMoves(count)}</summary>
      <ol>
        {Array.from({ length: count }, (_, index) => (
          <li key={index}>
            <MoveButton controls={controls} index={index} primary={false} />
          </li>
        ))}
      </ol>
    </details>
  );
}
