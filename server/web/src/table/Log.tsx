// What happened, the newest last, with a mark where the own last move was.

import { useEffect, useRef } from "preact/hooks";
import { useStrings } from "../i18n";
import { Rich, type SeatNames } from "../ui/Rich";
import type { LogEntry } from "./state";

export function Log({
  entries,
  since,
  names,
  own,
}: {
  entries: readonly LogEntry[];
  since: number;
  names: SeatNames;
  own: number | undefined;
}) {
  const t = useStrings();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    if (current) current.scrollTop = current.scrollHeight;
  }, [entries.length]);
  const last = entries.findLastIndex((entry) => entry.number <= since);
  const hasMoved = own !== undefined && entries.some((entry) => entry.own);
  return (
    <div ref={element} class="log" role="log" aria-live="polite" aria-label={t.whatHappened} tabIndex={0}>
      {entries.length === 0 && <p class="muted">{t.logEmpty}</p>}
      <ol>
        {entries.map((entry, index) => (
          <li key={entry.number} class={index > last ? "log-new" : entry.own ? "log-own" : ""}>
            {hasMoved && index === last + 1 && <span class="log-since">{t.sinceYourMove}</span>}
            {entry.seated.map((seat) => (
              <p key={seat}>
                <b>{seat === own ? t.youCapital : names(seat)}</b> {seat === own ? t.youSitDown : t.sitsDown}
              </p>
            ))}
            {entry.texts.map((text, line) => (
              <p key={line}>
                <Rich text={text} names={names} own={own} />
              </p>
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}
