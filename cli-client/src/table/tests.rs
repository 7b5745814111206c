//! Decoding of wire messages, and the resulting state.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyGame, Chance, GameId, Lang, Localise as _, NoEvents, Viewer};
use parlor_proto::v1;

use super::*;
use crate::testing::seat;

fn game() -> AnyGame {
    let options = GameId::Gap.default_options();
    AnyGame::new(1, options, 2, Chance::seeded([1; 32]), &mut NoEvents).unwrap()
}

fn player(number: u32, name: &str) -> v1::TableSeat {
    let player = v1::PlayerSeat { display_name: name.into(), ..Default::default() };
    v1::TableSeat {
        seat: number,
        occupant: Some(v1::table_seat::Occupant::Player(player)),
        ..Default::default()
    }
}

fn bot(number: u32) -> v1::TableSeat {
    let bot = v1::HouseBotSeat { name: "greedy".into() };
    v1::TableSeat {
        seat: number,
        occupant: Some(v1::table_seat::Occupant::HouseBot(bot)),
        ..Default::default()
    }
}

fn wire_table() -> v1::Table {
    v1::Table {
        table_id: "k7q2m".into(),
        game: "gap".into(),
        options: Some(GameId::Gap.default_options().into()),
        seats: vec![player(0, "An\u{1b}[31mna"), bot(1)],
        ..Default::default()
    }
}

fn wire_snapshot(game: &AnyGame) -> v1::Snapshot {
    let viewer = Viewer::Seat(seat(0));
    v1::Snapshot {
        number: 3,
        viewer: Some(viewer.into()),
        table: Some(wire_table()),
        view: Some(Box::new(game.view(viewer).into())),
        presence: vec![v1::Presence { seat: 1, connected: false, grace_left_ms: None }],
        time_left: Some(wire_time(5000)),
        ..Default::default()
    }
}

fn wire_time(decision_ms: u32) -> v1::TimeLeft {
    v1::TimeLeft { seats: vec![v1::SeatTime { seat: 0, decision_ms, bank_ms: 1000, running: true }] }
}

fn event(event: v1::table_event::Event) -> v1::TableEvent {
    v1::TableEvent { event: Some(event) }
}

#[test]
fn wire_messages_are_decoded_and_applied_to_the_end() {
    use v1::table_event::Event;
    let game = game();
    let viewer = Viewer::Seat(seat(0));
    let mut known = ViewerState::new(Lang::En);
    assert!(
        known
            .apply(TableMessage::Snapshot(Box::new(decode_snapshot(wire_snapshot(&game)).unwrap())))
            .is_empty()
    );
    assert_eq!((known.viewer, known.view.as_ref()), (viewer, Some(&game.view(viewer))));
    assert_eq!(known.name(seat(0)), "An[31mna", "control characters are removed");
    assert!(known.is_away(seat(1)) && !known.is_away(seat(0)));
    let time = |decision, bank| TimeLeft {
        decision: Duration::from_millis(decision),
        bank: Duration::from_millis(bank),
    };
    assert_eq!((known.time_left(seat(0)), known.time_left(seat(1))), (Some(time(5000, 1000)), None));

    let legal = game.legal_actions(seat(0));
    let asked =
        Decision { id: 1, view: None, legal: legal.clone(), time_left: Some(time(4000, 900)), secret: false };
    known.apply(TableMessage::Decision(Box::new(asked)));
    assert_eq!(known.time_left(seat(0)), Some(time(4000, 900)));
    known.advance_time(Duration::from_millis(4500));
    assert_eq!(known.time_left(seat(0)), Some(time(0, 400)));
    known.apply(TableMessage::TimeLeft(decode_time_left(wire_time(100)).unwrap()));
    assert_eq!(known.time_left(seat(0)), Some(time(100, 1000)));
    known.apply(TableMessage::Snapshot(Box::new(decode_snapshot(wire_snapshot(&game)).unwrap())));
    assert_eq!(known.legal(), legal, "a snapshot does not close the decision");

    let mut after = game.clone();
    let mut events = Vec::new();
    after.apply(seat(0), legal[0], &mut events).unwrap();
    let happened = v1::Update {
        number: 4,
        table_events: vec![
            event(Event::ClockRanOut(v1::ClockRanOut { seat: 0, times: 1 })),
            event(Event::SeatForfeited(v1::SeatForfeited { seat: 0, why: v1::SeatFinish::TimedOut.into() })),
            event(Event::SeatReplaced(v1::SeatReplaced { seat: Some(bot(0)) })),
            event(Event::Over(v1::TableOver {
                result: Some(v1::TableResult {
                    reason: v1::EndReason::Cancelled.into(),
                    seats: Vec::new(),
                    note: "Too\nlate.".into(),
                }),
                shuffle: None,
            })),
            v1::TableEvent { event: None },
        ],
        decided: Some(v1::Decided {
            decision_id: 1,
            action: Some(legal[0].into()),
            by: v1::DecidedBy::Clock.into(),
            ..Default::default()
        }),
        events: events.iter().map(|(_, event)| (*event).into()).collect(),
        ..Default::default()
    };
    let notes = known.apply(TableMessage::Update(Box::new(decode_update(happened).unwrap())));
    let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        texts[..4],
        [
            &format!("Played for you: {}.", legal[0]),
            "You run out of time; the clock plays for you.",
            "You ran out of time too often and can no longer win.",
            "The bot greedy takes over your seat.",
        ]
    );
    assert!(texts[4].starts_with("You play "));
    assert_eq!(texts.last(), Some(&"The table was cancelled; nobody scores. The reason given: Toolate."));
    assert_eq!(known.view, Some(after.view(viewer)), "events are applied to the view");
    assert!(known.decision.is_none());
    assert_eq!(known.result().map(|result| result.reason), Some(EndReason::Cancelled));
}

#[test]
fn decode_errors_say_to_update_the_client() {
    let unknown = decode_table(v1::Table { game: "chess".into(), ..wire_table() }).unwrap_err();
    assert_eq!(unknown.to_string(), "this client does not support the game \"chess\": update it");
    let without = v1::Snapshot { viewer: None, ..wire_snapshot(&game()) };
    assert_eq!(
        decode_snapshot(without).unwrap_err().to_string(),
        "this client cannot decode the message of the server (viewer: must be there): update it"
    );
    let high = v1::Presence { seat: 17, connected: true, grace_left_ms: None };
    let wrong = v1::Snapshot { presence: vec![high], ..wire_snapshot(&game()) };
    assert!(decode_snapshot(wrong).is_err());
    let nothing = v1::Update { events: vec![v1::GameEvent { game: None }], ..Default::default() };
    assert!(decode_update(nothing).is_err());
}

#[test]
fn secret_decision_clock_is_not_overwritten_by_public_clocks() {
    let mut known = ViewerState::new(Lang::En);
    known.apply(TableMessage::Snapshot(Box::new(decode_snapshot(wire_snapshot(&game())).unwrap())));
    let left = TimeLeft { decision: Duration::from_secs(3), bank: Duration::ZERO };
    let legal: Vec<AnyAction> = game().legal_actions(seat(0));
    known.apply(TableMessage::Decision(Box::new(Decision {
        id: 1,
        view: None,
        legal,
        time_left: Some(left),
        secret: true,
    })));
    known.apply(TableMessage::TimeLeft(decode_time_left(wire_time(60_000)).unwrap()));
    assert_eq!(known.time_left(seat(0)), Some(left));
}

#[test]
fn presence_changes_are_logged_once() {
    let mut known = ViewerState::new(Lang::De);
    known.apply(TableMessage::Snapshot(Box::new(decode_snapshot(wire_snapshot(&game())).unwrap())));
    let mut log = |number, connected| {
        let notes = known.apply(TableMessage::Presence { seat: seat(number), connected });
        notes.into_iter().map(|note| note.text).collect::<Vec<_>>()
    };
    assert!(log(1, false).is_empty(), "the seat was away already");
    assert_eq!(log(1, true), ["greedy ist wieder da."]);
    assert_eq!(log(1, false), ["greedy ist nicht mehr verbunden."]);
    assert!(log(0, false).is_empty(), "the viewer's own presence is not logged");
}

#[test]
fn sentences_name_players_and_tell_namesakes_apart() {
    let seats = vec![player(0, "Anna"), bot(1), bot(2), player(3, "")];
    let names = decode_table(v1::Table { seats, ..wire_table() }).unwrap().names(Viewer::Spectator, Lang::En);
    let named = |number| names.render(&seat(number).rich_text(Lang::En, Viewer::Spectator));
    assert_eq!([0, 1, 2, 3].map(named), ["Anna", "greedy (1)", "greedy (2)", "Guest"]);
}

#[test]
fn results_are_sentences_that_address_the_viewer() {
    let results = |lang| {
        let mut known = ViewerState::new(lang);
        known.apply(TableMessage::Snapshot(Box::new(decode_snapshot(wire_snapshot(&game())).unwrap())));
        let score_away = |number, finish, clocks_run_out, away_ms| {
            let (seat, place) = (seat(number), u32::from(number) + 1);
            known.result_text(&SeatScore { seat, place, points: 7, finish, clocks_run_out, away_ms })
        };
        let score = |number, finish, clocks_run_out| score_away(number, finish, clocks_run_out, 0);
        [
            score(1, SeatFinish::PlayedOut, 0),
            score(1, SeatFinish::PlayedOut, 1),
            score(0, SeatFinish::TimedOut, 3),
            score_away(1, SeatFinish::PlayedOut, 0, 61_250),
        ]
    };
    assert_eq!(
        results(Lang::En),
        [
            "greedy comes 2nd with 7 points.",
            "greedy comes 2nd with 7 points. The clock ran out once.",
            "You ran out of time too often and come 1st with 7 points. The clock ran out 3 times.",
            "greedy comes 2nd with 7 points. Away for 61.2 s when it was to decide."
        ]
    );
    assert_eq!(
        results(Lang::De),
        [
            "greedy belegt Platz 2 mit 7 Punkten.",
            "greedy belegt Platz 2 mit 7 Punkten. Die Uhr ist einmal abgelaufen.",
            "Du hast die Zeit zu oft überschritten und belegst Platz 1 mit 7 Punkten. Die Uhr ist 3-mal abgelaufen.",
            "greedy belegt Platz 2 mit 7 Punkten. 61,2 s abwesend, als es am Zug war."
        ]
    );
}

/// Numbers of seats are for owners of tables; players have names.
#[test]
fn players_without_a_name_are_guests_and_the_viewer_is_you() {
    let seats = vec![player(0, ""), player(1, ""), player(2, "")];
    let table = decode_table(v1::Table { seats, ..wire_table() }).unwrap();
    for (lang, own, guest) in [(Lang::En, "You", "Guest"), (Lang::De, "Du", "Gast")] {
        let viewer = Viewer::Seat(seat(0));
        assert_eq!([0, 1].map(|number| table.name(seat(number), viewer, lang)), [own, guest]);
        let names = table.names(viewer, lang);
        assert_eq!(names.get(seat(0)), Some(own));
        assert_eq!(names.get(seat(2)), Some(format!("{guest} (2)").as_str()));
    }
}
