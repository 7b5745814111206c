// The drawings of card faces, one for each kind of card. A face fills a box of 100 by 140.

import type { JSX } from "preact";
import type { CardFace } from "../api";
import { suitStyle } from "./suits";

/** The number at the end of a face's id, such as 7 of `blue-7` and of `7`; undefined without one. */
export function faceNumber(face: CardFace): number | undefined {
  const match = /(?:^|-)(\d+)$/.exec(face.id);
  return match ? Number(match[1]) : undefined;
}

/** The stars on a card of Habe fertig: 6 has four, 5 and 7 three, and so on. */
export function stars(number: number): number {
  return [0, 0, 1, 2, 2, 3, 4, 3, 2, 2, 1, 0][number] ?? 0;
}

const STAR = "M0 -5L1.5 -1.6L5 -1.5L2.3 .9L3.1 4.5L0 2.5L-3.1 4.5L-2.3 .9L-5 -1.5L-1.5 -1.6z";

/** Both corners: what is drawn at the upper left stands at the lower right, upside down, too. */
function Corners({ children }: { children: JSX.Element }) {
  return (
    <>
      {children}
      <g transform="rotate(180 50 70)">{children}</g>
    </>
  );
}

function fontSize(label: string, large: number): number {
  return label.length <= 2 ? large : Math.min(large, (large * 2.6) / label.length);
}

/** A numbered card of a suit: the suit's shape with the number in it, and both in the corners. */
function SuitFace({ face, starred }: { face: CardFace; starred: boolean }) {
  const style = suitStyle(face.suit!.id);
  const number = faceNumber(face);
  const label = number === undefined ? face.shortLabel : String(number);
  const count = starred && number !== undefined ? stars(number) : 0;
  return (
    <g class={`suit-${style.colour}`}>
      <rect class="face-tint" x="7" y="7" width="86" height="126" rx="7" />
      <Corners>
        <>
          <text class="face-ink" x="18" y="27" font-size={fontSize(label, 19)}>
            {label}
          </text>
          <path class="face-fill" d={style.shape} transform="translate(18 38) scale(.13)" />
        </>
      </Corners>
      <path class="face-fill face-shape" d={style.shape} transform="translate(50 70) scale(.62)" />
      <text
        class="face-on-fill"
        x="50"
        y={style.shape.startsWith("M0 -44") ? 84 : 82}
        font-size={fontSize(label, 34)}
      >
        {label}
      </text>
      {count > 0 && (
        <g class="face-stars" transform={`translate(${50 - (count - 1) * 6} 118)`}>
          {Array.from({ length: count }, (_, i) => (
            <path key={i} d={STAR} transform={`translate(${i * 12} 0)`} />
          ))}
        </g>
      )}
    </g>
  );
}

const DROP = "M0 -16C6 -7 10 -2 10 4A10 10 0 0 1 -10 4C-10 -2 -6 -7 0 -16z";
const CLOUD = "M-26 14A12 12 0 0 1 -24 -10A17 17 0 0 1 8 -16A13 13 0 0 1 26 -4A9.5 9.5 0 0 1 23 14z";
const BOLT = "M4 -20L-12 4L-2 4L-6 22L12 -4L2 -4L8 -20z";

function Sun({ rays }: { rays: number }) {
  return (
    <g class="face-fill">
      <circle r="14" />
      {Array.from({ length: rays }, (_, i) => (
        <path key={i} d="M-2.4 -19L2.4 -19L0 -27z" transform={`rotate(${(360 / rays) * i})`} />
      ))}
    </g>
  );
}

/** A card of Five Three Five: rain to 5, clouds to 9, with lightning on the 8 that flushes, and sun from 11. */
function WeatherFace({ rank }: { rank: number }) {
  const weather = rank <= 5 ? "rain" : rank <= 9 ? "cloud" : "sun";
  return (
    <g class={`suit-${weather}`}>
      <rect class="face-tint" x="7" y="7" width="86" height="126" rx="7" />
      <Corners>
        <text class="face-ink" x="20" y="28" font-size="20">
          {rank}
        </text>
      </Corners>
      <text class="face-ink face-shape" x="50" y="76" font-size="50">
        {rank}
      </text>
      <g transform="translate(50 101)">
        {weather === "rain" &&
          Array.from({ length: rank }, (_, i) => (
            <path
              key={i}
              class="face-fill"
              d={DROP}
              transform={`translate(${(i - (rank - 1) / 2) * 11} ${i % 2 ? 4 : -2}) scale(.5)`}
            />
          ))}
        {weather === "cloud" && <path class="face-fill" d={CLOUD} transform="scale(.8)" />}
        {rank === 8 && <path class="face-bolt" d={BOLT} transform="translate(0 8) scale(.72)" />}
        {weather === "sun" && (
          <g transform="scale(.72)">
            <Sun rays={rank - 3} />
          </g>
        )}
      </g>
    </g>
  );
}

/** The pips of a value, on a grid of three columns. */
const PIPS: Readonly<Record<number, readonly (readonly [number, number])[]>> = (() => {
  const rows = (counts: readonly number[]) =>
    counts.flatMap((count, row) => {
      const y = counts.length === 1 ? 0 : -24 + (48 / (counts.length - 1)) * row;
      const xs = count === 1 ? [0] : count === 2 ? [-20, 20] : [-22, 0, 22];
      return xs.map((x) => [x, y] as const);
    });
  return {
    2: rows([1, 1]),
    3: rows([1, 1, 1]),
    4: rows([2, 2]),
    5: rows([2, 1, 2]),
    6: rows([2, 2, 2]),
    7: rows([2, 3, 2]),
    8: rows([3, 2, 3]),
    9: rows([3, 3, 3]),
    10: rows([3, 2, 2, 3]),
  };
})();

/** A segment of No Dice, in a square from (-50, -50) to (50, 50): its number on a tile of its colour, with its pips. */
export function SegmentFace({ value }: { value: string }) {
  const pips = PIPS[Number(value)];
  return (
    <g class={`segment segment-${pips ? value : "other"}`}>
      <rect class="segment-tile" x="-46" y="-46" width="92" height="92" rx="12" />
      {pips?.map(([x, y], i) => (
        <circle key={i} class="segment-pip" cx={x * 1.5} cy={y * 1.45} r="5.5" />
      ))}
      <circle class="segment-disc" r={value.length > 2 ? 34 : value.length > 1 ? 28 : 25} />
      <text
        class="segment-value"
        y={value.length > 1 ? 11.5 : 12.5}
        font-size={value.length > 1 ? fontSize(value, 32) : 36}
      >
        {value}
      </text>
    </g>
  );
}

const ACTION_SIGNS: Readonly<Record<string, string>> = {
  switch: "M-26 -12H14M4 -24L18 -12L4 0M26 14H-14M-4 2L-18 14L-4 26",
  pass: "M-24 -20L-2 0L-24 20M0 -20L22 0L0 20M28 -20V20",
  swap: "M-16 -22V16M-28 4L-16 18L-4 4M16 22V-16M4 -4L16 -18L28 -4",
};

/** An action card of No Dice. */
function ActionFace({ face }: { face: CardFace }) {
  const sign = ACTION_SIGNS[face.id];
  return (
    <g class="suit-action">
      <rect class="face-fill" x="7" y="7" width="86" height="126" rx="7" />
      <text class="face-on-fill" x="50" y="36" font-size={fontSize(face.shortLabel, 26)}>
        {face.shortLabel}
      </text>
      <g transform="translate(50 84) scale(1.05)">
        {sign ? (
          <path class="face-sign" d={sign} />
        ) : (
          <text class="face-on-fill" y="17" font-size="52">
            ×2
          </text>
        )}
      </g>
    </g>
  );
}

/** A card whose game the page does not know: its label, as large as it can be. */
function PlainFace({ face }: { face: CardFace }) {
  return (
    <g class="suit-plain">
      <rect class="face-tint" x="7" y="7" width="86" height="126" rx="7" />
      <Corners>
        <text class="face-ink" x="20" y="27" font-size={fontSize(face.shortLabel, 17)}>
          {face.shortLabel}
        </text>
      </Corners>
      <text class="face-ink face-shape" x="50" y="84" font-size={fontSize(face.shortLabel, 44)}>
        {face.shortLabel}
      </text>
    </g>
  );
}

/** The drawing of a face. */
export function Face({ game, face }: { game: string; face: CardFace }) {
  if (face.suit) return <SuitFace face={face} starred={game === "habe_fertig"} />;
  if (game === "five_three_five" && faceNumber(face) !== undefined)
    return <WeatherFace rank={faceNumber(face)!} />;
  if (game === "no_dice") {
    const segments = face.id.split("|");
    if (segments.length !== 2) return <ActionFace face={face} />;
    return (
      <>
        {segments.map((value, i) => (
          <g key={i} transform={`translate(50 ${i === 0 ? 38 : 102}) scale(.6)`}>
            <SegmentFace value={value} />
          </g>
        ))}
      </>
    );
  }
  return <PlainFace face={face} />;
}
