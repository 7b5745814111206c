// Suits: each has a colour and a shape of its own, so that no card is told by its colour alone.

/** How a suit is drawn. */
export interface SuitStyle {
  /** Suffix of the CSS classes that colour it, such as `red` in `suit-red`. */
  readonly colour: string;
  /** Path of its shape, in a square from (-50, -50) to (50, 50). */
  readonly shape: string;
}

const CIRCLE = "M-44 0a44 44 0 1 0 88 0a44 44 0 1 0 -88 0z";
const TRIANGLE = "M0 -44L46 38L-46 38z";
const DIAMOND = "M0 -50L44 0L0 50L-44 0z";
const HEART = "M0 44C-66 -2 -50 -44 -24 -44C-10 -44 -3 -35 0 -26C3 -35 10 -44 24 -44C50 -44 66 -2 0 44z";
const HEXAGON = "M-24 -43L24 -43L48 0L24 43L-24 43L-48 0z";
const SQUARE = "M-39 -39L39 -39L39 39L-39 39z";
const CROSS = "M-17 -46L17 -46L17 -17L46 -17L46 17L17 17L17 46L-17 46L-17 17L-46 17L-46 -17L-17 -17z";

const STYLES: Readonly<Record<string, SuitStyle>> = {
  blue: { colour: "blue", shape: CIRCLE },
  green: { colour: "green", shape: TRIANGLE },
  yellow: { colour: "yellow", shape: DIAMOND },
  pink: { colour: "pink", shape: HEART },
  purple: { colour: "purple", shape: HEXAGON },
  red: { colour: "red", shape: SQUARE },
  grey: { colour: "grey", shape: CROSS },
};

/** Colours for suits that the page does not know, in the order of their hash. */
const OTHERS = Object.values(STYLES);

/** The drawing of a suit. A suit that the page does not know gets one by its id, always the same. */
export function suitStyle(id: string): SuitStyle {
  const known = STYLES[id];
  if (known) return known;
  let hash = 0;
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return OTHERS[hash % OTHERS.length]!;
}
