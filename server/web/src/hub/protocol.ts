// What tabs and the hub say to each other. The hub holds the one stream of all tabs, in a SharedWorker or in a leading tab.

import type {
  Board,
  DecisionTexts,
  LanguageCode,
  Presence,
  ResultTexts,
  Snapshot,
  Table,
  TableResult,
  TimeLeft,
  Update,
} from "../api";

/** Somebody who looks at a table. */
export type ViewerRef =
  | { readonly kind: "seat"; readonly token: string; readonly entropy: Uint8Array | undefined }
  | { readonly kind: "spectator"; readonly tableId: string }
  | { readonly kind: "invited"; readonly spectatorToken: string };

/** A decision that is open, as a plain object. */
export interface OpenDecision {
  readonly id: number;
  readonly after: number;
  readonly legalCount: number;
  readonly defaultIndex: number;
  readonly hidden: boolean;
  readonly texts: DecisionTexts | undefined;
  readonly board: Board | undefined;
}

/** Where the connection of a viewer stands. */
export type ViewerState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  | { readonly kind: "reconnecting" }
  | { readonly kind: "over" }
  | { readonly kind: "ended"; readonly reason: string; readonly text: { en: string; de: string } };

/** Something that reaches a viewer. `at` is when it did, in milliseconds since 1970. */
export type ViewerEvent =
  | { readonly kind: "snapshot"; readonly snapshot: Snapshot; readonly at: number }
  | { readonly kind: "update"; readonly update: Update }
  | { readonly kind: "decision"; readonly decision: OpenDecision }
  | { readonly kind: "presence"; readonly presence: Presence }
  | { readonly kind: "timeLeft"; readonly timeLeft: TimeLeft; readonly at: number }
  | { readonly kind: "state"; readonly state: ViewerState };

/** All that the hub knows of a viewer: what a tab gets that comes later than others. */
export interface ViewerHistory {
  readonly events: readonly ViewerEvent[];
}

/** What became of a move. */
export type ChooseResult =
  | { readonly kind: "accepted" }
  | { readonly kind: "conflict" }
  | { readonly kind: "refused"; readonly text: { en: string; de: string } }
  | { readonly kind: "gone" };

/** How a seat is to be taken. */
export interface JoinRequest {
  readonly to: { readonly tableId: string } | { readonly invite: string };
  /** Makes a repeat harmless: the request is sent again when another hub takes over. */
  readonly requestId: string;
  readonly displayName: string;
  readonly entropy: Uint8Array;
  readonly lang: LanguageCode;
  readonly previousToken?: string;
}

/** A seat that was taken. */
export interface JoinedSeat {
  readonly token: string;
  readonly tableId: string;
  readonly seat: number;
  readonly table: Table;
}

/** An error, as it goes between tabs. */
export interface PlainError {
  readonly reason: string;
  readonly text: { en: string; de: string };
}

/** What a tab says to the hub. */
export type ToHub =
  | {
      readonly kind: "subscribe";
      readonly subscription: string;
      readonly viewer: ViewerRef;
      readonly lang: LanguageCode;
    }
  | { readonly kind: "unsubscribe"; readonly subscription: string }
  | { readonly kind: "join"; readonly call: number; readonly request: JoinRequest }
  | {
      readonly kind: "choose";
      readonly call: number;
      readonly viewer: ViewerRef;
      readonly lang: LanguageCode;
      readonly decision: number;
      readonly index: number;
    }
  | { readonly kind: "alive" }
  | { readonly kind: "bye" };

/** What the hub says to a tab. */
export type FromHub =
  | { readonly kind: "history"; readonly subscription: string; readonly history: ViewerHistory }
  | { readonly kind: "event"; readonly subscription: string; readonly event: ViewerEvent }
  | {
      readonly kind: "joined";
      readonly call: number;
      readonly joined?: JoinedSeat;
      readonly error?: PlainError;
    }
  | { readonly kind: "chosen"; readonly call: number; readonly result: ChooseResult };

/** How often a tab says that it is there, and after how long without a word the hub drops it: browsers let hidden tabs run once a minute. */
export const ALIVE_EVERY_MS = 20_000;
export const DROPPED_AFTER_MS = 150_000;

/** The key of a viewer: equal for the same viewer in the same language. */
export function viewerKey(viewer: ViewerRef, lang: LanguageCode): string {
  switch (viewer.kind) {
    case "seat":
      return `seat ${viewer.token} ${lang}`;
    case "spectator":
      return `spectator ${viewer.tableId} ${lang}`;
    case "invited":
      return `invited ${viewer.spectatorToken} ${lang}`;
  }
}

export type { ResultTexts, TableResult };
