//! Flush on the wire: options, cards, actions and events. The view has a file of its own.

mod view;

use parlor_engine::flush::{
    Action, Combination, CombinationKind, Event, Flush, FlushReason, Options, PlayKind, Rank, Ranks,
};
use parlor_engine::{Game, GameInfo, MAX_SEATS, Seat};

use super::common::{points, seat, seat_number, write_points};
use super::field::{WrongField, number, number16, one_of, required};
use super::messages;
use crate::v1;
use crate::write::{Fields, Write};

const GAME: GameInfo = Flush::INFO;

/// Its field in each `oneof` of games.
pub(super) const FIELD: u32 = 3;

/// What can be chosen for a table.
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

messages!(Options => FlushOptions, Rank => FlushCard, Action => FlushAction, Event => FlushEvent);

impl Write for Options {
    fn write(&self, to: &mut Fields<'_>) {
        to.flag(1, self.beginner);
    }
}

impl TryFrom<v1::FlushOptions> for Options {
    type Error = WrongField;
    fn try_from(wire: v1::FlushOptions) -> Result<Options, WrongField> {
        Ok(Options { beginner: wire.beginner })
    }
}

/// What is dealt.
pub(super) type Dealt = Rank;

impl Write for Rank {
    fn write(&self, to: &mut Fields<'_>) {
        to.number(1, self.number());
    }
}

impl TryFrom<v1::FlushCard> for Rank {
    type Error = WrongField;
    fn try_from(wire: v1::FlushCard) -> Result<Rank, WrongField> {
        rank(wire.rank, "rank")
    }
}

/// Writes the numbers of the ranks, lowest first.
fn write_ranks(ranks: Ranks, field: u32, to: &mut Fields<'_>) {
    to.list(field, ranks.iter().map(|rank| rank.number().into()));
}

fn rank(value: u32, field: &str) -> Result<Rank, WrongField> {
    let wrong = || WrongField::at(field, format!("must be 1 to 13, not {value}"));
    u8::try_from(value).ok().and_then(Rank::new).ok_or_else(wrong)
}

/// Cards, of which there are no more than a deck can have.
fn ranks(values: Vec<u32>, field: &str) -> Result<Ranks, WrongField> {
    let mut ranks = Ranks::EMPTY;
    for (place, value) in values.into_iter().enumerate() {
        let wrong = |error: WrongField| error.in_list(place).within(field);
        let rank = rank(value, "").map_err(wrong)?;
        let more = ranks.plus(Ranks::copies(rank, 1));
        if more == ranks {
            return Err(wrong(WrongField::new(format!("is one card {value} more than any table has"))));
        }
        ranks = more;
    }
    Ok(ranks)
}

impl Write for Combination {
    fn write(&self, to: &mut Fields<'_>) {
        let kind = match self.kind() {
            CombinationKind::Single => v1::FlushKind::Single,
            CombinationKind::Set => v1::FlushKind::Set,
            CombinationKind::Sequence => v1::FlushKind::Sequence,
        };
        to.number(1, kind as u32);
        to.number(2, self.lowest().number());
        to.number(3, self.size());
    }
}

impl TryFrom<v1::FlushCombination> for Combination {
    type Error = WrongField;
    fn try_from(wire: v1::FlushCombination) -> Result<Combination, WrongField> {
        let kind = one_of(wire.kind, "kind", |kind| match kind {
            v1::FlushKind::Unspecified => None,
            v1::FlushKind::Single => Some(CombinationKind::Single),
            v1::FlushKind::Set => Some(CombinationKind::Set),
            v1::FlushKind::Sequence => Some(CombinationKind::Sequence),
        })?;
        let lowest = rank(wire.lowest, "lowest")?;
        let combination = match kind {
            CombinationKind::Single => {
                number::<u8>(wire.size, 1..=1, "size")?;
                Some(Combination::single(lowest))
            }
            CombinationKind::Set => Combination::set(lowest, number(wire.size, 2..=5, "size")?),
            CombinationKind::Sequence => Combination::sequence(lowest, number(wire.size, 2..=5, "size")?),
        };
        combination.ok_or_else(|| WrongField::at("size", "takes the sequence beyond 13"))
    }
}

impl Write for Action {
    fn write(&self, to: &mut Fields<'_>) {
        match self {
            Action::Lead(combination) => to.message(1, combination),
            Action::Overwrite(combination) => to.message(2, combination),
            Action::Add(combination) => to.message(3, combination),
            Action::Pass => to.nested(4, |_| {}),
        }
    }
}

impl TryFrom<v1::FlushAction> for Action {
    type Error = WrongField;
    fn try_from(wire: v1::FlushAction) -> Result<Action, WrongField> {
        use v1::flush_action::Action as Wire;
        match wire.action {
            Some(Wire::Lead(wire)) => required(Some(wire), "lead").map(Action::Lead),
            Some(Wire::Overwrite(wire)) => required(Some(wire), "overwrite").map(Action::Overwrite),
            Some(Wire::Add(wire)) => required(Some(wire), "add").map(Action::Add),
            Some(Wire::PassTurn(v1::FlushPass {})) => Ok(Action::Pass),
            None => Err(WrongField::new("must have an action")),
        }
    }
}

impl Write for Event {
    fn write(&self, to: &mut Fields<'_>) {
        match *self {
            Event::HandBegan { hand_number, start } => to.nested(1, |to| {
                to.number(1, hand_number);
                to.number(2, seat_number(start));
            }),
            Event::Dealt { hand } => to.nested(2, |to| write_ranks(hand, 1, to)),
            Event::Laid { seat, play, cards, combination } => to.nested(3, |to| {
                let play = match play {
                    PlayKind::Lead => v1::FlushPlay::Lead,
                    PlayKind::Overwrite => v1::FlushPlay::Overwrite,
                    PlayKind::Add => v1::FlushPlay::Add,
                };
                to.number(1, seat_number(seat));
                to.number(2, play as u32);
                write_ranks(cards, 3, to);
                to.message(4, &combination);
            }),
            Event::Passed { seat } => to.nested(4, |to| to.number(1, seat_number(seat))),
            Event::Flushed { by, reason } => to.nested(5, |to| {
                let why = match reason {
                    FlushReason::AllPassed => v1::FlushWhy::AllPassed,
                    FlushReason::Full => v1::FlushWhy::Full,
                    FlushReason::Eight => v1::FlushWhy::Eight,
                };
                to.number(1, seat_number(by));
                to.number(2, why as u32);
            }),
            Event::HandScored { hand_number, left, points } => to.nested(6, |to| {
                to.number(1, hand_number);
                write_hands(left, 2, to);
                write_points(points, 3, to);
            }),
            Event::Ended { outcome } => to.nested(7, |to| to.message(1, &outcome)),
        }
    }
}

/// Writes the hands that have cards.
fn write_hands(hands: [Ranks; MAX_SEATS], field: u32, to: &mut Fields<'_>) {
    for seat in Seat::all(MAX_SEATS as u8) {
        let hand = hands[seat.index()];
        if !hand.is_empty() {
            to.nested(field, |to| {
                to.number(1, seat_number(seat));
                write_ranks(hand, 2, to);
            });
        }
    }
}

impl TryFrom<v1::FlushEvent> for Event {
    type Error = WrongField;
    fn try_from(wire: v1::FlushEvent) -> Result<Event, WrongField> {
        use v1::flush_event::Event as Wire;
        let Some(wire) = wire.event else {
            return Err(WrongField::new("must have an event"));
        };
        let (field, event) = match wire {
            Wire::HandBegan(wire) => ("hand_began", hand_began(wire)),
            Wire::Dealt(wire) => ("dealt", ranks(wire.hand, "hand").map(|hand| Event::Dealt { hand })),
            Wire::Laid(wire) => ("laid", laid(wire)),
            Wire::Passed(wire) => ("passed", seat(wire.seat, "seat").map(|seat| Event::Passed { seat })),
            Wire::Flushed(wire) => ("flushed", flushed(wire)),
            Wire::HandScored(wire) => ("hand_scored", hand_scored(wire)),
            Wire::Ended(wire) => {
                ("ended", required(wire.outcome, "outcome").map(|outcome| Event::Ended { outcome }))
            }
        };
        event.map_err(|error| error.within(field))
    }
}

fn hand_began(wire: v1::FlushHandBegan) -> Result<Event, WrongField> {
    Ok(Event::HandBegan {
        hand_number: number16(wire.hand_number, "hand_number")?,
        start: seat(wire.start, "start")?,
    })
}

fn laid(wire: v1::FlushLaid) -> Result<Event, WrongField> {
    let play = one_of(wire.play, "play", |play| match play {
        v1::FlushPlay::Unspecified => None,
        v1::FlushPlay::Lead => Some(PlayKind::Lead),
        v1::FlushPlay::Overwrite => Some(PlayKind::Overwrite),
        v1::FlushPlay::Add => Some(PlayKind::Add),
    });
    Ok(Event::Laid {
        seat: seat(wire.seat, "seat")?,
        play: play?,
        cards: ranks(wire.cards, "cards")?,
        combination: required(wire.combination, "combination")?,
    })
}

fn flushed(wire: v1::FlushFlushed) -> Result<Event, WrongField> {
    let why = one_of(wire.why, "why", |why| match why {
        v1::FlushWhy::Unspecified => None,
        v1::FlushWhy::AllPassed => Some(FlushReason::AllPassed),
        v1::FlushWhy::Full => Some(FlushReason::Full),
        v1::FlushWhy::Eight => Some(FlushReason::Eight),
    });
    Ok(Event::Flushed { by: seat(wire.by, "by")?, reason: why? })
}

fn hand_scored(wire: v1::FlushHandScored) -> Result<Event, WrongField> {
    let mut left = [Ranks::EMPTY; MAX_SEATS];
    for (place, hand) in wire.left.into_iter().enumerate() {
        let add = || {
            let seat = seat(hand.seat, "seat")?;
            let slot: &mut Ranks = &mut left[seat.index()];
            if !slot.is_empty() {
                return Err(WrongField::at("seat", format!("names seat {seat} twice")));
            }
            *slot = ranks(hand.cards, "cards")?;
            Ok(())
        };
        add().map_err(|error: WrongField| error.in_list(place).within("left"))?;
    }
    Ok(Event::HandScored {
        hand_number: number16(wire.hand_number, "hand_number")?,
        left,
        points: points(wire.points, &GAME, "points")?,
    })
}
