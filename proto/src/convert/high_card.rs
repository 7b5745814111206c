//! Conversions of High Card.

use parlor_engine::high_card::{Action, Card, Event, MAX_PLAYERS, Options, View};

use super::build_messages;
use super::common::{card_set, seat};
use super::field::{InvalidField, each, length, number, required};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

/// Describes the options of a table: there are none.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

build_messages!(
    Options => HighCardOptions,
    Card => HighCardCard,
    Action => HighCardAction,
    Event => HighCardEvent,
    View => HighCardView,
);

impl ToWire for Options {
    type Wire = v1::HighCardOptions;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::HighCardOptions {}
    }
}

impl TryFrom<v1::HighCardOptions> for Options {
    type Error = InvalidField;
    fn try_from(wire: v1::HighCardOptions) -> Result<Options, InvalidField> {
        let v1::HighCardOptions {} = wire;
        Ok(Options)
    }
}

/// The cards of a shuffle.
pub(super) type DealtCard = Card;

impl ToWire for Card {
    type Wire = v1::HighCardCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::HighCardCard { rank: self.rank() }
    }
}

impl TryFrom<v1::HighCardCard> for Card {
    type Error = InvalidField;
    fn try_from(wire: v1::HighCardCard) -> Result<Card, InvalidField> {
        let v1::HighCardCard { rank } = wire;
        let card = Card::new(number(rank, 1..=13, "rank")?);
        card.ok_or_else(|| InvalidField::new("is no card"))
    }
}

impl ToWire for Action {
    type Wire = v1::HighCardAction;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Action { card } = *self;
        encode::HighCardAction { card }
    }
}

impl TryFrom<v1::HighCardAction> for Action {
    type Error = InvalidField;
    fn try_from(wire: v1::HighCardAction) -> Result<Action, InvalidField> {
        let v1::HighCardAction { card } = wire;
        Ok(Action { card: required(card, "card")? })
    }
}

impl ToWire for Event {
    type Wire = v1::HighCardEvent;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::high_card_event::Event as Wire;
        let event = match *self {
            Event::Dealt { hand } => Wire::Dealt(encode::HighCardDealt { hand }),
            Event::Played { seat, card } => Wire::Played(encode::HighCardPlayed { seat, card }),
            Event::Ended { outcome } => Wire::Ended(encode::HighCardEnded { outcome }),
        };
        encode::HighCardEvent { event }
    }
}

impl TryFrom<v1::HighCardEvent> for Event {
    type Error = InvalidField;
    fn try_from(wire: v1::HighCardEvent) -> Result<Event, InvalidField> {
        use v1::high_card_event::Event as Wire;
        let v1::HighCardEvent { event } = wire;
        let (field, event) = match event.ok_or_else(|| InvalidField::new("must have an event"))? {
            Wire::Dealt(v1::HighCardDealt { hand }) => {
                ("dealt", card_set(hand, "hand").map(|hand| Event::Dealt { hand }))
            }
            Wire::Played(wire) => ("played", played(wire)),
            Wire::Ended(v1::HighCardEnded { outcome }) => {
                ("ended", required(outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn played(wire: v1::HighCardPlayed) -> Result<Event, InvalidField> {
    let v1::HighCardPlayed { seat, card } = wire;
    Ok(Event::Played { seat: self::seat(seat, "seat")?, card: required(card, "card")? })
}

impl ToWire for View {
    type Wire = v1::HighCardView;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let View { viewer, players, hand, ref played } = *self;
        encode::HighCardView { viewer, players, hand, played }
    }
}

impl TryFrom<v1::HighCardView> for View {
    type Error = InvalidField;
    fn try_from(wire: v1::HighCardView) -> Result<View, InvalidField> {
        let v1::HighCardView { viewer, players, hand, played } = wire;
        length(&played, 0..=MAX_PLAYERS, "played")?;
        Ok(View {
            viewer: required(viewer, "viewer")?,
            players: number(players, 2..=MAX_PLAYERS as u32, "players")?,
            hand: card_set(hand, "hand")?,
            played: each(played, "played")?,
        })
    }
}
