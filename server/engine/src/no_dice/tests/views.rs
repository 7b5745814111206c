//! Views, and game states sampled from them.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::*;
use crate::below;
use crate::conformance::assert_uniform;
use crate::test_support::test_rng;

/// The locations of cards: the number of a seat, or 10 plus the index in the draw pile.
pub(super) fn places(game: &NoDice, cards: &[&str]) -> Vec<usize> {
    let place = |card: Card| {
        let holder = game.hands.iter().position(|hand| hand.contains(card));
        let in_pile = || game.draw_pile.iter().position(|one| *one == card);
        holder.or_else(|| in_pile().map(|i| 10 + i)).expect("a card that is somewhere")
    };
    cards.iter().map(|text| place(card(text))).collect()
}

#[test]
fn view_shows_public_state_and_own_hand() {
    let mut table = Table::new(&["5|8 X2", "5|10 PASS", ""], "2|2 SWAP");
    table.play(&["1: decline", "0: 5|8 0,0 left", "1: 5|10 0,0 right", "1: decline", "2: pass"]);
    table.play(&["1: decline", "0: X2"]);
    let view = table.view(0);
    assert_eq!((view.viewer, view.players, view.turn), (Viewer::Seat(seat(0)), 3, seat(1)));
    assert_eq!((view.order, view.decision, view.said_yes), (PlayOrder::Clockwise, None, false));
    assert_eq!(view.hand, table.game.hands[0]);
    assert_eq!((view.hand_sizes, view.draw_pile), ([7, 7, 7, 0, 0, 0], 60 - 21 - 3));
    let laid: Vec<_> = view.table.iter().map(|laid| (laid.seat.index(), laid.placement)).collect();
    assert_eq!(laid, [(0, placement("5|8 0,0 left")), (1, placement("5|10 0,0 right"))]);
    assert_eq!((view.played, view.x2, view.passed), (hand("X2"), Seats::only(seat(0)), Seats::NONE));
    assert_eq!((view.scores, view.outcome), ([13, 28, 0, 0, 0, 0], None));
    assert_eq!(view.visible(), table.game.board.visible());
    let asked = ["10|10 4,0 right", "3|5 0,-2 down", "2|2 20,0 right"].map(placement);
    let contact = Err(refusals::CONTACT_VALUE);
    let detached = Err(refusals::DETACHED);
    assert_eq!(view.scores_of(asked).collect::<Vec<_>>(), [Ok(60), contact, detached], "an x2 waits");
    assert_eq!(table.view(1).scores_of(asked).collect::<Vec<_>>(), [Ok(30), contact, detached]);
    let gone = hand("5|8 5|10 X2");
    assert_eq!(view.unseen(), Hand::full_deck().minus(gone).minus(view.hand));
    let spectator = table.game.view(Viewer::Spectator);
    assert_eq!((spectator.hand, spectator.unseen()), (Hand::EMPTY, Hand::full_deck().minus(gone)));
    for beyond in [3, 4, 5] {
        let view = table.game.view(Viewer::Seat(seat(beyond)));
        assert_eq!(view, spectator, "the start or the turn is at a seat that is not at the table");
    }
}

#[test]
fn swapped_hands_are_remembered_until_played_or_traded_again() {
    let own = "SWAP 2|2 2|3 PASS PASS 2|6 2|7";
    let others = "3|3 3|4 3|5 3|6 3|7 X2 3|9";
    let mut table = Table::new(&[own, others, "SWAP"], "PASS");
    table.act(0, "SWAP 1");
    let known = |table: &Table, by: u8| table.view(by).known[..3].to_vec();
    let none = Hand::EMPTY;
    assert_eq!(known(&table, 0), [none, hand("2|2 2|3 PASS PASS 2|6 2|7"), none]);
    assert_eq!(known(&table, 1), [hand(others), none, none]);
    assert_eq!(known(&table, 2), [none; 3]);
    assert_eq!(table.game.view(Viewer::Spectator).known, [none; 6]);
    // Played cards are forgotten; drawn cards are unknown.
    table.act(1, "2|2 0,0 right");
    assert_eq!(known(&table, 0)[1], hand("2|3 PASS PASS 2|6 2|7"));
    assert_eq!(table.game.hands[1].count(Card::Pass), 3);
    table.act(1, "PASS");
    assert_eq!(known(&table, 0)[1], hand("2|3 PASS 2|6 2|7"));
    table.act(1, "decline").act(0, "X2");
    assert_eq!(known(&table, 1)[0], hand("3|3 3|4 3|5 3|6 3|7 3|9"));
    // Seat 1 trades with seat 2: seat 0 forgets, seat 1 remembers both the hand it gave to 0 and the hand it
    // gave to 2.
    table.play(&["1: pass", "1: decline"]);
    let given = table.game.hands[1];
    table.act(2, "SWAP 1");
    assert_eq!(known(&table, 0), [none; 3]);
    assert_eq!(known(&table, 1), [hand("3|3 3|4 3|5 3|6 3|7 3|9"), none, given]);
    assert_eq!(known(&table, 2)[1].len(), 6);
}

#[test]
fn hand_swapped_back_is_ones_own() {
    let mut table = Table::new(&["SWAP SWAP", ""], "");
    table.play(&["0: SWAP 1", "1: SWAP 0"]);
    for by in [0, 1] {
        let view = table.view(by);
        assert_eq!(view.known[usize::from(by)], Hand::EMPTY);
        assert_eq!(view.known[usize::from(1 - by)].len(), if by == 0 { 7 } else { 5 });
    }
}

/// A late position with all cards accounted for: those given nowhere were played.
pub(super) fn complete(hands: &[&str], pile: &str) -> Table {
    let mut table = Table::late(hands, pile);
    let game = &mut table.game;
    let held = game.hands.iter().fold(Hand::EMPTY, |held, hand| held.plus(*hand));
    let rest = Hand::full_deck().minus(held).minus(game.draw_pile.iter().copied().collect());
    game.played = rest.into_iter().filter(|card| Card::ACTIONS.contains(card)).collect();
    (game.board, game.scores[0]) = (0..).find_map(|seed| laid_at_random(rest, seed)).expect("a table");
    table
}

/// A board with these playing cards, laid by seat 0, and their points; `None` if some of them do not fit.
fn laid_at_random(mut cards: Hand, seed: u64) -> Option<(Board, i32)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut board, mut points) = (Board::default(), 0);
    while cards.playing().next().is_some() {
        let mut places = Vec::new();
        crate::no_dice::placements::for_each(&board, cards, |one| places.push(one));
        let placement = *places.get(below(places.len() as u32, &mut rng) as usize)?;
        let seat = Seat::FIRST;
        points += board.lay(LaidCard { seat, placement }).ok()?;
        cards = cards.without(Card::Playing(placement.card()));
    }
    Some((board, points))
}

#[test]
fn samples_are_uniform() {
    let mut rng = test_rng("samples_are_uniform");
    let seen_by = |table: &Table, viewer: Viewer, cards: &[&str], rng: &mut ChaCha8Rng| -> Vec<Vec<usize>> {
        let view = table.game.view(viewer);
        let sample = |_| {
            let world = NoDice::sample(&view, rng).expect("the view of a game is possible");
            assert_eq!(world.view(viewer), view);
            places(&world, cards)
        };
        (0..4000).map(sample).collect()
    };
    // After a SWAP, seat 0 knows that seat 1 holds 2|2; seat 2 has one of three cards, the others are in the
    // draw pile.
    let mut swapped = complete(&["SWAP 2|2", "3|3", "3|5"], "4|4 4|5 4|6 4|7 4|8 4|9 5|5 5|6");
    swapped.act(0, "SWAP 1");
    assert_eq!(swapped.view(0).known[1], hand("2|2"));
    assert_eq!(swapped.view(0).unseen(), hand("3|5 5|5 5|6"));
    let samples = seen_by(&swapped, Viewer::Seat(seat(0)), &["2|2", "3|5", "5|5", "5|6"], &mut rng);
    assert!(samples.iter().all(|places| places[0] == 1));
    assert_uniform(6, samples.into_iter());
    // Seat 0 waits, so seat 1 or 2 holds PASS; the three other cards may be anywhere.
    let waiting = complete(&["2|2", "PASS", "3|5"], "4|4 4|5");
    assert_eq!(waiting.to_act(), [1]);
    let samples = seen_by(&waiting, Viewer::Seat(seat(0)), &["PASS", "3|5", "4|4", "4|5"], &mut rng);
    assert!(samples.iter().all(|places| [1, 2].contains(&places[0])));
    assert_uniform(2 * 6, samples.into_iter());
    // Seat 2 cannot tell: PASS may be anywhere.
    let samples = seen_by(&waiting, Viewer::Seat(seat(2)), &["PASS", "2|2", "4|4", "4|5"], &mut rng);
    assert_uniform(24, samples.into_iter());
    let samples = seen_by(&waiting, Viewer::Spectator, &["PASS", "2|2", "3|5", "4|4", "4|5"], &mut rng);
    assert_uniform(120, samples.into_iter());
    // Seat 1 answered yes and waits: the other PASS is held by seat 2 or 3, not by seat 0, who is next, nor
    // in the pile.
    let mut yes = complete(&["2|2", "PASS", "PASS", "3|5"], "4|4");
    yes.act(1, "PASS");
    let view = yes.view(1);
    let samples: Vec<Vec<usize>> = (0..4000)
        .map(|_| {
            let world = NoDice::sample(&view, &mut rng).expect("the view of a game is possible");
            assert_eq!((world.view(Viewer::Seat(seat(1))), world.yes), (view.clone(), Seats::only(seat(1))));
            let holder = (0..4).find(|i| *i != 1 && world.hands[*i].contains(Card::Pass));
            let mut places = places(&world, &["2|2", "3|5", "4|4"]);
            places.push(holder.expect("another seat holds PASS"));
            assert_eq!(world.asked, Seats::only(seat(places[3] as u8)));
            places
        })
        .collect();
    assert!(samples.iter().all(|places| [2, 3].contains(&places[3])));
    assert_uniform(12, samples.into_iter());
}

#[test]
fn samples_open_the_window_the_viewer_sees() {
    let mut rng = test_rng("samples_open_the_window_the_viewer_sees");
    let table = Table::new(&["", "PASS", "PASS"], "");
    for _ in 0..50 {
        // Seat 1 is asked: every holder of PASS but seat 0 is asked.
        let world = NoDice::sample(&table.view(1), &mut rng).expect("a world");
        assert_eq!(world.asked, world.holders_of_pass().without(seat(0)));
        assert!(world.asked.contains(seat(1)) && world.yes.is_empty());
        // Seat 0 waits.
        let world = NoDice::sample(&table.view(0), &mut rng).expect("a world");
        assert_eq!(world.asked, world.holders_of_pass().without(seat(0)));
        assert!(!world.asked.is_empty());
        // A spectator does not see the window: the turn has begun.
        let world = NoDice::sample(&table.game.view(Viewer::Spectator), &mut rng).expect("a world");
        assert!(world.asked.is_empty() && world.to_act() == Seats::only(seat(0)));
    }
}
