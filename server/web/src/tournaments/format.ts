// What tournaments are about, in words and numbers.

import { signed, type Strings } from "../i18n";
import { type EnumTexts, parlor, type StandingsRow, type Tournament } from "../api";

/** A number with a sign and one digit after the point. */
export function points(value: number, digits = 1): string {
  const rounded = Number(value.toFixed(digits));
  return `${rounded > 0 ? "+" : rounded < 0 ? "−" : ""}${Math.abs(rounded).toFixed(digits)}`;
}

/** The name of an entrant, with its version. */
export function rowName(row: StandingsRow): string {
  return row.version ? `${row.name} ${row.version}` : row.name;
}

/** The names of all entrants, in their order. */
export function entrantNames(rows: readonly StandingsRow[]): string[] {
  const names: string[] = [];
  for (const row of rows) names[row.entrant] = rowName(row);
  return names;
}

export function formatName(tournament: Tournament, t: Strings): string {
  return t.format[tournament.setup?.format.case ?? ""] ?? "";
}

/** A length of time in the largest unit that fits. */
export function roughly(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  return `${Math.round(minutes / 60)} h`;
}

let asked: Promise<readonly EnumTexts[]> | undefined;

/** The texts of enums, asked for once. */
export function enumTexts(): Promise<readonly EnumTexts[]> {
  asked ??= parlor.enumTexts().catch((error: unknown) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

export { signed };
