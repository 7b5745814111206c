//! From the wire to what is known.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyGame, Chance, GameId, Lang, NoEvents, Viewer};
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
    }
}

fn wire_time(decision_ms: u32) -> v1::TimeLeft {
    v1::TimeLeft { seats: vec![v1::SeatTime { seat: 0, decision_ms, bank_ms: 1000, running: true }] }
}

fn event(event: v1::table_event::Event) -> v1::TableEvent {
    v1::TableEvent { event: Some(event) }
}

#[test]
fn a_table_is_followed_from_the_wire_to_its_end() {
    use v1::table_event::Event;
    let game = game();
    let viewer = Viewer::Seat(seat(0));
    let mut known = Situation::new(Lang::En);
    assert!(known.take(Incoming::Snapshot(Box::new(snapshot(wire_snapshot(&game)).unwrap()))).is_empty());
    assert_eq!((known.viewer, known.view.as_ref()), (viewer, Some(&game.view(viewer))));
    assert_eq!(known.name(seat(0)), "An[31mna", "a name cannot command the terminal");
    assert!(known.is_away(seat(1)) && !known.is_away(seat(0)));
    let time = |decision, bank| TimeLeft {
        decision: Duration::from_millis(decision),
        bank: Duration::from_millis(bank),
    };
    assert_eq!((known.time_of(seat(0)), known.time_of(seat(1))), (Some(time(5000, 1000)), None));

    let legal = game.legal_actions(seat(0));
    let asked =
        Decision { id: 1, view: None, legal: legal.clone(), time_left: Some(time(4000, 900)), secret: false };
    known.take(Incoming::Decision(Box::new(asked)));
    assert_eq!(known.time_of(seat(0)), Some(time(4000, 900)));
    known.pass_time(Duration::from_millis(4500));
    assert_eq!(known.time_of(seat(0)), Some(time(0, 400)));
    known.take(Incoming::TimeLeft(time_left(wire_time(100)).unwrap()));
    assert_eq!(known.time_of(seat(0)), Some(time(100, 1000)));
    known.take(Incoming::Snapshot(Box::new(snapshot(wire_snapshot(&game)).unwrap())));
    assert_eq!(known.legal(), legal, "a snapshot in between takes no question back");

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
        view: None,
    };
    let notes = known.take(Incoming::Update(Box::new(update(happened).unwrap())));
    let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        texts[..4],
        [
            &format!("Played for you: {}.", legal[0]),
            "The clock of seat 0 ran out, and plays for it.",
            "Seat 0 can no longer win: ran out of time.",
            "greedy (bot) takes over seat 0.",
        ]
    );
    assert!(texts[4].starts_with("Seat 0 plays "));
    assert_eq!(texts.last(), Some(&"The table was cancelled; nobody scores. Toolate."));
    assert_eq!(known.view, Some(after.view(viewer)), "the events tell what no view does");
    assert!(known.decision.is_none());
    assert_eq!(known.result().map(|result| result.ended), Some(Ended::Cancelled));
}

#[test]
fn what_is_not_understood_says_what_to_do() {
    let unknown = table_info(v1::Table { game: "chess".into(), ..wire_table() }).unwrap_err();
    assert_eq!(unknown.to_string(), "this client does not know the game \"chess\": get a newer one");
    let without = v1::Snapshot { viewer: None, ..wire_snapshot(&game()) };
    assert_eq!(
        snapshot(without).unwrap_err().to_string(),
        "this client does not understand the server (viewer: must be there): get a newer one"
    );
    let high = v1::Presence { seat: 17, connected: true, grace_left_ms: None };
    let wrong = v1::Snapshot { presence: vec![high], ..wire_snapshot(&game()) };
    assert!(snapshot(wrong).is_err());
    let nothing = v1::Update { events: vec![v1::GameEvent { game: None }], ..Default::default() };
    assert!(update(nothing).is_err());
}

#[test]
fn an_own_secret_clock_is_not_overwritten_by_what_everyone_sees() {
    let mut known = Situation::new(Lang::En);
    known.take(Incoming::Snapshot(Box::new(snapshot(wire_snapshot(&game())).unwrap())));
    let left = TimeLeft { decision: Duration::from_secs(3), bank: Duration::ZERO };
    let legal: Vec<AnyAction> = game().legal_actions(seat(0));
    known.take(Incoming::Decision(Box::new(Decision {
        id: 1,
        view: None,
        legal,
        time_left: Some(left),
        secret: true,
    })));
    known.take(Incoming::TimeLeft(time_left(wire_time(60_000)).unwrap()));
    assert_eq!(known.time_of(seat(0)), Some(left));
}

#[test]
fn who_comes_and_goes_is_told_once() {
    let mut known = Situation::new(Lang::De);
    known.take(Incoming::Snapshot(Box::new(snapshot(wire_snapshot(&game())).unwrap())));
    let mut told = |number, connected| {
        let notes = known.take(Incoming::Presence { seat: seat(number), connected });
        notes.into_iter().map(|note| note.text).collect::<Vec<_>>()
    };
    assert!(told(1, false).is_empty(), "it was away before");
    assert_eq!(told(1, true), ["greedy (bot) (Sitz 1) ist wieder da."]);
    assert_eq!(told(1, false), ["greedy (bot) (Sitz 1) ist nicht mehr verbunden."]);
    assert!(told(0, false).is_empty(), "nobody is told about themselves");
}
