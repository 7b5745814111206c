//! Seats, viewers, points, outcomes, texts and refusals: what every game shares.

use parlor_engine::{
    CardCode, CardSet, GameInfo, Lang, MAX_SEATS, Outcome, Points, Refusal, Seat, Seats, ShuffleId,
    ShufflePurpose, Standing, Text, Viewer,
};

use super::field::{WrongField, each, length, number, number16, one_of};
use super::messages;
use crate::v1;
use crate::write::{Fields, Write};

/// The highest number of a seat that any table has.
const LAST_SEAT: u32 = MAX_SEATS as u32 - 1;

/// The number of a seat, as the wire has it.
#[must_use]
pub fn seat_number(seat: Seat) -> u32 {
    seat.index() as u32
}

/// The seat with this number, if any table can have it; otherwise an error that names the field.
pub fn seat(value: u32, field: &str) -> Result<Seat, WrongField> {
    let wrong = || WrongField::at(field, format!("must be 0 to {LAST_SEAT}, not {value}"));
    u8::try_from(value).ok().and_then(Seat::new).ok_or_else(wrong)
}

/// The numbers of some seats, in order.
#[must_use]
pub fn seat_numbers(seats: Seats) -> Vec<u32> {
    seats.iter().map(seat_number).collect()
}

/// Some seats, each once.
pub fn seats(values: Vec<u32>, field: &str) -> Result<Seats, WrongField> {
    let mut seats = Seats::NONE;
    for (place, value) in values.into_iter().enumerate() {
        let wrong = |error: WrongField| error.in_list(place).within(field);
        let seat = seat(value, "").map_err(wrong)?;
        if seats.contains(seat) {
            return Err(wrong(WrongField::new(format!("names seat {seat} twice"))));
        }
        seats = seats.with(seat);
    }
    Ok(seats)
}

impl Write for Viewer {
    fn write(&self, to: &mut Fields<'_>) {
        match self {
            Viewer::Seat(seat) => to.present(1, seat_number(*seat)),
            Viewer::Spectator => to.nested(2, |_| {}),
        }
    }
}

impl TryFrom<v1::Viewer> for Viewer {
    type Error = WrongField;
    fn try_from(wire: v1::Viewer) -> Result<Viewer, WrongField> {
        match wire.viewer {
            Some(v1::viewer::Viewer::Seat(number)) => seat(number, "seat").map(Viewer::Seat),
            Some(v1::viewer::Viewer::Spectator(_)) => Ok(Viewer::Spectator),
            None => Err(WrongField::new("must have a seat or a spectator")),
        }
    }
}

impl From<ShufflePurpose> for v1::ShufflePurpose {
    fn from(purpose: ShufflePurpose) -> v1::ShufflePurpose {
        match purpose {
            ShufflePurpose::Deal => v1::ShufflePurpose::Deal,
            ShufflePurpose::Rebuild => v1::ShufflePurpose::Rebuild,
        }
    }
}

/// The name of a shuffle: its round, what it was for, and how many of that purpose the round had before.
pub fn shuffle(round: u32, purpose: i32, count: u32) -> Result<ShuffleId, WrongField> {
    Ok(ShuffleId {
        round: number16(round, "round")?,
        purpose: one_of(purpose, "purpose", |purpose| match purpose {
            v1::ShufflePurpose::Unspecified => None,
            v1::ShufflePurpose::Deal => Some(ShufflePurpose::Deal),
            v1::ShufflePurpose::Rebuild => Some(ShufflePurpose::Rebuild),
        })?,
        count: number16(count, "count")?,
    })
}

impl Write for Standing {
    fn write(&self, to: &mut Fields<'_>) {
        to.number(1, seat_number(self.seat));
        to.signed(2, self.points);
        to.number(3, self.place);
    }
}

impl TryFrom<v1::Standing> for Standing {
    type Error = WrongField;
    fn try_from(wire: v1::Standing) -> Result<Standing, WrongField> {
        Ok(Standing {
            seat: seat(wire.seat, "seat")?,
            points: wire.points,
            place: number(wire.place, 1..=LAST_SEAT + 1, "place")?,
        })
    }
}

impl Write for Outcome {
    fn write(&self, to: &mut Fields<'_>) {
        to.messages(1, self.standings());
    }
}

messages!(Viewer => Viewer, Standing => Standing, Outcome => Outcome);

impl TryFrom<v1::Outcome> for Outcome {
    type Error = WrongField;
    fn try_from(wire: v1::Outcome) -> Result<Outcome, WrongField> {
        let standings: Vec<Standing> = each(wire.standings, "standings")?;
        Outcome::from_standings(standings).ok_or_else(|| {
            WrongField::at(
                "standings",
                "must have one entry for each seat, in order, with places as in 1, 2, 2, 4",
            )
        })
    }
}

/// Writes the points of each seat, in order.
pub(super) fn write_points(points: Points, field: u32, to: &mut Fields<'_>) {
    to.signed_list(field, points.iter().map(|(_, points)| points));
}

/// The points of each seat of a table of the game.
pub(super) fn points(list: Vec<i32>, game: &GameInfo, field: &str) -> Result<Points, WrongField> {
    let players = players(&list, game, field)?;
    let mut points = [0; MAX_SEATS];
    for (slot, value) in points.iter_mut().zip(list) {
        *slot = value;
    }
    Ok(Points::new(players, points))
}

/// How many play, by a list with an entry for each seat of a table of the game.
pub(super) fn players<T>(list: &[T], game: &GameInfo, field: &str) -> Result<u8, WrongField> {
    length(list, game.min_players.into()..=game.max_players.into(), field)
}

/// A set of cards, each once.
pub(super) fn card_set<C, W>(wire: Vec<W>, field: &str) -> Result<CardSet<C>, WrongField>
where
    C: CardCode + TryFrom<W, Error = WrongField>,
{
    let mut set = CardSet::EMPTY;
    for (place, card) in wire.into_iter().enumerate() {
        let wrong = |error: WrongField| error.in_list(place).within(field);
        let card = C::try_from(card).map_err(wrong)?;
        if set.contains(card) {
            return Err(wrong(WrongField::new("is a card that the list has already")));
        }
        set = set.with(card);
    }
    Ok(set)
}

impl From<Text> for v1::Text {
    fn from(text: Text) -> v1::Text {
        v1::Text { en: text.en.into(), de: text.de.into() }
    }
}

impl From<v1::Language> for Lang {
    fn from(language: v1::Language) -> Lang {
        match language {
            v1::Language::Unspecified | v1::Language::English => Lang::En,
            v1::Language::German => Lang::De,
        }
    }
}

impl From<Lang> for v1::Language {
    fn from(lang: Lang) -> v1::Language {
        match lang {
            Lang::En => v1::Language::English,
            Lang::De => v1::Language::German,
        }
    }
}

/// The rules are against the action.
impl From<Refusal> for v1::AnswerRefusal {
    fn from(refusal: Refusal) -> v1::AnswerRefusal {
        v1::AnswerRefusal {
            reason: v1::ErrorReason::IllegalAction.into(),
            rule: refusal.code.into(),
            field: String::new(),
            text: Some(refusal.text.into()),
        }
    }
}

/// A field of the answer is wrong: a matter between programs, so the text is the same in every language.
impl From<WrongField> for v1::AnswerRefusal {
    fn from(wrong: WrongField) -> v1::AnswerRefusal {
        let text = wrong.to_string();
        v1::AnswerRefusal {
            reason: v1::ErrorReason::InvalidField.into(),
            rule: String::new(),
            field: wrong.path().into(),
            text: Some(v1::Text { en: text.clone(), de: text }),
        }
    }
}
