// What the page uses of the SDK, in one place.

import { connect, type Parlor } from "@parlor/sdk";

export { ParlorError, toDate } from "@parlor/sdk";
export type { LanguageCode, NewTable, Parlor } from "@parlor/sdk";
export {
  AgentState,
  DecidedBy,
  EndReason,
  Language,
  RecordSchema,
  SeatFinish,
  SequentialDecision,
  TableState,
  toBinary,
  TournamentState,
  Visibility,
  ZoneKind,
} from "@parlor/sdk/wire";
export type {
  ActionTargets,
  Agent,
  Board,
  BoardCard,
  BoardCell,
  BoardSeat,
  CardFace,
  CrossCell,
  DecisionTexts,
  EnumTexts,
  GameInfo,
  HouseBotInfo,
  GameEvent as GameEventLike,
  Interval,
  OptionInfo,
  Presence,
  Record as GameRecord,
  ReplayStep,
  ResultTexts,
  RichText,
  SeatResult,
  Snapshot,
  Standings,
  StandingsRow,
  Table,
  TableResult,
  TableSeat,
  TextPart,
  TimeLeft,
  Tournament,
  TournamentTable,
  Update,
  Zone,
} from "@parlor/sdk/wire";

/** The client of this tab, for single calls. Seats and spectators are shared by all tabs: see hub/client.ts. */
export const parlor: Parlor = connect(location.origin);

/** A client for the owner of one table, by the token that a guest got with it. */
export const newOwner = (token: string): Parlor => connect(location.origin, { apiKey: token });

/** A client of its own, for a stream that ends when the client is closed. */
export const newClient = (): Parlor => connect(location.origin);
