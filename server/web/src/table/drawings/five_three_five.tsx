// Five Three Five: the field with the kind of its stack, and who has passed on it.

import type { Zone } from "../../api";
import type { Strings } from "../../i18n";
import { type BoardControls, Stock } from "../controls";
import { DiscardZone, RowZone } from "../Zones";
import type { Drawing } from ".";

/** What the stack is; undefined for a free field. */
export function fieldKind(stack: Zone): "single" | "set" | "run" | undefined {
  const ids = stack.cards.map((card) => card.face!.id);
  if (ids.length === 0) return undefined;
  if (ids.length === 1) return "single";
  return ids.every((id) => id === ids[0]) ? "set" : "run";
}

function Centre({ controls }: { controls: BoardControls }) {
  const { t } = controls;
  const stack = controls.zone("stack");
  const gone = controls.zone("gone");
  const kind = stack && fieldKind(stack);
  return (
    <div class="centre">
      {stack && (
        <div class={`field field-${kind ?? "free"}`}>
          <RowZone controls={controls} zone={stack} />
          <p class="field-kind">
            {kind ? t.fieldKinds[kind] : t.fieldEmpty}
            {kind && kind !== "single" && ` · ${t.cards(stack.cards.length)}`}
          </p>
        </div>
      )}
      <div class="centre-side">
        {controls.board.zones
          .filter((zone) => ["aside", "kept-back"].includes(zone.zoneId) && zone.unknownCards > 0)
          .map((zone) => (
            <Stock key={zone.zoneId} controls={controls} zone={zone} />
          ))}
        {gone && <DiscardZone controls={controls} zone={gone} />}
      </div>
    </div>
  );
}

export function fiveThreeFive(t: Strings): Drawing {
  return {
    Centre,
    whyNot: (_board, _zone, face, picked) =>
      `${face.longLabel}: ${picked.cards.length > 0 ? t.noCombination : t.beatNothing}`,
  };
}
