//! Habe fertig on the wire: options, cards, actions and events. The view has a file of its own.

mod view;

use parlor_engine::habe_fertig::{
    Action, Card, Colour, Event, HabeFertig, Options, Pair, Pile, RevealedCards,
};
use parlor_engine::{CardSet, Game, GameInfo, MAX_SEATS, Seat};

use super::common::{card_set, points, seat, seat_number, write_points};
use super::field::{WrongField, each, number, number16, one_of, required};
use super::messages;
use crate::v1;
use crate::write::{Fields, Write};

const GAME: GameInfo = HabeFertig::INFO;

/// Its field in each `oneof` of games.
pub(super) const FIELD: u32 = 1;

/// What can be chosen for a table: nothing.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

messages!(
    Options => HabeFertigOptions,
    Card => HabeFertigCard,
    Action => HabeFertigAction,
    Event => HabeFertigEvent,
);

impl Write for Options {
    fn write(&self, _: &mut Fields<'_>) {
        let Options {} = self;
    }
}

impl TryFrom<v1::HabeFertigOptions> for Options {
    type Error = WrongField;
    fn try_from(v1::HabeFertigOptions {}: v1::HabeFertigOptions) -> Result<Options, WrongField> {
        Ok(Options {})
    }
}

/// What is dealt.
pub(super) type Dealt = Card;

/// The numbers that a card is written as.
fn numbers(card: Card) -> [u32; 2] {
    let colour = match card.colour() {
        Colour::Red => v1::HabeFertigColour::Red,
        Colour::Yellow => v1::HabeFertigColour::Yellow,
        Colour::Green => v1::HabeFertigColour::Green,
        Colour::Blue => v1::HabeFertigColour::Blue,
        Colour::Purple => v1::HabeFertigColour::Purple,
        Colour::Grey => v1::HabeFertigColour::Grey,
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

impl TryFrom<v1::HabeFertigCard> for Card {
    type Error = WrongField;
    fn try_from(wire: v1::HabeFertigCard) -> Result<Card, WrongField> {
        let colour = one_of(wire.colour, "colour", |colour| match colour {
            v1::HabeFertigColour::Unspecified => None,
            v1::HabeFertigColour::Red => Some(Colour::Red),
            v1::HabeFertigColour::Yellow => Some(Colour::Yellow),
            v1::HabeFertigColour::Green => Some(Colour::Green),
            v1::HabeFertigColour::Blue => Some(Colour::Blue),
            v1::HabeFertigColour::Purple => Some(Colour::Purple),
            v1::HabeFertigColour::Grey => Some(Colour::Grey),
        })?;
        let card = Card::new(colour, number(wire.number, 1..=11, "number")?);
        card.ok_or_else(|| WrongField::new("is no card"))
    }
}

/// The number of a pile, as the wire has it.
fn pile_number(pile: Pile) -> u32 {
    let pile = match pile {
        Pile::Left => v1::HabeFertigPile::Left,
        Pile::Right => v1::HabeFertigPile::Right,
    };
    pile as u32
}

fn pile(value: i32) -> Result<Pile, WrongField> {
    one_of(value, "pile", |pile| match pile {
        v1::HabeFertigPile::Unspecified => None,
        v1::HabeFertigPile::Left => Some(Pile::Left),
        v1::HabeFertigPile::Right => Some(Pile::Right),
    })
}

/// Two different cards.
fn pair(wire: Vec<v1::HabeFertigCard>) -> Result<Pair, WrongField> {
    let cards: Vec<Card> = each(wire, "cards")?;
    let pair = match cards[..] {
        [one, other] => Pair::new(one, other),
        _ => None,
    };
    pair.ok_or_else(|| WrongField::at("cards", "must be two different cards"))
}

/// The tops of the two piles, left and right.
impl Write for [Card; 2] {
    fn write(&self, to: &mut Fields<'_>) {
        let [left, right] = self;
        to.message(1, left);
        to.message(2, right);
    }
}

fn tops(wire: v1::HabeFertigTops) -> Result<[Card; 2], WrongField> {
    Ok([required(wire.left, "left")?, required(wire.right, "right")?])
}

impl Write for Action {
    fn write(&self, to: &mut Fields<'_>) {
        match *self {
            Action::Hide(pair) => to.nested(1, |to| to.messages(1, pair.cards())),
            Action::Lay(pile) => to.nested(2, |to| to.number(1, pile_number(pile))),
            Action::Play { card, pile } => to.nested(3, |to| {
                to.message(1, &card);
                to.number(2, pile_number(pile));
            }),
            Action::Pass => to.nested(4, |_| {}),
        }
    }
}

impl TryFrom<v1::HabeFertigAction> for Action {
    type Error = WrongField;
    fn try_from(wire: v1::HabeFertigAction) -> Result<Action, WrongField> {
        use v1::habe_fertig_action::Action as Wire;
        let play = |wire: v1::HabeFertigPlay| {
            Ok(Action::Play { card: required(wire.card, "card")?, pile: pile(wire.pile)? })
        };
        let (field, action) = match wire.action {
            Some(Wire::Hide(wire)) => ("hide", pair(wire.cards).map(Action::Hide)),
            Some(Wire::Lay(wire)) => ("lay", pile(wire.pile).map(Action::Lay)),
            Some(Wire::Play(wire)) => ("play", play(wire)),
            Some(Wire::PassTurn(v1::HabeFertigPass {})) => ("pass_turn", Ok(Action::Pass)),
            None => return Err(WrongField::new("must have an action")),
        };
        action.map_err(|error: WrongField| error.within(field))
    }
}

impl Write for RevealedCards {
    fn write(&self, to: &mut Fields<'_>) {
        if let Some(winner) = self.winner {
            to.present(1, seat_number(winner));
        }
        to.messages(2, self.hidden);
        for seat in Seat::all(MAX_SEATS as u8) {
            let hand = self.hands[seat.index()];
            if !hand.is_empty() {
                to.nested(3, |to| {
                    to.number(1, seat_number(seat));
                    to.messages(2, hand);
                });
            }
        }
    }
}

impl TryFrom<v1::HabeFertigShown> for RevealedCards {
    type Error = WrongField;
    fn try_from(wire: v1::HabeFertigShown) -> Result<RevealedCards, WrongField> {
        let mut hands = [CardSet::EMPTY; MAX_SEATS];
        for (place, hand) in wire.hands.into_iter().enumerate() {
            let add = || {
                let seat = seat(hand.seat, "seat")?;
                let slot: &mut CardSet<Card> = &mut hands[seat.index()];
                if !slot.is_empty() {
                    return Err(WrongField::at("seat", format!("names seat {seat} twice")));
                }
                *slot = card_set(hand.cards, "cards")?;
                Ok(())
            };
            add().map_err(|error: WrongField| error.in_list(place).within("hands"))?;
        }
        Ok(RevealedCards {
            winner: wire.winner.map(|winner| seat(winner, "winner")).transpose()?,
            hidden: card_set(wire.hidden, "hidden")?,
            hands,
        })
    }
}

impl Write for Event {
    fn write(&self, to: &mut Fields<'_>) {
        match *self {
            Event::RoundBegan { round, dealer } => to.nested(1, |to| {
                to.number(1, round);
                to.number(2, seat_number(dealer));
            }),
            Event::Dealt { hand } => to.nested(2, |to| to.messages(1, hand)),
            Event::YouHid { cards } => to.nested(3, |to| to.messages(1, cards.cards())),
            Event::Hid { seat } => to.nested(4, |to| to.number(1, seat_number(seat))),
            Event::PilesOpened { tops } => to.nested(5, |to| to.message(1, &tops)),
            Event::TurnedOver { seat, card } => to.nested(6, |to| {
                to.number(1, seat_number(seat));
                to.message(2, &card);
            }),
            Event::Laid { seat, card, pile } => to.nested(7, |to| {
                to.number(1, seat_number(seat));
                to.message(2, &card);
                to.number(3, pile_number(pile));
            }),
            Event::Played { seat, card, pile, gap } => to.nested(8, |to| {
                to.number(1, seat_number(seat));
                to.message(2, &card);
                to.number(3, pile_number(pile));
                to.flag(4, gap);
            }),
            Event::YouPassed { card } => to.nested(9, |to| to.message(1, &card)),
            Event::Passed { seat } => to.nested(10, |to| to.number(1, seat_number(seat))),
            Event::PassedWithoutCard { seat } => to.nested(11, |to| to.number(1, seat_number(seat))),
            Event::Rebuilt { cards } => to.nested(12, |to| to.messages(1, cards)),
            Event::Shown { shown } => to.message(13, &shown),
            Event::RoundScored { round, points } => to.nested(14, |to| {
                to.number(1, round);
                write_points(points, 2, to);
            }),
            Event::Ended { outcome } => to.nested(15, |to| to.message(1, &outcome)),
        }
    }
}

impl TryFrom<v1::HabeFertigEvent> for Event {
    type Error = WrongField;
    fn try_from(wire: v1::HabeFertigEvent) -> Result<Event, WrongField> {
        use v1::habe_fertig_event::Event as Wire;
        let Some(wire) = wire.event else {
            return Err(WrongField::new("must have an event"));
        };
        let (field, event) = match wire {
            Wire::RoundBegan(wire) => ("round_began", round_began(wire)),
            Wire::Dealt(wire) => ("dealt", card_set(wire.hand, "hand").map(|hand| Event::Dealt { hand })),
            Wire::YouHid(wire) => ("you_hid", pair(wire.cards).map(|cards| Event::YouHid { cards })),
            Wire::Hid(wire) => ("hid", seat(wire.seat, "seat").map(|seat| Event::Hid { seat })),
            Wire::PilesOpened(wire) => ("piles_opened", piles_opened(wire)),
            Wire::TurnedOver(wire) => ("turned_over", turned_over(wire)),
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Played(wire) => ("played", played(wire)),
            Wire::YouPassed(wire) => {
                ("you_passed", required(wire.card, "card").map(|card| Event::YouPassed { card }))
            }
            Wire::Passed(wire) => ("passed", seat(wire.seat, "seat").map(|seat| Event::Passed { seat })),
            Wire::PassedWithoutCard(wire) => {
                ("passed_without_card", seat(wire.seat, "seat").map(|seat| Event::PassedWithoutCard { seat }))
            }
            Wire::Rebuilt(wire) => {
                ("rebuilt", card_set(wire.cards, "cards").map(|cards| Event::Rebuilt { cards }))
            }
            Wire::Shown(wire) => ("shown", RevealedCards::try_from(wire).map(|shown| Event::Shown { shown })),
            Wire::RoundScored(wire) => ("round_scored", round_scored(wire)),
            Wire::Ended(wire) => {
                ("ended", required(wire.outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn round_began(wire: v1::HabeFertigRoundBegan) -> Result<Event, WrongField> {
    Ok(Event::RoundBegan { round: number16(wire.round, "round")?, dealer: seat(wire.dealer, "dealer")? })
}

fn piles_opened(wire: v1::HabeFertigPilesOpened) -> Result<Event, WrongField> {
    let wire = wire.tops.ok_or_else(|| WrongField::at("tops", "must be set"))?;
    let tops = tops(wire).map_err(|error| error.within("tops"))?;
    Ok(Event::PilesOpened { tops })
}

fn turned_over(wire: v1::HabeFertigTurnedOver) -> Result<Event, WrongField> {
    Ok(Event::TurnedOver { seat: seat(wire.seat, "seat")?, card: required(wire.card, "card")? })
}

fn laid(wire: v1::HabeFertigLaid) -> Result<Event, WrongField> {
    Ok(Event::Laid {
        seat: seat(wire.seat, "seat")?,
        card: required(wire.card, "card")?,
        pile: pile(wire.pile)?,
    })
}

fn played(wire: v1::HabeFertigPlayed) -> Result<Event, WrongField> {
    Ok(Event::Played {
        seat: seat(wire.seat, "seat")?,
        card: required(wire.card, "card")?,
        pile: pile(wire.pile)?,
        gap: wire.into_gap,
    })
}

fn round_scored(wire: v1::HabeFertigRoundScored) -> Result<Event, WrongField> {
    Ok(Event::RoundScored {
        round: number16(wire.round, "round")?,
        points: points(wire.points, &GAME, "points")?,
    })
}
