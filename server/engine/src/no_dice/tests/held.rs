//! Held windows: each waits to be closed, and nobody can tell whether others are asked in it.

use super::*;
use crate::conformance::{assert_uniform, legal, pick, test_rng};

/// What the viewer was told by the last action.
fn told_to(table: &Table, viewer: Viewer) -> Vec<Event> {
    table.told.iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| *event).collect()
}

#[test]
fn a_window_waits_to_be_closed_also_where_nobody_is_asked() {
    let mut table = Table::held(&["PASS", "", ""], "");
    assert_eq!(table.said()[3..], ["all: Seat 0 is next."]);
    assert!(table.game.window_is_held() && table.game.outcome().is_none());
    assert_eq!(table.asked(), [0; 0]);
    let mut offered = Vec::new();
    for by in [0, 1, 2] {
        table.game.legal_actions(seat(by), &mut offered);
        assert_eq!((&offered[..], table.game.default_action(seat(by))), (&[][..], None));
        assert_eq!((table.refused(by, "pass"), table.refused(by, "PASS")), ("not_asked", "not_asked"));
        assert!(!table.game.is_secret(seat(by)));
    }
    table.close();
    assert_eq!((table.said(), table.asked()), (vec!["0: It is your turn.".to_owned()], vec![0]));
    assert!(!table.game.window_is_held());
    // The next window is held as well.
    table.act(0, "pass");
    assert_eq!((table.asked(), table.game.window_is_held()), (vec![0], true));
}

#[test]
fn answers_do_not_end_a_held_window() {
    let mut table = Table::held(&["", "PASS", "PASS"], "2|2 2|3");
    assert_eq!(table.asked(), [1, 2]);
    table.act(1, "decline");
    assert_eq!((table.said(), table.asked()), (vec!["1: You declined.".to_owned()], vec![2]));
    table.act(2, "PASS");
    assert_eq!((table.said(), table.asked()), (vec!["2: You said that you play PASS.".to_owned()], vec![]));
    assert!(table.game.window_is_held() && table.view(2).said_yes);
    assert_eq!(table.refused(2, "decline"), "not_asked");
    table.close();
    assert_eq!(
        table.said(),
        [
            "all: Seat 2 plays PASS out of turn and skips seat 0.",
            "2: You draw 2|2.",
            "not {Seat(2)}: Seat 2 draws a card.",
            "all: Seat 1 is next.",
        ]
    );
    // The window before the next turn opens, and is held although nobody is asked.
    assert_eq!((table.asked(), table.game.window_is_held(), table.view(2).said_yes), (vec![], true, false));
}

#[test]
fn who_has_not_answered_declines_when_a_held_window_is_closed() {
    let mut table = Table::held(&["PASS", "", "PASS", "PASS"], "");
    table.act(3, "PASS").close();
    assert_eq!(
        table.said()[..2],
        ["2: You declined.", "all: Seat 3 plays PASS out of turn and skips seat 0."]
    );
    // All who were asked before the next turn let the time go by.
    assert_eq!((table.asked(), table.game.turn), (vec![0, 2], seat(1)));
    table.close();
    assert_eq!(table.said(), ["0: You declined.", "2: You declined.", "1: It is your turn."]);
    assert_eq!(table.asked(), [1]);
}

#[test]
fn closing_changes_nothing_where_no_window_is_held() {
    let prompt = Table::new(&["", "PASS"], "");
    let mut begun = Table::held(&["", "PASS"], "");
    begun.close();
    for table in [prompt, begun] {
        let (mut game, mut told) = (table.game.clone(), Vec::new());
        game.close_window(&mut told);
        assert_eq!((&game, told, game.window_is_held()), (&table.game, vec![], false));
    }
}

/// All know that nobody can be asked: there is nothing to hide.
#[test]
fn no_window_is_held_where_all_can_see_that_nobody_is_asked() {
    // All PASS cards were played.
    let mut played = Table::held(&["", ""], "");
    played.close();
    played.game.played = hand("PASS PASS PASS PASS");
    played.act(0, "pass");
    assert_eq!((played.game.window_is_held(), played.asked()), (false, vec![1]));
    // One is left, in the draw pile.
    let mut left = Table::held(&["", ""], "");
    left.close();
    left.game.played = hand("PASS PASS PASS");
    left.act(0, "pass");
    assert_eq!((left.game.window_is_held(), left.asked()), (true, vec![]));
    // Nobody else has a card.
    let mut empty = Table::held(&["", "", ""], "").with_cards(&["2|2", "2|3 2|4", ""], "");
    empty.close().act(0, "2|2 0,0 right");
    assert_eq!((empty.game.window_is_held(), empty.asked()), (false, vec![1]));
    // Somebody else has.
    let mut other = Table::held(&["", "", ""], "").with_cards(&["2|2", "2|3 2|4", "3|4"], "");
    other.close().act(0, "2|2 0,0 right");
    assert_eq!((other.game.window_is_held(), other.asked()), (true, vec![]));
}

#[test]
fn no_window_is_held_before_a_pass_that_goes_by_itself() {
    let mut table = Table::held(&["", "", ""], "").with_cards(&["2|2 2|3", "", "3|4"], "");
    table.close().act(0, "2|2 0,0 right");
    assert_eq!(
        table.said()[1..],
        ["all: Seat 1 is next.", "all: Seat 1 has no cards left and passes.", "all: Seat 2 is next."]
    );
    assert!(table.game.window_is_held());
}

/// Whether none, one or all others were asked, whatever they answered, and whether that is settled: who is not asked
/// gets the same views and events, and so does the seat that waits to play.
#[test]
fn who_waits_learns_nothing() {
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
            let mut told = told_to(&table, viewer);
            let mut views = vec![table.game.view(viewer)];
            for answer in answers {
                told.extend(told_to(table.play(&[answer]), viewer));
                views.push(table.game.view(viewer));
            }
            views.dedup();
            told.extend(told_to(table.close(), viewer));
            views.push(table.game.view(viewer));
            // What was dealt is not the question.
            told.retain(|event| !matches!(event, Event::Dealt { .. }));
            views.iter_mut().for_each(|view| view.hand = Hand::EMPTY);
            (told, views)
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

/// A game with held windows that are closed when all have answered is the game without.
#[test]
fn the_deal_and_what_comes_of_it_are_the_same() {
    let mut rng = test_rng("the_deal_and_what_comes_of_it_are_the_same");
    let mut closed = 0;
    for players in (2..=6).chain(2..=6) {
        let chance = Chance::fresh(&mut rng);
        let (mut told, mut told_held) = (Vec::new(), Vec::new());
        let mut prompt = NoDice::new(1, Options {}, players, chance.clone(), &mut told).expect("a table");
        let mut held = NoDice::new_held(1, Options {}, players, chance, &mut told_held).expect("a table");
        loop {
            while held.window_is_held() && held.asked.is_empty() {
                held.close_window(&mut told_held);
                closed += 1;
            }
            let same = NoDice { windows_held: false, held: false, ..held.clone() };
            assert_eq!((&same, &told_held), (&prompt, &told));
            let asked: Vec<Seat> = prompt.to_act().iter().collect();
            if asked.is_empty() {
                break;
            }
            let seat = *pick(&asked, &mut rng);
            let action = *pick(&legal(&prompt, seat), &mut rng);
            prompt.apply(seat, action, &mut told).expect("an action that is offered applies");
            held.apply(seat, action, &mut told_held).expect("the same action applies");
        }
        assert!(held.outcome().is_some());
    }
    assert!(closed > 100, "only {closed} windows were held");
}

#[test]
fn worlds_keep_the_held_window_that_the_viewer_sees() {
    let mut rng = test_rng("worlds_keep_the_held_window_that_the_viewer_sees");
    let mut table = Table::held(&["", "PASS", "PASS"], "");
    for _ in 0..50 {
        // Seat 0 waits, and seat 1 is asked: every holder but seat 0 is.
        for viewer in [0, 1] {
            let world = NoDice::sample(&table.view(viewer), &mut rng).expect("a world");
            assert!(world.held && world.windows_held && world.yes.is_empty());
            assert_eq!(world.asked, world.holders_of_pass().without(seat(0)));
        }
        // A spectator does not see it: the turn has begun, and the next window is held.
        let mut world = NoDice::sample(&table.game.view(Viewer::Spectator), &mut rng).expect("a world");
        assert!(!world.held && world.asked.is_empty() && world.to_act() == Seats::only(seat(0)));
        world.apply(seat(0), Action::Pass, &mut NoEvents).expect("a pass");
        assert!(world.held);
    }
    // Who said yes waits, perhaps for nobody.
    table.act(1, "PASS");
    let mut nobody = 0;
    for _ in 0..50 {
        let world = NoDice::sample(&table.view(1), &mut rng).expect("a world");
        assert!(world.held && world.yes == Seats::only(seat(1)));
        assert_eq!(world.asked, world.holders_of_pass().without(seat(0)).without(seat(1)));
        nobody += usize::from(world.asked.is_empty());
    }
    assert!((1..50).contains(&nobody), "{nobody} of 50");
}

/// Unlike in a window that is not held, PASS may be anywhere.
#[test]
fn worlds_of_a_seat_that_waits_are_even() {
    let mut rng = test_rng("worlds_of_a_seat_that_waits_are_even");
    let mut table = views::complete(&["2|2", "PASS", "3|5"], "4|4 4|5");
    table.game.windows_held = true;
    table.game.held = true;
    let view = table.view(0);
    let samples = (0..4000).map(|_| {
        let world = NoDice::sample(&view, &mut rng).expect("a view of a game is possible");
        assert_eq!(world.view(Viewer::Seat(seat(0))), view);
        views::places(&world, &["PASS", "3|5", "4|4", "4|5"])
    });
    assert_uniform(24, samples);
}

#[test]
fn a_wait_in_a_held_window_needs_cards_that_could_be_a_pass() {
    let mut rng = test_rng("a_wait_in_a_held_window_needs_cards_that_could_be_a_pass");
    let mut sampled = |table: &Table| {
        let mut view = table.view(0);
        view.windows_held = true;
        view.decision = None;
        NoDice::sample(&view, &mut rng).map(|world| world.held).map_err(|error| error.to_string())
    };
    let impossible = Err("impossible view: a wait for an answer that nobody can give".to_owned());
    assert_eq!(sampled(&views::complete(&["2|2", "3|5"], "4|4 PASS")), Ok(true));
    // The viewer holds the last PASS card: others do not know that.
    assert_eq!(sampled(&views::complete(&["2|2 PASS", "3|5"], "4|4")), Ok(true));
    assert_eq!(sampled(&views::complete(&["2|2", "3|5"], "4|4")), impossible);
    assert_eq!(sampled(&views::complete(&["2|2", ""], "4|4 PASS")), impossible);
}

#[test]
fn a_view_says_that_windows_are_held() {
    let lines = |table: &Table| {
        [crate::Lang::En, crate::Lang::De].map(|lang| {
            let text = crate::Say::in_lang(&table.view(1), lang).to_string();
            text.lines().last().map(str::to_owned)
        })
    };
    let held = ["Every window lasts equally long.", "Jedes Fenster dauert gleich lange."];
    assert_eq!(lines(&Table::held(&["", ""], "")), held.map(|line| Some(line.to_owned())));
    assert!(lines(&Table::new(&["", ""], "")).iter().flatten().all(|line| line.starts_with("Hand: ")));
}
