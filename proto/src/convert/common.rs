//! Types shared by all games: seats, viewers, points, outcomes, texts and refusals.

use parlor_engine::{
    CardCode, CardSet, GameInfo, Lang, MAX_SEATS, Outcome, Points, Refusal, Seat, Seats, ShuffleId,
    ShufflePurpose, Standing, Text, Viewer,
};

use super::field::{InvalidField, each, enum_value, length, number, number16};
use super::{build_messages, convert_enums};
use crate::encode::{self, Encode, ToWire, Uint32};
use crate::v1;

/// Highest seat number of any table.
const LAST_SEAT: u32 = MAX_SEATS as u32 - 1;

impl Uint32 for Seat {
    #[inline]
    fn to_uint32(self) -> u32 {
        seat_number(self)
    }
}

/// Converts a seat to its number on the wire.
#[must_use]
#[inline]
pub fn seat_number(seat: Seat) -> u32 {
    seat.index() as u32
}

/// Validates a seat number; the error names the field.
pub fn seat(value: u32, field: &str) -> Result<Seat, InvalidField> {
    let wrong = || InvalidField::at(field, format!("must be 0 to {LAST_SEAT}, not {value}"));
    u8::try_from(value).ok().and_then(Seat::new).ok_or_else(wrong)
}

/// Converts a set of seats to their numbers, in order.
#[must_use]
pub fn seat_numbers(seats: Seats) -> Vec<u32> {
    seats.iter().map(seat_number).collect()
}

/// Validates a list of seat numbers without repetitions.
pub fn seats(values: Vec<u32>, field: &str) -> Result<Seats, InvalidField> {
    let mut seats = Seats::NONE;
    for (index, value) in values.into_iter().enumerate() {
        let wrong = |error: InvalidField| error.in_list(index).within(field);
        let seat = seat(value, "").map_err(wrong)?;
        if seats.contains(seat) {
            return Err(wrong(InvalidField::new(format!("names seat {seat} twice"))));
        }
        seats = seats.with(seat);
    }
    Ok(seats)
}

impl ToWire for Viewer {
    type Wire = v1::Viewer;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::viewer::Viewer as Wire;
        let viewer = match *self {
            Viewer::Seat(seat) => Wire::Seat(seat),
            Viewer::Spectator => Wire::Spectator(encode::Spectator {}),
        };
        encode::Viewer { viewer }
    }
}

impl TryFrom<v1::Viewer> for Viewer {
    type Error = InvalidField;
    fn try_from(wire: v1::Viewer) -> Result<Viewer, InvalidField> {
        let v1::Viewer { viewer } = wire;
        match viewer {
            Some(v1::viewer::Viewer::Seat(number)) => seat(number, "seat").map(Viewer::Seat),
            Some(v1::viewer::Viewer::Spectator(v1::Spectator {})) => Ok(Viewer::Spectator),
            None => Err(InvalidField::new("must have a seat or a spectator")),
        }
    }
}

convert_enums! {
    ShufflePurpose => ShufflePurpose { Deal, Rebuild }
}

/// Validates the name of a shuffle: its round, its purpose, and the count of earlier shuffles of the round with that
/// purpose.
pub fn shuffle(round: u32, purpose: i32, count: u32) -> Result<ShuffleId, InvalidField> {
    Ok(ShuffleId {
        round: number16(round, "round")?,
        purpose: enum_value::<v1::ShufflePurpose, _>(purpose, "purpose")?,
        count: number16(count, "count")?,
    })
}

impl ToWire for Standing {
    type Wire = v1::Standing;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Standing { seat, points, place } = *self;
        encode::Standing { seat, points, place }
    }
}

impl TryFrom<v1::Standing> for Standing {
    type Error = InvalidField;
    fn try_from(wire: v1::Standing) -> Result<Standing, InvalidField> {
        let v1::Standing { seat, points, place } = wire;
        Ok(Standing {
            seat: self::seat(seat, "seat")?,
            points,
            place: number(place, 1..=LAST_SEAT + 1, "place")?,
        })
    }
}

impl ToWire for Outcome {
    type Wire = v1::Outcome;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::Outcome { standings: self.standings() }
    }
}

build_messages!(Viewer => Viewer, Standing => Standing, Outcome => Outcome);

impl TryFrom<v1::Outcome> for Outcome {
    type Error = InvalidField;
    fn try_from(wire: v1::Outcome) -> Result<Outcome, InvalidField> {
        let v1::Outcome { standings } = wire;
        let standings: Vec<Standing> = each(standings, "standings")?;
        Outcome::from_standings(standings).ok_or_else(|| {
            InvalidField::at(
                "standings",
                "must have one entry for each seat, in order, with places as in 1, 2, 2, 4",
            )
        })
    }
}

/// Lists the points of each seat, in seat order.
#[inline]
pub(super) fn point_list(points: Points) -> impl Iterator<Item = i32> {
    points.iter().map(|(_, points)| points)
}

/// Validates the points of each seat of a table of the game.
pub(super) fn points(list: Vec<i32>, game: &GameInfo, field: &str) -> Result<Points, InvalidField> {
    let players = players(&list, game, field)?;
    let mut points = [0; MAX_SEATS];
    for (slot, value) in points.iter_mut().zip(list) {
        *slot = value;
    }
    Ok(Points::new(players, points))
}

/// Validates a list with one entry a seat, and returns the number of players.
pub(super) fn players<T>(list: &[T], game: &GameInfo, field: &str) -> Result<u8, InvalidField> {
    length(list, game.min_players.into()..=game.max_players.into(), field)
}

/// Validates a list of cards without repetitions.
pub(super) fn card_set<C, W>(wire: Vec<W>, field: &str) -> Result<CardSet<C>, InvalidField>
where
    C: CardCode + TryFrom<W, Error = InvalidField>,
{
    let mut set = CardSet::EMPTY;
    for (index, card) in wire.into_iter().enumerate() {
        let wrong = |error: InvalidField| error.in_list(index).within(field);
        let card = C::try_from(card).map_err(wrong)?;
        if set.contains(card) {
            return Err(wrong(InvalidField::new("is a card that the list has already")));
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

/// The action breaks a rule.
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

/// A field of the answer is invalid. The German text names the field, the English one also says what it may be.
impl From<InvalidField> for v1::AnswerRefusal {
    fn from(wrong: InvalidField) -> v1::AnswerRefusal {
        let de = match wrong.path() {
            "" => "Die Antwort hat eine Form, die sie nicht haben kann.".to_owned(),
            path => format!("Das Feld {path} der Antwort hat einen Wert, den es nicht haben kann."),
        };
        v1::AnswerRefusal {
            reason: v1::ErrorReason::InvalidField.into(),
            rule: String::new(),
            field: wrong.path().into(),
            text: Some(v1::Text { en: wrong.to_string(), de }),
        }
    }
}
