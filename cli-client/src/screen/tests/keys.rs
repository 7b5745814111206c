//! Keys other than those that select a move.

use crossterm::event::KeyEventKind;
use parlor_engine::{GameId, Viewer};

use super::*;
use crate::lang::BilingualText;
use crate::table::TableMessage;
use crate::testing::TestTable;

fn playing(id: GameId) -> (TestTable, Screen) {
    let mut table = TestTable::new(id, 2, 1);
    let mut screen = Screen::new(EN);
    for message in table.start() {
        screen.apply(message);
    }
    for message in table.play_opponents() {
        screen.apply(message);
    }
    (table, screen)
}

#[test]
fn quitting_a_game_asks_for_confirmation_and_ctrl_c_does_not() {
    let (_, mut screen) = playing(GameId::Gap);
    for (code, left) in
        [(KeyCode::Char('x'), None), (KeyCode::Esc, None), (KeyCode::Enter, Some(Intent::Leave))]
    {
        assert_eq!(press(&mut screen, KeyCode::Char('q')), None);
        assert_eq!(press(&mut screen, code), left, "{code:?}");
    }
    press(&mut screen, KeyCode::Char('q'));
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Intent::Leave));
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    press(&mut screen, KeyCode::Char('?'));
    assert!(!screen.left_by_ctrl_c());
    assert_eq!(screen.handle_key(control_c), Some(Intent::Leave));
    assert!(screen.left_by_ctrl_c());
}

#[test]
fn spectators_quit_without_confirmation() {
    let mut table = TestTable::with_viewer(GameId::Gap, 2, 1, Viewer::Spectator);
    let mut screen = Screen::new(EN);
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Intent::Leave), "before the first snapshot");
    for message in table.start() {
        screen.apply(message);
    }
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Intent::Leave));
}

#[test]
fn q_within_a_search_query_does_not_quit() {
    let (_, mut screen) = playing(GameId::Gap);
    type_in(&mut screen, "bq");
    assert_eq!(screen.choice.query(), "bq");
    assert_eq!(screen.overlay, None);
}

#[test]
fn refused_answer_can_be_sent_again() {
    let (mut table, mut screen) = playing(GameId::Gap);
    let Some(Intent::Answer { decision, index: 0 }) = press(&mut screen, KeyCode::Enter) else {
        panic!("Enter plays the first move")
    };
    assert_eq!(press(&mut screen, KeyCode::Enter), None, "an answer is pending");
    let why = BilingualText { en: "No.".to_owned(), de: "Nein.".to_owned() };
    screen.apply(TableMessage::Refused { decision, why: why.clone(), still_open: true });
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Intent::Answer { decision, index: 1 }));
    screen.apply(TableMessage::Refused { decision, why, still_open: false });
    assert_eq!(press(&mut screen, KeyCode::Enter), None, "the decision is closed");
    // A decision sent again, as after a reconnect, keeps the selection and can be answered.
    let messages = table.start();
    let asked = TableMessage::Decision(Box::new(crate::table::Decision {
        id: decision,
        view: None,
        legal: table.game.legal_actions(crate::testing::seat(0)),
        time_left: None,
        secret: false,
    }));
    screen.apply(messages.into_iter().next().expect("a snapshot comes first"));
    screen.apply(asked.clone());
    press(&mut screen, KeyCode::End);
    let chosen = screen.selected_action().copied();
    screen.apply(asked);
    assert!(chosen.is_some() && screen.selected_action().copied() == chosen);
    assert!(matches!(press(&mut screen, KeyCode::Enter), Some(Intent::Answer { .. })));
}

#[test]
fn no_answer_is_sent_while_disconnected() {
    let (_, mut screen) = playing(GameId::Gap);
    screen.apply(TableMessage::Connection(false));
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert!(text(&drawn(&mut screen, 80, 24)).contains("Not sent"), "the key is not dropped in silence");
    screen.apply(TableMessage::Connection(true));
    assert!(press(&mut screen, KeyCode::Enter).is_some());
}

#[test]
fn key_release_is_ignored() {
    let (_, mut screen) = playing(GameId::Gap);
    let release = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(screen.handle_key(release), None);
    let control = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::CONTROL);
    assert_eq!(screen.handle_key(control), None);
    assert_eq!(screen.overlay, None);
}

#[test]
fn log_is_bounded_and_scrolls() {
    let (_, mut screen) = playing(GameId::FiveThreeFive);
    for _ in 0..super::super::MAX_LOG_ENTRIES + 10 {
        screen.apply(TableMessage::Presence { seat: crate::testing::seat(1), connected: false });
        screen.apply(TableMessage::Presence { seat: crate::testing::seat(1), connected: true });
    }
    assert_eq!(screen.log.len(), super::super::MAX_LOG_ENTRIES);
    press(&mut screen, KeyCode::Tab);
    press(&mut screen, KeyCode::Tab);
    press(&mut screen, KeyCode::Home);
    assert!(
        text(&drawn(&mut screen, 80, 24)).contains("» greedy"),
        "something is to be seen at the very top"
    );
    press(&mut screen, KeyCode::End);
    assert_eq!(screen.log_offset, 0);
}
