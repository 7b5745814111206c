// Texts of the server, with names of players and small cards in them.

import { type CardFace, type RichText } from "../api";
import { suitStyle } from "../cards/suits";

/** How a seat is called. */
export type SeatNames = (seat: number) => string | undefined;

/** A card in a line of text: its label beside its suit's shape. */
export function InlineCard({ face, text }: { face: CardFace; text: string }) {
  if (!face.suit) return <span class="inline-card">{text}</span>;
  const style = suitStyle(face.suit.id);
  return (
    <span class={`inline-card suit-${style.colour}`}>
      <svg viewBox="-50 -50 100 100" aria-hidden="true">
        <path class="face-fill" d={style.shape} />
      </svg>
      {text}
    </span>
  );
}

/** A text with the names of players in the place of seats. `own` keeps its wording: it addresses the reader. */
export function Rich({ text, names, own }: { text: RichText; names: SeatNames; own?: number | undefined }) {
  return (
    <>
      {text.parts.map((part, index) => {
        const { subject } = part;
        if (subject.case === "seat" && subject.value !== own)
          return <b key={index}>{names(subject.value) ?? part.text}</b>;
        if (subject.case === "card") return <InlineCard key={index} face={subject.value} text={part.text} />;
        return part.text;
      })}
    </>
  );
}

/** The same as plain text. */
export function richToString(text: RichText, names: SeatNames, own?: number): string {
  return text.parts
    .map((part) =>
      part.subject.case === "seat" && part.subject.value !== own
        ? (names(part.subject.value) ?? part.text)
        : part.text,
    )
    .join("");
}
