/** NewTable: a table to make, in few words. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { clientError } from "./error.js";
import {
  GameOptionsSchema,
  Visibility,
  type ClockSettingsSchema,
  type CreateTableRequestSchema,
  type GameOptions,
  type SeatSetupSchema,
} from "./wire.js";

/** Who is to have a seat: whoever comes first, a house bot, an agent; or anything that the API has. */
export type SeatSpec =
  "open" | `bot:${string}` | `agent:${string}` | MessageInitShape<typeof SeatSetupSchema>;

/** A table to make. */
export interface NewTable {
  /** Id of the game, as `games` gives it. */
  readonly game: string;
  /** Who is to have each seat, in order. */
  readonly seats: readonly SeatSpec[];
  /** Options of the game, by the names of the catalogue: `{ rounds: 3 }`. Default: the usual ones. */
  readonly options?: { readonly [name: string]: number | boolean } | undefined;
  /** How much time players have, in milliseconds; `{ decisionMs: 0 }`: no limit. Default: the server's. */
  readonly clock?: MessageInitShape<typeof ClockSettingsSchema> | undefined;
  /** Who may see it. Default: public. */
  readonly visibility?: "public" | "private" | undefined;
  /** The owner's own notes. */
  readonly metadata?: { readonly [key: string]: string } | undefined;
  /** How long it waits for its seats to be filled, in milliseconds. Default: the server's. */
  readonly fillMs?: number | undefined;
  /** A seed of 32 bytes, for tests and training. Default: a fair shuffle that nobody can choose. */
  readonly givenSeed?: Uint8Array | undefined;
  /** Makes a repeat harmless across crashes of the program. Default: a random one. */
  readonly requestId?: string | undefined;
}

/** The request that makes a table. */
export function newTableRequest(table: NewTable): MessageInitShape<typeof CreateTableRequestSchema> {
  const { game, seats, options, clock, visibility, metadata, fillMs, givenSeed, requestId } = table;
  return {
    game,
    seats: seats.map((seat) => seatSetup(seat)),
    ...(options === undefined ? {} : { options: gameOptions(game, options) }),
    ...(clock === undefined ? {} : { clock }),
    visibility: visibility === "private" ? Visibility.PRIVATE : Visibility.PUBLIC,
    metadata: { ...metadata },
    ...(fillMs === undefined ? {} : { fillMs }),
    ...(givenSeed === undefined ? {} : { chance: { case: "givenSeed", value: { seed: givenSeed } } }),
    requestId: requestId ?? "",
  };
}

function seatSetup(seat: SeatSpec): MessageInitShape<typeof SeatSetupSchema> {
  if (typeof seat !== "string") {
    return seat;
  }
  const [kind, name = ""] = splitOnce(seat, ":");
  switch (kind) {
    case "open":
      return { occupant: { case: "open", value: {} } };
    case "bot":
      return { occupant: { case: "houseBot", value: { name } } };
    case "agent":
      return { occupant: { case: "agent", value: { name } } };
    default:
      throw clientError(
        "SETTINGS",
        `${seat} is no seat: write "open", "bot:NAME" or "agent:NAME"`,
        `${seat} ist kein Platz: bitte "open", "bot:NAME" oder "agent:NAME" schreiben`,
        "seats",
      );
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const place = text.indexOf(separator);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + separator.length)];
}

/** The options message of a game, from the names that the catalogue has. */
function gameOptions(game: string, options: { readonly [name: string]: number | boolean }): GameOptions {
  const ofGame = GameOptionsSchema.fields.find((field) => field.name === game && field.oneof !== undefined);
  if (ofGame?.fieldKind !== "message") {
    throw unknownOption(
      "options",
      `this client knows no options of the game ${game}`,
      `Dieser Client kennt keine Optionen des Spiels ${game}`,
    );
  }
  const value: { [name: string]: unknown } = {};
  for (const [name, choice] of Object.entries(options)) {
    const field = ofGame.message.fields.find((field) => field.name === name);
    if (field === undefined) {
      throw unknownOption(
        `options.${game}.${name}`,
        `the game ${game} has no option ${name}`,
        `Das Spiel ${game} hat keine Option ${name}`,
      );
    }
    if (field.oneof === undefined) {
      value[field.localName] = choice;
    } else {
      value[field.oneof.localName] = { case: field.localName, value: choice };
    }
  }
  return create(GameOptionsSchema, {
    game: { case: ofGame.localName, value } as NonNullable<
      MessageInitShape<typeof GameOptionsSchema>["game"]
    >,
  });
}

function unknownOption(field: string, en: string, de: string) {
  return clientError("INVALID_FIELD", en, de, field);
}
