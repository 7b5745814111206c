/** What a seat or spectator is sent. */
import { create } from "@bufbuild/protobuf";
import { Language, WantsSchema, type Wants as WantsMessage } from "./wire.js";

/** The language of texts. */
export type LanguageCode = "en" | "de";

/** What a seat or spectator is sent. By default what most bots need: events, and with decisions views and legal actions. */
export interface Wants {
  /** Texts for people in this language, with everything. Default: none. */
  readonly texts?: LanguageCode | undefined;
  /** The board, with everything. Default: false. */
  readonly board?: boolean | undefined;
  /** With updates, what happened in the game. Default: true. */
  readonly events?: boolean | undefined;
  /** With updates, the view after them. Default: false. */
  readonly updateViews?: boolean | undefined;
  /** With decisions, the view. Default: true. */
  readonly decisionViews?: boolean | undefined;
  /** With decisions, the legal actions. Default: true. */
  readonly legalActions?: boolean | undefined;
  /** After the end, to be told of a rematch. Default: false. */
  readonly rematch?: boolean | undefined;
  /** Presence and time left, whenever they change. Default: false. */
  readonly timeLeft?: boolean | undefined;
}

const LANGUAGES = { en: Language.ENGLISH, de: Language.GERMAN } as const;

/** The language as the API has it; undefined: no texts. */
export function languageOf(code: LanguageCode | undefined): Language {
  return code === undefined ? Language.UNSPECIFIED : LANGUAGES[code];
}

/** The wants as a message; undefined if all are the defaults. */
export function wantsMessage(wants: Wants): WantsMessage | undefined {
  const { texts, board, events, updateViews, decisionViews, legalActions, rematch, timeLeft } = wants;
  const flags = { board, events, updateViews, decisionViews, legalActions, rematch, timeLeft };
  const given = Object.entries(flags).filter(([, flag]) => flag !== undefined);
  if (given.length === 0 && texts === undefined) {
    return undefined;
  }
  return create(WantsSchema, { ...Object.fromEntries(given), texts: languageOf(texts) });
}
