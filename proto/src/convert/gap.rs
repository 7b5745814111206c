//! GAP on the wire.

use parlor_engine::gap::{Action, BestRound, Card, Colour, Event, Gap, Length, Options, View};
use parlor_engine::{CardSet, Game, GameInfo, MAX_SEATS, Seat};

use super::common::{card_set, players, points, seat, seat_number, write_points};
use super::field::{WrongField, number, number8, number16, one_of, optional, required};
use super::messages;
use crate::v1;
use crate::write::{Fields, Write};

const GAME: GameInfo = Gap::INFO;

/// Its field in each `oneof` of games.
pub(super) const FIELD: u32 = 2;

/// What can be chosen for a table.
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

messages!(Options => GapOptions, Card => GapCard, Action => GapAction, Event => GapEvent, View => GapView);

impl Write for Options {
    fn write(&self, to: &mut Fields<'_>) {
        match self.length {
            Length::Target(target) => to.present(1, target),
            Length::Rounds(rounds) => to.present(2, rounds),
        }
    }
}

impl TryFrom<v1::GapOptions> for Options {
    type Error = WrongField;
    fn try_from(wire: v1::GapOptions) -> Result<Options, WrongField> {
        let length = match wire.length {
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

/// What is dealt.
pub(super) type Dealt = Card;

/// The numbers that a card is written as.
fn numbers(card: Card) -> [u32; 2] {
    let colour = match card.colour() {
        Colour::Blue => v1::GapColour::Blue,
        Colour::Green => v1::GapColour::Green,
        Colour::Yellow => v1::GapColour::Yellow,
        Colour::Pink => v1::GapColour::Pink,
        Colour::Purple => v1::GapColour::Purple,
    };
    [colour as u32, card.number().into()]
}

impl Write for Card {
    fn write(&self, to: &mut Fields<'_>) {
        to.pair(numbers(*self));
    }

    fn write_in(&self, field: u32, to: &mut Fields<'_>) {
        to.message_of_pair(field, numbers(*self));
    }
}

impl TryFrom<v1::GapCard> for Card {
    type Error = WrongField;
    fn try_from(wire: v1::GapCard) -> Result<Card, WrongField> {
        let colour = one_of(wire.colour, "colour", |colour| match colour {
            v1::GapColour::Unspecified => None,
            v1::GapColour::Blue => Some(Colour::Blue),
            v1::GapColour::Green => Some(Colour::Green),
            v1::GapColour::Yellow => Some(Colour::Yellow),
            v1::GapColour::Pink => Some(Colour::Pink),
            v1::GapColour::Purple => Some(Colour::Purple),
        })?;
        let card = Card::new(colour, number(wire.number, 0..=9, "number")?);
        card.ok_or_else(|| WrongField::new("is no card"))
    }
}

impl Write for Action {
    fn write(&self, to: &mut Fields<'_>) {
        to.message(1, &self.card);
        to.optional(2, self.lower);
        to.optional(3, self.higher);
    }
}

impl TryFrom<v1::GapAction> for Action {
    type Error = WrongField;
    fn try_from(wire: v1::GapAction) -> Result<Action, WrongField> {
        Ok(Action {
            card: required(wire.card, "card")?,
            lower: optional(wire.lower, "lower")?,
            higher: optional(wire.higher, "higher")?,
        })
    }
}

impl Write for Event {
    fn write(&self, to: &mut Fields<'_>) {
        match *self {
            Event::RoundBegan { round, start, extra, middle } => to.nested(1, |to| {
                to.number(1, round);
                to.number(2, seat_number(start));
                to.flag(3, extra);
                to.messages(4, middle);
            }),
            Event::Dealt { hand } => to.nested(2, |to| to.messages(1, hand)),
            Event::Played { seat, card, taken } => to.nested(3, |to| {
                to.number(1, seat_number(seat));
                to.message(2, &card);
                to.messages(3, taken);
            }),
            Event::Filled { cards } => to.nested(4, |to| to.messages(1, cards)),
            Event::RoundScored { round, points } => to.nested(5, |to| {
                to.number(1, round);
                write_points(points, 2, to);
            }),
            Event::Ended { outcome } => to.nested(6, |to| to.message(1, &outcome)),
        }
    }
}

impl TryFrom<v1::GapEvent> for Event {
    type Error = WrongField;
    fn try_from(wire: v1::GapEvent) -> Result<Event, WrongField> {
        use v1::gap_event::Event as Wire;
        let Some(wire) = wire.event else {
            return Err(WrongField::new("must have an event"));
        };
        let (field, event) = match wire {
            Wire::RoundBegan(wire) => ("round_began", round_began(wire)),
            Wire::Dealt(wire) => ("dealt", card_set(wire.hand, "hand").map(|hand| Event::Dealt { hand })),
            Wire::Played(wire) => ("played", played(wire)),
            Wire::Filled(wire) => {
                ("filled", card_set(wire.cards, "cards").map(|cards| Event::Filled { cards }))
            }
            Wire::RoundScored(wire) => ("round_scored", round_scored(wire)),
            Wire::Ended(wire) => {
                ("ended", required(wire.outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn round_began(wire: v1::GapRoundBegan) -> Result<Event, WrongField> {
    Ok(Event::RoundBegan {
        round: number16(wire.round, "round")?,
        start: seat(wire.start, "start")?,
        extra: wire.extra,
        middle: card_set(wire.middle, "middle")?,
    })
}

fn played(wire: v1::GapPlayed) -> Result<Event, WrongField> {
    Ok(Event::Played {
        seat: seat(wire.seat, "seat")?,
        card: required(wire.card, "card")?,
        taken: card_set(wire.taken, "taken")?,
    })
}

fn round_scored(wire: v1::GapRoundScored) -> Result<Event, WrongField> {
    Ok(Event::RoundScored {
        round: number16(wire.round, "round")?,
        points: points(wire.points, &GAME, "points")?,
    })
}

impl Write for BestRound {
    fn write(&self, to: &mut Fields<'_>) {
        to.signed(1, self.points);
        to.number(2, self.round);
    }
}

impl TryFrom<v1::GapBestRound> for BestRound {
    type Error = WrongField;
    fn try_from(wire: v1::GapBestRound) -> Result<BestRound, WrongField> {
        Ok(BestRound { points: wire.points, round: number16(wire.round, "round")? })
    }
}

impl Write for View {
    fn write(&self, to: &mut Fields<'_>) {
        to.message(1, &self.viewer);
        to.message(2, &self.options);
        to.number(3, self.round);
        to.flag(4, self.extra);
        to.number(5, seat_number(self.start));
        to.number(6, seat_number(self.turn));
        to.messages(7, self.hand);
        to.messages(8, self.middle);
        to.number(9, self.stack);
        for seat in Seat::all(self.players).map(Seat::index) {
            to.nested(10, |to| {
                to.number(1, self.hand_sizes[seat]);
                to.messages(2, self.collected[seat]);
                to.signed(3, self.totals[seat]);
                to.optional(4, self.best[seat]);
            });
        }
        to.optional(11, self.outcome);
    }
}

impl TryFrom<v1::GapView> for View {
    type Error = WrongField;
    fn try_from(wire: v1::GapView) -> Result<View, WrongField> {
        let mut view = View {
            viewer: required(wire.viewer, "viewer")?,
            players: players(&wire.seats, &GAME, "seats")?,
            options: required(wire.options, "options")?,
            round: number16(wire.round, "round")?,
            extra: wire.extra,
            start: seat(wire.start, "start")?,
            turn: seat(wire.turn, "turn")?,
            hand: card_set(wire.hand, "hand")?,
            hand_sizes: [0; MAX_SEATS],
            middle: card_set(wire.middle, "middle")?,
            stack: number8(wire.stack, "stack")?,
            collected: [CardSet::EMPTY; MAX_SEATS],
            totals: [0; MAX_SEATS],
            best: [None; MAX_SEATS],
            outcome: optional(wire.outcome, "outcome")?,
        };
        for (i, seat) in wire.seats.into_iter().enumerate() {
            fill_seat(&mut view, i, seat).map_err(|error| error.in_list(i).within("seats"))?;
        }
        Ok(view)
    }
}

fn fill_seat(view: &mut View, i: usize, wire: v1::GapSeat) -> Result<(), WrongField> {
    view.hand_sizes[i] = number8(wire.hand_size, "hand_size")?;
    view.collected[i] = card_set(wire.collected, "collected")?;
    view.totals[i] = wire.total;
    view.best[i] = optional(wire.best, "best")?;
    Ok(())
}
