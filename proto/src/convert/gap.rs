//! GAP on the wire.

use parlor_engine::gap::{Action, BestRound, Card, Colour, Event, Gap, Length, Options, View};
use parlor_engine::{CardSet, Game, GameInfo, MAX_SEATS, Seat};

use super::common::{card_set, cards, players, points, points_list, seat, seat_number};
use super::field::{WrongField, number, number8, number16, one_of, optional, required};
use crate::v1;

const GAME: GameInfo = Gap::INFO;

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

impl From<Options> for v1::GapOptions {
    fn from(options: Options) -> v1::GapOptions {
        let length = match options.length {
            Length::Target(target) => v1::gap_options::Length::Target(target),
            Length::Rounds(rounds) => v1::gap_options::Length::Rounds(rounds.into()),
        };
        v1::GapOptions { length: Some(length) }
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

impl From<Card> for v1::GapCard {
    fn from(card: Card) -> v1::GapCard {
        let colour = match card.colour() {
            Colour::Blue => v1::GapColour::Blue,
            Colour::Green => v1::GapColour::Green,
            Colour::Yellow => v1::GapColour::Yellow,
            Colour::Pink => v1::GapColour::Pink,
            Colour::Purple => v1::GapColour::Purple,
        };
        v1::GapCard { colour: colour.into(), number: card.number().into() }
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

impl From<Action> for v1::GapAction {
    fn from(action: Action) -> v1::GapAction {
        v1::GapAction {
            card: Some(action.card.into()),
            lower: action.lower.map(v1::GapCard::from),
            higher: action.higher.map(v1::GapCard::from),
        }
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

impl From<Event> for v1::GapEvent {
    fn from(event: Event) -> v1::GapEvent {
        use v1::gap_event::Event as Wire;
        let event = match event {
            Event::RoundBegan { round, start, extra, middle } => Wire::RoundBegan(v1::GapRoundBegan {
                round: round.into(),
                start: seat_number(start),
                extra,
                middle: cards(middle),
            }),
            Event::Dealt { hand } => Wire::Dealt(v1::GapDealt { hand: cards(hand) }),
            Event::Played { seat, card, taken } => Wire::Played(v1::GapPlayed {
                seat: seat_number(seat),
                card: Some(card.into()),
                taken: cards(taken),
            }),
            Event::Filled { cards: filled } => Wire::Filled(v1::GapFilled { cards: cards(filled) }),
            Event::RoundScored { round, points } => {
                Wire::RoundScored(v1::GapRoundScored { round: round.into(), points: points_list(points) })
            }
            Event::Ended { outcome } => Wire::Ended(v1::GapEnded { outcome: Some(outcome.into()) }),
        };
        v1::GapEvent { event: Some(event) }
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

impl From<BestRound> for v1::GapBestRound {
    fn from(best: BestRound) -> v1::GapBestRound {
        v1::GapBestRound { points: best.points, round: best.round.into() }
    }
}

impl TryFrom<v1::GapBestRound> for BestRound {
    type Error = WrongField;
    fn try_from(wire: v1::GapBestRound) -> Result<BestRound, WrongField> {
        Ok(BestRound { points: wire.points, round: number16(wire.round, "round")? })
    }
}

impl From<View> for v1::GapView {
    fn from(view: View) -> v1::GapView {
        let seats = Seat::all(view.players).map(|seat| v1::GapSeat {
            hand_size: view.hand_sizes[seat.index()].into(),
            collected: cards(view.collected[seat.index()]),
            total: view.totals[seat.index()],
            best: view.best[seat.index()].map(v1::GapBestRound::from),
        });
        v1::GapView {
            viewer: Some(view.viewer.into()),
            options: Some(view.options.into()),
            round: view.round.into(),
            extra: view.extra,
            start: seat_number(view.start),
            turn: seat_number(view.turn),
            hand: cards(view.hand),
            middle: cards(view.middle),
            stack: view.stack.into(),
            seats: seats.collect(),
            outcome: view.outcome.map(v1::Outcome::from),
        }
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
