//! Flush: a climbing game in which an 8 flushes the field.
//!
//! # The order of the legal actions
//!
//! Leading: single cards by rank; sets by rank, then count; sequences by their lowest rank, then length.
//!
//! Following: what overwrites, in the order of its lowest rank; then what the stack can be made by adding: sets by
//! count, sequences by their lowest rank, then length; then passing.

mod card;
mod combination;
mod event;
mod hands;
pub mod refusals;
mod text;
mod view;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use card::{Rank, Ranks};
pub use combination::{Combination, Kind};
pub use event::{Event, Play, Why};
pub use view::View;

use crate::{
    Audience, Chance, Events, Game, GameInfo, ImpossibleView, MAX_SEATS, Outcome, Refusal, Seat, Seats,
    SetupError, Text, Viewer,
};

/// What can be chosen for a table of Flush.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// Beginner rules: every card costs 1, and the game ends at -10.
    pub beginner: bool,
}

impl Options {
    /// At this total or below, a game of three or more ends.
    const fn limit(self) -> i32 {
        if self.beginner { -10 } else { -20 }
    }

    /// What the cards cost whoever is left with them.
    fn penalty(self, left: Ranks) -> i32 {
        if self.beginner { left.len().into() } else { left.penalty() }
    }
}

/// What a player does in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lay the first cards of a field.
    Lead(Combination),
    /// Replace the stack by this.
    Overwrite(Combination),
    /// Make the stack into this, by laying the cards of it that the stack does not have.
    Add(Combination),
    /// Stay out until the field is flushed.
    Pass,
}

/// The stack of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// What lies there.
    pub combination: Combination,
    /// Who laid cards last.
    pub by: Seat,
}

/// A game of Flush.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flush {
    options: Options,
    players: u8,
    chance: Chance,
    hand_number: u16,
    start: Seat,
    turn: Seat,
    stack: Option<Stack>,
    passed: Seats,
    hands: [Ranks; MAX_SEATS],
    /// Cards that were laid and are out; for two players, of both halves.
    gone: Ranks,
    /// What two players keep for the second half, until then; behind it, what is set aside.
    rest: ArrayVec<Rank, 28>,
    totals: [i32; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for Flush {
    type Options = Options;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "flush",
        name: Text { en: "Flush", de: "Flush" },
        summary: Text {
            en: "Beat the stack or make it grow, flush it with an 8, and be the first without cards.",
            de: "Überbiete den Stapel oder lege an, spüle ihn mit einer 8 weg und sei zuerst ohne Karten.",
        },
        min_players: 2,
        max_players: 6,
        rules_version: 1,
        rules: Text { en: include_str!("rules.en.md"), de: include_str!("rules.de.md") },
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Event>,
    ) -> Result<Flush, SetupError> {
        Self::INFO.check(rules_version, players)?;
        let mut game = Flush {
            options,
            players,
            chance,
            hand_number: 0,
            start: Seat::FIRST,
            turn: Seat::FIRST,
            stack: None,
            passed: Seats::NONE,
            hands: [Ranks::EMPTY; MAX_SEATS],
            gone: Ranks::EMPTY,
            rest: ArrayVec::new(),
            totals: [0; MAX_SEATS],
            outcome: None,
        };
        game.shuffle(events);
        game.begin_hand(events);
        Ok(game)
    }

    fn players(&self) -> u8 {
        self.players
    }

    fn to_act(&self) -> Seats {
        if self.outcome.is_some() { Seats::NONE } else { Seats::only(self.turn) }
    }

    fn legal_actions(&self, seat: Seat, out: &mut Vec<Action>) {
        out.clear();
        if !self.to_act().contains(seat) {
            return;
        }
        let hand = self.hands[seat.index()];
        match self.stack {
            None => Combination::leads(hand, |lead| out.push(Action::Lead(lead))),
            Some(stack) => {
                let stack = stack.combination;
                stack.overwriters(hand, |higher| out.push(Action::Overwrite(higher)));
                stack.extensions(hand, |grown| out.push(Action::Add(grown)));
                out.push(Action::Pass);
            }
        }
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) -> Result<(), Refusal> {
        match self.check(seat, action)? {
            None => self.pass(seat, events),
            Some(laid) => self.lay(seat, laid, events),
        }
        Ok(())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn follow(view: &mut View, event: &Event) {
        view.follow(event);
    }

    /// Passing, or the lowest single card where a lead is due.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        if !self.to_act().contains(seat) {
            return None;
        }
        if self.stack.is_some() {
            return Some(Action::Pass);
        }
        let lowest = self.hands[seat.index()].lowest();
        lowest.map(|rank| Action::Lead(Combination::single(rank)))
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<Flush, ImpossibleView> {
        view.sample(rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
}

/// What an action lays, once it is found to be legal.
struct Laid {
    play: Play,
    cards: Ranks,
    combination: Combination,
}

impl Flush {
    /// What the action lays, nothing for a pass, or the rule against it.
    fn check(&self, seat: Seat, action: Action) -> Result<Option<Laid>, Refusal> {
        if seat.index() >= usize::from(self.players) {
            return Err(Refusal::NO_SUCH_SEAT);
        }
        if self.outcome.is_some() {
            return Err(Refusal::GAME_OVER);
        }
        if seat != self.turn {
            return Err(Refusal::NOT_ASKED);
        }
        let (play, cards, combination) = match (action, self.stack) {
            (Action::Pass, Some(_)) => return Ok(None),
            (Action::Pass, None) => return Err(refusals::PASSED_A_LEAD),
            (Action::Lead(_), Some(_)) => return Err(refusals::NOT_LEADING),
            (Action::Overwrite(_) | Action::Add(_), None) => return Err(refusals::NO_STACK),
            (Action::Lead(lead), None) => (Play::Lead, lead.cards(), lead),
            (Action::Overwrite(higher), Some(stack)) => {
                if !higher.overwrites(stack.combination) {
                    return Err(refusals::OVERWRITE);
                }
                (Play::Overwrite, higher.cards(), higher)
            }
            (Action::Add(grown), Some(stack)) => {
                if !grown.extends(stack.combination) {
                    return Err(refusals::ADD);
                }
                (Play::Add, grown.cards().minus(stack.combination.cards()), grown)
            }
        };
        if !self.hands[seat.index()].contains_all(cards) {
            return Err(Refusal::NOT_IN_HAND);
        }
        Ok(Some(Laid { play, cards, combination }))
    }

    fn pass(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.passed = self.passed.with(seat);
        self.turn = next(seat, self.passed, self.players);
        events.tell(Audience::Everyone, Event::Passed { seat });
        // The one left is the last who laid cards: nobody passes on their own cards.
        if self.passed.len() + 1 == self.players {
            self.flush(self.turn, Why::AllPassed, events);
        }
    }

    fn lay(&mut self, seat: Seat, laid: Laid, events: &mut impl Events<Event>) {
        let Laid { play, cards, combination } = laid;
        let hand = &mut self.hands[seat.index()];
        *hand = hand.minus(cards);
        let was_last_card = hand.is_empty();
        if play == Play::Overwrite {
            self.gone = self.gone.plus(cards_of(self.stack));
        }
        self.stack = Some(Stack { combination, by: seat });
        self.turn = next(seat, self.passed, self.players);
        events.tell(Audience::Everyone, Event::Laid { seat, play, cards, combination });
        if was_last_card {
            self.end_hand(events);
        } else if let Some(why) = flushes(play, cards, combination) {
            self.flush(seat, why, events);
        }
    }

    fn flush(&mut self, by: Seat, why: Why, events: &mut impl Events<Event>) {
        self.gone = self.gone.plus(cards_of(self.stack));
        self.stack = None;
        self.passed = Seats::NONE;
        self.turn = by;
        events.tell(Audience::Everyone, Event::Flushed { by, why });
    }
}

/// The cards on the stack, if there is one.
fn cards_of(stack: Option<Stack>) -> Ranks {
    stack.map_or(Ranks::EMPTY, |stack| stack.combination.cards())
}

/// Whether laying these cards flushes: the stack is full, or there is an 8 among them. Only an 8 that is led alone
/// stays.
fn flushes(play: Play, cards: Ranks, combination: Combination) -> Option<Why> {
    if combination.is_full() {
        Some(Why::Full)
    } else if cards.contains(Rank::EIGHT) && (play != Play::Lead || cards.len() > 1) {
        Some(Why::Eight)
    } else {
        None
    }
}

/// The next player clockwise who has not passed.
fn next(seat: Seat, passed: Seats, players: u8) -> Seat {
    let players = players.min(MAX_SEATS as u8);
    let mut next = seat.left(players);
    for _ in 1..players {
        if !passed.contains(next) {
            break;
        }
        next = next.left(players);
    }
    next
}
