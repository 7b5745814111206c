//! What keys do beside choosing a move.

use crossterm::event::KeyEventKind;
use parlor_engine::{GameId, Viewer};

use super::*;
use crate::table::{Both, Incoming};
use crate::testing::House;

fn playing(id: GameId) -> (House, Screen) {
    let mut house = House::new(id, 2, 1);
    let mut screen = Screen::new(EN);
    for news in house.begin() {
        screen.take(news);
    }
    for news in house.others_play() {
        screen.take(news);
    }
    (house, screen)
}

#[test]
fn leaving_a_game_is_asked_about_and_control_c_is_not() {
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
    assert!(!screen.was_interrupted());
    assert_eq!(screen.key(control_c), Some(Intent::Leave));
    assert!(screen.was_interrupted());
}

#[test]
fn spectators_leave_at_once() {
    let mut house = House::seen_by(GameId::Gap, 2, 1, Viewer::Spectator);
    let mut screen = Screen::new(EN);
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Intent::Leave), "nothing is known yet");
    for news in house.begin() {
        screen.take(news);
    }
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Intent::Leave));
}

#[test]
fn a_q_in_a_word_is_a_letter() {
    let (_, mut screen) = playing(GameId::Gap);
    type_in(&mut screen, "bq");
    assert_eq!(screen.picker.query(), "bq");
    assert_eq!(screen.overlay, None);
}

#[test]
fn an_answer_that_was_refused_can_be_given_again() {
    let (mut house, mut screen) = playing(GameId::Gap);
    let Some(Intent::Answer { decision, index: 0 }) = press(&mut screen, KeyCode::Enter) else {
        panic!("the first move is chosen")
    };
    assert_eq!(press(&mut screen, KeyCode::Enter), None, "it is on its way");
    let why = Both { en: "No.".to_owned(), de: "Nein.".to_owned() };
    screen.take(Incoming::Refused { decision, why: why.clone(), still_open: true });
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Intent::Answer { decision, index: 1 }));
    screen.take(Incoming::Refused { decision, why, still_open: false });
    assert_eq!(press(&mut screen, KeyCode::Enter), None, "somebody else has decided");
    // A decision that comes again, as after a break, keeps what was chosen, and can be answered.
    let again = house.begin();
    let asked = Incoming::Decision(Box::new(crate::table::Decision {
        id: decision,
        view: None,
        legal: house.game.legal_actions(crate::testing::seat(0)),
        time_left: None,
        secret: false,
    }));
    screen.take(again.into_iter().next().expect("a snapshot"));
    screen.take(asked.clone());
    press(&mut screen, KeyCode::End);
    let chosen = screen.chosen().copied();
    screen.take(asked);
    assert!(chosen.is_some() && screen.chosen().copied() == chosen);
    assert!(matches!(press(&mut screen, KeyCode::Enter), Some(Intent::Answer { .. })));
}

#[test]
fn nothing_is_sent_without_a_connection() {
    let (_, mut screen) = playing(GameId::Gap);
    screen.take(Incoming::Connection(false));
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    screen.take(Incoming::Connection(true));
    assert!(press(&mut screen, KeyCode::Enter).is_some());
}

#[test]
fn letting_go_of_a_key_does_nothing() {
    let (_, mut screen) = playing(GameId::Gap);
    let release = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(screen.key(release), None);
    let control = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::CONTROL);
    assert_eq!(screen.key(control), None);
    assert_eq!(screen.overlay, None);
}

#[test]
fn the_log_is_bounded_and_scrolls() {
    let (_, mut screen) = playing(GameId::Flush);
    for _ in 0..super::super::MOST_NOTES + 10 {
        screen.take(Incoming::Presence { seat: crate::testing::seat(1), connected: false });
        screen.take(Incoming::Presence { seat: crate::testing::seat(1), connected: true });
    }
    assert_eq!(screen.notes.len(), super::super::MOST_NOTES);
    press(&mut screen, KeyCode::Tab);
    press(&mut screen, KeyCode::Tab);
    press(&mut screen, KeyCode::Home);
    assert!(
        text(&drawn(&mut screen, 80, 24)).contains("- greedy"),
        "something is to be seen at the very top"
    );
    press(&mut screen, KeyCode::End);
    assert_eq!(screen.scrolled, 0);
}
