//! Snapshots of the screen.

use parlor_engine::{GameId, Seat, Viewer};

use super::*;
use crate::lang::BilingualText;
use crate::screen::{Replay, Step};
use crate::table::{EndReason, Occupant, SeatTime, TableEvent, TableMessage, TableResult, TimeLeft, Update};
use crate::testing::{TestTable, seat};
use std::time::Duration;

/// Plays a number of answers, always the action in the middle of the list.
fn after(table: &mut TestTable, theme: Theme, answers: usize) -> Screen {
    let mut screen = Screen::new(theme);
    let mut messages = table.start();
    messages.extend(table.play_opponents());
    for left in (0..=answers).rev() {
        for message in messages.drain(..) {
            screen.apply(message);
        }
        if let (Some(asked), true) = (&screen.state().decision, left > 0) {
            let index = asked.legal.len() / 2;
            messages = table.answer(asked.id, index as u32);
        }
    }
    screen
}

/// Plays the whole game.
fn to_the_end(table: &mut TestTable, theme: Theme) -> Screen {
    let mut screen = after(table, theme, 0);
    while let Some(asked) = &screen.state().decision {
        for message in table.answer(asked.id, asked.legal.len() as u32 / 2) {
            screen.apply(message);
        }
    }
    screen
}

fn check(name: &str, screen: &mut Screen, size: (u16, u16)) {
    insta::assert_snapshot!(name, text(&drawn(screen, size.0, size.1)));
}

#[test]
fn every_game_in_both_languages_and_two_sizes() {
    for id in GameId::published() {
        for (theme, lang) in [(EN, "en"), (DE, "de")] {
            let mut screen = after(&mut TestTable::new(id, 4, 3), theme, 4);
            press(&mut screen, KeyCode::Down);
            for size in [(80, 24), (120, 40)] {
                check(&format!("{}_{lang}_{}x{}", id.info().id, size.0, size.1), &mut screen, size);
            }
        }
    }
}

/// Styles of the screens, with and without colours.
#[test]
fn styles_with_and_without_colours() {
    for id in GameId::published() {
        for colours in [true, false] {
            let theme = Theme { colours, ..EN };
            let mut screen = after(&mut TestTable::new(id, 3, 4), theme, 2);
            let buffer = drawn(&mut screen, 80, 24);
            let word = if colours { "colours" } else { "no_colours" };
            insta::assert_snapshot!(format!("{}_{word}", id.info().id), format!("{buffer:?}"));
            let coloured = buffer.content.iter().any(|cell| cell.fg != ratatui::style::Color::Reset);
            assert_eq!(coloured, colours);
        }
    }
}

#[test]
fn every_game_at_its_maximum_player_count() {
    for id in GameId::published() {
        let players = id.info().max_players;
        let mut screen = after(&mut TestTable::new(id, players, 5), EN, 3);
        check(&format!("{}_{players}_players", id.info().id), &mut screen, (80, 24));
    }
}

#[test]
fn habe_fertig_hiding_phase() {
    let mut screen = after(&mut TestTable::new(GameId::HabeFertig, 3, 1), DE, 0);
    type_in(&mut screen, "rot 6");
    check("hiding", &mut screen, (80, 24));
}

#[test]
fn move_search_by_name() {
    let mut table = TestTable::new(GameId::NoDice, 2, 1);
    let mut screen = after(&mut table, EN, 6);
    assert!(!screen.state().decision.as_ref().expect("an open decision").secret);
    check("before_typing", &mut screen, (80, 24));
    type_in(&mut screen, "2|");
    check("typing", &mut screen, (80, 24));
    type_in(&mut screen, "xyz");
    press(&mut screen, KeyCode::Enter);
    check("typing_what_does_not_fit", &mut screen, (80, 24));
}

#[test]
fn secret_pass_window() {
    for (theme, name) in [(EN, "secret_en"), (DE, "secret_de")] {
        // The first table with a secret decision for the viewer.
        let screen = (0..50).find_map(|seed| {
            let mut table = TestTable::new(GameId::NoDice, 3, seed);
            let screen = after(&mut table, theme, 3);
            screen.state().decision.as_ref().is_some_and(|asked| asked.secret).then_some(screen)
        });
        check(name, &mut screen.expect("one of the seeds gives the viewer a PASS card"), (80, 24));
    }
}

#[test]
fn enlarged_table_and_log_panes() {
    let mut screen = after(&mut TestTable::new(GameId::NoDice, 3, 7), EN, 9);
    press(&mut screen, KeyCode::Tab);
    check("large_table", &mut screen, (80, 24));
    press(&mut screen, KeyCode::Right);
    press(&mut screen, KeyCode::Down);
    check("large_table_moved", &mut screen, (80, 24));
    press(&mut screen, KeyCode::Tab);
    check("large_log", &mut screen, (80, 24));
}

#[test]
fn help_overlay() {
    for (theme, name) in [(EN, "help_en"), (DE, "help_de")] {
        let mut screen = after(&mut TestTable::new(GameId::Gap, 3, 1), theme, 1);
        press(&mut screen, KeyCode::Char('?'));
        check(name, &mut screen, (80, 24));
        press(&mut screen, KeyCode::PageDown);
        check(&format!("{name}_further"), &mut screen, (80, 24));
    }
}

#[test]
fn result_of_every_game() {
    for &id in GameId::ALL {
        for (theme, lang) in [(EN, "en"), (DE, "de")] {
            let players = if lang == "en" { id.info().max_players } else { id.info().min_players };
            let mut screen = to_the_end(&mut TestTable::new(id, players, 2), theme);
            check(&format!("end_{}_{lang}", id.info().id), &mut screen, (80, 24));
        }
    }
    let mut screen = to_the_end(&mut TestTable::new(GameId::Gap, 3, 2), EN);
    check("end_wide", &mut screen, (120, 40));
}

fn update(table_events: Vec<TableEvent>) -> TableMessage {
    TableMessage::Update(Box::new(Update { table_events, ..Update::default() }))
}

#[test]
fn cancelled_table() {
    let mut screen = after(&mut TestTable::new(GameId::Gap, 3, 1), EN, 1);
    let result =
        TableResult { reason: EndReason::Cancelled, seats: Vec::new(), note: "Too late.".to_owned() };
    screen.apply(update(vec![TableEvent::Over(result), TableEvent::Rematch("n3xt".to_owned())]));
    check("cancelled", &mut screen, (80, 24));
}

#[test]
fn refusal_reconnect_leave_and_close() {
    let mut screen = after(&mut TestTable::new(GameId::Gap, 3, 1), DE, 1);
    let decision = screen.state().decision.as_ref().expect("an open decision").id;
    assert!(press(&mut screen, KeyCode::Enter).is_some());
    check("sent", &mut screen, (80, 24));
    let why = BilingualText { en: "No.".to_owned(), de: "Nimm genau eine Karte.".to_owned() };
    screen.apply(TableMessage::Refused { decision, why, still_open: true });
    check("refused", &mut screen, (80, 24));
    screen.apply(TableMessage::Connection(false));
    check("reconnecting", &mut screen, (80, 24));
    screen.apply(TableMessage::Connection(true));
    press(&mut screen, KeyCode::Char('q'));
    check("leaving", &mut screen, (80, 24));
    press(&mut screen, KeyCode::Esc);
    screen.apply(TableMessage::Closed(Some("Das Token gilt nicht mehr.".to_owned())));
    check("closed", &mut screen, (80, 24));
}

#[test]
fn clocks_presence_and_forfeits() {
    let mut screen = after(&mut TestTable::new(GameId::FiveThreeFive, 4, 1), EN, 0);
    let left = TimeLeft { decision: Duration::from_secs(12), bank: Duration::from_secs(60) };
    screen.apply(TableMessage::TimeLeft(vec![SeatTime { seat: seat(0), left, running: true }]));
    screen.apply(TableMessage::Presence { seat: seat(2), connected: false });
    screen.apply(update(vec![TableEvent::Forfeited(seat(1), crate::table::SeatFinish::Resigned)]));
    screen.advance_time(Duration::from_millis(11_500));
    check("clocks", &mut screen, (80, 24));
    screen.advance_time(Duration::from_secs(30));
    check("clocks_later", &mut screen, (80, 24));
}

#[test]
fn connecting_and_waiting_for_players() {
    check("connecting", &mut Screen::new(EN), (80, 24));
    let mut table = TestTable::new(GameId::FiveThreeFive, 3, 1);
    let Some(TableMessage::Snapshot(mut snapshot)) = table.start().into_iter().next() else {
        panic!("a snapshot comes first")
    };
    snapshot.view = None;
    snapshot.table.seats[1].occupant = Occupant::Open;
    snapshot.table.seats[2].occupant = Occupant::Reserved("Bo".to_owned());
    snapshot.table.seed_given = true;
    let mut screen = Screen::new(EN);
    screen.apply(TableMessage::Snapshot(snapshot));
    check("waiting_for_players", &mut screen, (80, 24));
}

#[test]
fn spectator_view() {
    let mut table = TestTable::with_viewer(GameId::HabeFertig, 3, 1, Viewer::Spectator);
    let mut screen = Screen::new(EN);
    for message in table.start() {
        screen.apply(message);
    }
    for _ in 0..12 {
        for message in table.play_next() {
            screen.apply(message);
        }
    }
    check("watching", &mut screen, (80, 24));
}

#[test]
fn terminal_too_small() {
    let mut screen = after(&mut TestTable::new(GameId::Gap, 3, 1), EN, 1);
    check("too_small", &mut screen, (60, 20));
    check("tiny", &mut screen, (3, 2));
    check("too_low", &mut screen, (80, 23));
}

#[test]
fn replay_navigation() {
    let mut table = TestTable::with_viewer(GameId::NoDice, 3, 1, Viewer::Seat(seat(1)));
    let Some(TableMessage::Snapshot(begin)) = table.start().into_iter().next() else {
        panic!("a snapshot comes first")
    };
    let mut steps = Vec::new();
    while table.game.outcome().is_none() {
        for message in table.play_next() {
            if let TableMessage::Update(update) = message {
                let seats = Seat::all(table.game.players());
                let seat_views = seats.map(|seat| table.game.view(Viewer::Seat(seat))).collect();
                steps.push(Step { update: *update, view: table.game.view(table.viewer), seat_views });
            }
        }
    }
    let last = steps.len();
    let mut replay = Replay::new(EN, *begin, steps);
    let key = |replay: &mut Replay, code| replay.handle_key(KeyEvent::new(code, KeyModifiers::NONE));
    let shown = |replay: &mut Replay| text(&drawn_by(|frame| replay.draw(frame), 80, 24));
    insta::assert_snapshot!("replay_first", shown(&mut replay));
    let mut seen = vec![shown(&mut replay)];
    while replay.position() < last {
        assert_eq!(key(&mut replay, KeyCode::Right), None);
        seen.push(shown(&mut replay));
    }
    insta::assert_snapshot!("replay_middle", seen[last / 2]);
    insta::assert_snapshot!("replay_last", seen[last]);
    key(&mut replay, KeyCode::Right);
    assert_eq!(replay.position(), last, "the last step is the end");
    for step in (0..last).rev() {
        key(&mut replay, KeyCode::Left);
        assert_eq!(shown(&mut replay), seen[step], "moving back shows the same screen");
    }
    for (code, at) in [
        (KeyCode::Left, 0),
        (KeyCode::End, last),
        (KeyCode::PageUp, last - 10),
        (KeyCode::Home, 0),
        (KeyCode::PageDown, 10),
        (KeyCode::Char(' '), 11),
    ] {
        key(&mut replay, code);
        assert_eq!(replay.position(), at, "{code:?}");
    }
    key(&mut replay, KeyCode::Char('h'));
    insta::assert_snapshot!("replay_all_hands", shown(&mut replay));
    key(&mut replay, KeyCode::Right);
    assert!(shown(&mut replay).contains("All hands"), "they stay");
    key(&mut replay, KeyCode::Char('h'));
    assert!(!shown(&mut replay).contains("All hands"));
    key(&mut replay, KeyCode::Char('?'));
    let help = shown(&mut replay);
    assert!(help.contains("the next step") && !help.contains("play the move"), "{help}");
    assert_eq!(key(&mut replay, KeyCode::Char('q')), None, "any key leaves the help");
    assert_eq!(key(&mut replay, KeyCode::Char('q')), Some(Intent::Leave));
}

/// The deal is an update: the game as it began is the first thing to be seen.
#[test]
fn replay_starts_with_the_cards_dealt() {
    let mut table = TestTable::with_viewer(GameId::Gap, 2, 1, Viewer::Spectator);
    let Some(TableMessage::Snapshot(mut begin)) = table.start().into_iter().next() else {
        panic!("a snapshot comes first")
    };
    let view = begin.view.take().expect("a game in play");
    let deal = Update { number: 1, table_events: vec![TableEvent::Started], ..Update::default() };
    let steps = vec![Step { update: deal, view, seat_views: Vec::new() }];
    let mut replay = Replay::new(EN, *begin, steps);
    let shown = text(&drawn_by(|frame| replay.draw(frame), 80, 24));
    assert!(shown.contains("step 0 of 0") && shown.contains("Middle (stack:"), "{shown}");
    replay.handle_key(KeyEvent::new(KeyCode::Char('h'), KeyModifiers::NONE));
    let shown = text(&drawn_by(|frame| replay.draw(frame), 80, 24));
    assert!(shown.contains("does not have the hands"), "{shown}");
}
