/** What Node and browsers share of the public API. */
export {
  AgentRunner,
  type AgentEnd,
  type AgentEvent,
  type AgentSettings,
  type Bot,
  type Decide,
  type MakeBot,
} from "./agent.js";
export type { Calls } from "./calls.js";
export { Decision, type Choice } from "./decision.js";
export {
  ParlorError,
  type ClientReason,
  type LocalisedText,
  type Reason,
  type ServerReason,
} from "./error.js";
export type { NewTable, SeatSpec } from "./new_table.js";
export {
  Parlor,
  type ConnectOptions,
  type JoinOptions,
  type RecordOptions,
  type TableFilter,
  type TableRef,
} from "./client.js";
export { Seat, Spectator, TableViewer, type SeatEvent, type SeatState, type Unsubscribe } from "./seat.js";
export type { ConnectionState } from "./session/session.js";
export type { AnswerResult } from "./session/subscription.js";
export { plain, toDate } from "./texts.js";
export type { LanguageCode, Wants } from "./wants.js";
