//! Stored form of table summaries.

use std::sync::Arc;

use parlor_engine::{Seats, Viewer};
use parlor_fields::{InvalidField, each, length};
use parlor_store::v1 as store;
use parlor_store::v1::seat_summary;

use super::codec::{decode_optional, decode_required};
use super::codes::{decode_seat_finish, encode_seat_finish};
use super::setup::{decode_setup, decode_table_id, encode_setup};
use super::{PayloadCodec, offset_from_creation, time_from_offset};
use crate::table::{Ending, Finished, Holder, SeatSummary, Shuffle, State, TableSummary, UpdateNumbers};

pub(super) fn encode_summary(summary: &TableSummary, codec: &dyn PayloadCodec) -> store::TableSummary {
    let created = summary.setup.created;
    let players = summary.seats.len() as u8;
    store::TableSummary {
        setup: Some(encode_setup(&summary.setup, codec)),
        seats: summary.seats.iter().map(store::SeatSummary::from).collect(),
        shuffle: Some(codec.encode(&summary.shuffle)),
        result: summary.ending.as_ref().map(|ending| codec.encode(ending)),
        started_after_ms: summary.started.map(|at| offset_from_creation(created, at)),
        ended_after_ms: summary.ended.map(|at| offset_from_creation(created, at)),
        length: summary.length,
        numbers: Viewer::all(players).map(|viewer| summary.numbers.get(viewer)).collect(),
        spectators: summary.spectators,
        rematch: summary.rematch.map(|table| table.as_bytes().to_vec()),
    }
}

pub(super) fn decode_summary(
    stored: store::TableSummary,
    codec: &dyn PayloadCodec,
) -> Result<TableSummary, InvalidField> {
    let setup = stored.setup.ok_or_else(|| InvalidField::at("setup", "must be set"))?;
    let setup = decode_setup(setup, codec).map_err(|wrong| wrong.within("setup"))?;
    let players = setup.seats.len();
    length(&stored.seats, players..=players, "seats")?;
    length(&stored.numbers, players + 1..=players + 1, "numbers")?;
    let numbers = Viewer::all(players as u8).zip(stored.numbers);
    let shuffle: Shuffle = decode_required(codec, stored.shuffle, "shuffle")?;
    if !shuffle.entropy.is_empty() {
        length(&shuffle.entropy, players..=players, "entropy").map_err(|wrong| wrong.within("shuffle"))?;
    }
    let ending: Option<Ending> = decode_optional(codec, stored.result, "result")?;
    if let Some(Ending::Finished(Finished { seats })) = &ending {
        length(seats, players..=players, "seats").map_err(|wrong| wrong.within("result"))?;
    }
    if ending.is_some() != stored.ended_after_ms.is_some() {
        return Err(InvalidField::at("ended_after_ms", "must be set if there is a result, and only then"));
    }
    let created = setup.created;
    Ok(TableSummary {
        setup: Arc::new(setup),
        state: state(ending.as_ref(), stored.started_after_ms.is_some()),
        seats: each(stored.seats, "seats")?,
        shuffle,
        ending,
        reveal_before: None,
        started: stored.started_after_ms.map(|offset| time_from_offset(created, offset)),
        ended: stored.ended_after_ms.map(|offset| time_from_offset(created, offset)),
        length: stored.length,
        numbers: numbers.fold(UpdateNumbers::default(), |all, (viewer, number)| all.with(viewer, number)),
        spectators: stored.spectators,
        // Stored summaries are those of tables that have just been created, or are over.
        waiting_for: Seats::NONE,
        invites: Vec::new(),
        rematch: stored.rematch.map(|table| decode_table_id(&table, "rematch")).transpose()?,
    })
}

/// The state of a table with this ending, whose game has begun or not. Nothing is stored of a table that is starting.
const fn state(ending: Option<&Ending>, has_begun: bool) -> State {
    match ending {
        Some(Ending::Finished(_)) => State::Finished,
        Some(Ending::Cancelled { .. }) => State::Cancelled,
        Some(Ending::Expired) => State::Expired,
        Some(Ending::Faulted { .. }) => State::Faulted,
        None if has_begun => State::Playing,
        None => State::Open,
    }
}

impl From<&SeatSummary> for store::SeatSummary {
    fn from(seat: &SeatSummary) -> store::SeatSummary {
        let holder = match &seat.holder {
            Holder::Vacant => seat_summary::Holder::Vacant(store::Vacant {}),
            Holder::Player { user, name } => {
                seat_summary::Holder::Player(store::Player { user: user.clone(), name: name.clone() })
            }
            Holder::House { bot } => seat_summary::Holder::House(store::HouseSeat { bot: bot.clone() }),
            Holder::Agent { name, version } => {
                seat_summary::Holder::Agent(store::AgentSeat { name: name.clone(), version: version.clone() })
            }
        };
        store::SeatSummary {
            holder: Some(holder),
            generation: seat.generation,
            finish: encode_seat_finish(seat.finish).into(),
            grace_ms: seat.grace,
        }
    }
}

impl TryFrom<store::SeatSummary> for SeatSummary {
    type Error = InvalidField;
    fn try_from(stored: store::SeatSummary) -> Result<SeatSummary, InvalidField> {
        let holder = match stored.holder {
            Some(seat_summary::Holder::Vacant(store::Vacant {})) => Holder::Vacant,
            Some(seat_summary::Holder::Player(store::Player { user, name })) => Holder::Player { user, name },
            Some(seat_summary::Holder::House(store::HouseSeat { bot })) => Holder::House { bot },
            Some(seat_summary::Holder::Agent(store::AgentSeat { name, version })) => {
                Holder::Agent { name, version }
            }
            None => return Err(InvalidField::new("must have a holder")),
        };
        Ok(SeatSummary {
            holder,
            generation: stored.generation,
            finish: decode_seat_finish(stored.finish, "finish")?,
            grace: stored.grace_ms,
        })
    }
}
