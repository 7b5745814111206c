//! Conversions of Habe fertig: options, cards, actions and events.

mod view;

use parlor_engine::habe_fertig::{
    Action, Card, Colour, Event, HabeFertig, Options, Pair, Pile, RevealedCards,
};
use parlor_engine::{CardSet, Game, GameInfo, MAX_SEATS, Seat};

use super::common::{card_set, point_list, points, seat};
use super::field::{InvalidField, each, enum_value, number, number16, required};
use super::{build_messages, convert_enums};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

const GAME: GameInfo = HabeFertig::INFO;

/// Describes the options of a table: there are none.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

build_messages!(
    Options => HabeFertigOptions,
    Card => HabeFertigCard,
    Action => HabeFertigAction,
    Event => HabeFertigEvent,
);

convert_enums! {
    Colour => HabeFertigColour { Red, Yellow, Green, Blue, Purple, Grey }
    Pile => HabeFertigPile { Left, Right }
}

impl ToWire for Options {
    type Wire = v1::HabeFertigOptions;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Options {} = self;
        encode::HabeFertigOptions {}
    }
}

impl TryFrom<v1::HabeFertigOptions> for Options {
    type Error = InvalidField;
    fn try_from(v1::HabeFertigOptions {}: v1::HabeFertigOptions) -> Result<Options, InvalidField> {
        Ok(Options {})
    }
}

/// The cards of a shuffle.
pub(super) type DealtCard = Card;

impl ToWire for Card {
    type Wire = v1::HabeFertigCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::HabeFertigCard { colour: self.colour(), number: self.number() }
    }
}

impl TryFrom<v1::HabeFertigCard> for Card {
    type Error = InvalidField;
    fn try_from(wire: v1::HabeFertigCard) -> Result<Card, InvalidField> {
        let v1::HabeFertigCard { colour, number } = wire;
        let colour = enum_value::<v1::HabeFertigColour, _>(colour, "colour")?;
        let card = Card::new(colour, self::number(number, 1..=11, "number")?);
        card.ok_or_else(|| InvalidField::new("is no card"))
    }
}

fn pile(value: i32) -> Result<Pile, InvalidField> {
    enum_value::<v1::HabeFertigPile, _>(value, "pile")
}

/// Validates two different cards.
fn pair(wire: Vec<v1::HabeFertigCard>) -> Result<Pair, InvalidField> {
    let cards: Vec<Card> = each(wire, "cards")?;
    let pair = match cards[..] {
        [one, other] => Pair::new(one, other),
        _ => None,
    };
    pair.ok_or_else(|| InvalidField::at("cards", "must be two different cards"))
}

/// The tops of the two piles, left and right.
impl ToWire for [Card; 2] {
    type Wire = v1::HabeFertigTops;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let [left, right] = *self;
        encode::HabeFertigTops { left, right }
    }
}

fn tops(wire: v1::HabeFertigTops) -> Result<[Card; 2], InvalidField> {
    let v1::HabeFertigTops { left, right } = wire;
    Ok([required(left, "left")?, required(right, "right")?])
}

impl ToWire for Action {
    type Wire = v1::HabeFertigAction;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::habe_fertig_action::Action as Wire;
        let action = match *self {
            Action::Hide(pair) => Wire::Hide(encode::HabeFertigHide { cards: pair.cards() }),
            Action::Lay(pile) => Wire::Lay(encode::HabeFertigLay { pile }),
            Action::Play { card, pile } => Wire::Play(encode::HabeFertigPlay { card, pile }),
            Action::Pass => Wire::PassTurn(encode::HabeFertigPass {}),
        };
        encode::HabeFertigAction { action }
    }
}

impl TryFrom<v1::HabeFertigAction> for Action {
    type Error = InvalidField;
    fn try_from(wire: v1::HabeFertigAction) -> Result<Action, InvalidField> {
        use v1::habe_fertig_action::Action as Wire;
        let play = |v1::HabeFertigPlay { card, pile }| {
            Ok(Action::Play { card: required(card, "card")?, pile: self::pile(pile)? })
        };
        let v1::HabeFertigAction { action } = wire;
        let (field, action) = match action {
            Some(Wire::Hide(v1::HabeFertigHide { cards })) => ("hide", pair(cards).map(Action::Hide)),
            Some(Wire::Lay(v1::HabeFertigLay { pile })) => ("lay", self::pile(pile).map(Action::Lay)),
            Some(Wire::Play(wire)) => ("play", play(wire)),
            Some(Wire::PassTurn(v1::HabeFertigPass {})) => ("pass_turn", Ok(Action::Pass)),
            None => return Err(InvalidField::new("must have an action")),
        };
        action.map_err(|error: InvalidField| error.within(field))
    }
}

impl ToWire for RevealedCards {
    type Wire = v1::HabeFertigShown;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let hands = Seat::all(MAX_SEATS as u8).filter_map(|seat| {
            let cards = self.hands[seat.index()];
            (!cards.is_empty()).then_some(encode::HabeFertigHand { seat, cards })
        });
        encode::HabeFertigShown { winner: self.winner, hidden: self.hidden, hands }
    }
}

impl TryFrom<v1::HabeFertigShown> for RevealedCards {
    type Error = InvalidField;
    fn try_from(wire: v1::HabeFertigShown) -> Result<RevealedCards, InvalidField> {
        let v1::HabeFertigShown { winner, hidden, hands: shown } = wire;
        let mut hands = [CardSet::EMPTY; MAX_SEATS];
        for (index, hand) in shown.into_iter().enumerate() {
            add_hand(&mut hands, hand).map_err(|error| error.in_list(index).within("hands"))?;
        }
        Ok(RevealedCards {
            winner: winner.map(|winner| seat(winner, "winner")).transpose()?,
            hidden: card_set(hidden, "hidden")?,
            hands,
        })
    }
}

fn add_hand(hands: &mut [CardSet<Card>; MAX_SEATS], wire: v1::HabeFertigHand) -> Result<(), InvalidField> {
    let v1::HabeFertigHand { seat, cards } = wire;
    let seat = self::seat(seat, "seat")?;
    let hand = &mut hands[seat.index()];
    if !hand.is_empty() {
        return Err(InvalidField::at("seat", format!("names seat {seat} twice")));
    }
    *hand = card_set(cards, "cards")?;
    Ok(())
}

impl ToWire for Event {
    type Wire = v1::HabeFertigEvent;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::habe_fertig_event::Event as Wire;
        let event = match *self {
            Event::RoundBegan { round, dealer } => {
                Wire::RoundBegan(encode::HabeFertigRoundBegan { round, dealer })
            }
            Event::Dealt { hand } => Wire::Dealt(encode::HabeFertigDealt { hand }),
            Event::YouHid { cards } => Wire::YouHid(encode::HabeFertigYouHid { cards: cards.cards() }),
            Event::Hid { seat } => Wire::Hid(encode::HabeFertigHid { seat }),
            Event::PilesOpened { tops } => Wire::PilesOpened(encode::HabeFertigPilesOpened { tops }),
            Event::TurnedOver { seat, card } => Wire::TurnedOver(encode::HabeFertigTurnedOver { seat, card }),
            Event::Laid { seat, card, pile } => Wire::Laid(encode::HabeFertigLaid { seat, card, pile }),
            Event::Played { seat, card, pile, gap } => {
                Wire::Played(encode::HabeFertigPlayed { seat, card, pile, into_gap: gap })
            }
            Event::YouPassed { card } => Wire::YouPassed(encode::HabeFertigYouPassed { card }),
            Event::Passed { seat } => Wire::Passed(encode::HabeFertigPassed { seat }),
            Event::PassedWithoutCard { seat } => {
                Wire::PassedWithoutCard(encode::HabeFertigPassedWithoutCard { seat })
            }
            Event::Rebuilt { cards } => Wire::Rebuilt(encode::HabeFertigRebuilt { cards }),
            Event::Shown { shown } => Wire::Shown(shown),
            Event::RoundScored { round, points } => {
                Wire::RoundScored(encode::HabeFertigRoundScored { round, points: point_list(points) })
            }
            Event::Ended { outcome } => Wire::Ended(encode::HabeFertigEnded { outcome }),
        };
        encode::HabeFertigEvent { event }
    }
}

impl TryFrom<v1::HabeFertigEvent> for Event {
    type Error = InvalidField;
    fn try_from(wire: v1::HabeFertigEvent) -> Result<Event, InvalidField> {
        use v1::habe_fertig_event::Event as Wire;
        let v1::HabeFertigEvent { event } = wire;
        let Some(event) = event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::RoundBegan(wire) => ("round_began", round_began(wire)),
            Wire::Dealt(v1::HabeFertigDealt { hand }) => {
                ("dealt", card_set(hand, "hand").map(|hand| Event::Dealt { hand }))
            }
            Wire::YouHid(v1::HabeFertigYouHid { cards }) => {
                ("you_hid", pair(cards).map(|cards| Event::YouHid { cards }))
            }
            Wire::Hid(v1::HabeFertigHid { seat }) => {
                ("hid", self::seat(seat, "seat").map(|seat| Event::Hid { seat }))
            }
            Wire::PilesOpened(wire) => ("piles_opened", piles_opened(wire)),
            Wire::TurnedOver(wire) => ("turned_over", turned_over(wire)),
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Played(wire) => ("played", played(wire)),
            Wire::YouPassed(v1::HabeFertigYouPassed { card }) => {
                ("you_passed", required(card, "card").map(|card| Event::YouPassed { card }))
            }
            Wire::Passed(v1::HabeFertigPassed { seat }) => {
                ("passed", self::seat(seat, "seat").map(|seat| Event::Passed { seat }))
            }
            Wire::PassedWithoutCard(v1::HabeFertigPassedWithoutCard { seat }) => (
                "passed_without_card",
                self::seat(seat, "seat").map(|seat| Event::PassedWithoutCard { seat }),
            ),
            Wire::Rebuilt(v1::HabeFertigRebuilt { cards }) => {
                ("rebuilt", card_set(cards, "cards").map(|cards| Event::Rebuilt { cards }))
            }
            Wire::Shown(wire) => ("shown", RevealedCards::try_from(wire).map(|shown| Event::Shown { shown })),
            Wire::RoundScored(wire) => ("round_scored", round_scored(wire)),
            Wire::Ended(v1::HabeFertigEnded { outcome }) => {
                ("ended", required(outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn round_began(wire: v1::HabeFertigRoundBegan) -> Result<Event, InvalidField> {
    let v1::HabeFertigRoundBegan { round, dealer } = wire;
    Ok(Event::RoundBegan { round: number16(round, "round")?, dealer: seat(dealer, "dealer")? })
}

fn piles_opened(wire: v1::HabeFertigPilesOpened) -> Result<Event, InvalidField> {
    let v1::HabeFertigPilesOpened { tops } = wire;
    let tops = tops.ok_or_else(|| InvalidField::at("tops", "must be set"))?;
    let tops = self::tops(tops).map_err(|error| error.within("tops"))?;
    Ok(Event::PilesOpened { tops })
}

fn turned_over(wire: v1::HabeFertigTurnedOver) -> Result<Event, InvalidField> {
    let v1::HabeFertigTurnedOver { seat, card } = wire;
    Ok(Event::TurnedOver { seat: self::seat(seat, "seat")?, card: required(card, "card")? })
}

fn laid(wire: v1::HabeFertigLaid) -> Result<Event, InvalidField> {
    let v1::HabeFertigLaid { seat, card, pile } = wire;
    Ok(Event::Laid {
        seat: self::seat(seat, "seat")?,
        card: required(card, "card")?,
        pile: self::pile(pile)?,
    })
}

fn played(wire: v1::HabeFertigPlayed) -> Result<Event, InvalidField> {
    let v1::HabeFertigPlayed { seat, card, pile, into_gap } = wire;
    Ok(Event::Played {
        seat: self::seat(seat, "seat")?,
        card: required(card, "card")?,
        pile: self::pile(pile)?,
        gap: into_gap,
    })
}

fn round_scored(wire: v1::HabeFertigRoundScored) -> Result<Event, InvalidField> {
    let v1::HabeFertigRoundScored { round, points } = wire;
    Ok(Event::RoundScored {
        round: number16(round, "round")?,
        points: self::points(points, &GAME, "points")?,
    })
}
