//! Five Three Five: a climbing game in which an 8 flushes the field.
//!
//! # The order of the legal actions
//!
//! Leading: single cards by rank; sets by rank, then count; runs by their lowest rank, then length.
//!
//! Following: overwrites, by lowest rank; then the extensions of the stack by adding: sets by count, runs by
//! lowest rank, then length; then passing.

mod action;
mod board;
mod card;
mod combination;
mod event;
mod field;
mod hand_flow;
pub mod refusals;
mod sample;
mod text;
mod view;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use action::Action;
pub use card::{Rank, Ranks};
pub use combination::{Combination, CombinationKind};
pub use event::{Event, FlushReason, PlayKind};
pub use view::View;

use crate::{
    Board, Chance, EventSink, Game, GameInfo, ImpossibleView, Lang, MAX_SEATS, Outcome, Refusal, Seat, Seats,
    SetupError, Text, TextBuilder, Viewer,
};

/// Options of Five Three Five.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// Beginner rules: every card costs 1, and the game ends at -10.
    pub beginner: bool,
}

impl Options {
    /// The total at or below which a game of three or more players ends.
    const fn limit(self) -> i32 {
        if self.beginner { -10 } else { -20 }
    }

    /// The penalty for cards left in hand.
    fn penalty(self, left: Ranks) -> i32 {
        if self.beginner { left.len().into() } else { left.penalty() }
    }
}

/// The stack of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// The combination on the stack.
    pub combination: Combination,
    /// The seat that laid cards last.
    pub by: Seat,
}

/// A game of Five Three Five.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FiveThreeFive {
    options: Options,
    players: u8,
    chance: Chance,
    hand_number: u16,
    start: Seat,
    turn: Seat,
    stack: Option<Stack>,
    passed: Seats,
    hands: [Ranks; MAX_SEATS],
    /// Cards that were laid and are out of play; for two players, those of both halves.
    gone: Ranks,
    /// The cards two players keep back for the second half, until it begins, followed by the cards set aside.
    rest: ArrayVec<Rank, 28>,
    totals: [i32; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for FiveThreeFive {
    type Options = Options;
    type Card = Rank;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "five_three_five",
        name: Text { en: "Five Three Five", de: "Five Three Five" },
        summary: Text {
            en: "Beat the stack or make it grow, flush it with an 8, and be the first without cards.",
            de: "Überbiete den Stapel oder lege an, spüle ihn mit einer 8 weg und sei zuerst ohne Karten.",
        },
        min_players: 2,
        max_players: 6,
        rules_version: 1,
        rules: Text { en: include_str!("rules.en.md"), de: include_str!("rules.de.md") },
        test_only: false,
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Event>,
    ) -> Result<FiveThreeFive, SetupError> {
        Self::INFO.check_setup(rules_version, players)?;
        let mut game = FiveThreeFive {
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
        game.shuffle_and_deal(events);
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
                stack.overwriters(hand, |beating| out.push(Action::Overwrite(beating)));
                stack.extensions(hand, |grown| out.push(Action::Add(grown)));
                out.push(Action::Pass);
            }
        }
    }

    fn apply(
        &mut self,
        seat: Seat,
        action: Action,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        match self.check(seat, action)? {
            None => self.pass(seat, events),
            Some(laid) => self.lay(seat, laid, events),
        }
        Ok(())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn apply_event(view: &mut View, event: &Event) {
        view.apply_event(event);
    }

    /// A pass, or the lowest single card if a lead is due.
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

    fn sample(view: &View, rng: &mut impl Rng) -> Result<FiveThreeFive, ImpossibleView> {
        view.sample(rng)
    }

    fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
        board::board(view, actions, lang)
    }

    fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
        board::write_action(view, action, out);
    }

    fn write_question(view: &View, out: &mut TextBuilder) {
        board::write_question(view, out);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
}
