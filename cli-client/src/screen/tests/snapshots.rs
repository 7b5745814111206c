//! What the screen looks like.

use parlor_engine::{GameId, Viewer};

use super::*;
use crate::screen::{Replay, Step};
use crate::table::{Both, Ended, Happening, Incoming, Occupant, SeatTime, TableResult, TimeLeft, Update};
use crate::testing::{House, seat};
use std::time::Duration;

/// A game after some answers of the viewer, who always takes the move in the middle of the list.
fn after(house: &mut House, ink: Ink, answers: usize) -> Screen {
    let mut screen = Screen::new(ink);
    let mut told = house.begin();
    told.extend(house.others_play());
    for left in (0..=answers).rev() {
        for news in told.drain(..) {
            screen.take(news);
        }
        if let (Some(asked), true) = (&screen.situation().decision, left > 0) {
            let index = asked.legal.len() / 2;
            told = house.answer(asked.id, index as u32);
        }
    }
    screen
}

/// The whole game, up to its end.
fn to_the_end(house: &mut House, ink: Ink) -> Screen {
    let mut screen = after(house, ink, 0);
    while let Some(asked) = &screen.situation().decision {
        for news in house.answer(asked.id, asked.legal.len() as u32 / 2) {
            screen.take(news);
        }
    }
    screen
}

fn check(name: &str, screen: &mut Screen, size: (u16, u16)) {
    insta::assert_snapshot!(name, text(&drawn(screen, size.0, size.1)));
}

#[test]
fn every_game_in_both_languages_and_sizes() {
    for id in GameId::ALL {
        for (ink, lang) in [(EN, "en"), (DE, "de")] {
            let mut screen = after(&mut House::new(*id, 4, 3), ink, 4);
            press(&mut screen, KeyCode::Down);
            for size in [(80, 24), (120, 40)] {
                check(&format!("{}_{lang}_{}x{}", id.info().id, size.0, size.1), &mut screen, size);
            }
        }
    }
}

/// The styles of the same screens, with colours and without.
#[test]
fn colours_and_none() {
    for id in GameId::ALL {
        for colours in [true, false] {
            let ink = Ink { colours, ..EN };
            let mut screen = after(&mut House::new(*id, 3, 4), ink, 2);
            let buffer = drawn(&mut screen, 80, 24);
            let word = if colours { "colours" } else { "no_colours" };
            insta::assert_snapshot!(format!("{}_{word}", id.info().id), format!("{buffer:?}"));
            let coloured = buffer.content.iter().any(|cell| cell.fg != ratatui::style::Color::Reset);
            assert_eq!(coloured, colours);
        }
    }
}

#[test]
fn as_many_as_can_play() {
    for id in GameId::ALL {
        let players = id.info().max_players;
        let mut screen = after(&mut House::new(*id, players, 5), EN, 3);
        check(&format!("{}_{players}_players", id.info().id), &mut screen, (80, 24));
    }
}

#[test]
fn hiding_two_cards() {
    let mut screen = after(&mut House::new(GameId::HabeFertig, 3, 1), DE, 0);
    type_in(&mut screen, "rot 6");
    check("hiding", &mut screen, (80, 24));
}

#[test]
fn a_move_found_by_its_name() {
    let mut house = House::new(GameId::NoDice, 2, 1);
    let mut screen = after(&mut house, EN, 6);
    assert!(!screen.situation().decision.as_ref().expect("a decision").secret);
    check("before_typing", &mut screen, (80, 24));
    type_in(&mut screen, "/1");
    check("typing", &mut screen, (80, 24));
    type_in(&mut screen, "xyz");
    press(&mut screen, KeyCode::Enter);
    check("typing_what_does_not_fit", &mut screen, (80, 24));
}

#[test]
fn a_secret_window() {
    for (ink, name) in [(EN, "secret_en"), (DE, "secret_de")] {
        // The first table at which the viewer is asked in secret.
        let screen = (0..50).find_map(|seed| {
            let mut house = House::new(GameId::NoDice, 3, seed);
            let screen = after(&mut house, ink, 3);
            screen.situation().decision.as_ref().is_some_and(|asked| asked.secret).then_some(screen)
        });
        check(name, &mut screen.expect("somebody holds a PASS card"), (80, 24));
    }
}

#[test]
fn the_large_table_and_the_log() {
    let mut screen = after(&mut House::new(GameId::NoDice, 3, 7), EN, 9);
    press(&mut screen, KeyCode::Tab);
    check("large_table", &mut screen, (80, 24));
    press(&mut screen, KeyCode::Right);
    press(&mut screen, KeyCode::Down);
    check("large_table_moved", &mut screen, (80, 24));
    press(&mut screen, KeyCode::Tab);
    check("large_log", &mut screen, (80, 24));
}

#[test]
fn help() {
    for (ink, name) in [(EN, "help_en"), (DE, "help_de")] {
        let mut screen = after(&mut House::new(GameId::Gap, 3, 1), ink, 1);
        press(&mut screen, KeyCode::Char('?'));
        check(name, &mut screen, (80, 24));
        press(&mut screen, KeyCode::PageDown);
        check(&format!("{name}_further"), &mut screen, (80, 24));
    }
}

#[test]
fn the_end_of_every_game() {
    for id in GameId::ALL {
        for (ink, lang) in [(EN, "en"), (DE, "de")] {
            let players = if lang == "en" { id.info().max_players } else { id.info().min_players };
            let mut screen = to_the_end(&mut House::new(*id, players, 2), ink);
            check(&format!("end_{}_{lang}", id.info().id), &mut screen, (80, 24));
        }
    }
    let mut screen = to_the_end(&mut House::new(GameId::Gap, 3, 2), EN);
    check("end_wide", &mut screen, (120, 40));
}

fn update(happenings: Vec<Happening>) -> Incoming {
    Incoming::Update(Box::new(Update { happenings, ..Update::default() }))
}

#[test]
fn a_table_that_was_cancelled() {
    let mut screen = after(&mut House::new(GameId::Gap, 3, 1), EN, 1);
    let result = TableResult { ended: Ended::Cancelled, seats: Vec::new(), note: "Too late.".to_owned() };
    screen.take(update(vec![Happening::Over(result), Happening::Rematch("n3xt".to_owned())]));
    check("cancelled", &mut screen, (80, 24));
}

#[test]
fn what_goes_wrong() {
    let mut screen = after(&mut House::new(GameId::Gap, 3, 1), DE, 1);
    let decision = screen.situation().decision.as_ref().expect("a decision").id;
    assert!(press(&mut screen, KeyCode::Enter).is_some());
    check("sent", &mut screen, (80, 24));
    let why = Both { en: "No.".to_owned(), de: "Nimm genau eine Karte.".to_owned() };
    screen.take(Incoming::Refused { decision, why, still_open: true });
    check("refused", &mut screen, (80, 24));
    screen.take(Incoming::Connection(false));
    check("reconnecting", &mut screen, (80, 24));
    screen.take(Incoming::Connection(true));
    press(&mut screen, KeyCode::Char('q'));
    check("leaving", &mut screen, (80, 24));
    press(&mut screen, KeyCode::Esc);
    screen.take(Incoming::Closed(Some("Das Token gilt nicht mehr.".to_owned())));
    check("closed", &mut screen, (80, 24));
}

#[test]
fn clocks_and_who_is_there() {
    let mut screen = after(&mut House::new(GameId::Flush, 4, 1), EN, 0);
    let left = TimeLeft { decision: Duration::from_secs(12), bank: Duration::from_secs(60) };
    screen.take(Incoming::TimeLeft(vec![SeatTime { seat: seat(0), left, running: true }]));
    screen.take(Incoming::Presence { seat: seat(2), connected: false });
    screen.take(update(vec![Happening::Forfeited(seat(1), crate::table::Finish::Resigned)]));
    screen.pass_time(Duration::from_millis(11_500));
    check("clocks", &mut screen, (80, 24));
    screen.pass_time(Duration::from_secs(30));
    check("clocks_later", &mut screen, (80, 24));
}

#[test]
fn before_the_game() {
    check("connecting", &mut Screen::new(EN), (80, 24));
    let mut house = House::new(GameId::Flush, 3, 1);
    let Some(Incoming::Snapshot(mut snapshot)) = house.begin().into_iter().next() else {
        panic!("a snapshot comes first")
    };
    snapshot.view = None;
    snapshot.table.seats[1].occupant = Occupant::Open;
    snapshot.table.seats[2].occupant = Occupant::Reserved("Bo".to_owned());
    snapshot.table.seed_given = true;
    let mut screen = Screen::new(EN);
    screen.take(Incoming::Snapshot(snapshot));
    check("waiting_for_players", &mut screen, (80, 24));
}

#[test]
fn watching() {
    let mut house = House::seen_by(GameId::HabeFertig, 3, 1, Viewer::Spectator);
    let mut screen = Screen::new(EN);
    for news in house.begin() {
        screen.take(news);
    }
    for _ in 0..12 {
        for news in house.anybody_plays() {
            screen.take(news);
        }
    }
    check("watching", &mut screen, (80, 24));
}

#[test]
fn too_small() {
    let mut screen = after(&mut House::new(GameId::Gap, 3, 1), EN, 1);
    check("too_small", &mut screen, (60, 20));
    check("tiny", &mut screen, (3, 2));
    check("too_low", &mut screen, (80, 23));
}

#[test]
fn a_replay() {
    let mut house = House::seen_by(GameId::NoDice, 3, 1, Viewer::Seat(seat(1)));
    let Some(Incoming::Snapshot(begin)) = house.begin().into_iter().next() else {
        panic!("a snapshot comes first")
    };
    let mut steps = Vec::new();
    while house.game.outcome().is_none() {
        for news in house.anybody_plays() {
            if let Incoming::Update(update) = news {
                steps.push(Step { update: *update, view: house.game.view(house.viewer) });
            }
        }
    }
    let last = steps.len();
    let mut replay = Replay::new(EN, *begin, steps);
    let key = |replay: &mut Replay, code| replay.key(KeyEvent::new(code, KeyModifiers::NONE));
    let shown = |replay: &mut Replay| text(&drawn_by(|frame| replay.draw(frame), 80, 24));
    insta::assert_snapshot!("replay_first", shown(&mut replay));
    let mut seen = vec![shown(&mut replay)];
    while replay.at() < last {
        assert_eq!(key(&mut replay, KeyCode::Right), None);
        seen.push(shown(&mut replay));
    }
    insta::assert_snapshot!("replay_middle", seen[last / 2]);
    insta::assert_snapshot!("replay_last", seen[last]);
    key(&mut replay, KeyCode::Right);
    assert_eq!(replay.at(), last, "there is nothing after the end");
    for step in (0..last).rev() {
        key(&mut replay, KeyCode::Left);
        assert_eq!(shown(&mut replay), seen[step], "back is the same as forth");
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
        assert_eq!(replay.at(), at, "{code:?}");
    }
    key(&mut replay, KeyCode::Char('?'));
    assert!(shown(&mut replay).contains("Help"));
    assert_eq!(key(&mut replay, KeyCode::Char('q')), None, "any key leaves the help");
    assert_eq!(key(&mut replay, KeyCode::Char('q')), Some(Intent::Leave));
}
