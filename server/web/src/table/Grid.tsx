// Cards on a grid, with pan and zoom. A place is shown before it is confirmed, and the places that score best come first.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BoardCell, Zone } from "../api";
import { SegmentFace } from "../cards/faces";
import { Icon } from "../ui/Icon";
import type { BoardControls } from "./controls";

/** The part of the plane that is shown. */
interface Window {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a place is worth, for a game in which places score. */
export type CellScore = (zone: Zone, cells: readonly BoardCell[]) => number;

const MIN_SPAN = 8;

function bounds(cells: readonly BoardCell[]): Window {
  if (cells.length === 0) return { x: -5, y: -4, width: 12, height: 8 };
  const x = Math.min(...cells.map((cell) => cell.x));
  const y = Math.min(...cells.map((cell) => cell.y));
  const right = Math.max(...cells.map((cell) => cell.x + cell.size));
  const bottom = Math.max(...cells.map((cell) => cell.y + cell.size));
  return { x, y, width: right - x, height: bottom - y };
}

/** The window grown to a margin and to the shape of the screen. */
function fitted(box: Window, aspect: number): Window {
  let width = Math.max(box.width + 3, MIN_SPAN);
  let height = Math.max(box.height + 3, MIN_SPAN / 1.4);
  if (width / height < aspect) width = height * aspect;
  else height = width / aspect;
  return { x: box.x + box.width / 2 - width / 2, y: box.y + box.height / 2 - height / 2, width, height };
}

/** A card on the grid: its cells, joined, each with its label. */
function GridCard({
  cells,
  class: name,
  title,
  isNew = false,
}: {
  cells: readonly BoardCell[];
  class: string;
  title?: string;
  isNew?: boolean;
}) {
  const { x, y, width, height } = bounds(cells);
  return (
    <g class={name} {...(title ? { role: "img", "aria-label": title } : {})}>
      <rect
        class="grid-paper"
        x={x + 0.04}
        y={y + 0.04}
        width={width - 0.08}
        height={height - 0.08}
        rx=".28"
      />
      {cells.map((cell, index) => (
        <g
          key={index}
          transform={`translate(${cell.x + cell.size / 2} ${cell.y + cell.size / 2}) scale(${cell.size / 104})`}
        >
          <SegmentFace value={cell.label} />
        </g>
      ))}
      {isNew && <circle class="grid-new" cx={x + width - 0.3} cy={y + 0.1} r=".26" />}
    </g>
  );
}

export function Grid({ controls, zone, score }: { controls: BoardControls; zone: Zone; score?: CellScore }) {
  const { t, choices, picked, ready, busy } = controls;
  const svg = useRef<SVGSVGElement>(null);
  const [aspect, setAspect] = useState(1.6);
  const [view, setView] = useState<Window>();

  // The places of the card that is picked, the best first.
  const places = useMemo(() => {
    if (!choices || busy || picked.cards.length === 0) return [];
    const found = ready
      .filter((index) => choices.targets[index]!.cells.length > 0)
      .map((index) => ({
        index,
        cells: choices.targets[index]!.cells,
        score: score?.(zone, choices.targets[index]!.cells),
      }));
    return found.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  }, [choices, picked, ready, busy, zone]);
  // Other places begin with the best one, from their first drawing on.
  const [turned, setTurned] = useState<{ places: typeof places; place: number }>({ places, place: 0 });
  const place = turned.places === places ? turned.place : 0;
  const setPlace = (place: number) => setTurned({ places, place });
  const chosen = places[place];

  useLayoutEffect(() => {
    const element = svg.current!;
    const measure = () =>
      element.clientHeight > 0 &&
      element.clientWidth > 0 &&
      setAspect(element.clientWidth / element.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const spots = useMemo(() => {
    const unique = new Map<string, BoardCell>();
    for (const { cells } of places) for (const cell of cells) unique.set(`${cell.x} ${cell.y}`, cell);
    return [...unique.values()];
  }, [places]);

  // With all places in sight, the table stays where it is while one goes through them.
  const all = [...zone.cards.flatMap((card) => card.cells), ...spots];
  const shown = view ?? fitted(bounds(all), aspect);
  // A place out of sight is brought into sight.
  const inSight = (cell: BoardCell) =>
    cell.x >= shown.x &&
    cell.y >= shown.y &&
    cell.x + cell.size <= shown.x + shown.width &&
    cell.y + cell.size <= shown.y + shown.height;
  useEffect(() => {
    if (view && chosen && !chosen.cells.every(inSight)) setView(undefined);
  }, [chosen]);
  useEffect(() => setView(undefined), [zone.cards.length]);

  const zoom = (factor: number, centre?: { x: number; y: number }) => {
    const at = centre ?? { x: shown.x + shown.width / 2, y: shown.y + shown.height / 2 };
    const width = Math.min(Math.max(shown.width * factor, 6), 240);
    const height = width / aspect;
    const share = width / shown.width;
    setView({ x: at.x - (at.x - shown.x) * share, y: at.y - (at.y - shown.y) * share, width, height });
  };
  const toPlane = (clientX: number, clientY: number) => {
    const rect = svg.current!.getBoundingClientRect();
    return {
      x: shown.x + ((clientX - rect.left) / rect.width) * shown.width,
      y: shown.y + ((clientY - rect.top) / rect.height) * shown.height,
    };
  };

  // The wheel zooms. The listener is not passive, so that the page stays where it is.
  const onWheel = useRef((_: WheelEvent) => {});
  onWheel.current = (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, toPlane(event.clientX, event.clientY));
  };
  useEffect(() => {
    const element = svg.current!;
    const listener = (event: WheelEvent) => onWheel.current(event);
    element.addEventListener("wheel", listener, { passive: false });
    return () => element.removeEventListener("wheel", listener);
  }, []);

  // One pointer pans, two zoom; a short press picks a place.
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const onPointerDown = (event: PointerEvent) => {
    if (pointers.current.size === 0) moved.current = 0;
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    svg.current!.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    moved.current += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved.current < 6) return;
    const scale = shown.width / svg.current!.clientWidth;
    if (pointers.current.size === 1) {
      setView({
        ...shown,
        x: shown.x - (now.x - before.x) * scale,
        y: shown.y - (now.y - before.y) * scale,
      });
    } else {
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)![1];
      const [was, is] = [
        Math.hypot(before.x - other.x, before.y - other.y),
        Math.hypot(now.x - other.x, now.y - other.y),
      ];
      if (is > 0) zoom(was / is, toPlane((now.x + other.x) / 2, (now.y + other.y) / 2));
    }
    pointers.current.set(event.pointerId, now);
  };
  const onPointerUp = (event: PointerEvent) => {
    if (
      !pointers.current.delete(event.pointerId) ||
      moved.current >= 6 ||
      event.type !== "pointerup" ||
      places.length === 0
    )
      return;
    const { x, y } = toPlane(event.clientX, event.clientY);
    const here = places.flatMap(({ cells }, index) =>
      cells.some((cell) => x >= cell.x && x <= cell.x + cell.size && y >= cell.y && y <= cell.y + cell.size)
        ? [index]
        : [],
    );
    if (here.length === 0) return;
    setPlace(here[(here.indexOf(place) + 1) % here.length]!);
  };

  const freshFrom = controls.seat === undefined ? zone.cards.length : 0;

  return (
    <section class="grid-zone" data-zone={zone.zoneId} aria-label={zone.label}>
      <div class="grid-frame">
        <svg
          ref={svg}
          class="grid-plane"
          viewBox={`${shown.x} ${shown.y} ${shown.width} ${shown.height}`}
          preserveAspectRatio="xMidYMid meet"
          role="group"
          aria-label={`${zone.label}: ${t.cards(zone.cards.length)}`}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp}
        >
          {zone.cards.map((card, index) => {
            const isNew = index >= freshFrom && controls.fresh(zone.zoneId, card.face!.id) > 0;
            const { longLabel } = card.face!;
            return (
              <GridCard
                key={index}
                cells={card.cells}
                class={`grid-card ${isNew ? "grid-card-new" : ""}`}
                title={isNew ? `${longLabel}, ${t.newCard}` : longLabel}
                isNew={isNew}
              />
            );
          })}
          <g class="grid-spots">
            {spots.map((cell) => (
              <rect
                key={`${cell.x} ${cell.y}`}
                x={cell.x + 0.06}
                y={cell.y + 0.06}
                width={cell.size - 0.12}
                height={cell.size - 0.12}
                rx=".3"
              />
            ))}
          </g>
          {chosen && <GridCard cells={chosen.cells} class="grid-card grid-card-chosen" />}
        </svg>
        <div class="grid-tools">
          <button type="button" class="icon-button" aria-label={t.zoomIn} onClick={() => zoom(1 / 1.3)}>
            <Icon name="plus" />
          </button>
          <button type="button" class="icon-button" aria-label={t.zoomOut} onClick={() => zoom(1.3)}>
            <Icon name="minus" />
          </button>
          <button type="button" class="icon-button" aria-label={t.fit} onClick={() => setView(undefined)}>
            <Icon name="fit" />
          </button>
        </div>
      </div>
      {chosen && (
        <div class="grid-places" role="group" aria-label={t.placements(places.length)}>
          <button
            type="button"
            class="icon-button"
            aria-label={t.previousPlace}
            onClick={() => setPlace((place + places.length - 1) % places.length)}
          >
            <Icon name="previous" />
          </button>
          <span aria-live="polite">
            {t.placeOf(places.indexOf(chosen) + 1, places.length)}
            {chosen.score !== undefined && <small> · {t.scores(chosen.score)}</small>}
          </span>
          <button
            type="button"
            class="icon-button"
            aria-label={t.nextPlace}
            onClick={() => setPlace((place + 1) % places.length)}
          >
            <Icon name="next" />
          </button>
          <button type="button" class="button button-primary" onClick={() => controls.play(chosen.index)}>
            {t.layHere}
          </button>
        </div>
      )}
    </section>
  );
}
