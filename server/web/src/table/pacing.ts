// Pacing: moves of others are shown one after another, so that a person can follow. What is due at once is not held back.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LanguageCode } from "../api";
import { hub } from "../hub/client";
import { type ViewerEvent, type ViewerRef, viewerKey } from "../hub/protocol";
import { settings } from "../settings";
import { apply, EMPTY_VIEW, type TableView } from "./state";

/** A viewer's table, as it is shown. */
export interface PacedTable {
  /** What is shown now. */
  readonly view: TableView;
  /** How many updates wait to be shown. */
  readonly waiting: number;
  /** Shows all that waits at once. */
  skip(): void;
  /** Goes on after a round's summary. */
  goOn(): void;
}

/** More than so many updates are not played one by one: whoever comes back to a game is shown where it stands. */
const MAX_QUEUE = 60;

/** Whether a person needs a moment to see the event. */
function takesTime(event: ViewerEvent): boolean {
  return event.kind === "update" && event.update.decided === undefined && event.update.events.length > 0;
}

/** Holds events back until it is their time to be shown. */
export class Pacer {
  view = EMPTY_VIEW;
  readonly #queue: ViewerEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shownAt = 0;
  #held = false;
  /** Whether nothing is held back before the own turn. */
  #skipping = false;

  constructor(readonly onChange: () => void) {}

  get waiting(): number {
    return this.#queue.filter(takesTime).length;
  }

  reset(events: readonly ViewerEvent[]): void {
    this.#queue.length = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#held = false;
    // What lies in the past needs no summary any more.
    const known = this.view.number;
    const view = events.reduce(apply, EMPTY_VIEW);
    this.view = {
      ...view,
      summary: view.summary && view.summary.number > known && known > 0 ? view.summary : undefined,
    };
    this.onChange();
  }

  push(event: ViewerEvent): void {
    // How the connection stands is shown at once.
    if (event.kind === "state") this.#show(event);
    else this.#queue.push(event);
    if (this.waiting > MAX_QUEUE) this.#showAll();
    else this.#run();
    this.onChange();
  }

  skip(): void {
    this.#skipping = true;
    this.#showAll();
    this.onChange();
  }

  #showAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#held = false;
    for (const event of this.#queue.splice(0)) this.#show(event);
    this.view = { ...this.view, summary: undefined };
  }

  #show(event: ViewerEvent): void {
    this.view = apply(this.view, event);
    if (event.kind === "decision") this.#skipping = false;
    if (event.kind === "update" && event.update.events.length > 0) this.#shownAt = Date.now();
  }

  goOn(): void {
    this.#held = false;
    this.view = { ...this.view, summary: undefined };
    this.#run();
    this.onChange();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    if (this.#timer !== undefined || this.#held) return;
    while (this.#queue.length > 0) {
      const event = this.#queue[0]!;
      const wait =
        takesTime(event) && this.view.number > 0 && !this.#skipping
          ? this.#shownAt + settings().paceMs - Date.now()
          : 0;
      if (wait > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.#run();
          this.onChange();
        }, wait);
        break;
      }
      this.#queue.shift();
      this.#show(event);
      if (this.view.summary && event.kind === "update" && this.view.summary.number === event.update.number) {
        // Its own end is shown with the result.
        if (this.view.result) this.view = { ...this.view, summary: undefined };
        else {
          this.#held = true;
          break;
        }
      }
    }
  }
}

/** Follows a table as a viewer. */
export function usePacedTable(viewer: ViewerRef | undefined, lang: LanguageCode): PacedTable {
  const [, redraw] = useState(0);
  const key = viewer && viewerKey(viewer, lang);
  const pacer = useRef<Pacer | undefined>(undefined);
  const current = (pacer.current ??= new Pacer(() => redraw((count) => count + 1)));
  useEffect(() => {
    if (!viewer) return;
    const unsubscribe = hub.subscribe(viewer, lang, {
      history: ({ events }) => current.reset(events),
      event: (event) => current.push(event),
    });
    return () => {
      unsubscribe();
      current.stop();
    };
  }, [key]);
  return useMemo(
    () => ({
      view: current.view,
      waiting: current.waiting,
      skip: () => current.skip(),
      goOn: () => current.goOn(),
    }),
    [current.view, current.waiting],
  );
}
