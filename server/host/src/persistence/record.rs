//! The record of a table that is over, as it is stored.

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
    decode_decided_by, decode_shuffle, encode_decided_by, encode_shuffle_purpose, is_card, seat, seat_number,
    seat_numbers, seats,
};
use super::summary::{decode_look, encode_look};
use super::{CorruptData, PayloadCodec, after, decode, moment};
use crate::table::{Decided, DecisionId, Record, RecordedEvent, RecordedShuffle, Step, TableEvent};

/// The bytes of a record.
#[must_use]
pub fn encode_record(record: &Record, codec: &dyn PayloadCodec) -> Bytes {
    let created = record.look.setup.created;
    let stored = store::Record {
        look: Some(encode_look(&record.look, codec)),
        views: record.views.iter().map(|view| codec.encode(view)).collect(),
        steps: record.steps.iter().map(|step| stored_step(created, step, codec)).collect(),
    };
    stored.encode_to_vec().into()
}

/// The record with these bytes.
pub fn decode_record(bytes: &[u8], codec: &dyn PayloadCodec) -> Result<Record, CorruptData> {
    decode("record", bytes, |stored: store::Record| {
        let look = stored.look.ok_or_else(|| WrongField::at("look", "must be set"))?;
        let look = decode_look(look, codec).map_err(|wrong| wrong.within("look"))?;
        let table = Fits { players: look.seats.len() as u8, game: look.setup.options.game(), codec };
        let views: Vec<AnyView> = decode_each(codec, stored.views, "views")?;
        if !views.is_empty() {
            let viewers = usize::from(table.players) + 1;
            length(&views, viewers..=viewers, "views")?;
        }
        for (place, (view, expected)) in views.iter().zip(Viewer::all(table.players)).enumerate() {
            let wrong = |wrong: WrongField| wrong.in_list(place).within("views");
            table.game(view.game()).map_err(wrong)?;
            if viewer(view) != expected {
                return Err(wrong(WrongField::new("must be a seat's, in order, and the last a spectator's")));
            }
        }
        let step = |(place, step): (usize, store::Step)| {
            let step = table.step(look.setup.created, step);
            step.map_err(|wrong| wrong.in_list(place).within("steps"))
        };
        let steps = stored.steps.into_iter().enumerate().map(step).collect::<Result<_, _>>()?;
        Ok(Record { look, views, steps })
    })
}

/// Whose view it is.
fn viewer(view: &AnyView) -> Viewer {
    macro_rules! viewer {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
            match view {
                $(AnyView::$variant(view) => view.viewer,)*
            }
        };
    }
    for_all_games!(viewer)
}

fn stored_step(created: u64, step: &Step, codec: &dyn PayloadCodec) -> store::Step {
    let decided = Seat::all(MAX_SEATS as u8).zip(&step.decided);
    let made = |(seat, decided): (Seat, &Option<Decided>)| decided.map(|decided| made(seat, decided, codec));
    store::Step {
        after_ms: after(created, step.at),
        told: step.told.iter().map(|(to, told)| telling(*to, told, codec)).collect(),
        decided: decided.filter_map(made).collect(),
        asked: seat_numbers(step.asked),
        shuffled: step.shuffled.iter().map(stored_shuffle).collect(),
    }
}

fn stored_shuffle(shuffled: &RecordedShuffle) -> store::Shuffled {
    let ShuffleId { round, purpose, count } = shuffled.name;
    store::Shuffled {
        round: round.into(),
        purpose: encode_shuffle_purpose(purpose).into(),
        count: count.into(),
        codes: shuffled.codes.clone(),
    }
}

fn telling(to: Audience, told: &RecordedEvent, codec: &dyn PayloadCodec) -> store::Telling {
    let audience = match to {
        Audience::Everyone => telling::Audience::Everyone(store::Everyone {}),
        Audience::Only(seat) => telling::Audience::Only(seat_number(seat)),
        Audience::AllBut(seats) => telling::Audience::AllBut(store::SeatSet { seats: seat_numbers(seats) }),
    };
    let told = match told {
        RecordedEvent::Game(event) => telling::Told::Game(codec.encode(event)),
        RecordedEvent::Table(event) => telling::Told::Table(codec.encode(event)),
    };
    store::Telling { audience: Some(audience), told: Some(told) }
}

fn made(seat: Seat, decided: Decided, codec: &dyn PayloadCodec) -> store::Made {
    store::Made {
        seat: seat_number(seat),
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

/// What fits a table with so many players of this game.
#[derive(Clone, Copy)]
struct Fits<'a> {
    players: u8,
    game: GameId,
    codec: &'a dyn PayloadCodec,
}

impl Fits<'_> {
    fn game(self, game: GameId) -> Result<(), WrongField> {
        let why = || format!("is of {}, and the table plays {}", game.info().id, self.game.info().id);
        if game == self.game { Ok(()) } else { Err(WrongField::new(why())) }
    }

    fn seats(self, seats: Seats, field: &str) -> Result<Seats, WrongField> {
        let why = || format!("must be below {}, the number of players", self.players);
        if seats.fits(self.players) { Ok(seats) } else { Err(WrongField::at(field, why())) }
    }

    fn seat(self, number: u32, field: &str) -> Result<Seat, WrongField> {
        let seat = seat(number, field)?;
        self.seats(Seats::only(seat), field).map(|_| seat)
    }

    fn step(self, created: u64, stored: store::Step) -> Result<Step, WrongField> {
        let telling = |(place, telling): (usize, store::Telling)| {
            self.telling(telling).map_err(|wrong| wrong.in_list(place).within("told"))
        };
        let told = stored.told.into_iter().enumerate().map(telling).collect::<Result<_, _>>()?;
        let mut decided = [None; MAX_SEATS];
        for (place, made) in stored.decided.into_iter().enumerate() {
            let wrong = |wrong: WrongField| wrong.in_list(place).within("decided");
            let (seat, made) = self.made(made).map_err(wrong)?;
            if decided[seat.index()].replace(made).is_some() {
                return Err(wrong(WrongField::at("seat", "has decided twice")));
            }
        }
        let asked = self.seats(seats(stored.asked, "asked")?, "asked")?;
        let shuffle = |(place, shuffle): (usize, store::Shuffled)| {
            self.shuffled(shuffle).map_err(|wrong| wrong.in_list(place).within("shuffled"))
        };
        let shuffled = stored.shuffled.into_iter().enumerate().map(shuffle).collect::<Result<_, _>>()?;
        Ok(Step { at: moment(created, stored.after_ms), told, decided, asked, shuffled })
    }

    fn shuffled(self, stored: store::Shuffled) -> Result<RecordedShuffle, WrongField> {
        let name = decode_shuffle(stored.round, stored.purpose, stored.count)?;
        for (place, code) in stored.codes.iter().enumerate() {
            if !is_card(self.game, *code) {
                return Err(WrongField::new("is no card").in_list(place).within("codes"));
            }
        }
        Ok(RecordedShuffle { name, codes: stored.codes })
    }

    fn telling(self, stored: store::Telling) -> Result<(Audience, RecordedEvent), WrongField> {
        let audience = match stored.audience {
            Some(telling::Audience::Everyone(store::Everyone {})) => Audience::Everyone,
            Some(telling::Audience::Only(seat)) => Audience::Only(self.seat(seat, "only")?),
            Some(telling::Audience::AllBut(set)) => {
                let but = seats(set.seats, "all_but.seats")?;
                Audience::AllBut(self.seats(but, "all_but.seats")?)
            }
            None => return Err(WrongField::new("must have an audience")),
        };
        let told = match stored.told {
            Some(telling::Told::Game(event)) => {
                let event: AnyEvent = decode_field(self.codec, &event, "game")?;
                self.game(event.game()).map_err(|wrong| wrong.within("game"))?;
                RecordedEvent::Game(event)
            }
            Some(telling::Told::Table(event)) => {
                RecordedEvent::Table(decode_field::<TableEvent>(self.codec, &event, "table")?)
            }
            None => return Err(WrongField::new("must tell something")),
        };
        Ok((audience, told))
    }

    fn made(self, stored: store::Made) -> Result<(Seat, Decided), WrongField> {
        let action: AnyAction = decode_required(self.codec, stored.action, "action")?;
        self.game(action.game()).map_err(|wrong| wrong.within("action"))?;
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
        Ok((self.seat(stored.seat, "seat")?, decided))
    }
}
