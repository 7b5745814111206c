//! Held windows: each waits to be closed, and no viewer can tell whether others are asked.

use super::*;
use crate::conformance::assert_uniform;
use crate::test_support::{in_both_languages, pick, received_by, test_rng};

#[test]
fn held_window_opens_even_if_no_seat_is_asked() {
    let mut table = Table::held(&["PASS", "", ""], "");
    assert_eq!(table.event_texts()[3..], ["all: Seat 0 is next."]);
    assert!(table.game.window_is_held() && table.game.outcome().is_none());
    assert_eq!(table.to_act(), [0; 0]);
    let mut legal = Vec::new();
    for by in [0, 1, 2] {
        table.game.legal_actions(seat(by), &mut legal);
        assert_eq!((&legal[..], table.game.default_action(seat(by))), (&[][..], None));
        assert_eq!(
            (table.refusal_code(by, "pass"), table.refusal_code(by, "PASS")),
            ("not_asked", "not_asked")
        );
        assert!(!table.game.has_secret_decision(seat(by)));
    }
    table.close_window();
    assert_eq!((table.event_texts(), table.to_act()), (vec!["0: It is your turn.".to_owned()], vec![0]));
    assert!(!table.game.window_is_held());
    // The next window is held as well.
    table.act(0, "pass");
    assert_eq!((table.to_act(), table.game.window_is_held()), (vec![0], true));
}

#[test]
fn answers_do_not_close_a_held_window() {
    let mut table = Table::held(&["", "PASS", "PASS"], "2|2 2|3");
    assert_eq!(table.to_act(), [1, 2]);
    table.act(1, "decline");
    assert_eq!((table.event_texts(), table.to_act()), (vec!["1: You declined.".to_owned()], vec![2]));
    table.act(2, "PASS");
    assert_eq!(
        (table.event_texts(), table.to_act()),
        (vec!["2: You said that you play PASS.".to_owned()], vec![])
    );
    assert!(table.game.window_is_held() && table.view(2).said_yes);
    assert_eq!(table.refusal_code(2, "decline"), "not_asked");
    table.close_window();
    assert_eq!(
        table.event_texts(),
        [
            "all: Seat 2 plays PASS out of turn and skips seat 0.",
            "2: You draw 2|2.",
            "not {Seat(2)}: Seat 2 draws 1 card.",
            "all: Seat 1 is next.",
        ]
    );
    // The window before the next turn opens, and is held although no seat is asked.
    assert_eq!((table.to_act(), table.game.window_is_held(), table.view(2).said_yes), (vec![], true, false));
}

#[test]
fn closing_a_held_window_declines_for_unanswered_seats() {
    let mut table = Table::held(&["PASS", "", "PASS", "PASS"], "");
    table.act(3, "PASS").close_window();
    assert_eq!(
        table.event_texts()[..2],
        ["2: You declined.", "all: Seat 3 plays PASS out of turn and skips seat 0."]
    );
    // No seat asked before the next turn answers.
    assert_eq!((table.to_act(), table.game.turn), (vec![0, 2], seat(1)));
    table.close_window();
    assert_eq!(table.event_texts(), ["0: You declined.", "2: You declined.", "1: It is your turn."]);
    assert_eq!(table.to_act(), [1]);
}

#[test]
fn close_window_without_a_held_window_changes_nothing() {
    let prompt = Table::new(&["", "PASS"], "");
    let mut begun = Table::held(&["", "PASS"], "");
    begun.close_window();
    for table in [prompt, begun] {
        let (mut game, mut events) = (table.game.clone(), Vec::new());
        game.close_window(&mut events);
        assert_eq!((&game, events, game.window_is_held()), (&table.game, vec![], false));
    }
}

/// By public knowledge no seat can be asked: there is nothing to hide.
#[test]
fn no_window_is_held_if_publicly_no_seat_can_be_asked() {
    // All PASS cards were played.
    let mut played = Table::held(&["", ""], "");
    played.close_window();
    played.game.played = hand("PASS PASS PASS PASS");
    played.act(0, "pass");
    assert_eq!((played.game.window_is_held(), played.to_act()), (false, vec![1]));
    // One PASS card is left, in the draw pile.
    let mut left = Table::held(&["", ""], "");
    left.close_window();
    left.game.played = hand("PASS PASS PASS");
    left.act(0, "pass");
    assert_eq!((left.game.window_is_held(), left.to_act()), (true, vec![]));
    // No other player has a card.
    let mut empty = Table::held(&["", "", ""], "").with_cards(&["2|2", "2|3 2|4", ""], "");
    empty.close_window().act(0, "2|2 0,0 right");
    assert_eq!((empty.game.window_is_held(), empty.to_act()), (false, vec![1]));
    // Another player has a card.
    let mut other = Table::held(&["", "", ""], "").with_cards(&["2|2", "2|3 2|4", "3|4"], "");
    other.close_window().act(0, "2|2 0,0 right");
    assert_eq!((other.game.window_is_held(), other.to_act()), (true, vec![]));
}

#[test]
fn no_window_is_held_before_an_automatic_pass() {
    let mut table = Table::held(&["", "", ""], "").with_cards(&["2|2 2|3", "", "3|4"], "");
    table.close_window().act(0, "2|2 0,0 right");
    assert_eq!(
        table.event_texts()[1..],
        ["all: Seat 1 is next.", "all: Seat 1 has no cards left and passes.", "all: Seat 2 is next."]
    );
    assert!(table.game.window_is_held());
}

/// Views and events of seats that are not asked, including the next player, are the same for any number of
/// asked seats, any answers, and before and after them.
#[test]
fn waiting_in_a_held_window_reveals_nothing() {
    let deals: [(&[&str], &[&str]); 5] = [
        (&["5|5", "", "", ""], &[]),
        (&["5|5", "", "", "PASS"], &[]),
        (&["5|5", "", "PASS", "PASS"], &["3: decline"]),
        (&["5|5", "", "PASS", "PASS"], &["3: decline", "2: decline"]),
        (&["5|5", "", "PASS PASS", "PASS"], &["2: decline"]),
    ];
    let seen = |viewer: Viewer| {
        deals.map(|(hands, answers)| {
            let mut table = Table::held(hands, "");
            let mut events = received_by(&table.events, viewer);
            let mut views = vec![table.game.view(viewer)];
            for answer in answers {
                events.extend(received_by(&table.play(&[answer]).events, viewer));
                views.push(table.game.view(viewer));
            }
            views.dedup();
            events.extend(received_by(&table.close_window().events, viewer));
            views.push(table.game.view(viewer));
            // The dealt hands differ.
            events.retain(|event| !matches!(event, Event::Dealt { .. }));
            views.iter_mut().for_each(|view| view.hand = Hand::EMPTY);
            (events, views)
        })
    };
    let next = Event::NextUp { seat: seat(0) };
    for (viewer, expected) in [
        (Viewer::Seat(seat(0)), vec![next, Event::YourTurn]),
        (Viewer::Seat(seat(1)), vec![next]),
        (Viewer::Spectator, vec![next]),
    ] {
        let [first, rest @ ..] = seen(viewer);
        assert_eq!(first.0, expected);
        assert!(first.1.iter().all(|view| view.windows_held));
        for other in rest {
            assert_eq!(other, first, "{viewer:?}");
        }
    }
}

/// A game with held windows, each closed after the last answer, equals the game without them.
#[test]
fn held_windows_do_not_change_the_game() {
    let mut rng = test_rng("held_windows_do_not_change_the_game");
    let mut closed = 0;
    for players in (2..=6).chain(2..=6) {
        let chance = Chance::fresh(&mut rng);
        let (mut events, mut held_events) = (Vec::new(), Vec::new());
        let mut prompt = NoDice::new(1, Options {}, players, chance.clone(), &mut events).expect("a table");
        let mut held =
            NoDice::new_with_held_windows(1, Options {}, players, chance, &mut held_events).expect("a table");
        loop {
            while held.window_is_held() && held.asked.is_empty() {
                held.close_window(&mut held_events);
                closed += 1;
            }
            let same = NoDice { windows_held: false, held: false, ..held.clone() };
            assert_eq!((&same, &held_events), (&prompt, &events));
            let asked: Vec<Seat> = prompt.to_act().iter().collect();
            if asked.is_empty() {
                break;
            }
            let seat = *pick(&asked, &mut rng);
            let action = *pick(&legal_actions(&prompt, seat), &mut rng);
            prompt.apply(seat, action, &mut events).expect("an action that is legal applies");
            held.apply(seat, action, &mut held_events).expect("the same action applies");
        }
        assert!(held.outcome().is_some());
    }
    assert!(closed > 100, "only {closed} windows were held");
}

#[test]
fn samples_keep_the_held_window_the_viewer_sees() {
    let mut rng = test_rng("samples_keep_the_held_window_the_viewer_sees");
    let mut table = Table::held(&["", "PASS", "PASS"], "");
    for _ in 0..50 {
        // Seat 0 waits, and seat 1 is asked: every holder of PASS but seat 0 is asked.
        for viewer in [0, 1] {
            let world = NoDice::sample(&table.view(viewer), &mut rng).expect("a world");
            assert!(world.held && world.windows_held && world.yes.is_empty());
            assert_eq!(world.asked, world.holders_of_pass().without(seat(0)));
        }
        // A spectator does not see the window: the turn has begun, and the next window is held.
        let mut world = NoDice::sample(&table.game.view(Viewer::Spectator), &mut rng).expect("a world");
        assert!(!world.held && world.asked.is_empty() && world.to_act() == Seats::only(seat(0)));
        world.apply(seat(0), Action::Pass, &mut NoEvents).expect("a pass");
        assert!(world.held);
    }
    // A seat that answered yes waits, possibly for no other seat.
    table.act(1, "PASS");
    let mut unasked = 0;
    for _ in 0..50 {
        let world = NoDice::sample(&table.view(1), &mut rng).expect("a world");
        assert!(world.held && world.yes == Seats::only(seat(1)));
        assert_eq!(world.asked, world.holders_of_pass().without(seat(0)).without(seat(1)));
        unasked += usize::from(world.asked.is_empty());
    }
    assert!((1..50).contains(&unasked), "{unasked} of 50");
}

/// Unlike in a window that is not held, PASS may be anywhere.
#[test]
fn samples_are_uniform_for_a_seat_waiting_in_a_held_window() {
    let mut rng = test_rng("samples_are_uniform_for_a_seat_waiting_in_a_held_window");
    let mut table = views::complete(&["2|2", "PASS", "3|5"], "4|4 4|5");
    table.game.windows_held = true;
    table.game.held = true;
    let view = table.view(0);
    let samples = (0..4000).map(|_| {
        let world = NoDice::sample(&view, &mut rng).expect("the view of a game is possible");
        assert_eq!(world.view(Viewer::Seat(seat(0))), view);
        views::places(&world, &["PASS", "3|5", "4|4", "4|5"])
    });
    assert_uniform(24, samples);
}

#[test]
fn waiting_in_a_held_window_needs_a_possible_pass_card() {
    let mut rng = test_rng("waiting_in_a_held_window_needs_a_possible_pass_card");
    let mut sampled = |table: &Table| {
        let mut view = table.view(0);
        view.windows_held = true;
        view.decision = None;
        NoDice::sample(&view, &mut rng).map(|world| world.held).map_err(|error| error.to_string())
    };
    let impossible = Err("impossible view: the viewer waits although no seat can be asked".to_owned());
    assert_eq!(sampled(&views::complete(&["2|2", "3|5"], "4|4 PASS")), Ok(true));
    // The viewer holds the last PASS card, which the others do not know.
    assert_eq!(sampled(&views::complete(&["2|2 PASS", "3|5"], "4|4")), Ok(true));
    assert_eq!(sampled(&views::complete(&["2|2", "3|5"], "4|4")), impossible);
    assert_eq!(sampled(&views::complete(&["2|2", ""], "4|4 PASS")), impossible);
}

#[test]
fn view_text_mentions_held_windows() {
    let lines =
        |table: &Table| in_both_languages(&table.view(1)).map(|text| text.lines().last().map(str::to_owned));
    let held = ["Every window lasts equally long.", "Jedes Fenster dauert gleich lange."];
    assert_eq!(lines(&Table::held(&["", ""], "")), held.map(|line| Some(line.to_owned())));
    assert!(lines(&Table::new(&["", ""], "")).iter().flatten().all(|line| line.starts_with("Hand: ")));
}
