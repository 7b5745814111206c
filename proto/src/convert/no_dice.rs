//! No Dice on the wire: options, cards, actions and events. The view has a file of its own.

mod view;

use parlor_engine::no_dice::{Action, Card, Direction, Event, Hand, NoDice, Options, Placement, PlayingCard};
use parlor_engine::{Game, GameInfo};

use super::common::{seat, seat_number};
use super::field::{WrongField, number, number8, one_of, required};
use crate::v1;

const GAME: GameInfo = NoDice::INFO;

/// What can be chosen for a table: nothing.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

impl From<Options> for v1::NoDiceOptions {
    fn from(Options {}: Options) -> v1::NoDiceOptions {
        v1::NoDiceOptions {}
    }
}

impl TryFrom<v1::NoDiceOptions> for Options {
    type Error = WrongField;
    fn try_from(v1::NoDiceOptions {}: v1::NoDiceOptions) -> Result<Options, WrongField> {
        Ok(Options {})
    }
}

impl From<PlayingCard> for v1::NoDicePlayingCard {
    fn from(card: PlayingCard) -> v1::NoDicePlayingCard {
        v1::NoDicePlayingCard { lower: card.lower().into(), higher: card.higher().into() }
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

impl From<Card> for v1::NoDiceCard {
    fn from(card: Card) -> v1::NoDiceCard {
        use v1::NoDiceActionCard as Action;
        use v1::no_dice_card::Card as Wire;
        let card = match card {
            Card::Playing(card) => Wire::Playing(card.into()),
            Card::Switch => Wire::Action(Action::Switch.into()),
            Card::Pass => Wire::Action(Action::Pass.into()),
            Card::X2 => Wire::Action(Action::X2.into()),
            Card::Swap => Wire::Action(Action::Swap.into()),
        };
        v1::NoDiceCard { card: Some(card) }
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

/// The cards of a hand, in order.
fn hand_cards(hand: Hand) -> Vec<v1::NoDiceCard> {
    hand.into_iter().map(v1::NoDiceCard::from).collect()
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

impl From<Placement> for v1::NoDicePlacement {
    fn from(placement: Placement) -> v1::NoDicePlacement {
        let toward = match placement.toward() {
            Direction::Right => v1::NoDiceDirection::Right,
            Direction::Down => v1::NoDiceDirection::Down,
            Direction::Left => v1::NoDiceDirection::Left,
            Direction::Up => v1::NoDiceDirection::Up,
        };
        let (x, y) = placement.lower();
        v1::NoDicePlacement {
            card: Some(placement.card().into()),
            x: x.into(),
            y: y.into(),
            toward: toward.into(),
        }
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

impl From<Action> for v1::NoDiceAction {
    fn from(action: Action) -> v1::NoDiceAction {
        use v1::no_dice_action::Action as Wire;
        let action = match action {
            Action::Lay(placement) => Wire::Lay(placement.into()),
            Action::Switch => Wire::SwitchCard(v1::NoDicePlaySwitch {}),
            Action::PassCard => Wire::PassCard(v1::NoDicePlayPass {}),
            Action::X2 => Wire::X2Card(v1::NoDicePlayX2 {}),
            Action::Swap(with) => Wire::SwapCard(v1::NoDicePlaySwap { partner: seat_number(with) }),
            Action::Pass => Wire::PassTurn(v1::NoDicePass {}),
            Action::Decline => Wire::Decline(v1::NoDiceDecline {}),
        };
        v1::NoDiceAction { action: Some(action) }
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

impl From<Event> for v1::NoDiceEvent {
    fn from(event: Event) -> v1::NoDiceEvent {
        use v1::no_dice_event::Event as Wire;
        let event = match event {
            Event::Dealt { hand } => Wire::Dealt(v1::NoDiceDealt { hand: hand_cards(hand) }),
            Event::NextUp { seat } => Wire::NextUp(v1::NoDiceNextUp { seat: seat_number(seat) }),
            Event::YourTurn => Wire::YourTurn(v1::NoDiceYourTurn {}),
            Event::Asked => Wire::Asked(v1::NoDiceAsked {}),
            Event::Declined => Wire::Declined(v1::NoDiceDeclined {}),
            Event::SaidYes => Wire::SaidYes(v1::NoDiceSaidYes {}),
            Event::Laid { seat, placement, points, doubled } => Wire::Laid(v1::NoDiceLaid {
                seat: seat_number(seat),
                placement: Some(placement.into()),
                points,
                doubled,
            }),
            Event::Switched { seat } => Wire::Switched(v1::NoDiceSwitched { seat: seat_number(seat) }),
            Event::Skipped { by, seat, out_of_turn } => {
                Wire::Skipped(v1::NoDiceSkipped { by: seat_number(by), seat: seat_number(seat), out_of_turn })
            }
            Event::PlayedX2 { seat } => Wire::PlayedX2(v1::NoDicePlayedX2 { seat: seat_number(seat) }),
            Event::Swapped { seat, with } => {
                Wire::Swapped(v1::NoDiceSwapped { seat: seat_number(seat), partner: seat_number(with) })
            }
            Event::Got { hand } => Wire::Got(v1::NoDiceGot { hand: hand_cards(hand) }),
            Event::Passed { seat, by_itself } => {
                Wire::Passed(v1::NoDicePassed { seat: seat_number(seat), by_itself })
            }
            Event::Drew { cards } => Wire::Drew(v1::NoDiceDrew { cards: hand_cards(cards) }),
            Event::OtherDrew { seat, count } => {
                Wire::OtherDrew(v1::NoDiceOtherDrew { seat: seat_number(seat), count: count.into() })
            }
            Event::Ended { outcome } => Wire::Ended(v1::NoDiceEnded { outcome: Some(outcome.into()) }),
        };
        v1::NoDiceEvent { event: Some(event) }
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
