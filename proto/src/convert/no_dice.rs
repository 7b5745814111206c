//! No Dice on the wire: options, cards, actions and events. The view has a file of its own.

mod view;

use parlor_engine::no_dice::{Action, Card, Direction, Event, Hand, NoDice, Options, Placement, PlayingCard};
use parlor_engine::{Game, GameInfo};

use super::common::{seat, seat_number};
use super::field::{WrongField, number, number8, one_of, required};
use super::messages;
use crate::v1;
use crate::write::{Fields, Write};

const GAME: GameInfo = NoDice::INFO;

/// Its field in each `oneof` of games.
pub(super) const FIELD: u32 = 4;

/// What can be chosen for a table: nothing.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

messages!(Options => NoDiceOptions, Card => NoDiceCard, Action => NoDiceAction, Event => NoDiceEvent);

impl Write for Options {
    fn write(&self, _: &mut Fields<'_>) {
        let Options {} = self;
    }
}

impl TryFrom<v1::NoDiceOptions> for Options {
    type Error = WrongField;
    fn try_from(v1::NoDiceOptions {}: v1::NoDiceOptions) -> Result<Options, WrongField> {
        Ok(Options {})
    }
}

impl Write for PlayingCard {
    fn write(&self, to: &mut Fields<'_>) {
        to.pair([self.lower(), self.higher()].map(u32::from));
    }

    fn write_in(&self, field: u32, to: &mut Fields<'_>) {
        to.message_of_pair(field, [self.lower(), self.higher()].map(u32::from));
    }
}

impl TryFrom<v1::NoDicePlayingCard> for PlayingCard {
    type Error = WrongField;
    fn try_from(wire: v1::NoDicePlayingCard) -> Result<PlayingCard, WrongField> {
        let lower = number(wire.lower, 2..=10, "lower")?;
        let higher = number(wire.higher, 2..=10, "higher")?;
        PlayingCard::new(lower, higher).ok_or_else(|| WrongField::new("is no card"))
    }
}

/// What is dealt.
pub(super) type Dealt = Card;

impl Write for Card {
    fn write(&self, to: &mut Fields<'_>) {
        use v1::NoDiceActionCard as Action;
        match self {
            Card::Playing(card) => to.message(1, card),
            Card::Switch => to.present(2, Action::Switch as u32),
            Card::Pass => to.present(2, Action::Pass as u32),
            Card::X2 => to.present(2, Action::X2 as u32),
            Card::Swap => to.present(2, Action::Swap as u32),
        }
    }
}

impl TryFrom<v1::NoDiceCard> for Card {
    type Error = WrongField;
    fn try_from(wire: v1::NoDiceCard) -> Result<Card, WrongField> {
        use v1::no_dice_card::Card as Wire;
        match wire.card {
            Some(Wire::Playing(card)) => required(Some(card), "playing").map(Card::Playing),
            Some(Wire::Action(card)) => one_of(card, "action", |card| match card {
                v1::NoDiceActionCard::Unspecified => None,
                v1::NoDiceActionCard::Switch => Some(Card::Switch),
                v1::NoDiceActionCard::Pass => Some(Card::Pass),
                v1::NoDiceActionCard::X2 => Some(Card::X2),
                v1::NoDiceActionCard::Swap => Some(Card::Swap),
            }),
            None => Err(WrongField::new("must be a playing card or an action card")),
        }
    }
}

/// Cards, of which there are no more of a kind than the game has.
fn hand(wire: Vec<v1::NoDiceCard>, field: &str) -> Result<Hand, WrongField> {
    let mut hand = Hand::EMPTY;
    for (place, card) in wire.into_iter().enumerate() {
        let wrong = |error: WrongField| error.in_list(place).within(field);
        let card = Card::try_from(card).map_err(wrong)?;
        let copies = card.copies();
        if hand.count(card) >= copies {
            let why = format!("is a card that the list has {copies} times already, and there are no more");
            return Err(wrong(WrongField::new(why)));
        }
        hand = hand.with(card);
    }
    Ok(hand)
}

impl Write for Placement {
    fn write(&self, to: &mut Fields<'_>) {
        let toward = match self.toward() {
            Direction::Right => v1::NoDiceDirection::Right,
            Direction::Down => v1::NoDiceDirection::Down,
            Direction::Left => v1::NoDiceDirection::Left,
            Direction::Up => v1::NoDiceDirection::Up,
        };
        let (x, y) = self.lower();
        to.message(1, &self.card());
        to.signed(2, x.into());
        to.signed(3, y.into());
        to.number(4, toward as u32);
    }
}

impl TryFrom<v1::NoDicePlacement> for Placement {
    type Error = WrongField;
    fn try_from(wire: v1::NoDicePlacement) -> Result<Placement, WrongField> {
        let toward = one_of(wire.toward, "toward", |toward| match toward {
            v1::NoDiceDirection::Unspecified => None,
            v1::NoDiceDirection::Right => Some(Direction::Right),
            v1::NoDiceDirection::Down => Some(Direction::Down),
            v1::NoDiceDirection::Left => Some(Direction::Left),
            v1::NoDiceDirection::Up => Some(Direction::Up),
        })?;
        let card = required(wire.card, "card")?;
        let placement = Placement::new(card, edge(wire.x, "x")?, edge(wire.y, "y")?, toward);
        placement.ok_or_else(|| WrongField::at("toward", "leads out of the range of x or y"))
    }
}

fn edge(value: i32, field: &str) -> Result<i16, WrongField> {
    i16::try_from(value).map_err(|_| {
        let why = format!("must be {} to {}, not {value}", i16::MIN, i16::MAX);
        WrongField::at(field, why)
    })
}

impl Write for Action {
    fn write(&self, to: &mut Fields<'_>) {
        match *self {
            Action::Lay(placement) => to.message(1, &placement),
            Action::Switch => to.nested(2, |_| {}),
            Action::PassCard => to.nested(3, |_| {}),
            Action::X2 => to.nested(4, |_| {}),
            Action::Swap(with) => to.nested(5, |to| to.number(1, seat_number(with))),
            Action::Pass => to.nested(6, |_| {}),
            Action::Decline => to.nested(7, |_| {}),
        }
    }
}

impl TryFrom<v1::NoDiceAction> for Action {
    type Error = WrongField;
    fn try_from(wire: v1::NoDiceAction) -> Result<Action, WrongField> {
        use v1::no_dice_action::Action as Wire;
        match wire.action {
            Some(Wire::Lay(wire)) => required(Some(wire), "lay").map(Action::Lay),
            Some(Wire::SwitchCard(v1::NoDicePlaySwitch {})) => Ok(Action::Switch),
            Some(Wire::PassCard(v1::NoDicePlayPass {})) => Ok(Action::PassCard),
            Some(Wire::X2Card(v1::NoDicePlayX2 {})) => Ok(Action::X2),
            Some(Wire::SwapCard(wire)) => {
                let partner = seat(wire.partner, "partner").map_err(|error| error.within("swap_card"))?;
                Ok(Action::Swap(partner))
            }
            Some(Wire::PassTurn(v1::NoDicePass {})) => Ok(Action::Pass),
            Some(Wire::Decline(v1::NoDiceDecline {})) => Ok(Action::Decline),
            None => Err(WrongField::new("must have an action")),
        }
    }
}

impl Write for Event {
    fn write(&self, to: &mut Fields<'_>) {
        match *self {
            Event::Dealt { hand } => to.nested(1, |to| to.messages(1, hand)),
            Event::NextUp { seat } => to.nested(2, |to| to.number(1, seat_number(seat))),
            Event::YourTurn => to.nested(3, |_| {}),
            Event::Asked => to.nested(4, |_| {}),
            Event::Declined => to.nested(5, |_| {}),
            Event::SaidYes => to.nested(6, |_| {}),
            Event::Laid { seat, placement, points, doubled } => to.nested(7, |to| {
                to.number(1, seat_number(seat));
                to.message(2, &placement);
                to.signed(3, points);
                to.flag(4, doubled);
            }),
            Event::Switched { seat } => to.nested(8, |to| to.number(1, seat_number(seat))),
            Event::Skipped { by, seat, out_of_turn } => to.nested(9, |to| {
                to.number(1, seat_number(by));
                to.number(2, seat_number(seat));
                to.flag(3, out_of_turn);
            }),
            Event::PlayedX2 { seat } => to.nested(10, |to| to.number(1, seat_number(seat))),
            Event::Swapped { seat, with } => to.nested(11, |to| {
                to.number(1, seat_number(seat));
                to.number(2, seat_number(with));
            }),
            Event::Got { hand } => to.nested(12, |to| to.messages(1, hand)),
            Event::Passed { seat, by_itself } => to.nested(13, |to| {
                to.number(1, seat_number(seat));
                to.flag(2, by_itself);
            }),
            Event::Drew { cards } => to.nested(14, |to| to.messages(1, cards)),
            Event::OtherDrew { seat, count } => to.nested(15, |to| {
                to.number(1, seat_number(seat));
                to.number(2, count);
            }),
            Event::Ended { outcome } => to.nested(16, |to| to.message(1, &outcome)),
        }
    }
}

impl TryFrom<v1::NoDiceEvent> for Event {
    type Error = WrongField;
    fn try_from(wire: v1::NoDiceEvent) -> Result<Event, WrongField> {
        use v1::no_dice_event::Event as Wire;
        let Some(wire) = wire.event else {
            return Err(WrongField::new("must have an event"));
        };
        let (field, event) = match wire {
            Wire::Dealt(wire) => ("dealt", hand(wire.hand, "hand").map(|hand| Event::Dealt { hand })),
            Wire::NextUp(wire) => ("next_up", seat(wire.seat, "seat").map(|seat| Event::NextUp { seat })),
            Wire::YourTurn(v1::NoDiceYourTurn {}) => ("your_turn", Ok(Event::YourTurn)),
            Wire::Asked(v1::NoDiceAsked {}) => ("asked", Ok(Event::Asked)),
            Wire::Declined(v1::NoDiceDeclined {}) => ("declined", Ok(Event::Declined)),
            Wire::SaidYes(v1::NoDiceSaidYes {}) => ("said_yes", Ok(Event::SaidYes)),
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Switched(wire) => {
                ("switched", seat(wire.seat, "seat").map(|seat| Event::Switched { seat }))
            }
            Wire::Skipped(wire) => ("skipped", skipped(wire)),
            Wire::PlayedX2(wire) => {
                ("played_x2", seat(wire.seat, "seat").map(|seat| Event::PlayedX2 { seat }))
            }
            Wire::Swapped(wire) => ("swapped", swapped(wire)),
            Wire::Got(wire) => ("got", hand(wire.hand, "hand").map(|hand| Event::Got { hand })),
            Wire::Passed(wire) => ("passed", passed(wire)),
            Wire::Drew(wire) => ("drew", hand(wire.cards, "cards").map(|cards| Event::Drew { cards })),
            Wire::OtherDrew(wire) => ("other_drew", other_drew(wire)),
            Wire::Ended(wire) => {
                ("ended", required(wire.outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn laid(wire: v1::NoDiceLaid) -> Result<Event, WrongField> {
    Ok(Event::Laid {
        seat: seat(wire.seat, "seat")?,
        placement: required(wire.placement, "placement")?,
        points: wire.points,
        doubled: wire.doubled,
    })
}

fn skipped(wire: v1::NoDiceSkipped) -> Result<Event, WrongField> {
    Ok(Event::Skipped {
        by: seat(wire.by, "by")?,
        seat: seat(wire.seat, "seat")?,
        out_of_turn: wire.out_of_turn,
    })
}

fn swapped(wire: v1::NoDiceSwapped) -> Result<Event, WrongField> {
    Ok(Event::Swapped { seat: seat(wire.seat, "seat")?, with: seat(wire.partner, "partner")? })
}

fn passed(wire: v1::NoDicePassed) -> Result<Event, WrongField> {
    Ok(Event::Passed { seat: seat(wire.seat, "seat")?, by_itself: wire.by_itself })
}

fn other_drew(wire: v1::NoDiceOtherDrew) -> Result<Event, WrongField> {
    Ok(Event::OtherDrew { seat: seat(wire.seat, "seat")?, count: number8(wire.count, "count")? })
}
