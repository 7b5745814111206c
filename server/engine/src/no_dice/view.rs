//! The view of a game of No Dice.

use super::board::Board;
use super::{Card, Event, Hand, LaidCard, NoDice, Options, Placement, PlayOrder, Segment};
use crate::{Game, MAX_SEATS, Outcome, Refusal, Seat, Seats, Viewer};

/// The decision a viewer has to make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// The action of their turn.
    Turn,
    /// The choice to play PASS before another player's turn begins. Only the asked player knows of it.
    Window,
}

/// Everything one viewer knows. Arrays have one slot per seat; slots of seats that are not at the table are
/// empty.
///
/// An open window is visible only to those involved: to a player who is asked or has answered yes, and to the
/// next player, whose turn does not begin. To everyone else, a turn that has not begun looks like one that
/// has. If windows are held, no viewer can tell whether others are asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The number of players.
    pub players: u8,
    /// The options of the table.
    pub options: Options,
    /// The direction of play.
    pub order: PlayOrder,
    /// The seat whose turn has begun or is next. It means nothing once the game is over.
    pub turn: Seat,
    /// True if every window before a turn is held open equally long, even if no seat is asked: having to wait
    /// then reveals nothing about other hands.
    pub windows_held: bool,
    /// The viewer's current decision, if any.
    pub decision: Option<Decision>,
    /// True if the viewer answered yes in a window that is still open.
    pub said_yes: bool,
    /// The viewer's hand; empty for a spectator.
    pub hand: Hand,
    /// The cards the viewer gave away in a SWAP, by the seat that still holds them.
    pub known: [Hand; MAX_SEATS],
    /// The number of cards in each hand.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The number of cards in the draw pile.
    pub draw_pile: u8,
    /// The cards on the board, in the order they were laid.
    pub table: Vec<LaidCard>,
    /// The action cards that were played.
    pub played: Hand,
    /// The seats whose next playing card scores double, if laid on the next turn they take.
    pub x2: Seats,
    /// The seats that have passed since the last turn in which a card was played.
    pub passed: Seats,
    /// The points of each player.
    pub scores: [i32; MAX_SEATS],
    /// The outcome, once the game is over.
    pub outcome: Option<Outcome>,
}

impl View {
    pub(super) fn of(game: &NoDice, viewer: Viewer) -> View {
        let viewer = viewer.at_table(game.players);
        let seat = viewer.seat();
        let decision = |seat: Seat| {
            if game.asked.contains(seat) {
                Some(Decision::Window)
            } else {
                game.to_act().contains(seat).then_some(Decision::Turn)
            }
        };
        View {
            viewer,
            players: game.players,
            options: game.options,
            order: game.order,
            turn: game.turn,
            windows_held: game.windows_held,
            decision: seat.and_then(decision),
            said_yes: seat.is_some_and(|seat| game.yes.contains(seat)),
            hand: seat.map_or(Hand::EMPTY, |seat| game.hands[seat.index()]),
            known: seat.map_or([Hand::EMPTY; MAX_SEATS], |seat| game.known[seat.index()]),
            hand_sizes: game.hands.map(Hand::len),
            draw_pile: game.draw_pile.len() as u8,
            table: game.board.laid().to_vec(),
            played: game.played,
            x2: game.x2,
            passed: game.passed,
            scores: game.scores,
            outcome: game.outcome,
        }
    }

    /// The cards whose location the viewer does not know: in other hands or in the draw pile.
    #[must_use]
    pub fn unseen(&self) -> Hand {
        Hand::full_deck().minus(self.seen())
    }

    /// The cards whose location the viewer knows.
    pub(super) fn seen(&self) -> Hand {
        let table = self.table.iter().map(|laid| Card::Playing(laid.placement.card()));
        let known = self.known.iter().fold(self.hand, |seen, known| seen.plus(*known));
        table.fold(known.plus(self.played), Hand::with)
    }

    /// The visible segments, in the order they were laid, up to the first card that cannot have been laid.
    #[must_use]
    pub fn visible(&self) -> Vec<Segment> {
        self.board().0.visible().to_vec()
    }

    /// The points of each placement if the viewer laid it now, doubled by a pending x2, or the rule it
    /// breaks.
    pub fn scores_of(
        &self,
        placements: impl IntoIterator<Item = Placement>,
    ) -> impl Iterator<Item = Result<i32, Refusal>> {
        let times = if self.viewer.seat().is_some_and(|seat| self.x2.contains(seat)) { 2 } else { 1 };
        let (board, _) = self.board();
        placements.into_iter().map(move |placement| board.check(placement).map(|points| times * points))
    }

    /// The board and each player's points on it without x2, up to the first card that cannot have been laid.
    pub(super) fn board(&self) -> (Board, [i32; MAX_SEATS]) {
        let mut board = Board::default();
        let mut points = [0; MAX_SEATS];
        let mut cards = Hand::EMPTY;
        for laid in &self.table {
            let card = Card::Playing(laid.placement.card());
            if cards.contains(card) {
                break;
            }
            cards = cards.with(card);
            match board.lay(*laid) {
                Ok(scored) => points[laid.seat.index()] += scored,
                Err(_) => break,
            }
        }
        (board, points)
    }

    pub(super) fn apply_event(&mut self, event: &Event) {
        match *event {
            Event::Dealt { hand } | Event::Got { hand } => self.hand = hand,
            Event::NextUp { seat } => {
                self.turn = seat;
                self.decision = None;
                self.said_yes = false;
            }
            Event::YourTurn => self.decision = Some(Decision::Turn),
            Event::Asked => self.decision = Some(Decision::Window),
            Event::Declined => self.decision = None,
            Event::SaidYes => {
                self.decision = None;
                self.said_yes = true;
            }
            Event::Laid { seat, placement, points, .. } => {
                self.spend(seat, Card::Playing(placement.card()));
                self.card_turn(seat);
                self.table.push(LaidCard { seat, placement });
                let score = &mut self.scores[seat.index()];
                *score = score.saturating_add(points);
            }
            Event::Switched { seat } => {
                self.spend(seat, Card::Switch);
                self.card_turn(seat);
                self.order = self.order.reversed();
            }
            Event::Skipped { by, out_of_turn, .. } => {
                self.spend(by, Card::Pass);
                if !out_of_turn {
                    self.card_turn(by);
                }
            }
            Event::PlayedX2 { seat } => {
                self.spend(seat, Card::X2);
                self.card_turn(seat);
                self.x2 = self.x2.with(seat);
            }
            Event::Swapped { seat, with } => {
                self.spend(seat, Card::Swap);
                self.card_turn(seat);
                self.trade(seat, with);
            }
            Event::Passed { seat, .. } => {
                self.x2 = self.x2.without(seat);
                self.passed = self.passed.with(seat);
            }
            Event::Drew { cards } => {
                self.hand = self.hand.plus(cards);
                if let Some(seat) = self.viewer.seat() {
                    self.drew(seat, cards.len());
                }
            }
            Event::OtherDrew { seat, count } => self.drew(seat, count),
            Event::Ended { outcome } => {
                self.decision = None;
                self.outcome = Some(outcome);
            }
        }
    }

    fn spend(&mut self, seat: Seat, card: Card) {
        let i = seat.index();
        if self.viewer.is(seat) {
            self.hand = self.hand.without(card);
        }
        self.known[i] = self.known[i].without(card);
        self.hand_sizes[i] = self.hand_sizes[i].saturating_sub(1);
        if !matches!(card, Card::Playing(_)) {
            self.played = self.played.with(card);
        }
    }

    /// Records a turn with a card: clears the passes, and uses up a pending x2.
    fn card_turn(&mut self, seat: Seat) {
        self.x2 = self.x2.without(seat);
        self.passed = Seats::NONE;
    }

    fn trade(&mut self, seat: Seat, with: Seat) {
        for (giver, taker) in [(seat, with), (with, seat)] {
            self.known[taker.index()] = if self.viewer.is(giver) { self.hand } else { Hand::EMPTY };
        }
        self.hand_sizes.swap(seat.index(), with.index());
    }

    fn drew(&mut self, seat: Seat, count: u8) {
        let size = &mut self.hand_sizes[seat.index()];
        *size = size.saturating_add(count);
        self.draw_pile = self.draw_pile.saturating_sub(count);
    }
}
