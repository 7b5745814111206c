//! Flush on the wire: options, cards, actions and events. The view has a file of its own.

mod view;

use parlor_engine::flush::{Action, Combination, Event, Flush, Kind, Options, Play, Rank, Ranks, Why};
use parlor_engine::{Game, GameInfo, MAX_SEATS, Seat};

use super::common::{points, points_list, seat, seat_number};
use super::field::{WrongField, number, number16, one_of, required};
use crate::v1;

const GAME: GameInfo = Flush::INFO;

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

impl From<Options> for v1::FlushOptions {
    fn from(options: Options) -> v1::FlushOptions {
        v1::FlushOptions { beginner: options.beginner }
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

impl From<Rank> for v1::FlushCard {
    fn from(rank: Rank) -> v1::FlushCard {
        v1::FlushCard { rank: rank.number().into() }
    }
}

impl TryFrom<v1::FlushCard> for Rank {
    type Error = WrongField;
    fn try_from(wire: v1::FlushCard) -> Result<Rank, WrongField> {
        rank(wire.rank, "rank")
    }
}

/// The numbers of the ranks, lowest first.
fn rank_numbers(ranks: Ranks) -> Vec<u32> {
    ranks.iter().map(|rank| rank.number().into()).collect()
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

impl From<Combination> for v1::FlushCombination {
    fn from(combination: Combination) -> v1::FlushCombination {
        let kind = match combination.kind() {
            Kind::Single => v1::FlushKind::Single,
            Kind::Set => v1::FlushKind::Set,
            Kind::Sequence => v1::FlushKind::Sequence,
        };
        v1::FlushCombination {
            kind: kind.into(),
            lowest: combination.lowest().number().into(),
            size: combination.size().into(),
        }
    }
}

impl TryFrom<v1::FlushCombination> for Combination {
    type Error = WrongField;
    fn try_from(wire: v1::FlushCombination) -> Result<Combination, WrongField> {
        let kind = one_of(wire.kind, "kind", |kind| match kind {
            v1::FlushKind::Unspecified => None,
            v1::FlushKind::Single => Some(Kind::Single),
            v1::FlushKind::Set => Some(Kind::Set),
            v1::FlushKind::Sequence => Some(Kind::Sequence),
        })?;
        let lowest = rank(wire.lowest, "lowest")?;
        let combination = match kind {
            Kind::Single => {
                number::<u8>(wire.size, 1..=1, "size")?;
                Some(Combination::single(lowest))
            }
            Kind::Set => Combination::set(lowest, number(wire.size, 2..=5, "size")?),
            Kind::Sequence => Combination::sequence(lowest, number(wire.size, 2..=5, "size")?),
        };
        combination.ok_or_else(|| WrongField::at("size", "takes the sequence beyond 13"))
    }
}

impl From<Action> for v1::FlushAction {
    fn from(action: Action) -> v1::FlushAction {
        use v1::flush_action::Action as Wire;
        let action = match action {
            Action::Lead(combination) => Wire::Lead(combination.into()),
            Action::Overwrite(combination) => Wire::Overwrite(combination.into()),
            Action::Add(combination) => Wire::Add(combination.into()),
            Action::Pass => Wire::PassTurn(v1::FlushPass {}),
        };
        v1::FlushAction { action: Some(action) }
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

impl From<Event> for v1::FlushEvent {
    fn from(event: Event) -> v1::FlushEvent {
        use v1::flush_event::Event as Wire;
        let event = match event {
            Event::HandBegan { hand_number, start } => Wire::HandBegan(v1::FlushHandBegan {
                hand_number: hand_number.into(),
                start: seat_number(start),
            }),
            Event::Dealt { hand } => Wire::Dealt(v1::FlushDealt { hand: rank_numbers(hand) }),
            Event::Laid { seat, play, cards, combination } => {
                let play = match play {
                    Play::Lead => v1::FlushPlay::Lead,
                    Play::Overwrite => v1::FlushPlay::Overwrite,
                    Play::Add => v1::FlushPlay::Add,
                };
                Wire::Laid(v1::FlushLaid {
                    seat: seat_number(seat),
                    play: play.into(),
                    cards: rank_numbers(cards),
                    combination: Some(combination.into()),
                })
            }
            Event::Passed { seat } => Wire::Passed(v1::FlushPassed { seat: seat_number(seat) }),
            Event::Flushed { by, why } => {
                let why = match why {
                    Why::AllPassed => v1::FlushWhy::AllPassed,
                    Why::Full => v1::FlushWhy::Full,
                    Why::Eight => v1::FlushWhy::Eight,
                };
                Wire::Flushed(v1::FlushFlushed { by: seat_number(by), why: why.into() })
            }
            Event::HandScored { hand_number, left, points } => Wire::HandScored(v1::FlushHandScored {
                hand_number: hand_number.into(),
                left: hands(left),
                points: points_list(points),
            }),
            Event::Ended { outcome } => Wire::Ended(v1::FlushEnded { outcome: Some(outcome.into()) }),
        };
        v1::FlushEvent { event: Some(event) }
    }
}

/// The hands that have cards.
fn hands(left: [Ranks; MAX_SEATS]) -> Vec<v1::FlushHand> {
    let hands = Seat::all(MAX_SEATS as u8)
        .map(|seat| v1::FlushHand { seat: seat_number(seat), cards: rank_numbers(left[seat.index()]) });
    hands.filter(|hand| !hand.cards.is_empty()).collect()
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
        v1::FlushPlay::Lead => Some(Play::Lead),
        v1::FlushPlay::Overwrite => Some(Play::Overwrite),
        v1::FlushPlay::Add => Some(Play::Add),
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
        v1::FlushWhy::AllPassed => Some(Why::AllPassed),
        v1::FlushWhy::Full => Some(Why::Full),
        v1::FlushWhy::Eight => Some(Why::Eight),
    });
    Ok(Event::Flushed { by: seat(wire.by, "by")?, why: why? })
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
