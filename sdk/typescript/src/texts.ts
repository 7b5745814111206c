/** Small helpers for texts and times. */
import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { RichText } from "./wire.js";

/**
 * A text as one string. `seatName` gives the name to put in the place of a seat, from its number and what the text has
 * there.
 */
export function plain(text: RichText | undefined, seatName?: (seat: number, text: string) => string): string {
  const parts = text?.parts ?? [];
  return parts
    .map(({ text, subject }) =>
      subject.case === "seat" && seatName !== undefined ? seatName(subject.value, text) : text,
    )
    .join("");
}

/** A time of the API as a date. */
export function toDate(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp === undefined ? undefined : timestampDate(timestamp);
}
