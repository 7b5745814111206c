//! How a table ended, and what each seat reached.

use parlor_engine::MAX_SEATS;
use parlor_proto::convert::field::{WrongField, each, length, number, one_of};
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::v1;

use super::kind::conduct;
use crate::table::{Ending, Finished, SeatResult};

impl From<&Ending> for v1::TableResult {
    fn from(ending: &Ending) -> v1::TableResult {
        let result = |reason: v1::EndReason, note: &str| v1::TableResult {
            reason: reason.into(),
            seats: Vec::new(),
            note: note.to_owned(),
        };
        match ending {
            Ending::Finished(Finished { seats }) => v1::TableResult {
                seats: seats.iter().copied().map(v1::SeatResult::from).collect(),
                ..result(v1::EndReason::PlayedOut, "")
            },
            Ending::Cancelled { note } => result(v1::EndReason::Cancelled, note),
            Ending::Expired => result(v1::EndReason::Expired, ""),
            Ending::Faulted { what } => result(v1::EndReason::ServerFault, what),
        }
    }
}

impl TryFrom<v1::TableResult> for Ending {
    type Error = WrongField;
    fn try_from(wire: v1::TableResult) -> Result<Ending, WrongField> {
        let reason = one_of(wire.reason, "reason", |reason| match reason {
            v1::EndReason::Unspecified => None,
            known => Some(known),
        })?;
        if reason == v1::EndReason::PlayedOut {
            length(&wire.seats, 1..=MAX_SEATS, "seats")?;
            let seats: Vec<SeatResult> = each(wire.seats, "seats")?;
            if !seats.iter().enumerate().all(|(place, result)| result.seat.index() == place) {
                return Err(WrongField::at("seats", "must have one entry for each seat, in order"));
            }
            return Ok(Ending::Finished(Finished { seats }));
        }
        length(&wire.seats, 0..=0, "seats")?;
        Ok(match reason {
            v1::EndReason::Cancelled => Ending::Cancelled { note: wire.note },
            v1::EndReason::Expired => Ending::Expired,
            _ => Ending::Faulted { what: wire.note },
        })
    }
}

impl From<SeatResult> for v1::SeatResult {
    fn from(result: SeatResult) -> v1::SeatResult {
        v1::SeatResult {
            seat: seat_number(result.seat),
            place: result.place.into(),
            points: result.points,
            finish: v1::SeatFinish::from(result.conduct).into(),
            clocks_run_out: result.time_outs,
            think_ms: result.thought,
        }
    }
}

impl TryFrom<v1::SeatResult> for SeatResult {
    type Error = WrongField;
    fn try_from(wire: v1::SeatResult) -> Result<SeatResult, WrongField> {
        Ok(SeatResult {
            seat: seat(wire.seat, "seat")?,
            points: wire.points,
            place: number(wire.place, 1..=MAX_SEATS as u32, "place")?,
            conduct: conduct(wire.finish, "finish")?,
            time_outs: wire.clocks_run_out,
            thought: wire.think_ms,
        })
    }
}
