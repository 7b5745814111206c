//! Worlds that agree with what one viewer knows of a game of No Dice.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::board::Board;
use super::card::DECK;
use super::window::can_open;
use super::{Card, Decision, HAND, Hand, NoDice, View};
use crate::error::possible;
use crate::{Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, Seats, shuffle};

/// A game that gives this view. Every way to spread the unseen cards over the places where they can be is equally
/// likely, provided that somebody holds a PASS card where the viewer waits for an answer in a window. A wait in a window
/// that is held says nothing of anybody's cards.
///
/// Where the viewer cannot tell whether a window is open, the turn has begun; where one is open, nobody but the viewer
/// has answered.
pub(super) fn world(view: &View, rng: &mut impl Rng) -> Result<NoDice, ImpossibleView> {
    let board = check(view)?;
    let sees_window = view.decision == Some(Decision::Window) || waits(view);
    // Those who are asked, if they hold a PASS card and the viewer sees the window.
    let mut others = Seats::all(view.players).without(view.turn);
    if view.said_yes {
        others = view.viewer.seat().map_or(others, |viewer| others.without(viewer));
    }
    let can_wait = if view.windows_held {
        can_open(view.played, view.hand_sizes, view.turn)
    } else {
        can_hold_pass(view, others)
    };
    possible(!waits(view) || can_wait, "a wait for an answer that nobody can give")?;
    let mut unseen: ArrayVec<Card, DECK> = view.unseen().into_iter().collect();
    let mut game = NoDice {
        options: view.options,
        players: view.players,
        chance: Chance::fresh(rng),
        order: view.order,
        turn: view.turn,
        windows_held: view.windows_held,
        held: view.windows_held && sees_window,
        asked: Seats::NONE,
        yes: Seats::NONE,
        hands: [Hand::EMPTY; MAX_SEATS],
        known: [[Hand::EMPTY; MAX_SEATS]; MAX_SEATS],
        draw_pile: ArrayVec::new(),
        board,
        played: view.played,
        x2: view.x2,
        passed: view.passed,
        scores: view.scores,
        outcome: view.outcome,
    };
    loop {
        shuffle(&mut unseen, rng);
        deal(view, &unseen, &mut game);
        if !sees_window {
            break;
        }
        let holders = game.holders_of_pass();
        game.asked = others.iter().filter(|seat| holders.contains(*seat)).collect();
        if view.windows_held || !game.asked.is_empty() {
            break;
        }
    }
    if let Some(seat) = view.viewer.seat() {
        game.known[seat.index()] = view.known;
        if view.said_yes {
            game.yes = Seats::only(seat);
        }
    }
    Ok(game)
}

/// Deals the unseen cards: other hands are filled up from the front, and the rest is the draw pile.
fn deal(view: &View, unseen: &[Card], game: &mut NoDice) {
    let mut rest = unseen;
    for seat in Seat::all(view.players) {
        let i = seat.index();
        game.hands[i] = if view.viewer.is(seat) {
            view.hand
        } else {
            let (dealt, left) = rest.split_at(unknown(view, seat).into());
            rest = left;
            dealt.iter().copied().fold(view.known[i], Hand::with)
        };
    }
    game.draw_pile = rest.iter().copied().collect();
}

/// How many cards in another's hand the viewer does not know.
fn unknown(view: &View, seat: Seat) -> u8 {
    view.hand_sizes[seat.index()].saturating_sub(view.known[seat.index()].len())
}

/// Whether the viewer sees a window and waits for its end: having said yes, or about to play.
fn waits(view: &View) -> bool {
    let about_to_play = view.viewer.is(view.turn) && view.decision.is_none() && view.outcome.is_none();
    view.said_yes || about_to_play
}

/// Whether one of the seats can have a PASS card.
fn can_hold_pass(view: &View, seats: Seats) -> bool {
    let unseen = view.unseen().contains(Card::Pass);
    seats
        .iter()
        .any(|seat| view.known[seat.index()].contains(Card::Pass) || unseen && unknown(view, seat) > 0)
}

/// Whether a game can look like this, and the table if so. Points are only checked for their range.
fn check(view: &View) -> Result<Board, ImpossibleView> {
    possible(NoDice::INFO.check(NoDice::INFO.rules_version, view.players).is_ok(), "the number of players")?;
    let at_table = |seat: Seat| seat.index() < usize::from(view.players);
    possible(at_table(view.turn), "a turn of nobody")?;
    possible(view.viewer.seat().is_none_or(at_table), "a viewer who is not at the table")?;
    possible(view.x2.fits(view.players), "an x2 of nobody")?;
    possible(view.passed.fits(view.players), "a pass of nobody")?;
    for seat in Seat::all(MAX_SEATS as u8).filter(|seat| !at_table(*seat)) {
        let i = seat.index();
        let nothing = view.hand_sizes[i] == 0 && view.known[i].is_empty() && view.scores[i] == 0;
        possible(nothing, "points or cards of nobody")?;
    }
    check_cards(view)?;
    check_moment(view)?;
    check_table(view)
}

/// Every card is in one place, and hands are as large as they say.
fn check_cards(view: &View) -> Result<(), ImpossibleView> {
    possible(
        Card::ACTIONS.iter().map(|card| view.played.count(*card)).sum::<u8>() == view.played.len(),
        "a playing card among the action cards",
    )?;
    possible(view.x2.len() <= view.played.count(Card::X2), "an x2 that nobody played")?;
    let places = view.known.iter().chain([&view.hand, &view.played]);
    let count: usize = places.map(|cards| usize::from(cards.len())).sum();
    let seen = view.seen().len();
    possible(count + view.table.len() == usize::from(seen), "a card in two places")?;
    let unseen = view.unseen().len();
    possible(usize::from(seen) + usize::from(unseen) == DECK, "more cards of a kind than there are")?;
    let own = view.viewer.seat();
    let own_size = own.map_or(0, |seat| view.hand_sizes[seat.index()]);
    possible(view.hand.len() == own_size, "a hand that is not as large as its size says")?;
    let mut hidden = u32::from(view.draw_pile);
    for seat in Seat::all(view.players) {
        let (size, known) = (view.hand_sizes[seat.index()], view.known[seat.index()]);
        possible(size <= HAND, "a hand that is too large")?;
        possible(known.len() <= size, "more cards known in a hand than it has")?;
        if own.is_none_or(|own| own == seat) {
            possible(known.is_empty(), "a memory that nobody has")?;
        }
        if own != Some(seat) {
            hidden += u32::from(unknown(view, seat));
        }
    }
    possible(hidden == u32::from(unseen), "cards that are nowhere")
}

/// The game is over or not, and what the viewer is asked fits the moment.
fn check_moment(view: &View) -> Result<(), ImpossibleView> {
    let no_cards = view.draw_pile == 0 && view.hand_sizes == [0; MAX_SEATS];
    let over = no_cards || view.passed == Seats::all(view.players);
    let result = over.then(|| Outcome::by_points(view.players, view.scores));
    possible(view.outcome == result, "a result too early, too late, or not what the points give")?;
    possible(over || view.draw_pile > 0 || view.hand_sizes[view.turn.index()] > 0, "a turn without cards")?;
    let is_up = view.viewer.is(view.turn);
    let can_be_asked = !over && !is_up && view.hand.contains(Card::Pass);
    possible(
        match view.decision {
            None => true,
            Some(Decision::Turn) => is_up && !over,
            Some(Decision::Window) => can_be_asked,
        },
        "a decision that is not the viewer's",
    )?;
    possible(
        !view.said_yes || can_be_asked && view.decision.is_none(),
        "a yes that the viewer cannot have said",
    )
}

/// Every card on the table could be laid, and the points are what was scored, doubled at most.
fn check_table(view: &View) -> Result<Board, ImpossibleView> {
    let at_table = |seat: Seat| seat.index() < usize::from(view.players);
    possible(view.table.iter().all(|laid| at_table(laid.seat)), "a card that nobody laid")?;
    let (board, points) = view.board();
    possible(board.laid() == view.table, "a card on the table where it cannot lie")?;
    let in_range = |(score, points): (&i32, &i32)| (*points..=2 * points).contains(score);
    possible(view.scores.iter().zip(&points).all(in_range), "points that the table does not give")?;
    Ok(board)
}
