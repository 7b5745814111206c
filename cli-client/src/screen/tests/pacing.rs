//! Messages that are shown one after the other, on a clock moved by hand.

use std::time::Duration;

use parlor_engine::{GameId, Viewer};

use super::*;
use crate::table::{TableMessage, TimeLeft};
use crate::testing::TestTable;

const PACE: Duration = Duration::from_millis(600);

/// A paced screen at the first decision of the viewer, and the messages that follow from the answer.
fn after_an_answer(id: GameId) -> (TestTable, Screen, Vec<TableMessage>) {
    let mut table = TestTable::new(id, 4, 1);
    let mut screen = Screen::new(EN).with_pace(PACE);
    for message in table.start().into_iter().chain(table.play_opponents()) {
        screen.receive(message);
    }
    let Some(Intent::Answer { decision, index }) = press(&mut screen, KeyCode::Enter) else {
        panic!("a decision is open")
    };
    let messages = table.answer(decision, index);
    (table, screen, messages)
}

fn is_asked(screen: &Screen) -> bool {
    screen.state().decision.is_some()
}

#[test]
fn moves_of_others_are_shown_at_their_pace() {
    let (_, mut screen, messages) = after_an_answer(GameId::Gap);
    messages.into_iter().for_each(|message| screen.receive(message));
    // The viewer's own move is shown at once, and each of the three others after a pause.
    let mut shown = Vec::new();
    for _ in 0..3 {
        assert!(!is_asked(&screen), "{shown:?}");
        shown.push(screen.log.len());
        screen.advance_time(PACE - Duration::from_millis(1));
        assert_eq!(shown.last(), Some(&screen.log.len()), "nothing moves before its time");
        screen.advance_time(Duration::from_millis(1));
    }
    assert!(shown.is_sorted_by(|one, other| one < other), "{shown:?}");
    assert!(is_asked(&screen), "the decision comes with the last move");
}

#[test]
fn any_key_skips_to_the_next_decision_and_plays_nothing() {
    for code in [KeyCode::Enter, KeyCode::Char('x'), KeyCode::Down, KeyCode::Char(' ')] {
        let (_, mut screen, mut messages) = after_an_answer(GameId::Gap);
        // Some of the messages arrive after the key.
        let later = messages.split_off(messages.len() - 2);
        messages.into_iter().for_each(|message| screen.receive(message));
        assert_eq!(press(&mut screen, code), None);
        later.into_iter().for_each(|message| screen.receive(message));
        assert!(is_asked(&screen), "{code:?}");
        assert_eq!(screen.choice.query(), "");
    }
    let (_, mut screen, messages) = after_an_answer(GameId::Gap);
    messages.into_iter().for_each(|message| screen.receive(message));
    press(&mut screen, KeyCode::Char('q'));
    assert_eq!(screen.overlay, Some(super::super::Overlay::Leaving), "q skips and asks");
}

/// A decision with little time is never held back, and the clock of one that waits runs.
#[test]
fn running_clocks_are_respected() {
    let with_time = |messages: Vec<TableMessage>, seconds| {
        messages.into_iter().map(move |message| match message {
            TableMessage::Decision(mut decision) => {
                let time = TimeLeft { decision: Duration::from_secs(seconds), bank: Duration::ZERO };
                decision.time_left = Some(time);
                TableMessage::Decision(decision)
            }
            message => message,
        })
    };
    let (_, mut screen, messages) = after_an_answer(GameId::Gap);
    with_time(messages, 9).for_each(|message| screen.receive(message));
    assert!(is_asked(&screen));

    let (_, mut screen, messages) = after_an_answer(GameId::Gap);
    with_time(messages, 30).for_each(|message| screen.receive(message));
    for _ in 0..3 {
        screen.advance_time(PACE);
    }
    let left = screen.state().decision.as_ref().and_then(|asked| asked.time_left).expect("a clock");
    assert_eq!(left.decision, Duration::from_secs(30) - 3 * PACE);
}

#[test]
fn lost_connection_is_shown_at_once() {
    let (_, mut screen, messages) = after_an_answer(GameId::Gap);
    messages.into_iter().for_each(|message| screen.receive(message));
    screen.receive(TableMessage::Connection(false));
    assert!(!screen.state().connected && !is_asked(&screen));
}

/// Plays by Enter until a round ends or the game is over; returns whether a round ended.
fn play_to_the_end_of_a_round(table: &mut TestTable, screen: &mut Screen) -> bool {
    while screen.round.is_none() && !screen.is_over() {
        match press(screen, KeyCode::Enter) {
            Some(Intent::Answer { decision, index }) => {
                table.answer(decision, index).into_iter().for_each(|message| screen.receive(message));
            }
            Some(_) => return false,
            // The key skipped a pause.
            None => {}
        }
    }
    screen.round.is_some()
}

#[test]
fn rounds_end_with_a_summary_that_waits_for_a_key() {
    for (id, theme) in [(GameId::Gap, EN), (GameId::HabeFertig, DE), (GameId::FiveThreeFive, EN)] {
        let mut table = TestTable::new(id, 3, 1);
        let mut screen = Screen::new(theme).with_pace(PACE);
        for message in table.start().into_iter().chain(table.play_opponents()) {
            screen.receive(message);
        }
        assert!(play_to_the_end_of_a_round(&mut table, &mut screen), "{}", id.info().id);
        insta::assert_snapshot!(format!("round_{}", id.info().id), text(&drawn(&mut screen, 80, 24)));
        screen.advance_time(PACE * 100);
        assert!(screen.round.is_some(), "it stays");
        assert_eq!(press(&mut screen, KeyCode::Enter), None);
        assert!(screen.round.is_none());
    }
}

#[test]
fn spectators_are_not_stopped_at_rounds() {
    let mut table = TestTable::with_viewer(GameId::Gap, 3, 1, Viewer::Spectator);
    let mut screen = Screen::new(EN).with_pace(PACE);
    table.start().into_iter().for_each(|message| screen.receive(message));
    while table.game.outcome().is_none() {
        table.play_next().into_iter().for_each(|message| screen.receive(message));
        screen.advance_time(PACE);
        assert!(screen.round.is_none());
    }
    while screen.pacer.is_waiting() {
        screen.advance_time(PACE);
    }
    assert!(screen.is_over());
}

/// Lines since the viewer's last move are marked; the past of a resumed game is not.
#[test]
fn log_marks_what_is_new_and_begins_with_the_past() {
    let (mut table, mut screen, messages) = after_an_answer(GameId::Gap);
    let updates = messages.iter().filter_map(|message| match message {
        TableMessage::Update(update) => Some((**update).clone()),
        _ => None,
    });
    let past = TableMessage::History(updates.collect());
    messages.into_iter().for_each(|message| screen.receive(message));
    press(&mut screen, KeyCode::Char('x'));
    let shown = text(&drawn(&mut screen, 120, 40));
    assert!(shown.contains("» You play"), "{shown}");

    let mut resumed = Screen::new(EN).with_pace(PACE);
    for message in table.start() {
        resumed.receive(message);
    }
    resumed.receive(past);
    let shown = text(&drawn(&mut resumed, 120, 40));
    assert!(shown.contains("- You play") && shown.contains("- greedy (3)"), "{shown}");
    for (code, newer) in [('<', Some("1 newer")), ('<', Some("2 newer")), ('>', Some("1 newer")), ('>', None)]
    {
        press(&mut resumed, KeyCode::Char(code));
        let shown = text(&drawn(&mut resumed, 120, 40));
        assert_eq!(newer.is_some_and(|newer| shown.contains(newer)), newer.is_some(), "{shown}");
        assert_eq!(shown.contains("newer"), newer.is_some());
    }
}
