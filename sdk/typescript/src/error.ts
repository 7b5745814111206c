/** ParlorError: the one error type of this package, with a reason for programs and a text for people. */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  AnswerStatus,
  ErrorDetailSchema,
  ErrorReason,
  type Answered,
  type ChannelClosed,
  type StreamEnding,
} from "./wire.js";

/** Reasons that arise in the client, each with its sentence for people, if nothing else is known. */
const CLIENT_REASONS = {
  /** The server cannot be reached, or the connection broke. */
  UNREACHABLE: {
    en: "the server cannot be reached: check the address, and that the server runs",
    de: "Der Server ist nicht erreichbar: bitte die Adresse prüfen und ob der Server läuft",
  },
  /** No reply within the deadline. */
  DEADLINE_EXCEEDED: {
    en: "the server did not answer in time: try again, or allow more time",
    de: "Der Server hat nicht rechtzeitig geantwortet: bitte noch einmal versuchen oder mehr Zeit geben",
  },
  /** The client, the seat or the agent was closed by this program. */
  CLOSED: { en: "the client was closed", de: "Der Client wurde geschlossen" },
  /** The arguments of a call cannot work. */
  SETTINGS: { en: "the settings are invalid", de: "Die Einstellungen sind ungültig" },
  /** The reply of the server is not understood. */
  UNKNOWN_REPLY: {
    en: "the reply of the server is not understood: is it a Parlor server, and not newer than this client?",
    de: "Die Antwort des Servers ist unverständlich: Ist es ein Parlor-Server, und nicht neuer als dieser Client?",
  },
  /** Permission denied by a proxy, without a reason. */
  FORBIDDEN: {
    en: "access is denied: check the API key, and any proxy in front of the server",
    de: "Der Zugriff ist verweigert: bitte den API-Schlüssel prüfen, und Proxys vor dem Server",
  },
  /** The server, or this platform, does not have the call. */
  UNSUPPORTED: {
    en: "the server does not know this call: is it a Parlor server, and as new as this client?",
    de: "Der Server kennt diesen Aufruf nicht: Ist es ein Parlor-Server, und so neu wie dieser Client?",
  },
  /** The bot or another function of the caller failed. */
  BOT: { en: "the bot failed", de: "Der Bot ist gescheitert" },
  /** Anything else without a reason, from the server or a proxy. */
  OTHER: { en: "the call failed", de: "Der Aufruf ist gescheitert" },
} as const;

/** A reason that the server gives: a value of `parlor.v1.ErrorReason`, which documents them. */
export type ServerReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;
/** A reason that arises in the client. */
export type ClientReason = keyof typeof CLIENT_REASONS;
/** Why something failed, for programs. */
export type Reason = ServerReason | ClientReason;

/** A text in both languages. */
export interface LocalisedText {
  readonly en: string;
  readonly de: string;
}

/** What an error carries beside its reason. */
interface ErrorParts {
  text?: LocalisedText | undefined;
  field?: string | undefined;
  rule?: string | undefined;
  retryMs?: number | undefined;
  metadata?: { readonly [key: string]: string } | undefined;
  cause?: unknown;
}

/** Reasons after which the same call may succeed later, unchanged. */
const TEMPORARY: ReadonlySet<Reason> = new Set<Reason>([
  "RATE_LIMITED",
  "TOO_SLOW",
  "STORE_UNAVAILABLE",
  "SERVER_STOPPING",
  "UNREACHABLE",
  "DEADLINE_EXCEEDED",
]);

/** Reasons after which a stream is not opened again: they would only recur. */
const ENDS_STREAM: ReadonlySet<Reason> = new Set<Reason>([
  "CREDENTIALS_MISSING",
  "KEY_INVALID",
  "TOKEN_INVALID",
  "TOKEN_EXPIRED",
  "SCOPE_MISSING",
  "NOT_OWNER",
  "INVALID_FIELD",
  "CURSOR_TOO_OLD",
  "CURSOR_AHEAD",
  "FORBIDDEN",
  "UNSUPPORTED",
  "GAME_NOT_FOUND",
  "TABLE_NOT_FOUND",
  "SEAT_NOT_FOUND",
  "TOURNAMENT_NOT_FOUND",
  "TABLE_DAMAGED",
  "AGENT_NAME_TAKEN",
  "AGENT_REPLACED",
  "CLOSED",
  "SETTINGS",
]);

/** Something failed: match on `reason`, show `text`. */
export class ParlorError extends Error {
  override readonly name = "ParlorError";
  /** For programs: a value of `parlor.v1.ErrorReason` without its prefix, or a reason of the client. */
  readonly reason: Reason;
  /** For people, in both languages; `message` is the English one. */
  readonly text: LocalisedText;
  /** Path of the wrong field of the request, such as `options.gap.rounds`. */
  readonly field: string | undefined;
  /** The rule of the game that an action breaks, such as `gap.lower`, for ILLEGAL_ACTION. */
  readonly rule: string | undefined;
  /** When to try again at the earliest, in milliseconds from the error on, if the server said so. */
  readonly retryMs: number | undefined;
  /** More for programs, as the reason has it: `scope`, `table_id`, `most`, ... */
  readonly metadata: { readonly [key: string]: string };

  constructor(reason: Reason, parts: ErrorParts = {}) {
    const text = parts.text ?? clientText(reason);
    super(text.en, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.reason = reason;
    this.text = text;
    this.field = parts.field;
    this.rule = parts.rule;
    this.retryMs = parts.retryMs;
    this.metadata = parts.metadata ?? {};
  }

  /** Whether the same call may succeed later, unchanged. The SDK has retried it already. */
  get temporary(): boolean {
    return TEMPORARY.has(this.reason);
  }

  /** The error of a failed call, whatever was thrown. */
  static from(thrown: unknown): ParlorError {
    if (thrown instanceof ParlorError) {
      return thrown;
    }
    const error = ConnectError.from(thrown);
    const detail = error.findDetails(ErrorDetailSchema)[0];
    if (!detail) {
      const reason = reasonFromCode(error);
      return new ParlorError(reason, { text: transportText(reason, error), cause: thrown });
    }
    return new ParlorError(serverReason(detail.reason) ?? "OTHER", {
      text: detail.text ?? { en: error.rawMessage, de: error.rawMessage },
      field: detail.field || undefined,
      retryMs: detail.retryMs,
      metadata: detail.metadata,
      cause: thrown,
    });
  }
}

/** An error that arises in the client, with a text of its own. */
export function clientError(
  reason: ClientReason | "ILLEGAL_ACTION" | "INVALID_FIELD",
  en: string,
  de: string,
  field?: string,
) {
  return new ParlorError(reason, { text: { en, de }, field });
}

/** The error of a closed channel or an ending stream. */
export function closeError(closed: Pick<ChannelClosed | StreamEnding, "reason" | "message">): ParlorError {
  const reason = serverReason(closed.reason) ?? "OTHER";
  const text = closed.message ? { en: closed.message, de: closed.message } : clientText("OTHER");
  return new ParlorError(reason, { text });
}

/** The error of an answer that the server did not accept. */
export function refusalError(answered: Answered): ParlorError {
  const { refusal } = answered;
  const conflict = answered.status === AnswerStatus.CONFLICT;
  return new ParlorError(serverReason(refusal?.reason) ?? (conflict ? "DECIDED_OTHERWISE" : "OTHER"), {
    text: refusal?.text,
    field: refusal?.field || undefined,
    rule: refusal?.rule || undefined,
  });
}

/** The error of a reply without a mandatory field. */
export function missingField(what: string): ParlorError {
  return new ParlorError("UNKNOWN_REPLY", {
    text: {
      en: `the reply of the server has no ${what}: is it a Parlor server?`,
      de: `In der Antwort des Servers fehlt ${what}: Ist es ein Parlor-Server?`,
    },
  });
}

/** Whether a stream that ended with this error is opened again. */
export function reopensStream(error: ParlorError): boolean {
  return !ENDS_STREAM.has(error.reason);
}

function serverReason(reason: ErrorReason | undefined): ServerReason | undefined {
  const name =
    reason === undefined ? undefined : (ErrorReason[reason] as keyof typeof ErrorReason | undefined);
  return name === "UNSPECIFIED" ? undefined : name;
}

function clientText(reason: Reason): LocalisedText {
  return CLIENT_REASONS[reason in CLIENT_REASONS ? (reason as ClientReason) : "OTHER"];
}

/** The reason of a status without an ErrorDetail: it comes from the transport or a proxy. */
function reasonFromCode(error: ConnectError): Reason {
  switch (error.code) {
    case Code.DeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case Code.Unauthenticated:
      return "CREDENTIALS_MISSING";
    case Code.PermissionDenied:
      return "FORBIDDEN";
    case Code.Unimplemented:
      return "UNSUPPORTED";
    case Code.ResourceExhausted:
      return "RATE_LIMITED";
    // What browsers and proxies make of a connection that drops: see the head of play.proto.
    case Code.Canceled:
    case Code.Unknown:
    case Code.Internal:
    case Code.Unavailable:
    case Code.Aborted:
      return "UNREACHABLE";
    default:
      return "OTHER";
  }
}

/** What the transport said, after the sentence of the reason. */
function transportText(reason: Reason, error: ConnectError): LocalisedText {
  const { en, de } = clientText(reason);
  const said = error.rawMessage.split("\n").join(" ").trim();
  return said === "" ? { en, de } : { en: `${en} (${said})`, de: `${de} (${said})` };
}
