// A card, face up or face down, as an SVG drawing.

import type { CardFace } from "../api";
import { Face } from "./faces";

/** A card face up. It is a picture: give it a name where it stands alone, and none inside a button that has one. */
export function CardPicture({ game, face, name }: { game: string; face: CardFace; name?: string }) {
  return (
    <svg
      class="card-picture"
      viewBox="0 0 100 140"
      {...(name ? { role: "img", "aria-label": name } : { "aria-hidden": "true" })}
    >
      <rect class="card-paper" x="1" y="1" width="98" height="138" rx="11" />
      <Face game={game} face={face} />
    </svg>
  );
}

/** The back of a card. */
export function CardBack() {
  return (
    <svg class="card-picture" viewBox="0 0 100 140" aria-hidden="true">
      <rect class="card-paper" x="1" y="1" width="98" height="138" rx="11" />
      <rect class="card-back" x="7" y="7" width="86" height="126" rx="7" />
      <g class="card-back-lines">
        <path d="M50 22L78 70L50 118L22 70z" />
        <path d="M50 40L67 70L50 100L33 70z" />
        <circle cx="50" cy="70" r="7" />
      </g>
    </svg>
  );
}
