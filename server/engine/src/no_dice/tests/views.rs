//! What viewers know, and worlds that agree with it.

use rand_core::SeedableRng;

use super::*;
use crate::conformance::{assert_uniform, test_rng};

/// Where the cards are: the number of a seat, or 10 and more for their place in the draw pile.
pub(super) fn places(game: &NoDice, cards: &[&str]) -> Vec<usize> {
    let place = |card: Card| {
        let holder = game.hands.iter().position(|hand| hand.contains(card));
        let in_pile = || game.draw_pile.iter().position(|one| *one == card);
        holder.or_else(|| in_pile().map(|i| 10 + i)).expect("a card that is somewhere")
    };
    cards.iter().map(|text| place(card(text))).collect()
}

#[test]
fn a_view_shows_the_public_things_and_ones_own_hand() {
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
    assert_eq!(view.unseen(), Hand::full_deck().less(gone).less(view.hand));
    let spectator = table.game.view(Viewer::Spectator);
    assert_eq!((spectator.hand, spectator.unseen()), (Hand::EMPTY, Hand::full_deck().less(gone)));
    for beyond in [3, 4, 5] {
        let view = table.game.view(Viewer::Seat(seat(beyond)));
        assert_eq!(view, spectator, "a seat that is not at the table");
    }
}

#[test]
fn both_remember_the_hand_they_gave_until_it_is_played_or_traded_on() {
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
    // What is played is known no longer there; what is drawn is not known.
    table.act(1, "2|2 0,0 right");
    assert_eq!(known(&table, 0)[1], hand("2|3 PASS PASS 2|6 2|7"));
    assert_eq!(table.game.hands[1].count(Card::Pass), 3);
    table.act(1, "PASS");
    assert_eq!(known(&table, 0)[1], hand("2|3 PASS 2|6 2|7"));
    table.act(1, "decline").act(0, "X2");
    assert_eq!(known(&table, 1)[0], hand("3|3 3|4 3|5 3|6 3|7 3|9"));
    // Seat 1 trades on with seat 2: seat 0 forgets, seat 1 remembers both what it gave 0 and what it gave 2.
    table.play(&["1: pass", "1: decline"]);
    let given = table.game.hands[1];
    table.act(2, "SWAP 1");
    assert_eq!(known(&table, 0), [none; 3]);
    assert_eq!(known(&table, 1), [hand("3|3 3|4 3|5 3|6 3|7 3|9"), none, given]);
    assert_eq!(known(&table, 2)[1].len(), 6);
}

#[test]
fn a_hand_that_comes_back_is_ones_own() {
    let mut table = Table::new(&["SWAP SWAP", ""], "");
    table.play(&["0: SWAP 1", "1: SWAP 0"]);
    for by in [0, 1] {
        let view = table.view(by);
        assert_eq!(view.known[usize::from(by)], Hand::EMPTY);
        assert_eq!(view.known[usize::from(1 - by)].len(), if by == 0 { 7 } else { 5 });
    }
}

/// A late moment with every card in its place: what is not named was played.
pub(super) fn complete(hands: &[&str], pile: &str) -> Table {
    let mut table = Table::late(hands, pile);
    let game = &mut table.game;
    let held = game.hands.iter().fold(Hand::EMPTY, |held, hand| held.and(*hand));
    let rest = Hand::full_deck().less(held).less(game.draw_pile.iter().copied().collect());
    game.played = rest.into_iter().filter(|card| Card::ACTIONS.contains(card)).collect();
    (game.board, game.scores[0]) = (0..).find_map(|seed| laid_at_random(rest, seed)).expect("a table");
    table
}

/// The playing cards laid by seat 0, with the points; nothing if some of them find no place.
fn laid_at_random(mut cards: Hand, seed: u64) -> Option<(Board, i32)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut board, mut points) = (Board::default(), 0);
    while cards.playing().next().is_some() {
        let mut places = Vec::new();
        legal::placements(&board, cards, |one| places.push(one));
        let placement = *places.get(below(places.len() as u32, &mut rng) as usize)?;
        let seat = Seat::FIRST;
        points += board.lay(Laid { seat, placement }).ok()?;
        cards = cards.without(Card::Playing(placement.card()));
    }
    Some((board, points))
}

#[test]
fn worlds_are_even() {
    let mut rng = test_rng("worlds_are_even");
    let seen_by = |table: &Table, viewer: Viewer, cards: &[&str], rng: &mut ChaCha8Rng| -> Vec<Vec<usize>> {
        let view = table.game.view(viewer);
        let sample = |_| {
            let world = NoDice::sample(&view, rng).expect("a view of a game is possible");
            assert_eq!(world.view(viewer), view);
            places(&world, cards)
        };
        (0..4000).map(sample).collect()
    };
    // After a SWAP, seat 0 knows 2|2 with seat 1; seat 2 has one of three cards, the others are to be drawn.
    let mut swapped = complete(&["SWAP 2|2", "3|3", "3|5"], "4|4 4|5 4|6 4|7 4|8 4|9 5|5 5|6");
    swapped.act(0, "SWAP 1");
    assert_eq!(swapped.view(0).known[1], hand("2|2"));
    assert_eq!(swapped.view(0).unseen(), hand("3|5 5|5 5|6"));
    let samples = seen_by(&swapped, Viewer::Seat(seat(0)), &["2|2", "3|5", "5|5", "5|6"], &mut rng);
    assert!(samples.iter().all(|places| places[0] == 1));
    assert_uniform(6, samples.into_iter());
    // Seat 0 waits, so somebody holds PASS: with seat 1 or 2, and three more cards anywhere.
    let waiting = complete(&["2|2", "PASS", "3|5"], "4|4 4|5");
    assert_eq!(waiting.asked(), [1]);
    let samples = seen_by(&waiting, Viewer::Seat(seat(0)), &["PASS", "3|5", "4|4", "4|5"], &mut rng);
    assert!(samples.iter().all(|places| [1, 2].contains(&places[0])));
    assert_uniform(2 * 6, samples.into_iter());
    // Seat 2 cannot tell: PASS may be anywhere.
    let samples = seen_by(&waiting, Viewer::Seat(seat(2)), &["PASS", "2|2", "4|4", "4|5"], &mut rng);
    assert_uniform(24, samples.into_iter());
    let samples = seen_by(&waiting, Viewer::Spectator, &["PASS", "2|2", "3|5", "4|4", "4|5"], &mut rng);
    assert_uniform(120, samples.into_iter());
    // Seat 1 said yes and waits: of the other PASS, seats 2 or 3 have it, not 0, who is about to play, nor the pile.
    let mut yes = complete(&["2|2", "PASS", "PASS", "3|5"], "4|4");
    yes.act(1, "PASS");
    let view = yes.view(1);
    let samples: Vec<Vec<usize>> = (0..4000)
        .map(|_| {
            let world = NoDice::sample(&view, &mut rng).expect("a view of a game is possible");
            assert_eq!((world.view(Viewer::Seat(seat(1))), world.yes), (view.clone(), Seats::only(seat(1))));
            let holder = (0..4).find(|i| *i != 1 && world.hands[*i].contains(Card::Pass));
            let mut places = places(&world, &["2|2", "3|5", "4|4"]);
            places.push(holder.expect("somebody else holds PASS"));
            assert_eq!(world.asked, Seats::only(seat(places[3] as u8)));
            places
        })
        .collect();
    assert!(samples.iter().all(|places| [2, 3].contains(&places[3])));
    assert_uniform(12, samples.into_iter());
}

#[test]
fn worlds_open_the_window_that_the_viewer_sees() {
    let mut rng = test_rng("worlds_open_the_window_that_the_viewer_sees");
    let table = Table::new(&["", "PASS", "PASS"], "");
    for _ in 0..50 {
        // Seat 1 is asked: every other holder but seat 0 is, too.
        let world = NoDice::sample(&table.view(1), &mut rng).expect("a world");
        assert_eq!(world.asked, world.holders_of_pass().without(seat(0)));
        assert!(world.asked.contains(seat(1)) && world.yes.is_empty());
        // Seat 0 waits.
        let world = NoDice::sample(&table.view(0), &mut rng).expect("a world");
        assert_eq!(world.asked, world.holders_of_pass().without(seat(0)));
        assert!(!world.asked.is_empty());
        // A spectator does not know of it: the turn has begun.
        let world = NoDice::sample(&table.game.view(Viewer::Spectator), &mut rng).expect("a world");
        assert!(world.asked.is_empty() && world.to_act() == Seats::only(seat(0)));
    }
}

#[test]
fn impossible_views_say_why() {
    let mut rng = test_rng("impossible_views_say_why");
    let mut table = Table::new(&["5|8 X2", "5|10 PASS", "SWAP"], "");
    table.play(&["1: decline", "0: X2", "1: 5|10 0,0 right", "1: decline", "2: SWAP 1"]);
    table.play(&["2: decline", "0: 5|8 0,0 left"]);
    let good = table.view(1);
    assert_eq!((good.turn, good.decision, table.asked()), (seat(1), None, vec![2]));
    assert!(NoDice::sample(&good, &mut rng).is_ok());
    type Spoil = fn(&mut View);
    let cases: &[(&str, Spoil)] = &[
        ("the number of players", |view| view.players = 1),
        ("the number of players", |view| view.players = 7),
        ("a turn of nobody", |view| view.turn = seat(3)),
        ("a viewer who is not at the table", |view| {
            view.viewer = Viewer::Seat(seat(3));
        }),
        ("an x2 of nobody", |view| view.x2 = Seats::only(seat(3))),
        ("a pass of nobody", |view| view.passed = Seats::only(seat(3))),
        ("points or cards of nobody", |view| view.scores[3] = 1),
        ("points or cards of nobody", |view| view.hand_sizes[3] = 1),
        ("points or cards of nobody", |view| view.known[3] = hand("2|2")),
        ("a playing card among the action cards", |view| {
            view.played = view.played.with(card("2|2"));
        }),
        ("an x2 that nobody played", |view| view.x2 = Seats::all(2)),
        ("a card in two places", |view| view.known[0] = hand("5|10")),
        ("a card in two places", |view| view.table.push(view.table[0])),
        ("more cards of a kind than there are", |view| {
            view.played = hand("X2 X2 X2 X2 X2 SWAP");
        }),
        ("a hand that is not as large as its size says", |view| {
            view.hand_sizes[1] -= 1;
        }),
        ("a hand that is too large", |view| view.hand_sizes[0] = 8),
        ("more cards known in a hand than it has", |view| {
            view.hand_sizes[2] = view.known[2].len() - 1;
        }),
        ("a memory that nobody has", |view| {
            let gone = view.hand.into_iter().next().expect("a card");
            view.hand = view.hand.without(gone);
            view.known[1] = Hand::EMPTY.with(gone);
            view.hand_sizes[1] -= 1;
        }),
        ("cards that are nowhere", |view| view.draw_pile -= 1),
        ("cards that are nowhere", |view| view.draw_pile += 1),
        ("a result too early, too late, or not what the points give", |view| {
            view.outcome = Some(Outcome::by_points(3, view.scores));
        }),
        ("a result too early, too late, or not what the points give", |view| view.passed = Seats::all(3)),
        ("a result too early, too late, or not what the points give", |view| {
            view.passed = Seats::all(3);
            view.outcome = Some(Outcome::by_points(3, [1; 6]));
        }),
        ("a decision that is not the viewer's", |view| {
            view.decision = Some(Decision::Window);
        }),
        ("a decision that is not the viewer's", |view| {
            view.turn = seat(2);
            view.decision = Some(Decision::Turn);
        }),
        ("a decision that is not the viewer's", |view| {
            view.passed = Seats::all(3);
            view.outcome = Some(Outcome::by_points(3, view.scores));
            view.decision = Some(Decision::Turn);
        }),
        ("a yes that the viewer cannot have said", |view| {
            view.said_yes = true;
        }),
        ("a yes that the viewer cannot have said", |view| {
            view.turn = seat(0);
            view.said_yes = true;
        }),
        ("a card that nobody laid", |view| view.table[0].seat = seat(3)),
        ("a card on the table where it cannot lie", |view| {
            view.table[1].placement = placement("5|8 9,9 left");
        }),
        ("points that the table does not give", |view| view.scores[0] = 27),
        ("points that the table does not give", |view| view.scores[0] = 57),
        ("points that the table does not give", |view| view.scores[2] = 1),
    ];
    for (why, spoil) in cases {
        let mut view = good.clone();
        spoil(&mut view);
        let error = NoDice::sample(&view, &mut rng).expect_err(why);
        assert_eq!(error.to_string(), format!("impossible view: {why}"));
    }
}

#[test]
fn a_wait_needs_somebody_to_wait_for() {
    let mut rng = test_rng("a_wait_needs_somebody_to_wait_for");
    let impossible = Err("impossible view: a wait for an answer that nobody can give".to_owned());
    let mut sampled = |view: &View| {
        NoDice::sample(view, &mut rng).map(|world| world.asked).map_err(|error| error.to_string())
    };
    // All four PASS cards were played.
    let none = complete(&["2|2", "3|5"], "4|4");
    let mut view = none.view(0);
    assert_eq!(sampled(&view), Ok(Seats::NONE));
    view.decision = None;
    assert_eq!(sampled(&view), impossible.clone());
    // One is unseen, but the other's only card is known.
    let mut known = complete(&["SWAP 2|2", "3|5"], "4|4 4|5 4|6 4|7 4|8 4|9 PASS 5|5");
    known.act(0, "SWAP 1");
    let mut view = known.view(0);
    assert_eq!((view.known[1], view.hand_sizes[1], view.unseen()), (hand("2|2"), 1, hand("PASS 5|5")));
    view.turn = seat(0);
    assert_eq!((view.decision, sampled(&view)), (None, impossible));
    // It is known where one is.
    let mut there = complete(&["SWAP PASS", "3|5"], "");
    there.act(0, "SWAP 1").act(1, "pass");
    let view = there.view(0);
    assert_eq!((view.turn, view.decision, view.known[1]), (seat(0), None, hand("PASS")));
    assert_eq!(sampled(&view), Ok(Seats::only(seat(1))));
}

/// Who has no card and cannot draw passes by themselves, so it is never their turn.
#[test]
fn a_turn_needs_a_card_or_one_to_draw() {
    let mut rng = test_rng("a_turn_needs_a_card_or_one_to_draw");
    let mut sampled = |hands: &[&str], pile: &str, turn: u8| {
        let mut view = complete(hands, pile).game.view(Viewer::Spectator);
        view.turn = seat(turn);
        NoDice::sample(&view, &mut rng).map(|world| world.turn.index()).map_err(|error| error.to_string())
    };
    let impossible = Err("impossible view: a turn without cards".to_owned());
    assert_eq!(sampled(&["2|2", "", "3|5"], "", 0), Ok(0));
    assert_eq!(sampled(&["2|2", "", "3|5"], "", 1), impossible);
    assert_eq!(sampled(&["2|2", "", "3|5"], "4|4", 1), Ok(1));
    assert_eq!(sampled(&["2|2", "", "3|5"], "", 2), Ok(2));
}

#[test]
fn a_game_that_has_used_up_all_cards_has_its_world() {
    let mut rng = test_rng("a_game_that_has_used_up_all_cards_has_its_world");
    let mut table = complete(&["X2", ""], "");
    table.act(0, "X2");
    let mut view = table.game.view(Viewer::Spectator);
    assert!(view.outcome.is_some());
    assert_eq!(NoDice::sample(&view, &mut rng).map(|world| world.view(Viewer::Spectator)), Ok(view.clone()));
    view.outcome = None;
    let why = NoDice::sample(&view, &mut rng).expect_err("it is over").to_string();
    assert_eq!(why, "impossible view: a result too early, too late, or not what the points give");
}

#[test]
fn a_finished_game_has_its_world() {
    let mut rng = test_rng("a_finished_game_has_its_world");
    let mut table = Table::new(&["", "PASS"], "");
    table.play(&["1: decline", "0: pass", "1: pass"]);
    for viewer in Viewer::all(2) {
        let view = table.game.view(viewer);
        assert_eq!(view.decision, None);
        let world = NoDice::sample(&view, &mut rng).expect("a world");
        assert_eq!((world.view(viewer), world.to_act()), (view, Seats::NONE));
    }
}
