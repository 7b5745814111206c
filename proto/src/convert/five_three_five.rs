//! Conversions of Five Three Five: options, cards, actions and events.

mod view;

use parlor_engine::five_three_five::{
    Action, Combination, CombinationKind, Event, FiveThreeFive, FlushReason, Options, PlayKind, Rank, Ranks,
};
use parlor_engine::{Game, GameInfo, MAX_SEATS, Seat};

use super::common::{point_list, points, seat};
use super::field::{InvalidField, enum_value, number, number16, required};
use super::{build_messages, convert_enums};
use crate::encode::{self, Encode, ToWire, Uint32};
use crate::v1;

const GAME: GameInfo = FiveThreeFive::INFO;

/// Describes the options of a table.
pub(super) fn option_infos() -> Vec<v1::OptionInfo> {
    vec![v1::OptionInfo {
        name: "beginner".into(),
        summary: Some(v1::Text {
            en: "Beginner rules: every card left costs 1, and the game ends at -10.".into(),
            de: "Einsteigerregeln: Jede übrige Karte kostet 1, und das Spiel endet bei -10.".into(),
        }),
        group: String::new(),
        values: Some(v1::option_info::Values::Flag(v1::FlagOption {
            default_value: Options::default().beginner,
        })),
    }]
}

build_messages!(Options => FiveThreeFiveOptions, Rank => FiveThreeFiveCard, Action => FiveThreeFiveAction, Event => FiveThreeFiveEvent);

convert_enums! {
    CombinationKind => FiveThreeFiveKind { Single, Set, Run }
    PlayKind => FiveThreeFivePlay { Lead, Overwrite, Add }
    FlushReason => FiveThreeFiveWhy { AllPassed, Full, Eight }
}

impl ToWire for Options {
    type Wire = v1::FiveThreeFiveOptions;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Options { beginner } = *self;
        encode::FiveThreeFiveOptions { beginner }
    }
}

impl TryFrom<v1::FiveThreeFiveOptions> for Options {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveOptions) -> Result<Options, InvalidField> {
        let v1::FiveThreeFiveOptions { beginner } = wire;
        Ok(Options { beginner })
    }
}

/// The cards of a shuffle.
pub(super) type DealtCard = Rank;

impl Uint32 for Rank {
    #[inline]
    fn to_uint32(self) -> u32 {
        self.number().into()
    }
}

impl ToWire for Rank {
    type Wire = v1::FiveThreeFiveCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::FiveThreeFiveCard { rank: *self }
    }
}

impl TryFrom<v1::FiveThreeFiveCard> for Rank {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveCard) -> Result<Rank, InvalidField> {
        let v1::FiveThreeFiveCard { rank } = wire;
        self::rank(rank, "rank")
    }
}

/// Validates a rank.
fn rank(value: u32, field: &str) -> Result<Rank, InvalidField> {
    let wrong = || InvalidField::at(field, format!("must be 1 to 5, 7 to 9 or 11 to 15, not {value}"));
    u8::try_from(value).ok().and_then(Rank::new).ok_or_else(wrong)
}

/// Validates the ranks of cards: of each, no more copies than the largest deck has.
fn ranks(values: Vec<u32>, field: &str) -> Result<Ranks, InvalidField> {
    let mut ranks = Ranks::EMPTY;
    for (index, value) in values.into_iter().enumerate() {
        let wrong = |error: InvalidField| error.in_list(index).within(field);
        let rank = rank(value, "").map_err(wrong)?;
        let more = ranks.plus(Ranks::copies(rank, 1));
        if more == ranks {
            return Err(wrong(InvalidField::new(format!("is one card {value} more than any table has"))));
        }
        ranks = more;
    }
    Ok(ranks)
}

impl ToWire for Combination {
    type Wire = v1::FiveThreeFiveCombination;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::FiveThreeFiveCombination { kind: self.kind(), lowest: self.lowest(), size: self.size() }
    }
}

impl TryFrom<v1::FiveThreeFiveCombination> for Combination {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveCombination) -> Result<Combination, InvalidField> {
        let v1::FiveThreeFiveCombination { kind, lowest, size } = wire;
        let kind = enum_value::<v1::FiveThreeFiveKind, _>(kind, "kind")?;
        let lowest = rank(lowest, "lowest")?;
        let combination = match kind {
            CombinationKind::Single => {
                number::<u8>(size, 1..=1, "size")?;
                Some(Combination::single(lowest))
            }
            CombinationKind::Set => Combination::set(lowest, number(size, 2..=5, "size")?),
            CombinationKind::Run => Combination::run(lowest, number(size, 2..=5, "size")?),
        };
        combination.ok_or_else(|| InvalidField::at("size", "takes the run beyond 5, 9 or 15"))
    }
}

impl ToWire for Action {
    type Wire = v1::FiveThreeFiveAction;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::five_three_five_action::Action as Wire;
        let action = match *self {
            Action::Lead(combination) => Wire::Lead(combination),
            Action::Overwrite(combination) => Wire::Overwrite(combination),
            Action::Add(combination) => Wire::Add(combination),
            Action::Pass => Wire::PassTurn(encode::FiveThreeFivePass {}),
        };
        encode::FiveThreeFiveAction { action }
    }
}

impl TryFrom<v1::FiveThreeFiveAction> for Action {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveAction) -> Result<Action, InvalidField> {
        use v1::five_three_five_action::Action as Wire;
        let v1::FiveThreeFiveAction { action } = wire;
        match action {
            Some(Wire::Lead(wire)) => required(Some(wire), "lead").map(Action::Lead),
            Some(Wire::Overwrite(wire)) => required(Some(wire), "overwrite").map(Action::Overwrite),
            Some(Wire::Add(wire)) => required(Some(wire), "add").map(Action::Add),
            Some(Wire::PassTurn(v1::FiveThreeFivePass {})) => Ok(Action::Pass),
            None => Err(InvalidField::new("must have an action")),
        }
    }
}

impl ToWire for Event {
    type Wire = v1::FiveThreeFiveEvent;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::five_three_five_event::Event as Wire;
        let event = match *self {
            Event::HandBegan { hand_number, start } => {
                Wire::HandBegan(encode::FiveThreeFiveHandBegan { hand_number, start })
            }
            Event::Dealt { hand } => Wire::Dealt(encode::FiveThreeFiveDealt { hand: hand.iter() }),
            Event::Laid { seat, play, cards, combination } => {
                Wire::Laid(encode::FiveThreeFiveLaid { seat, play, cards: cards.iter(), combination })
            }
            Event::Passed { seat } => Wire::Passed(encode::FiveThreeFivePassed { seat }),
            Event::Flushed { by, reason } => Wire::Flushed(encode::FiveThreeFiveFlushed { by, why: reason }),
            Event::HandScored { hand_number, left, points } => {
                Wire::HandScored(encode::FiveThreeFiveHandScored {
                    hand_number,
                    left: nonempty_hands(left),
                    points: point_list(points),
                })
            }
            Event::Ended { outcome } => Wire::Ended(encode::FiveThreeFiveEnded { outcome }),
        };
        encode::FiveThreeFiveEvent { event }
    }
}

/// The hands with cards, in seat order.
fn nonempty_hands(
    hands: [Ranks; MAX_SEATS],
) -> impl Iterator<Item = impl Encode<Wire = v1::FiveThreeFiveHand>> {
    Seat::all(MAX_SEATS as u8).filter_map(move |seat| {
        let cards = hands[seat.index()];
        (!cards.is_empty()).then(|| encode::FiveThreeFiveHand { seat, cards: cards.iter() })
    })
}

impl TryFrom<v1::FiveThreeFiveEvent> for Event {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveEvent) -> Result<Event, InvalidField> {
        use v1::five_three_five_event::Event as Wire;
        let v1::FiveThreeFiveEvent { event } = wire;
        let Some(event) = event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::HandBegan(wire) => ("hand_began", hand_began(wire)),
            Wire::Dealt(v1::FiveThreeFiveDealt { hand }) => {
                ("dealt", ranks(hand, "hand").map(|hand| Event::Dealt { hand }))
            }
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Passed(v1::FiveThreeFivePassed { seat }) => {
                ("passed", self::seat(seat, "seat").map(|seat| Event::Passed { seat }))
            }
            Wire::Flushed(wire) => ("flushed", flushed(wire)),
            Wire::HandScored(wire) => ("hand_scored", hand_scored(wire)),
            Wire::Ended(v1::FiveThreeFiveEnded { outcome }) => {
                ("ended", required(outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn hand_began(wire: v1::FiveThreeFiveHandBegan) -> Result<Event, InvalidField> {
    let v1::FiveThreeFiveHandBegan { hand_number, start } = wire;
    Ok(Event::HandBegan { hand_number: number16(hand_number, "hand_number")?, start: seat(start, "start")? })
}

fn laid(wire: v1::FiveThreeFiveLaid) -> Result<Event, InvalidField> {
    let v1::FiveThreeFiveLaid { seat, play, cards, combination } = wire;
    Ok(Event::Laid {
        seat: self::seat(seat, "seat")?,
        play: enum_value::<v1::FiveThreeFivePlay, _>(play, "play")?,
        cards: ranks(cards, "cards")?,
        combination: required(combination, "combination")?,
    })
}

fn flushed(wire: v1::FiveThreeFiveFlushed) -> Result<Event, InvalidField> {
    let v1::FiveThreeFiveFlushed { by, why } = wire;
    Ok(Event::Flushed { by: seat(by, "by")?, reason: enum_value::<v1::FiveThreeFiveWhy, _>(why, "why")? })
}

fn hand_scored(wire: v1::FiveThreeFiveHandScored) -> Result<Event, InvalidField> {
    let v1::FiveThreeFiveHandScored { hand_number, left: hands, points } = wire;
    let mut left = [Ranks::EMPTY; MAX_SEATS];
    for (index, hand) in hands.into_iter().enumerate() {
        add_hand(&mut left, hand).map_err(|error| error.in_list(index).within("left"))?;
    }
    Ok(Event::HandScored {
        hand_number: number16(hand_number, "hand_number")?,
        left,
        points: self::points(points, &GAME, "points")?,
    })
}

fn add_hand(hands: &mut [Ranks; MAX_SEATS], wire: v1::FiveThreeFiveHand) -> Result<(), InvalidField> {
    let v1::FiveThreeFiveHand { seat, cards } = wire;
    let seat = self::seat(seat, "seat")?;
    let hand = &mut hands[seat.index()];
    if !hand.is_empty() {
        return Err(InvalidField::at("seat", format!("names seat {seat} twice")));
    }
    *hand = ranks(cards, "cards")?;
    Ok(())
}
