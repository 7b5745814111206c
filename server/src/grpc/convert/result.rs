//! Results of tables and seats.

use parlor_engine::MAX_SEATS;
use parlor_host::table::{Ending, Finished, SeatResult};
use parlor_proto::convert::field::{InvalidField, length, number, one_of};
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::v1;

use super::enums::finish;
use super::{FromMessage, ToMessage};

impl ToMessage<v1::TableResult> for Ending {
    fn to_message(&self) -> v1::TableResult {
        let result = |reason: v1::EndReason, note: &str| v1::TableResult {
            reason: reason.into(),
            seats: Vec::new(),
            note: note.to_owned(),
        };
        match self {
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
        let v1::TableResult { reason, seats, note } = wire;
        let reason = one_of(reason, "reason", |reason| match reason {
            v1::EndReason::Unspecified => None,
            known => Some(known),
        })?;
        if reason == v1::EndReason::PlayedOut {
            length(&seats, 1..=MAX_SEATS, "seats")?;
            let seat = |(index, seat): (usize, v1::SeatResult)| {
                SeatResult::from_message(seat).map_err(|wrong| wrong.in_list(index).within("seats"))
            };
            let seats: Vec<SeatResult> = seats.into_iter().enumerate().map(seat).collect::<Result<_, _>>()?;
            if !seats.iter().enumerate().all(|(index, result)| result.seat.index() == index) {
                return Err(InvalidField::at("seats", "must have one entry for each seat, in order"));
            }
            return Ok(Ending::Finished(Finished { seats }));
        }
        length(&seats, 0..=0, "seats")?;
        Ok(match reason {
            v1::EndReason::Cancelled => Ending::Cancelled { note },
            v1::EndReason::Expired => Ending::Expired,
            _ => Ending::Faulted { reason: note },
        })
    }
}

impl ToMessage<v1::SeatResult> for SeatResult {
    fn to_message(&self) -> v1::SeatResult {
        let SeatResult { seat, points, place, finish, time_outs, think_time, away_time } = *self;
        v1::SeatResult {
            seat: seat_number(seat),
            place: place.into(),
            points,
            finish: finish.to_message().into(),
            clocks_run_out: time_outs,
            think_ms: think_time,
            away_ms: away_time,
        }
    }
}

impl FromMessage<v1::SeatResult> for SeatResult {
    fn from_message(wire: v1::SeatResult) -> Result<SeatResult, InvalidField> {
        let v1::SeatResult { seat, place, points, finish, clocks_run_out, think_ms, away_ms } = wire;
        Ok(SeatResult {
            seat: self::seat(seat, "seat")?,
            points,
            place: number(place, 1..=MAX_SEATS as u32, "place")?,
            finish: self::finish(finish, "finish")?,
            time_outs: clocks_run_out,
            think_time: think_ms,
            away_time: away_ms,
        })
    }
}
