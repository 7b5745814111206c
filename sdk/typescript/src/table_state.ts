/** Folds the events of a table into a table. */
import { EndReason, TableState, type Table, type TableEvent, type TableSeat } from "./wire.js";

/** Applies events to a table. */
export function applyTableEvents(table: Table, events: readonly TableEvent[]): void {
  for (const { event } of events) {
    switch (event.case) {
      case "seatJoined":
      case "seatReplaced":
        setSeat(table, event.value.seat);
        break;
      case "starting":
        table.state = TableState.STARTING;
        delete table.expireTime;
        setOptional(table, "shuffle", event.value.shuffle);
        break;
      case "started":
        table.state = TableState.PLAYING;
        delete table.expireTime;
        delete table.revealBefore;
        setOptional(table, "shuffle", event.value.shuffle);
        markWithheld(table);
        break;
      case "seatForfeited": {
        const { seat: number, why } = event.value;
        const seat = table.seats.find(({ seat }) => seat === number);
        if (seat !== undefined) {
          seat.forfeited = why;
        }
        break;
      }
      case "over":
        table.state = stateAfter(event.value.result?.reason);
        delete table.expireTime;
        setOptional(table, "result", event.value.result);
        setOptional(table, "shuffle", event.value.shuffle);
        break;
      case "rematch":
        table.rematchTableId = event.value.tableId;
        break;
      // A clock that ran out is counted in the result only.
      default:
        break;
    }
  }
}

function setOptional<K extends "shuffle" | "result">(
  table: Table,
  key: K,
  value: Table[K] | undefined,
): void {
  if (value !== undefined) {
    table[key] = value;
  }
}

/** Marks the seats that withheld what they had committed to. */
function markWithheld(table: Table): void {
  for (const { seat: number, commitment, entropy } of table.shuffle?.entropy ?? []) {
    const seat = table.seats.find(({ seat }) => seat === number);
    if (seat !== undefined) {
      seat.entropyWithheld = commitment.length > 0 && entropy.length === 0;
    }
  }
}

function setSeat(table: Table, seat: TableSeat | undefined): void {
  const place = table.seats.findIndex((entry) => entry.seat === seat?.seat);
  if (seat !== undefined && place >= 0) {
    table.seats[place] = seat;
  }
}

/** The state of a table that ended for this reason. */
function stateAfter(reason: EndReason | undefined): TableState {
  switch (reason) {
    case EndReason.PLAYED_OUT:
      return TableState.FINISHED;
    case EndReason.CANCELLED:
      return TableState.CANCELLED;
    case EndReason.EXPIRED:
      return TableState.EXPIRED;
    case EndReason.SERVER_FAULT:
      return TableState.FAULTED;
    default:
      return TableState.UNSPECIFIED;
  }
}
