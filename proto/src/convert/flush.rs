//! Conversions of Flush: options, cards, actions and events.

mod view;

use parlor_engine::flush::{
    Action, Combination, CombinationKind, Event, Flush, FlushReason, Options, PlayKind, Rank, Ranks,
};
use parlor_engine::{Game, GameInfo, MAX_SEATS, Seat};

use super::common::{point_list, points, seat};
use super::field::{InvalidField, enum_value, number, number16, required};
use super::{build_messages, convert_enums};
use crate::encode::{self, Encode, ToWire, Uint32};
use crate::v1;

const GAME: GameInfo = Flush::INFO;

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

build_messages!(Options => FlushOptions, Rank => FlushCard, Action => FlushAction, Event => FlushEvent);

convert_enums! {
    CombinationKind => FlushKind { Single, Set, Sequence }
    PlayKind => FlushPlay { Lead, Overwrite, Add }
    FlushReason => FlushWhy { AllPassed, Full, Eight }
}

impl ToWire for Options {
    type Wire = v1::FlushOptions;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Options { beginner } = *self;
        encode::FlushOptions { beginner }
    }
}

impl TryFrom<v1::FlushOptions> for Options {
    type Error = InvalidField;
    fn try_from(wire: v1::FlushOptions) -> Result<Options, InvalidField> {
        let v1::FlushOptions { beginner } = wire;
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
    type Wire = v1::FlushCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::FlushCard { rank: *self }
    }
}

impl TryFrom<v1::FlushCard> for Rank {
    type Error = InvalidField;
    fn try_from(wire: v1::FlushCard) -> Result<Rank, InvalidField> {
        let v1::FlushCard { rank } = wire;
        self::rank(rank, "rank")
    }
}

/// Validates a rank.
fn rank(value: u32, field: &str) -> Result<Rank, InvalidField> {
    let wrong = || InvalidField::at(field, format!("must be 1 to 13, not {value}"));
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
    type Wire = v1::FlushCombination;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        encode::FlushCombination { kind: self.kind(), lowest: self.lowest(), size: self.size() }
    }
}

impl TryFrom<v1::FlushCombination> for Combination {
    type Error = InvalidField;
    fn try_from(wire: v1::FlushCombination) -> Result<Combination, InvalidField> {
        let v1::FlushCombination { kind, lowest, size } = wire;
        let kind = enum_value::<v1::FlushKind, _>(kind, "kind")?;
        let lowest = rank(lowest, "lowest")?;
        let combination = match kind {
            CombinationKind::Single => {
                number::<u8>(size, 1..=1, "size")?;
                Some(Combination::single(lowest))
            }
            CombinationKind::Set => Combination::set(lowest, number(size, 2..=5, "size")?),
            CombinationKind::Sequence => Combination::sequence(lowest, number(size, 2..=5, "size")?),
        };
        combination.ok_or_else(|| InvalidField::at("size", "takes the sequence beyond 13"))
    }
}

impl ToWire for Action {
    type Wire = v1::FlushAction;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::flush_action::Action as Wire;
        let action = match *self {
            Action::Lead(combination) => Wire::Lead(combination),
            Action::Overwrite(combination) => Wire::Overwrite(combination),
            Action::Add(combination) => Wire::Add(combination),
            Action::Pass => Wire::PassTurn(encode::FlushPass {}),
        };
        encode::FlushAction { action }
    }
}

impl TryFrom<v1::FlushAction> for Action {
    type Error = InvalidField;
    fn try_from(wire: v1::FlushAction) -> Result<Action, InvalidField> {
        use v1::flush_action::Action as Wire;
        let v1::FlushAction { action } = wire;
        match action {
            Some(Wire::Lead(wire)) => required(Some(wire), "lead").map(Action::Lead),
            Some(Wire::Overwrite(wire)) => required(Some(wire), "overwrite").map(Action::Overwrite),
            Some(Wire::Add(wire)) => required(Some(wire), "add").map(Action::Add),
            Some(Wire::PassTurn(v1::FlushPass {})) => Ok(Action::Pass),
            None => Err(InvalidField::new("must have an action")),
        }
    }
}

impl ToWire for Event {
    type Wire = v1::FlushEvent;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::flush_event::Event as Wire;
        let event = match *self {
            Event::HandBegan { hand_number, start } => {
                Wire::HandBegan(encode::FlushHandBegan { hand_number, start })
            }
            Event::Dealt { hand } => Wire::Dealt(encode::FlushDealt { hand: hand.iter() }),
            Event::Laid { seat, play, cards, combination } => {
                Wire::Laid(encode::FlushLaid { seat, play, cards: cards.iter(), combination })
            }
            Event::Passed { seat } => Wire::Passed(encode::FlushPassed { seat }),
            Event::Flushed { by, reason } => Wire::Flushed(encode::FlushFlushed { by, why: reason }),
            Event::HandScored { hand_number, left, points } => Wire::HandScored(encode::FlushHandScored {
                hand_number,
                left: nonempty_hands(left),
                points: point_list(points),
            }),
            Event::Ended { outcome } => Wire::Ended(encode::FlushEnded { outcome }),
        };
        encode::FlushEvent { event }
    }
}

/// The hands with cards, in seat order.
fn nonempty_hands(hands: [Ranks; MAX_SEATS]) -> impl Iterator<Item = impl Encode<Wire = v1::FlushHand>> {
    Seat::all(MAX_SEATS as u8).filter_map(move |seat| {
        let cards = hands[seat.index()];
        (!cards.is_empty()).then(|| encode::FlushHand { seat, cards: cards.iter() })
    })
}

impl TryFrom<v1::FlushEvent> for Event {
    type Error = InvalidField;
    fn try_from(wire: v1::FlushEvent) -> Result<Event, InvalidField> {
        use v1::flush_event::Event as Wire;
        let v1::FlushEvent { event } = wire;
        let Some(event) = event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::HandBegan(wire) => ("hand_began", hand_began(wire)),
            Wire::Dealt(v1::FlushDealt { hand }) => {
                ("dealt", ranks(hand, "hand").map(|hand| Event::Dealt { hand }))
            }
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Passed(v1::FlushPassed { seat }) => {
                ("passed", self::seat(seat, "seat").map(|seat| Event::Passed { seat }))
            }
            Wire::Flushed(wire) => ("flushed", flushed(wire)),
            Wire::HandScored(wire) => ("hand_scored", hand_scored(wire)),
            Wire::Ended(v1::FlushEnded { outcome }) => {
                ("ended", required(outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn hand_began(wire: v1::FlushHandBegan) -> Result<Event, InvalidField> {
    let v1::FlushHandBegan { hand_number, start } = wire;
    Ok(Event::HandBegan { hand_number: number16(hand_number, "hand_number")?, start: seat(start, "start")? })
}

fn laid(wire: v1::FlushLaid) -> Result<Event, InvalidField> {
    let v1::FlushLaid { seat, play, cards, combination } = wire;
    Ok(Event::Laid {
        seat: self::seat(seat, "seat")?,
        play: enum_value::<v1::FlushPlay, _>(play, "play")?,
        cards: ranks(cards, "cards")?,
        combination: required(combination, "combination")?,
    })
}

fn flushed(wire: v1::FlushFlushed) -> Result<Event, InvalidField> {
    let v1::FlushFlushed { by, why } = wire;
    Ok(Event::Flushed { by: seat(by, "by")?, reason: enum_value::<v1::FlushWhy, _>(why, "why")? })
}

fn hand_scored(wire: v1::FlushHandScored) -> Result<Event, InvalidField> {
    let v1::FlushHandScored { hand_number, left: hands, points } = wire;
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

fn add_hand(hands: &mut [Ranks; MAX_SEATS], wire: v1::FlushHand) -> Result<(), InvalidField> {
    let v1::FlushHand { seat, cards } = wire;
    let seat = self::seat(seat, "seat")?;
    let hand = &mut hands[seat.index()];
    if !hand.is_empty() {
        return Err(InvalidField::at("seat", format!("names seat {seat} twice")));
    }
    *hand = ranks(cards, "cards")?;
    Ok(())
}
