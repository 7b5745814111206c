//! No Dice: cards with two segments are laid like dominoes, also with half offsets and on top of each other.
//!
//! # The order of the legal actions
//!
//! On a turn:
//!
//! 1. Placements, by card. A segment is *anchored* if it covers a segment of its value, or covers none and
//!    touches its value and no other. For each card, the placements with an anchored lower value come before
//!    those with only the higher value anchored. Within each group, by the segment on the board it is
//!    anchored at, in the order of laying; the square on that segment before those around it, and those row
//!    by row (y, then x); on the same square, by the direction from the lower value to the higher one: right,
//!    down, left, up. For a double, the upper or left segment counts as the lower value; of the two segments
//!    of a card, the lower value counts as laid first. The first card on the board is listed by its rotations
//!    only.
//! 2. SWITCH, PASS, X2, then SWAP by the other player's seat.
//! 3. Pass.
//!
//! In a window: PASS, then Decline.

mod action;
mod board;
mod card;
mod display;
mod event;
mod hand;
mod placements;
mod play_order;
pub mod refusals;
mod sample;
mod text;
mod turn;
mod view;
mod view_text;
mod window;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use action::Action;
pub use board::{Direction, LaidCard, Placement, Segment, Square};
pub use card::{Card, PlayingCard};
pub use event::Event;
pub use hand::{Hand, HandIter};
pub use play_order::PlayOrder;
pub use view::{Decision, View};

use crate::{
    Chance, EventSink, Game, GameInfo, ImpossibleView, Lang, MAX_SEATS, Outcome, Refusal, Seat, Seats,
    SetupError, Text, TextBuilder, Viewer,
};
use board::Board;

/// The number of cards a hand is dealt and refilled to.
const HAND_SIZE: u8 = 7;

/// Options of No Dice: none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {}

/// A game of No Dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoDice {
    options: Options,
    players: u8,
    chance: Chance,
    order: PlayOrder,
    /// The seat whose turn has begun or is next.
    turn: Seat,
    /// True if windows are held until they are closed.
    windows_held: bool,
    /// True while the window before the turn is held.
    held: bool,
    /// The seats that have not answered in the window before the turn. If empty, and no window is held, the
    /// turn has begun.
    asked: Seats,
    /// The seats that chose to play PASS in the window.
    yes: Seats,
    hands: [Hand; MAX_SEATS],
    /// For each player and each holder, the cards the player gave the holder in a SWAP and the holder still
    /// has.
    known: [[Hand; MAX_SEATS]; MAX_SEATS],
    /// The top card is the last element.
    draw_pile: ArrayVec<Card, { card::DECK }>,
    board: Board,
    /// The action cards that were played.
    played: Hand,
    /// The seats whose next playing card scores double.
    x2: Seats,
    /// The seats that have passed since the last turn in which a card was played.
    passed: Seats,
    scores: [i32; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for NoDice {
    type Options = Options;
    type Card = Card;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "no_dice",
        name: Text { en: "No Dice", de: "No Dice" },
        summary: Text {
            en: "Lay cards like dominoes, beside and on top of each other: all that they touch and cover scores.",
            de: "Lege Karten wie Dominosteine, neben- und übereinander: Was sie berühren und bedecken, zählt.",
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
    ) -> Result<NoDice, SetupError> {
        NoDice::set_up(rules_version, options, players, chance, false, events)
    }

    fn new_with_held_windows(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Event>,
    ) -> Result<NoDice, SetupError> {
        NoDice::set_up(rules_version, options, players, chance, true, events)
    }

    fn players(&self) -> u8 {
        self.players
    }

    fn to_act(&self) -> Seats {
        if self.outcome.is_some() {
            Seats::NONE
        } else if self.asked.is_empty() && !self.held {
            Seats::only(self.turn)
        } else {
            self.asked
        }
    }

    fn legal_actions(&self, seat: Seat, out: &mut Vec<Action>) {
        out.clear();
        if self.asked.contains(seat) {
            out.extend([Action::PassCard, Action::Decline]);
            return;
        }
        if !self.to_act().contains(seat) {
            return;
        }
        let hand = self.hands[seat.index()];
        placements::for_each(&self.board, hand, |placement| out.push(Action::Lay(placement)));
        for (card, action) in
            [(Card::Switch, Action::Switch), (Card::Pass, Action::PassCard), (Card::X2, Action::X2)]
        {
            if hand.contains(card) {
                out.push(action);
            }
        }
        if hand.contains(Card::Swap) {
            out.extend(Seat::all(self.players).filter(|with| *with != seat).map(Action::Swap));
        }
        out.push(Action::Pass);
    }

    fn apply(
        &mut self,
        seat: Seat,
        action: Action,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        self.check(seat, action)?;
        if self.asked.contains(seat) {
            self.answer(seat, action == Action::PassCard, events);
            Ok(())
        } else {
            self.play(seat, action, events)
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn apply_event(view: &mut View, event: &Event) {
        view.apply_event(event);
    }

    fn board(view: &View, actions: &[Action], lang: Lang) -> crate::Board {
        display::board(view, actions, lang)
    }

    fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
        display::write_action(view, action, out);
    }

    fn write_question(view: &View, out: &mut TextBuilder) {
        display::write_question(view, out);
    }

    /// Declines in a window, passes on a turn.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        if self.asked.contains(seat) {
            Some(Action::Decline)
        } else {
            self.to_act().contains(seat).then_some(Action::Pass)
        }
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<NoDice, ImpossibleView> {
        sample::sample(view, rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Hides whether the turn has begun or a window before it is still open.
    fn public_to_act(&self) -> Seats {
        if self.outcome.is_some() { Seats::NONE } else { Seats::only(self.turn) }
    }

    fn has_secret_decisions(&self) -> bool {
        true
    }

    fn has_secret_decision(&self, seat: Seat) -> bool {
        self.asked.contains(seat)
    }

    fn window_is_held(&self) -> bool {
        self.held
    }

    fn close_window(&mut self, events: &mut impl EventSink<Event>) {
        self.close(events);
    }
}
