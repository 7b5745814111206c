//! Windows before a turn: the asked seats, the outcome, and secrecy.

use super::*;

#[test]
fn first_window_asks_all_other_holders_of_pass() {
    let table = Table::new(&["PASS", "PASS", "", "PASS"], "");
    assert_eq!((table.to_act(), table.game.turn), (vec![1, 3], seat(0)));
    assert_eq!(
        table.event_texts()[4..],
        [
            "all: Seat 0 is next.",
            "1: Do you play PASS now, to skip this turn?",
            "3: Do you play PASS now, to skip this turn?",
        ]
    );
    let mut legal = Vec::new();
    for (by, expected) in [(0, vec![]), (1, vec![Action::PassCard, Action::Decline]), (2, vec![])] {
        table.game.legal_actions(seat(by), &mut legal);
        assert_eq!(legal, expected);
    }
    for (by, does, code) in [
        (0, "pass", "not_asked"),
        (0, "PASS", "not_asked"),
        (2, "decline", "not_asked"),
        (2, "PASS", "not_asked"),
        (1, "pass", "no_dice.window"),
        (1, "X2", "no_dice.window"),
        (1, "5|8 0,0 left", "no_dice.window"),
        (4, "decline", "no_such_seat"),
    ] {
        assert_eq!(table.refusal_code(by, does), code, "{by}: {does}");
    }
    for (by, default) in [(0, None), (1, Some(Action::Decline)), (2, None), (3, Some(Action::Decline))] {
        assert_eq!(table.game.default_action(seat(by)), default);
        assert_eq!(table.game.has_secret_decision(seat(by)), default.is_some());
    }
}

#[test]
fn turn_begins_when_all_decline() {
    let mut table = Table::new(&["", "PASS", "PASS"], "");
    table.act(2, "decline");
    assert_eq!((table.event_texts(), table.to_act()), (vec!["2: You declined.".to_owned()], vec![1]));
    assert_eq!(table.refusal_code(2, "PASS"), "not_asked");
    table.act(1, "decline");
    assert_eq!(table.event_texts(), ["1: You declined.", "0: It is your turn."]);
    assert_eq!((table.to_act(), table.game.has_secret_decision(seat(0))), (vec![0], false));
}

#[test]
fn window_closes_at_once_if_no_other_seat_holds_pass() {
    let mut table = Table::new(&["PASS", ""], "");
    assert_eq!(table.to_act(), [0]);
    // Before the next turn, it is the other seat that would be skipped.
    assert_eq!(table.act(0, "pass").to_act(), [0]);
    assert_eq!(table.game.turn, seat(1));
}

/// The example of the rules: seat 1 is next, seats 0 and 3 answer yes. The order of play is 2, 3, 0.
#[test]
fn first_yes_in_the_order_of_play_wins() {
    let mut table = Table::new(&["PASS", "", "", "PASS"], "2|2 2|3");
    table.play(&["3: decline", "0: pass", "0: PASS"]);
    assert_eq!(table.event_texts(), ["0: You said that you play PASS."]);
    table.act(3, "PASS");
    assert_eq!(
        table.event_texts(),
        [
            "3: You said that you play PASS.",
            "all: Seat 3 plays PASS out of turn and skips seat 1.",
            "3: You draw 2|2.",
            "not {Seat(3)}: Seat 3 draws 1 card.",
            "all: Seat 2 is next.",
            "0: Do you play PASS now, to skip this turn?",
        ]
    );
    // The other seat keeps its card, and a new window opens before the next turn.
    assert!(table.game.hands[0].contains(Card::Pass) && !table.game.hands[3].contains(Card::Pass));
    assert_eq!((table.to_act(), table.game.turn, table.game.yes), (vec![0], seat(2), Seats::NONE));
    assert_eq!(table.game.played, hand("PASS"));
    // In the opposite direction, 0 comes before 3.
    let mut back = Table::new(&["PASS", "", "SWITCH", "PASS"], "");
    back.play(&["3: decline", "0: pass", "0: decline", "3: decline", "1: pass", "0: decline", "3: decline"]);
    back.play(&["2: SWITCH", "3: PASS", "0: PASS"]);
    assert_eq!(back.event_texts()[1], "all: Seat 0 plays PASS out of turn and skips seat 1.");
    assert_eq!(back.game.turn, seat(0));
}

#[test]
fn order_of_answers_does_not_matter() {
    for order in [["0: PASS", "3: decline"], ["3: decline", "0: PASS"]] {
        let mut table = Table::new(&["PASS", "", "", "PASS"], "");
        table.play(&["3: decline", "0: pass"]).play(&order);
        assert_eq!((table.game.turn, table.game.played), (seat(2), hand("PASS")));
    }
}

#[test]
fn pass_card_in_a_window_draws_exactly_one_card() {
    // Even for a short hand.
    let mut table = Table::late(&["5|8", "PASS 5|9"], "2|2 2|3 2|4");
    table.act(1, "PASS");
    assert_eq!((table.game.hands[1], table.game.draw_pile.len()), (hand("5|9 2|2"), 2));
    assert_eq!(table.to_act(), [1]);
    // None from an empty pile.
    let mut empty = Table::late(&["5|8", "PASS 5|9"], "");
    empty.act(1, "PASS");
    assert_eq!(
        empty.event_texts(),
        [
            "1: You said that you play PASS.",
            "all: Seat 1 plays PASS out of turn and skips seat 0.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    // With the last card: the player then passes automatically, and the skipped player is next again.
    let mut last = Table::late(&["5|8", "PASS"], "");
    last.act(1, "PASS");
    assert_eq!((last.to_act(), last.game.passed), (vec![0], Seats::only(seat(1))));
}

#[test]
fn pass_card_in_a_window_is_not_a_turn() {
    let mut table = Table::new(&["", "PASS X2", ""], "");
    table.play(&["1: decline", "0: pass", "1: X2"]);
    assert_eq!(table.game.passed, Seats::NONE);
    table.act(1, "decline").act(2, "pass");
    table.act(1, "PASS");
    // It neither clears passes nor uses up the x2 of its player.
    assert_eq!((table.game.passed, table.game.x2), (Seats::only(seat(2)), Seats::only(seat(1))));
}

/// An open window is invisible to everyone not involved.
#[test]
fn window_is_secret() {
    let hands = ["", "PASS", "", "PASS"];
    let open = Table::new(&hands, "");
    let mut one_declined = Table::new(&hands, "");
    one_declined.act(1, "decline");
    let mut one_said_yes = Table::new(&hands, "");
    one_said_yes.act(1, "PASS");
    let mut begun = Table::new(&hands, "");
    begun.play(&["1: decline", "3: decline"]);
    let tables = [&open, &one_declined, &one_said_yes, &begun];
    for viewer in [Viewer::Seat(seat(2)), Viewer::Spectator] {
        for table in tables {
            assert_eq!(table.game.view(viewer), begun.game.view(viewer));
        }
    }
    // Seat 3 sees that it is asked, regardless of seat 1; after declining, it sees what seat 2 sees.
    let decisions = tables.map(|table| table.view(3).decision);
    let window = Some(Decision::Window);
    assert_eq!(decisions, [window, window, window, None]);
    assert_eq!(one_declined.view(3), open.view(3));
    assert_eq!(one_said_yes.view(3), open.view(3));
    // Seat 1 declined: its view is as if the turn had begun.
    assert_eq!(one_declined.view(1), begun.view(1));
    let yes = one_said_yes.view(1);
    assert_eq!((yes.decision, yes.said_yes), (None, true));
    // Seat 0 waits, and does not learn for whom.
    assert_eq!(tables.map(|table| table.view(0).decision), [None, None, None, Some(Decision::Turn)]);
    assert_eq!(one_declined.view(0), open.view(0));
    assert_eq!(one_said_yes.view(0), open.view(0));
    assert!(tables.iter().all(|table| table.view(0).turn == seat(0) && !table.view(0).said_yes));
}
