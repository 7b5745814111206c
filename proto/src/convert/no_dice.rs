//! Conversions of No Dice: options, cards, actions and events.

mod view;

use parlor_engine::no_dice::{Action, Card, Direction, Event, Hand, NoDice, Options, Placement, PlayingCard};
use parlor_engine::{Game, GameInfo};

use super::common::seat;
use super::field::{InvalidField, enum_value, number, number8, one_of, required};
use super::{build_messages, convert_enums};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

const GAME: GameInfo = NoDice::INFO;

/// Describes the options of a table: there are none.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

build_messages!(Options => NoDiceOptions, Card => NoDiceCard, Action => NoDiceAction, Event => NoDiceEvent);

convert_enums! {
    Direction => NoDiceDirection { Right, Down, Left, Up }
}

impl ToWire for Options {
    type Wire = v1::NoDiceOptions;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Options {} = self;
        encode::NoDiceOptions {}
    }
}

impl TryFrom<v1::NoDiceOptions> for Options {
    type Error = InvalidField;
    fn try_from(v1::NoDiceOptions {}: v1::NoDiceOptions) -> Result<Options, InvalidField> {
        Ok(Options {})
    }
}

impl ToWire for PlayingCard {
    type Wire = v1::NoDicePlayingCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::NoDicePlayingCard { lower: self.lower(), higher: self.higher() }
    }
}

impl TryFrom<v1::NoDicePlayingCard> for PlayingCard {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDicePlayingCard) -> Result<PlayingCard, InvalidField> {
        let v1::NoDicePlayingCard { lower, higher } = wire;
        let lower = number(lower, 2..=10, "lower")?;
        let higher = number(higher, 2..=10, "higher")?;
        PlayingCard::new(lower, higher).ok_or_else(|| InvalidField::new("is no card"))
    }
}

/// The cards of a shuffle.
pub(super) type DealtCard = Card;

impl ToWire for Card {
    type Wire = v1::NoDiceCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::no_dice_card::Card as Wire;
        let card = match *self {
            Card::Playing(card) => Wire::Playing(card),
            Card::Switch => Wire::Action(v1::NoDiceActionCard::Switch),
            Card::Pass => Wire::Action(v1::NoDiceActionCard::Pass),
            Card::X2 => Wire::Action(v1::NoDiceActionCard::X2),
            Card::Swap => Wire::Action(v1::NoDiceActionCard::Swap),
        };
        encode::NoDiceCard { card }
    }
}

impl TryFrom<v1::NoDiceCard> for Card {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDiceCard) -> Result<Card, InvalidField> {
        use v1::no_dice_card::Card as Wire;
        let v1::NoDiceCard { card } = wire;
        match card {
            Some(Wire::Playing(card)) => required(Some(card), "playing").map(Card::Playing),
            Some(Wire::Action(card)) => one_of(card, "action", |card| match card {
                v1::NoDiceActionCard::Unspecified => None,
                v1::NoDiceActionCard::Switch => Some(Card::Switch),
                v1::NoDiceActionCard::Pass => Some(Card::Pass),
                v1::NoDiceActionCard::X2 => Some(Card::X2),
                v1::NoDiceActionCard::Swap => Some(Card::Swap),
            }),
            None => Err(InvalidField::new("must be a playing card or an action card")),
        }
    }
}

/// Validates cards: of each, no more copies than the game has.
fn hand(wire: Vec<v1::NoDiceCard>, field: &str) -> Result<Hand, InvalidField> {
    let mut hand = Hand::EMPTY;
    for (index, card) in wire.into_iter().enumerate() {
        let wrong = |error: InvalidField| error.in_list(index).within(field);
        let card = Card::try_from(card).map_err(wrong)?;
        let copies = card.copies();
        if hand.count(card) >= copies {
            let why = format!("is a card that the list has {copies} times already, and there are no more");
            return Err(wrong(InvalidField::new(why)));
        }
        hand = hand.with(card);
    }
    Ok(hand)
}

impl ToWire for Placement {
    type Wire = v1::NoDicePlacement;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let (x, y) = self.lower();
        encode::NoDicePlacement { card: self.card(), x: x.into(), y: y.into(), toward: self.toward() }
    }
}

impl TryFrom<v1::NoDicePlacement> for Placement {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDicePlacement) -> Result<Placement, InvalidField> {
        let v1::NoDicePlacement { card, x, y, toward } = wire;
        let toward = enum_value::<v1::NoDiceDirection, _>(toward, "toward")?;
        let card = required(card, "card")?;
        let placement = Placement::new(card, edge(x, "x")?, edge(y, "y")?, toward);
        placement.ok_or_else(|| InvalidField::at("toward", "leads out of the range of x or y"))
    }
}

/// Validates the edge of a segment.
fn edge(value: i32, field: &str) -> Result<i16, InvalidField> {
    i16::try_from(value).map_err(|_| {
        let why = format!("must be {} to {}, not {value}", i16::MIN, i16::MAX);
        InvalidField::at(field, why)
    })
}

impl ToWire for Action {
    type Wire = v1::NoDiceAction;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::no_dice_action::Action as Wire;
        let action = match *self {
            Action::Lay(placement) => Wire::Lay(placement),
            Action::Switch => Wire::SwitchCard(encode::NoDicePlaySwitch {}),
            Action::PassCard => Wire::PassCard(encode::NoDicePlayPass {}),
            Action::X2 => Wire::X2Card(encode::NoDicePlayX2 {}),
            Action::Swap(with) => Wire::SwapCard(encode::NoDicePlaySwap { partner: with }),
            Action::Pass => Wire::PassTurn(encode::NoDicePass {}),
            Action::Decline => Wire::Decline(encode::NoDiceDecline {}),
        };
        encode::NoDiceAction { action }
    }
}

impl TryFrom<v1::NoDiceAction> for Action {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDiceAction) -> Result<Action, InvalidField> {
        use v1::no_dice_action::Action as Wire;
        let v1::NoDiceAction { action } = wire;
        match action {
            Some(Wire::Lay(wire)) => required(Some(wire), "lay").map(Action::Lay),
            Some(Wire::SwitchCard(v1::NoDicePlaySwitch {})) => Ok(Action::Switch),
            Some(Wire::PassCard(v1::NoDicePlayPass {})) => Ok(Action::PassCard),
            Some(Wire::X2Card(v1::NoDicePlayX2 {})) => Ok(Action::X2),
            Some(Wire::SwapCard(v1::NoDicePlaySwap { partner })) => {
                let partner = seat(partner, "partner").map_err(|error| error.within("swap_card"))?;
                Ok(Action::Swap(partner))
            }
            Some(Wire::PassTurn(v1::NoDicePass {})) => Ok(Action::Pass),
            Some(Wire::Decline(v1::NoDiceDecline {})) => Ok(Action::Decline),
            None => Err(InvalidField::new("must have an action")),
        }
    }
}

impl ToWire for Event {
    type Wire = v1::NoDiceEvent;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::no_dice_event::Event as Wire;
        let event = match *self {
            Event::Dealt { hand } => Wire::Dealt(encode::NoDiceDealt { hand }),
            Event::NextUp { seat } => Wire::NextUp(encode::NoDiceNextUp { seat }),
            Event::YourTurn => Wire::YourTurn(encode::NoDiceYourTurn {}),
            Event::Asked => Wire::Asked(encode::NoDiceAsked {}),
            Event::Declined => Wire::Declined(encode::NoDiceDeclined {}),
            Event::SaidYes => Wire::SaidYes(encode::NoDiceSaidYes {}),
            Event::Laid { seat, placement, points, doubled } => {
                Wire::Laid(encode::NoDiceLaid { seat, placement, points, doubled })
            }
            Event::Switched { seat } => Wire::Switched(encode::NoDiceSwitched { seat }),
            Event::Skipped { by, seat, out_of_turn } => {
                Wire::Skipped(encode::NoDiceSkipped { by, seat, out_of_turn })
            }
            Event::PlayedX2 { seat } => Wire::PlayedX2(encode::NoDicePlayedX2 { seat }),
            Event::Swapped { seat, with } => Wire::Swapped(encode::NoDiceSwapped { seat, partner: with }),
            Event::Got { hand } => Wire::Got(encode::NoDiceGot { hand }),
            Event::Passed { seat, by_itself } => Wire::Passed(encode::NoDicePassed { seat, by_itself }),
            Event::Drew { cards } => Wire::Drew(encode::NoDiceDrew { cards }),
            Event::OtherDrew { seat, count } => Wire::OtherDrew(encode::NoDiceOtherDrew { seat, count }),
            Event::Ended { outcome } => Wire::Ended(encode::NoDiceEnded { outcome }),
        };
        encode::NoDiceEvent { event }
    }
}

impl TryFrom<v1::NoDiceEvent> for Event {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDiceEvent) -> Result<Event, InvalidField> {
        use v1::no_dice_event::Event as Wire;
        let v1::NoDiceEvent { event } = wire;
        let Some(event) = event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::Dealt(v1::NoDiceDealt { hand }) => {
                ("dealt", self::hand(hand, "hand").map(|hand| Event::Dealt { hand }))
            }
            Wire::NextUp(v1::NoDiceNextUp { seat }) => {
                ("next_up", self::seat(seat, "seat").map(|seat| Event::NextUp { seat }))
            }
            Wire::YourTurn(v1::NoDiceYourTurn {}) => ("your_turn", Ok(Event::YourTurn)),
            Wire::Asked(v1::NoDiceAsked {}) => ("asked", Ok(Event::Asked)),
            Wire::Declined(v1::NoDiceDeclined {}) => ("declined", Ok(Event::Declined)),
            Wire::SaidYes(v1::NoDiceSaidYes {}) => ("said_yes", Ok(Event::SaidYes)),
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Switched(v1::NoDiceSwitched { seat }) => {
                ("switched", self::seat(seat, "seat").map(|seat| Event::Switched { seat }))
            }
            Wire::Skipped(wire) => ("skipped", skipped(wire)),
            Wire::PlayedX2(v1::NoDicePlayedX2 { seat }) => {
                ("played_x2", self::seat(seat, "seat").map(|seat| Event::PlayedX2 { seat }))
            }
            Wire::Swapped(wire) => ("swapped", swapped(wire)),
            Wire::Got(v1::NoDiceGot { hand }) => {
                ("got", self::hand(hand, "hand").map(|hand| Event::Got { hand }))
            }
            Wire::Passed(wire) => ("passed", passed(wire)),
            Wire::Drew(v1::NoDiceDrew { cards }) => {
                ("drew", hand(cards, "cards").map(|cards| Event::Drew { cards }))
            }
            Wire::OtherDrew(wire) => ("other_drew", other_drew(wire)),
            Wire::Ended(v1::NoDiceEnded { outcome }) => {
                ("ended", required(outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn laid(wire: v1::NoDiceLaid) -> Result<Event, InvalidField> {
    let v1::NoDiceLaid { seat, placement, points, doubled } = wire;
    Ok(Event::Laid {
        seat: self::seat(seat, "seat")?,
        placement: required(placement, "placement")?,
        points,
        doubled,
    })
}

fn skipped(wire: v1::NoDiceSkipped) -> Result<Event, InvalidField> {
    let v1::NoDiceSkipped { by, seat, out_of_turn } = wire;
    Ok(Event::Skipped { by: self::seat(by, "by")?, seat: self::seat(seat, "seat")?, out_of_turn })
}

fn swapped(wire: v1::NoDiceSwapped) -> Result<Event, InvalidField> {
    let v1::NoDiceSwapped { seat, partner } = wire;
    Ok(Event::Swapped { seat: self::seat(seat, "seat")?, with: self::seat(partner, "partner")? })
}

fn passed(wire: v1::NoDicePassed) -> Result<Event, InvalidField> {
    let v1::NoDicePassed { seat, by_itself } = wire;
    Ok(Event::Passed { seat: self::seat(seat, "seat")?, by_itself })
}

fn other_drew(wire: v1::NoDiceOtherDrew) -> Result<Event, InvalidField> {
    let v1::NoDiceOtherDrew { seat, count } = wire;
    Ok(Event::OtherDrew { seat: self::seat(seat, "seat")?, count: number8(count, "count")? })
}
