//! Habe fertig on the wire: options, cards, actions and events. The view has a file of its own.

mod view;

use parlor_engine::habe_fertig::{Action, Card, Colour, Event, HabeFertig, Options, Pair, Pile, Shown};
use parlor_engine::{CardSet, Game, GameInfo, MAX_SEATS, Seat};

use super::common::{card_set, cards, points, points_list, seat, seat_number};
use super::field::{WrongField, each, number, number16, one_of, required};
use crate::v1;

const GAME: GameInfo = HabeFertig::INFO;

/// What can be chosen for a table: nothing.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    Vec::new()
}

impl From<Options> for v1::HabeFertigOptions {
    fn from(Options {}: Options) -> v1::HabeFertigOptions {
        v1::HabeFertigOptions {}
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

impl From<Card> for v1::HabeFertigCard {
    fn from(card: Card) -> v1::HabeFertigCard {
        let colour = match card.colour() {
            Colour::Red => v1::HabeFertigColour::Red,
            Colour::Yellow => v1::HabeFertigColour::Yellow,
            Colour::Green => v1::HabeFertigColour::Green,
            Colour::Blue => v1::HabeFertigColour::Blue,
            Colour::Purple => v1::HabeFertigColour::Purple,
            Colour::Grey => v1::HabeFertigColour::Grey,
        };
        v1::HabeFertigCard { colour: colour.into(), number: card.number().into() }
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

impl From<Pile> for v1::HabeFertigPile {
    fn from(pile: Pile) -> v1::HabeFertigPile {
        match pile {
            Pile::Left => v1::HabeFertigPile::Left,
            Pile::Right => v1::HabeFertigPile::Right,
        }
    }
}

/// The number of a pile, as the wire has it.
fn pile_number(pile: Pile) -> i32 {
    v1::HabeFertigPile::from(pile).into()
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

impl From<[Card; 2]> for v1::HabeFertigTops {
    fn from(tops: [Card; 2]) -> v1::HabeFertigTops {
        let [left, right] = tops.map(v1::HabeFertigCard::from);
        v1::HabeFertigTops { left: Some(left), right: Some(right) }
    }
}

fn tops(wire: v1::HabeFertigTops) -> Result<[Card; 2], WrongField> {
    Ok([required(wire.left, "left")?, required(wire.right, "right")?])
}

impl From<Action> for v1::HabeFertigAction {
    fn from(action: Action) -> v1::HabeFertigAction {
        use v1::habe_fertig_action::Action as Wire;
        let action = match action {
            Action::Hide(pair) => Wire::Hide(v1::HabeFertigHide { cards: cards(pair.cards()) }),
            Action::Lay(pile) => Wire::Lay(v1::HabeFertigLay { pile: pile_number(pile) }),
            Action::Play { card, pile } => {
                Wire::Play(v1::HabeFertigPlay { card: Some(card.into()), pile: pile_number(pile) })
            }
            Action::Pass => Wire::PassTurn(v1::HabeFertigPass {}),
        };
        v1::HabeFertigAction { action: Some(action) }
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

impl From<Shown> for v1::HabeFertigShown {
    fn from(shown: Shown) -> v1::HabeFertigShown {
        let hands = Seat::all(MAX_SEATS as u8).map(|seat| v1::HabeFertigHand {
            seat: seat_number(seat),
            cards: cards(shown.hands[seat.index()]),
        });
        v1::HabeFertigShown {
            winner: shown.winner.map(seat_number),
            hidden: cards(shown.hidden),
            hands: hands.filter(|hand| !hand.cards.is_empty()).collect(),
        }
    }
}

impl TryFrom<v1::HabeFertigShown> for Shown {
    type Error = WrongField;
    fn try_from(wire: v1::HabeFertigShown) -> Result<Shown, WrongField> {
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
        Ok(Shown {
            winner: wire.winner.map(|winner| seat(winner, "winner")).transpose()?,
            hidden: card_set(wire.hidden, "hidden")?,
            hands,
        })
    }
}

impl From<Event> for v1::HabeFertigEvent {
    fn from(event: Event) -> v1::HabeFertigEvent {
        use v1::habe_fertig_event::Event as Wire;
        let event = match event {
            Event::RoundBegan { round, dealer } => Wire::RoundBegan(v1::HabeFertigRoundBegan {
                round: round.into(),
                dealer: seat_number(dealer),
            }),
            Event::Dealt { hand } => Wire::Dealt(v1::HabeFertigDealt { hand: cards(hand) }),
            Event::YouHid { cards: pair } => {
                Wire::YouHid(v1::HabeFertigYouHid { cards: cards(pair.cards()) })
            }
            Event::Hid { seat } => Wire::Hid(v1::HabeFertigHid { seat: seat_number(seat) }),
            Event::PilesOpened { tops } => {
                Wire::PilesOpened(v1::HabeFertigPilesOpened { tops: Some(tops.into()) })
            }
            Event::TurnedOver { seat, card } => Wire::TurnedOver(v1::HabeFertigTurnedOver {
                seat: seat_number(seat),
                card: Some(card.into()),
            }),
            Event::Laid { seat, card, pile } => Wire::Laid(v1::HabeFertigLaid {
                seat: seat_number(seat),
                card: Some(card.into()),
                pile: pile_number(pile),
            }),
            Event::Played { seat, card, pile, gap } => Wire::Played(v1::HabeFertigPlayed {
                seat: seat_number(seat),
                card: Some(card.into()),
                pile: pile_number(pile),
                into_gap: gap,
            }),
            Event::YouPassed { card } => Wire::YouPassed(v1::HabeFertigYouPassed { card: Some(card.into()) }),
            Event::Passed { seat } => Wire::Passed(v1::HabeFertigPassed { seat: seat_number(seat) }),
            Event::PassedWithoutCard { seat } => {
                Wire::PassedWithoutCard(v1::HabeFertigPassedWithoutCard { seat: seat_number(seat) })
            }
            Event::Rebuilt { cards: rebuilt } => {
                Wire::Rebuilt(v1::HabeFertigRebuilt { cards: cards(rebuilt) })
            }
            Event::Shown { shown } => Wire::Shown(shown.into()),
            Event::RoundScored { round, points } => Wire::RoundScored(v1::HabeFertigRoundScored {
                round: round.into(),
                points: points_list(points),
            }),
            Event::Ended { outcome } => Wire::Ended(v1::HabeFertigEnded { outcome: Some(outcome.into()) }),
        };
        v1::HabeFertigEvent { event: Some(event) }
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
            Wire::Shown(wire) => ("shown", Shown::try_from(wire).map(|shown| Event::Shown { shown })),
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
