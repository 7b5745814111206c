//! Conversions of GAP.

use parlor_engine::gap::{Action, BestRound, Card, Colour, Event, Gap, Length, Options, View};
use parlor_engine::{CardSet, Game, GameInfo, MAX_SEATS, Seat};

use super::common::{card_set, players, point_list, points, seat};
use super::field::{InvalidField, enum_value, number, number8, number16, optional, required};
use super::{build_messages, convert_enums};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

const GAME: GameInfo = Gap::INFO;

/// Describes the options of a table.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    let length = |name: &str, en: &str, de: &str, values| v1::OptionInfo {
        name: name.into(),
        summary: Some(v1::Text { en: en.into(), de: de.into() }),
        group: "length".into(),
        values: Some(v1::option_info::Values::Integer(values)),
    };
    let usual = [
        (15, "short game", "kurzes Spiel"),
        (30, "medium game", "mittleres Spiel"),
        (70, "long game", "langes Spiel"),
    ];
    let usual = usual.map(|(value, en, de)| v1::NamedValue {
        value,
        name: Some(v1::Text { en: en.into(), de: de.into() }),
    });
    let default_value = match Options::default().length {
        Length::Target(target) => Some(target),
        Length::Rounds(_) => None,
    };
    vec![
        length(
            "target",
            "The game ends after the round in which somebody has so many points.",
            "Das Spiel endet nach der Runde, in der jemand so viele Punkte hat.",
            v1::IntegerOption { min: 1, max: u32::MAX, default_value, usual: usual.to_vec() },
        ),
        length(
            "rounds",
            "The game ends after so many rounds.",
            "Das Spiel endet nach so vielen Runden.",
            v1::IntegerOption {
                min: 1,
                max: parlor_engine::gap::MAX_ROUNDS.into(),
                default_value: None,
                usual: Vec::new(),
            },
        ),
    ]
}

build_messages!(
    Options => GapOptions,
    Card => GapCard,
    Action => GapAction,
    Event => GapEvent,
    View => GapView,
);

convert_enums! {
    Colour => GapColour { Blue, Green, Yellow, Pink, Purple }
}

impl ToWire for Options {
    type Wire = v1::GapOptions;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::gap_options::Length as Wire;
        let length = match self.length {
            Length::Target(target) => Wire::Target(target),
            Length::Rounds(rounds) => Wire::Rounds(rounds),
        };
        encode::GapOptions { length }
    }
}

impl TryFrom<v1::GapOptions> for Options {
    type Error = InvalidField;
    fn try_from(wire: v1::GapOptions) -> Result<Options, InvalidField> {
        let v1::GapOptions { length } = wire;
        let length = match length {
            Some(v1::gap_options::Length::Target(target)) => {
                Length::Target(number(target, 1..=u32::MAX, "target")?)
            }
            Some(v1::gap_options::Length::Rounds(rounds)) => {
                Length::Rounds(number(rounds, 1..=parlor_engine::gap::MAX_ROUNDS.into(), "rounds")?)
            }
            None => Options::default().length,
        };
        Ok(Options { length })
    }
}

/// The cards of a shuffle.
pub(super) type DealtCard = Card;

impl ToWire for Card {
    type Wire = v1::GapCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::GapCard { colour: self.colour(), number: self.number() }
    }
}

impl TryFrom<v1::GapCard> for Card {
    type Error = InvalidField;
    fn try_from(wire: v1::GapCard) -> Result<Card, InvalidField> {
        let v1::GapCard { colour, number } = wire;
        let colour = enum_value::<v1::GapColour, _>(colour, "colour")?;
        let card = Card::new(colour, self::number(number, 0..=9, "number")?);
        card.ok_or_else(|| InvalidField::new("is no card"))
    }
}

impl ToWire for Action {
    type Wire = v1::GapAction;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Action { card, lower, higher } = *self;
        encode::GapAction { card, lower, higher }
    }
}

impl TryFrom<v1::GapAction> for Action {
    type Error = InvalidField;
    fn try_from(wire: v1::GapAction) -> Result<Action, InvalidField> {
        let v1::GapAction { card, lower, higher } = wire;
        Ok(Action {
            card: required(card, "card")?,
            lower: optional(lower, "lower")?,
            higher: optional(higher, "higher")?,
        })
    }
}

impl ToWire for Event {
    type Wire = v1::GapEvent;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::gap_event::Event as Wire;
        let event = match *self {
            Event::RoundBegan { round, start, extra, middle } => {
                Wire::RoundBegan(encode::GapRoundBegan { round, start, extra, middle })
            }
            Event::Dealt { hand } => Wire::Dealt(encode::GapDealt { hand }),
            Event::Played { seat, card, taken } => Wire::Played(encode::GapPlayed { seat, card, taken }),
            Event::Filled { cards } => Wire::Filled(encode::GapFilled { cards }),
            Event::RoundScored { round, points } => {
                Wire::RoundScored(encode::GapRoundScored { round, points: point_list(points) })
            }
            Event::Ended { outcome } => Wire::Ended(encode::GapEnded { outcome }),
        };
        encode::GapEvent { event }
    }
}

impl TryFrom<v1::GapEvent> for Event {
    type Error = InvalidField;
    fn try_from(wire: v1::GapEvent) -> Result<Event, InvalidField> {
        use v1::gap_event::Event as Wire;
        let v1::GapEvent { event } = wire;
        let Some(event) = event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::RoundBegan(wire) => ("round_began", round_began(wire)),
            Wire::Dealt(v1::GapDealt { hand }) => {
                ("dealt", card_set(hand, "hand").map(|hand| Event::Dealt { hand }))
            }
            Wire::Played(wire) => ("played", played(wire)),
            Wire::Filled(v1::GapFilled { cards }) => {
                ("filled", card_set(cards, "cards").map(|cards| Event::Filled { cards }))
            }
            Wire::RoundScored(wire) => ("round_scored", round_scored(wire)),
            Wire::Ended(v1::GapEnded { outcome }) => {
                ("ended", required(outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn round_began(wire: v1::GapRoundBegan) -> Result<Event, InvalidField> {
    let v1::GapRoundBegan { round, start, extra, middle } = wire;
    Ok(Event::RoundBegan {
        round: number16(round, "round")?,
        start: seat(start, "start")?,
        extra,
        middle: card_set(middle, "middle")?,
    })
}

fn played(wire: v1::GapPlayed) -> Result<Event, InvalidField> {
    let v1::GapPlayed { seat, card, taken } = wire;
    Ok(Event::Played {
        seat: self::seat(seat, "seat")?,
        card: required(card, "card")?,
        taken: card_set(taken, "taken")?,
    })
}

fn round_scored(wire: v1::GapRoundScored) -> Result<Event, InvalidField> {
    let v1::GapRoundScored { round, points } = wire;
    Ok(Event::RoundScored {
        round: number16(round, "round")?,
        points: self::points(points, &GAME, "points")?,
    })
}

impl ToWire for BestRound {
    type Wire = v1::GapBestRound;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let BestRound { points, round } = *self;
        encode::GapBestRound { points, round }
    }
}

impl TryFrom<v1::GapBestRound> for BestRound {
    type Error = InvalidField;
    fn try_from(wire: v1::GapBestRound) -> Result<BestRound, InvalidField> {
        let v1::GapBestRound { points, round } = wire;
        Ok(BestRound { points, round: number16(round, "round")? })
    }
}

impl ToWire for View {
    type Wire = v1::GapView;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let seats = Seat::all(self.players).map(Seat::index).map(|seat| encode::GapSeat {
            hand_size: self.hand_sizes[seat],
            collected: self.collected[seat],
            total: self.totals[seat],
            best: self.best[seat],
        });
        encode::GapView {
            viewer: self.viewer,
            options: self.options,
            round: self.round,
            extra: self.extra,
            start: self.start,
            turn: self.turn,
            hand: self.hand,
            middle: self.middle,
            stack: self.stack,
            seats,
            outcome: self.outcome,
        }
    }
}

impl TryFrom<v1::GapView> for View {
    type Error = InvalidField;
    fn try_from(wire: v1::GapView) -> Result<View, InvalidField> {
        let v1::GapView { viewer, options, round, extra, start, turn, hand, middle, stack, seats, outcome } =
            wire;
        let mut view = View {
            viewer: required(viewer, "viewer")?,
            players: players(&seats, &GAME, "seats")?,
            options: required(options, "options")?,
            round: number16(round, "round")?,
            extra,
            start: seat(start, "start")?,
            turn: seat(turn, "turn")?,
            hand: card_set(hand, "hand")?,
            hand_sizes: [0; MAX_SEATS],
            middle: card_set(middle, "middle")?,
            stack: number8(stack, "stack")?,
            collected: [CardSet::EMPTY; MAX_SEATS],
            totals: [0; MAX_SEATS],
            best: [None; MAX_SEATS],
            outcome: optional(outcome, "outcome")?,
        };
        for (i, seat) in seats.into_iter().enumerate() {
            fill_seat(&mut view, i, seat).map_err(|error| error.in_list(i).within("seats"))?;
        }
        Ok(view)
    }
}

fn fill_seat(view: &mut View, i: usize, wire: v1::GapSeat) -> Result<(), InvalidField> {
    let v1::GapSeat { hand_size, collected, total, best } = wire;
    view.hand_sizes[i] = number8(hand_size, "hand_size")?;
    view.collected[i] = card_set(collected, "collected")?;
    view.totals[i] = total;
    view.best[i] = optional(best, "best")?;
    Ok(())
}
