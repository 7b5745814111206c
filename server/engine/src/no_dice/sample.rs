//! Sampling game states consistent with a view of No Dice, and validating views.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::board::Board;
use super::card::DECK;
use super::window::can_open;
use super::{Card, Decision, HAND_SIZE, Hand, LaidCard, NoDice, View};
use crate::error::ensure;
use crate::{Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, Seats, shuffle};

/// Samples a game state with this view. All distributions of the unseen cards are equally likely, given that
/// another seat holds a PASS card if the viewer waits for an answer in a window. Waiting in a held window
/// reveals nothing about hidden cards.
///
/// If the viewer cannot tell whether a window is open, the turn has begun; if a window is open, no seat but
/// the viewer has answered.
pub(super) fn sample(view: &View, rng: &mut impl Rng) -> Result<NoDice, ImpossibleView> {
    let board = check(view)?;
    let sees_window = view.decision == Some(Decision::Window) || waits(view);
    // The seats that are asked if they hold a PASS card and the viewer sees the window.
    let mut others = Seats::all(view.players).without(view.turn);
    if view.said_yes {
        others = view.viewer.seat().map_or(others, |viewer| others.without(viewer));
    }
    let can_wait = if view.windows_held {
        can_open(view.played, view.hand_sizes, view.turn)
    } else {
        can_hold_pass(view, others)
    };
    ensure(!waits(view) || can_wait, "the viewer waits although no seat can be asked")?;
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

/// Deals the unseen cards: other hands are filled from the front, and the remaining cards are the draw pile.
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

/// The number of cards in another hand that the viewer does not know.
fn unknown(view: &View, seat: Seat) -> u8 {
    view.hand_sizes[seat.index()].saturating_sub(view.known[seat.index()].len())
}

/// Returns true if the viewer sees a window and waits for its end: after answering yes, or as the next
/// player.
fn waits(view: &View) -> bool {
    let about_to_play = view.viewer.is(view.turn) && view.decision.is_none() && view.outcome.is_none();
    view.said_yes || about_to_play
}

/// Returns true if one of the seats can hold a PASS card.
fn can_hold_pass(view: &View, seats: Seats) -> bool {
    let unseen = view.unseen().contains(Card::Pass);
    seats
        .iter()
        .any(|seat| view.known[seat.index()].contains(Card::Pass) || unseen && unknown(view, seat) > 0)
}

/// Validates the view and returns its board. Points are only checked for their range.
fn check(view: &View) -> Result<Board, ImpossibleView> {
    NoDice::INFO.check_view(view.players, view.viewer)?;
    ensure(view.turn.is_at_table(view.players), "the turn belongs to a seat that is not at the table")?;
    ensure(view.x2.fits(view.players), "a seat that is not at the table has an x2")?;
    ensure(view.passed.fits(view.players), "a seat that is not at the table has passed")?;
    for seat in Seat::all(MAX_SEATS as u8).skip(view.players.into()) {
        let i = seat.index();
        let nothing = view.hand_sizes[i] == 0 && view.known[i].is_empty() && view.scores[i] == 0;
        ensure(nothing, "a seat that is not at the table has points or cards")?;
    }
    check_cards(view)?;
    check_moment(view)?;
    check_table(view)
}

/// Validates that every card is in exactly one place, and the sizes of the hands.
fn check_cards(view: &View) -> Result<(), ImpossibleView> {
    ensure(
        Card::ACTIONS.iter().map(|card| view.played.count(*card)).sum::<u8>() == view.played.len(),
        "a playing card is among the played action cards",
    )?;
    ensure(view.x2.len() <= view.played.count(Card::X2), "an x2 is pending that was not played")?;
    let places = view.known.iter().chain([&view.hand, &view.played]);
    let count: usize = places.map(|cards| usize::from(cards.len())).sum();
    let seen = view.seen().len();
    ensure(count + view.table.len() == usize::from(seen), "a card is in two places")?;
    let unseen = view.unseen().len();
    ensure(usize::from(seen) + usize::from(unseen) == DECK, "there are too many cards of a kind")?;
    let own = view.viewer.seat();
    let own_size = own.map_or(0, |seat| view.hand_sizes[seat.index()]);
    ensure(view.hand.len() == own_size, "a hand does not match its size")?;
    let mut hidden = u32::from(view.draw_pile);
    for seat in Seat::all(view.players) {
        let (size, known) = (view.hand_sizes[seat.index()], view.known[seat.index()]);
        ensure(size <= HAND_SIZE, "a hand is too large")?;
        ensure(known.len() <= size, "more cards are known in a hand than it has")?;
        if own.is_none_or(|own| own == seat) {
            ensure(
                known.is_empty(),
                "the viewer remembers cards in its own hand, or a spectator remembers cards",
            )?;
        }
        if own != Some(seat) {
            hidden += u32::from(unknown(view, seat));
        }
    }
    ensure(hidden == u32::from(unseen), "the cards do not add up to the deck")
}

/// Validates the outcome, and the viewer's decision.
fn check_moment(view: &View) -> Result<(), ImpossibleView> {
    let no_cards = view.draw_pile == 0 && view.hand_sizes == [0; MAX_SEATS];
    let over = no_cards || view.passed == Seats::all(view.players);
    let result = over.then(|| Outcome::from_points(view.players, view.scores));
    ensure(view.outcome == result, "the outcome contradicts the cards, the passes or the points")?;
    ensure(
        over || view.draw_pile > 0 || view.hand_sizes[view.turn.index()] > 0,
        "the seat to act has no card and none to draw",
    )?;
    let is_up = view.viewer.is(view.turn);
    let can_be_asked = !over && !is_up && view.hand.contains(Card::Pass);
    ensure(
        match view.decision {
            None => true,
            Some(Decision::Turn) => is_up && !over,
            Some(Decision::Window) => can_be_asked,
        },
        "the viewer cannot have this decision",
    )?;
    ensure(!view.said_yes || can_be_asked && view.decision.is_none(), "the viewer cannot have answered yes")
}

/// Validates that every card on the board could be laid, and that the points are those of the board, at most
/// doubled.
fn check_table(view: &View) -> Result<Board, ImpossibleView> {
    let at_table = |laid: &LaidCard| laid.seat.is_at_table(view.players);
    ensure(
        view.table.iter().all(at_table),
        "a card on the board belongs to a seat that is not at the table",
    )?;
    let (board, points) = view.board();
    ensure(board.laid() == view.table, "a card on the board is in an illegal position")?;
    let in_range = |(score, points): (&i32, &i32)| (*points..=2 * points).contains(score);
    ensure(view.scores.iter().zip(&points).all(in_range), "the points do not follow from the board")?;
    Ok(board)
}
