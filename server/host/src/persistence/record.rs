//! Stored form of table records.

use bytes::Bytes;
use parlor_engine::{
    AnyAction, AnyEvent, AnyView, Audience, GameId, MAX_SEATS, Seat, Seats, ShuffleId, Viewer, for_all_games,
};
use parlor_fields::{WrongField, length};
use parlor_store::v1 as store;
use parlor_store::v1::telling;
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
    let created = record.look.setup.created;
    let stored = store::Record {
        look: Some(encode_summary(&record.look, codec)),
        views: record.views.iter().map(|view| codec.encode(view)).collect(),
        steps: record.steps.iter().map(|step| encode_step(created, step, codec)).collect(),
    };
    stored.encode_to_vec().into()
}

/// Decodes a record.
pub fn decode_record(bytes: &[u8], codec: &dyn PayloadCodec) -> Result<Record, CorruptData> {
    decode("record", bytes, |stored: store::Record| {
        let look = stored.look.ok_or_else(|| WrongField::at("look", "must be set"))?;
        let look = decode_summary(look, codec).map_err(|wrong| wrong.within("look"))?;
        let decoder = StepDecoder { players: look.seats.len() as u8, game: look.setup.options.game(), codec };
        let views: Vec<AnyView> = decode_each(codec, stored.views, "views")?;
        if !views.is_empty() {
            let viewers = usize::from(decoder.players) + 1;
            length(&views, viewers..=viewers, "views")?;
        }
        for (index, (view, expected)) in views.iter().zip(Viewer::all(decoder.players)).enumerate() {
            let wrong = |wrong: WrongField| wrong.in_list(index).within("views");
            decoder.check_game(view.game()).map_err(wrong)?;
            if viewer_of(view) != expected {
                return Err(wrong(WrongField::new("must be a seat's, in order, and the last a spectator's")));
            }
        }
        let step = |(index, step): (usize, store::Step)| {
            let step = decoder.decode_step(look.setup.created, step);
            step.map_err(|wrong| wrong.in_list(index).within("steps"))
        };
        let steps = stored.steps.into_iter().enumerate().map(step).collect::<Result<_, _>>()?;
        Ok(Record { look, views, steps })
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
        told: step.told.iter().map(|(to, event)| encode_event(*to, event, codec)).collect(),
        decided: decided.filter_map(encode).collect(),
        asked: encode_seats(step.asked),
        shuffled: step.shuffled.iter().map(encode_shuffle).collect(),
    }
}

fn encode_shuffle(shuffled: &RecordedShuffle) -> store::Shuffled {
    let ShuffleId { round, purpose, count } = shuffled.name;
    store::Shuffled {
        round: round.into(),
        purpose: encode_shuffle_purpose(purpose).into(),
        count: count.into(),
        codes: shuffled.codes.clone(),
    }
}

fn encode_event(to: Audience, event: &RecordedEvent, codec: &dyn PayloadCodec) -> store::Telling {
    let audience = match to {
        Audience::Everyone => telling::Audience::Everyone(store::Everyone {}),
        Audience::Only(seat) => telling::Audience::Only(encode_seat(seat)),
        Audience::AllBut(seats) => telling::Audience::AllBut(store::SeatSet { seats: encode_seats(seats) }),
    };
    let event = match event {
        RecordedEvent::Game(event) => telling::Told::Game(codec.encode(event)),
        RecordedEvent::Table(event) => telling::Told::Table(codec.encode(event)),
    };
    store::Telling { audience: Some(audience), told: Some(event) }
}

fn encode_decision(seat: Seat, decided: Decided, codec: &dyn PayloadCodec) -> store::Made {
    store::Made {
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
    fn check_game(self, game: GameId) -> Result<(), WrongField> {
        let why = || format!("is of {}, and the table plays {}", game.info().id, self.game.info().id);
        if game == self.game { Ok(()) } else { Err(WrongField::new(why())) }
    }

    fn check_seats(self, seats: Seats, field: &str) -> Result<Seats, WrongField> {
        let why = || format!("must be below {}, the number of players", self.players);
        if seats.fits(self.players) { Ok(seats) } else { Err(WrongField::at(field, why())) }
    }

    fn decode_seat(self, number: u32, field: &str) -> Result<Seat, WrongField> {
        let seat = decode_seat(number, field)?;
        self.check_seats(Seats::only(seat), field).map(|_| seat)
    }

    fn decode_step(self, created: u64, stored: store::Step) -> Result<Step, WrongField> {
        let event = |(index, event): (usize, store::Telling)| {
            self.decode_event(event).map_err(|wrong| wrong.in_list(index).within("told"))
        };
        let told = stored.told.into_iter().enumerate().map(event).collect::<Result<_, _>>()?;
        let mut decided = [None; MAX_SEATS];
        for (index, made) in stored.decided.into_iter().enumerate() {
            let wrong = |wrong: WrongField| wrong.in_list(index).within("decided");
            let (seat, made) = self.decode_decision(made).map_err(wrong)?;
            if decided[seat.index()].replace(made).is_some() {
                return Err(wrong(WrongField::at("seat", "has decided twice")));
            }
        }
        let asked = self.check_seats(decode_seats(stored.asked, "asked")?, "asked")?;
        let shuffle = |(index, shuffle): (usize, store::Shuffled)| {
            self.decode_shuffle(shuffle).map_err(|wrong| wrong.in_list(index).within("shuffled"))
        };
        let shuffled = stored.shuffled.into_iter().enumerate().map(shuffle).collect::<Result<_, _>>()?;
        Ok(Step { at: time_from_offset(created, stored.after_ms), told, decided, asked, shuffled })
    }

    fn decode_shuffle(self, stored: store::Shuffled) -> Result<RecordedShuffle, WrongField> {
        let name = decode_shuffle_id(stored.round, stored.purpose, stored.count)?;
        for (index, code) in stored.codes.iter().enumerate() {
            if !is_card(self.game, *code) {
                return Err(WrongField::new("is no card").in_list(index).within("codes"));
            }
        }
        Ok(RecordedShuffle { name, codes: stored.codes })
    }

    fn decode_event(self, stored: store::Telling) -> Result<(Audience, RecordedEvent), WrongField> {
        let audience = match stored.audience {
            Some(telling::Audience::Everyone(store::Everyone {})) => Audience::Everyone,
            Some(telling::Audience::Only(seat)) => Audience::Only(self.decode_seat(seat, "only")?),
            Some(telling::Audience::AllBut(set)) => {
                let excluded = decode_seats(set.seats, "all_but.seats")?;
                Audience::AllBut(self.check_seats(excluded, "all_but.seats")?)
            }
            None => return Err(WrongField::new("must have an audience")),
        };
        let event = match stored.told {
            Some(telling::Told::Game(event)) => {
                let event: AnyEvent = decode_field(self.codec, &event, "game")?;
                self.check_game(event.game()).map_err(|wrong| wrong.within("game"))?;
                RecordedEvent::Game(event)
            }
            Some(telling::Told::Table(event)) => {
                RecordedEvent::Table(decode_field::<TableEvent>(self.codec, &event, "table")?)
            }
            None => return Err(WrongField::new("must tell something")),
        };
        Ok((audience, event))
    }

    fn decode_decision(self, stored: store::Made) -> Result<(Seat, Decided), WrongField> {
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
