//! How a table ended, and what each seat reached.

use parlor_engine::MAX_SEATS;
use parlor_proto::convert::field::{InvalidField, length, number, one_of};
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::v1;

use super::enums::finish;
use super::{FromMessage, ToMessage};
use parlor_host::table::{Ending, Finished, SeatResult};

impl ToMessage<v1::TableResult> for Ending {
    fn to_message(&self) -> v1::TableResult {
        let ending = self;
        let result = |reason: v1::EndReason, note: &str| v1::TableResult {
            reason: reason.into(),
            seats: Vec::new(),
            note: note.to_owned(),
        };
        match ending {
            Ending::Finished(Finished { seats }) => v1::TableResult {
                seats: seats.iter().map(ToMessage::to_message).collect(),
                ..result(v1::EndReason::PlayedOut, "")
            },
            Ending::Cancelled { note } => result(v1::EndReason::Cancelled, note),
            Ending::Expired => result(v1::EndReason::Expired, ""),
            Ending::Faulted { reason: what } => result(v1::EndReason::ServerFault, what),
        }
    }
}

impl FromMessage<v1::TableResult> for Ending {
    fn from_message(wire: v1::TableResult) -> Result<Ending, InvalidField> {
        let reason = one_of(wire.reason, "reason", |reason| match reason {
            v1::EndReason::Unspecified => None,
            known => Some(known),
        })?;
        if reason == v1::EndReason::PlayedOut {
            length(&wire.seats, 1..=MAX_SEATS, "seats")?;
            let seat = |(index, seat): (usize, v1::SeatResult)| {
                SeatResult::from_message(seat).map_err(|wrong| wrong.in_list(index).within("seats"))
            };
            let seats: Vec<SeatResult> =
                wire.seats.into_iter().enumerate().map(seat).collect::<Result<_, _>>()?;
            if !seats.iter().enumerate().all(|(place, result)| result.seat.index() == place) {
                return Err(InvalidField::at("seats", "must have one entry for each seat, in order"));
            }
            return Ok(Ending::Finished(Finished { seats }));
        }
        length(&wire.seats, 0..=0, "seats")?;
        Ok(match reason {
            v1::EndReason::Cancelled => Ending::Cancelled { note: wire.note },
            v1::EndReason::Expired => Ending::Expired,
            _ => Ending::Faulted { reason: wire.note },
        })
    }
}

impl ToMessage<v1::SeatResult> for SeatResult {
    fn to_message(&self) -> v1::SeatResult {
        let result = self;
        v1::SeatResult {
            seat: seat_number(result.seat),
            place: result.place.into(),
            points: result.points,
            finish: result.finish.to_message().into(),
            clocks_run_out: result.time_outs,
            think_ms: result.think_time,
        }
    }
}

impl FromMessage<v1::SeatResult> for SeatResult {
    fn from_message(wire: v1::SeatResult) -> Result<SeatResult, InvalidField> {
        Ok(SeatResult {
            seat: seat(wire.seat, "seat")?,
            points: wire.points,
            place: number(wire.place, 1..=MAX_SEATS as u32, "place")?,
            finish: finish(wire.finish, "finish")?,
            time_outs: wire.clocks_run_out,
            think_time: wire.think_ms,
        })
    }
}
