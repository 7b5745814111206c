//! Stored form of table records.

use bytes::Bytes;
use parlor_engine::{
    AnyAction, AnyEvent, AnyView, Audience, GameId, MAX_SEATS, Seat, Seats, ShuffleId, Viewer, for_all_games,
};
use parlor_fields::{InvalidField, length};
use parlor_store::v1 as store;
use parlor_store::v1::audience_event;
use prost::Message;

use super::codec::{decode_each, decode_field, decode_required};
use super::codes::{
    decode_decided_by, decode_seat, decode_seats, decode_shuffle_id, encode_decided_by, encode_seat,
    encode_seats, encode_shuffle_purpose, is_card,
};
use super::summary::{decode_summary, encode_summary};
use super::{CorruptData, PayloadCodec, decode, offset_from_creation, time_from_offset};
use crate::table::{Decided, DecisionId, Record, RecordedEvent, RecordedShuffle, Step, TableEvent};

/// Encodes a record.
#[must_use]
pub fn encode_record(record: &Record, codec: &dyn PayloadCodec) -> Bytes {
    let created = record.summary.setup.created;
    let stored = store::Record {
        summary: Some(encode_summary(&record.summary, codec)),
        views: record.views.iter().map(|view| codec.encode(view)).collect(),
        steps: record.steps.iter().map(|step| encode_step(created, step, codec)).collect(),
    };
    stored.encode_to_vec().into()
}

/// Decodes a record.
pub fn decode_record(bytes: &[u8], codec: &dyn PayloadCodec) -> Result<Record, CorruptData> {
    decode("record", bytes, |stored: store::Record| {
        let summary = stored.summary.ok_or_else(|| InvalidField::at("summary", "must be set"))?;
        let summary = decode_summary(summary, codec).map_err(|wrong| wrong.within("summary"))?;
        let decoder =
            StepDecoder { players: summary.seats.len() as u8, game: summary.setup.options.game(), codec };
        let views: Vec<AnyView> = decode_each(codec, stored.views, "views")?;
        if !views.is_empty() {
            let viewers = usize::from(decoder.players) + 1;
            length(&views, viewers..=viewers, "views")?;
        }
        for (index, (view, expected)) in views.iter().zip(Viewer::all(decoder.players)).enumerate() {
            let wrong = |wrong: InvalidField| wrong.in_list(index).within("views");
            decoder.check_game(view.game()).map_err(wrong)?;
            if viewer_of(view) != expected {
                return Err(wrong(InvalidField::new(
                    "must be a seat's, in order, and the last a spectator's",
                )));
            }
        }
        let step = |(index, step): (usize, store::Step)| {
            let step = decoder.decode_step(summary.setup.created, step);
            step.map_err(|wrong| wrong.in_list(index).within("steps"))
        };
        let steps = stored.steps.into_iter().enumerate().map(step).collect::<Result<_, _>>()?;
        Ok(Record { summary, views, steps })
    })
}

/// The viewer of a view.
fn viewer_of(view: &AnyView) -> Viewer {
    macro_rules! viewer {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
            match view {
                $(AnyView::$variant(view) => view.viewer,)*
            }
        };
    }
    for_all_games!(viewer)
}

fn encode_step(created: u64, step: &Step, codec: &dyn PayloadCodec) -> store::Step {
    let decided = Seat::all(MAX_SEATS as u8).zip(&step.decided);
    let encode = |(seat, decided): (Seat, &Option<Decided>)| {
        decided.map(|decided| encode_decision(seat, decided, codec))
    };
    store::Step {
        after_ms: offset_from_creation(created, step.at),
        events: step.events.iter().map(|(to, event)| encode_event(*to, event, codec)).collect(),
        decided: decided.filter_map(encode).collect(),
        asked: encode_seats(step.asked),
        shuffled: step.shuffled.iter().map(encode_shuffle).collect(),
    }
}

fn encode_shuffle(shuffled: &RecordedShuffle) -> store::RecordedShuffle {
    let ShuffleId { round, purpose, count } = shuffled.name;
    store::RecordedShuffle {
        round: round.into(),
        purpose: encode_shuffle_purpose(purpose).into(),
        count: count.into(),
        codes: shuffled.codes.clone(),
    }
}

fn encode_event(to: Audience, event: &RecordedEvent, codec: &dyn PayloadCodec) -> store::AudienceEvent {
    let audience = match to {
        Audience::Everyone => audience_event::Audience::Everyone(store::Everyone {}),
        Audience::Only(seat) => audience_event::Audience::Only(encode_seat(seat)),
        Audience::AllBut(seats) => {
            audience_event::Audience::AllBut(store::SeatSet { seats: encode_seats(seats) })
        }
    };
    let event = match event {
        RecordedEvent::Game(event) => audience_event::Event::Game(codec.encode(event)),
        RecordedEvent::Table(event) => audience_event::Event::Table(codec.encode(event)),
    };
    store::AudienceEvent { audience: Some(audience), event: Some(event) }
}

fn encode_decision(seat: Seat, decided: Decided, codec: &dyn PayloadCodec) -> store::MadeDecision {
    store::MadeDecision {
        seat: encode_seat(seat),
        decision_id: decided.id.0,
        index: decided.index,
        action: Some(codec.encode(&decided.action)),
        by: encode_decided_by(decided.by).into(),
        used_ms: decided.used,
        bank_ms: decided.bank,
        number: decided.number,
        reported_ms: decided.reported,
    }
}

/// Decoder of the steps of a record, with what they are validated against.
#[derive(Clone, Copy)]
struct StepDecoder<'a> {
    players: u8,
    game: GameId,
    codec: &'a dyn PayloadCodec,
}

impl StepDecoder<'_> {
    fn check_game(self, game: GameId) -> Result<(), InvalidField> {
        let why = || format!("is of {}, and the table plays {}", game.info().id, self.game.info().id);
        if game == self.game { Ok(()) } else { Err(InvalidField::new(why())) }
    }

    fn check_seats(self, seats: Seats, field: &str) -> Result<Seats, InvalidField> {
        let why = || format!("must be below {}, the number of players", self.players);
        if seats.fits(self.players) { Ok(seats) } else { Err(InvalidField::at(field, why())) }
    }

    fn decode_seat(self, number: u32, field: &str) -> Result<Seat, InvalidField> {
        let seat = decode_seat(number, field)?;
        self.check_seats(Seats::only(seat), field).map(|_| seat)
    }

    fn decode_step(self, created: u64, stored: store::Step) -> Result<Step, InvalidField> {
        let event = |(index, event): (usize, store::AudienceEvent)| {
            self.decode_event(event).map_err(|wrong| wrong.in_list(index).within("events"))
        };
        let events = stored.events.into_iter().enumerate().map(event).collect::<Result<_, _>>()?;
        let mut decided = [None; MAX_SEATS];
        for (index, made) in stored.decided.into_iter().enumerate() {
            let wrong = |wrong: InvalidField| wrong.in_list(index).within("decided");
            let (seat, made) = self.decode_decision(made).map_err(wrong)?;
            if decided[seat.index()].replace(made).is_some() {
                return Err(wrong(InvalidField::at("seat", "has decided twice")));
            }
        }
        let asked = self.check_seats(decode_seats(stored.asked, "asked")?, "asked")?;
        let shuffle = |(index, shuffle): (usize, store::RecordedShuffle)| {
            self.decode_shuffle(shuffle).map_err(|wrong| wrong.in_list(index).within("shuffled"))
        };
        let shuffled = stored.shuffled.into_iter().enumerate().map(shuffle).collect::<Result<_, _>>()?;
        Ok(Step { at: time_from_offset(created, stored.after_ms), events, decided, asked, shuffled })
    }

    fn decode_shuffle(self, stored: store::RecordedShuffle) -> Result<RecordedShuffle, InvalidField> {
        let name = decode_shuffle_id(stored.round, stored.purpose, stored.count)?;
        for (index, code) in stored.codes.iter().enumerate() {
            if !is_card(self.game, *code) {
                return Err(InvalidField::new("is no card").in_list(index).within("codes"));
            }
        }
        Ok(RecordedShuffle { name, codes: stored.codes })
    }

    fn decode_event(self, stored: store::AudienceEvent) -> Result<(Audience, RecordedEvent), InvalidField> {
        let audience = match stored.audience {
            Some(audience_event::Audience::Everyone(store::Everyone {})) => Audience::Everyone,
            Some(audience_event::Audience::Only(seat)) => Audience::Only(self.decode_seat(seat, "only")?),
            Some(audience_event::Audience::AllBut(set)) => {
                let excluded = decode_seats(set.seats, "all_but.seats")?;
                Audience::AllBut(self.check_seats(excluded, "all_but.seats")?)
            }
            None => return Err(InvalidField::new("must have an audience")),
        };
        let event = match stored.event {
            Some(audience_event::Event::Game(event)) => {
                let event: AnyEvent = decode_field(self.codec, &event, "game")?;
                self.check_game(event.game()).map_err(|wrong| wrong.within("game"))?;
                RecordedEvent::Game(event)
            }
            Some(audience_event::Event::Table(event)) => {
                RecordedEvent::Table(decode_field::<TableEvent>(self.codec, &event, "table")?)
            }
            None => return Err(InvalidField::new("must have an event")),
        };
        Ok((audience, event))
    }

    fn decode_decision(self, stored: store::MadeDecision) -> Result<(Seat, Decided), InvalidField> {
        let action: AnyAction = decode_required(self.codec, stored.action, "action")?;
        self.check_game(action.game()).map_err(|wrong| wrong.within("action"))?;
        let decided = Decided {
            id: DecisionId(stored.decision_id),
            index: stored.index,
            action,
            by: decode_decided_by(stored.by, "by")?,
            used: stored.used_ms,
            bank: stored.bank_ms,
            number: stored.number,
            reported: stored.reported_ms,
        };
        Ok((self.decode_seat(stored.seat, "seat")?, decided))
    }
}
