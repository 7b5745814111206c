//! Reports from messages of a server.

use parlor_engine::Lang;
use parlor_sdk::{Question, wire};

use super::*;

const HANDLE: &str = "seat-00112233445566778899aabbccddeeff";

fn rich(text: impl Into<String>) -> wire::RichText {
    wire::RichText { parts: vec![wire::TextPart { text: text.into(), subject: None }] }
}

fn table() -> wire::Table {
    let player = |(seat, name): (usize, &str)| wire::TableSeat {
        seat: seat as u32,
        occupant: Some(wire::table_seat::Occupant::Player(wire::PlayerSeat {
            display_name: name.to_owned(),
            ..Default::default()
        })),
        ..Default::default()
    };
    let names = ["Ada", "B\u{202e}ob who goes on and on about himself at the table", ""];
    wire::Table {
        table_id: "k7q2m".into(),
        game: "gap".into(),
        seats: names.into_iter().enumerate().map(player).collect(),
        ..Default::default()
    }
}

fn update(number: u32, events: &[&str], own: Option<(u32, u32)>) -> wire::Update {
    wire::Update {
        number,
        decided: own.map(|(decision_id, index)| wire::Decided { decision_id, index, ..Default::default() }),
        texts: Some(wire::UpdateTexts {
            decided: own.map(|(_, index)| rich(format!("You play {index}."))),
            events: events.iter().map(|event| rich(*event)).collect(),
            view: Some(rich(format!("Your hand after {number}."))),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn question(id: u32, actions: usize, view: &str) -> Question {
    let decision = wire::Decision {
        id,
        legal_count: actions as u32,
        default_index: 1,
        time_left_ms: Some(9_500),
        bank_left_ms: Some(60_000),
        texts: Some(wire::DecisionTexts {
            question: Some(rich("Play a card, or pass.")),
            actions: (0..actions).map(|action| rich(format!("play card {action}"))).collect(),
            view: Some(rich(view)),
        }),
        ..Default::default()
    };
    Question::from_wire("k7q2m", 0, decision)
}

fn report(log: &SeatLog, budget: usize) -> SeatReport {
    SeatReport::new(log, HANDLE, ReportOptions { budget: Budget::new(budget), ..ReportOptions::default() })
}

#[test]
fn report_of_a_turn_in_both_languages() {
    let mut log = SeatLog::new(&table(), 0);
    log.apply_update(&update(1, &["Seat 1 plays 4."], None));
    log.apply_update(&update(2, &["Seat 2 passes."], Some((1, 3))));
    log.apply_update(&update(3, &["Seat 1 plays 5."], None));
    log.ask(&question(2, 3, "Your hand: 1, 2.\nOn the table: 5."));
    let expected = "\
Your turn. Table k7q2m, game gap. You have seat 0 (seat_handle seat-00112233445566778899aabbccddeeff); seat 1 is \"Bob who goes on \
                    and on about hi…\", seat 2 has no name.

Since your last decision:
- You play 3.
- Seat 2 passes.
- Seat 1 plays 5.

What you know:
Your hand: 1, 2.
On the table: 5.

Decision 2: Play a card, or pass.
0: play card 0
1: play card 1
2: play card 2
Time left: 9 s, and 60 s in the bank. Then 1 is played for you.
Answer with act: decision 2 and the index of an action.";
    assert_eq!(report(&log, DEFAULT_BUDGET).text(Lang::En), expected);
    let german = report(&log, DEFAULT_BUDGET).text(Lang::De);
    for expected in [
        "Du bist am Zug. Tisch k7q2m",
        "Seit deiner letzten Entscheidung:\n- You play 3.",
        "Entscheidung 2: ",
    ] {
        assert!(german.contains(expected), "{german}");
    }
    assert_eq!(
        log.decided(1).map(|decided| (decided.index, decided.text.as_str())),
        Some((3, "You play 3."))
    );
    log.apply_update(&update(4, &[], Some((2, 0))));
    assert_eq!(report(&log, DEFAULT_BUDGET).status, SeatStatus::Waiting);
}

#[test]
fn long_reports_fit_their_budget_and_leave_out_the_oldest_events() {
    let view = "A line of the view that says a lot.\n".repeat(400);
    for budget in [MIN_BUDGET, 3000, DEFAULT_BUDGET, 20_000] {
        for (actions, events) in [(2, 500), (500, 500), (500, 0), (2, 0)] {
            for view in ["", view.as_str()] {
                let mut log = SeatLog::new(&table(), 0);
                for number in 1..=events {
                    log.apply_update(&update(number, &[&format!("Seat 1 plays its {number}th card.")], None));
                }
                log.ask(&question(7, actions, view));
                for lang in [Lang::En, Lang::De] {
                    let report = report(&log, budget);
                    let text = report.text(lang);
                    assert!(text.chars().count() <= budget, "{} of {budget}:\n{text}", text.chars().count());
                    assert_eq!(report.events.len() as u32 + report.events_left_out, events);
                    if let Some(last) = report.events.last() {
                        assert_eq!(*last, format!("Seat 1 plays its {events}th card."));
                    }
                    assert!(!report.actions.is_empty());
                }
            }
        }
    }
}

#[test]
fn all_legal_actions_are_listed_on_some_page() {
    let mut log = SeatLog::new(&table(), 0);
    log.ask(&question(7, 300, "A view."));
    let mut listed = Vec::new();
    while listed.len() < 300 {
        let options = ReportOptions {
            budget: Budget::new(MIN_BUDGET),
            first_action: listed.len() as u32,
            ..ReportOptions::default()
        };
        let report = SeatReport::new(&log, HANDLE, options);
        assert_eq!((report.actions[0].index, report.action_count), (listed.len() as u32, 300));
        listed.extend(report.actions);
    }
    assert!(listed.iter().enumerate().all(|(index, action)| action.index as usize == index));
}

#[test]
fn history_pages_contain_every_event_once() {
    let mut log = SeatLog::new(&table(), 0);
    for number in 1..=200 {
        log.apply_update(&update(number, &[&format!("event {number}"), "and another"], None));
    }
    let mut pages: Vec<HistoryPage> = Vec::new();
    loop {
        let before = pages.last().map(|page| page.before.unwrap());
        let page = HistoryPage::new(&log, HANDLE, before, Budget::new(MIN_BUDGET));
        assert!(page.text(Lang::De).chars().count() <= MIN_BUDGET);
        let is_first = page.before.is_none();
        pages.push(page);
        if is_first {
            break;
        }
    }
    pages.reverse();
    let events: Vec<&String> = pages.iter().flat_map(|page| &page.events).collect();
    assert_eq!((events.len(), events[0].as_str(), events[398].as_str()), (400, "event 1", "event 200"));
    assert!(pages.windows(2).all(|pages| pages[0].to.unwrap() + 1 == pages[1].from.unwrap()));
    assert!(!pages[0].beginning_unknown);
}

#[test]
fn log_that_begins_with_a_snapshot_says_so() {
    let mut log = SeatLog::new(&table(), 0);
    let texts = wire::SnapshotTexts { view: Some(rich("A view.")), result: None };
    log.apply_snapshot(&wire::Snapshot { number: 9, texts: Some(texts), ..Default::default() });
    log.apply_update(&update(10, &["Seat 1 passes."], None));
    let page = HistoryPage::new(&log, HANDLE, None, Budget::default());
    assert!(page.beginning_unknown && page.text(Lang::En).contains("not known here"), "{page:?}");
}

#[test]
fn result_has_the_places_and_the_conduct_beside_them() {
    let mut log = SeatLog::new(&table(), 1);
    let seat = |seat, place, points| wire::SeatResult { seat, place, points, ..Default::default() };
    let result = wire::TableResult {
        reason: wire::EndReason::PlayedOut.into(),
        seats: vec![seat(0, 2, 8), seat(1, 1, 12), seat(2, 3, -1)],
        ..Default::default()
    };
    let over = wire::TableOver { result: Some(result), shuffle: None };
    let mut last = update(5, &[], None);
    last.table_events = vec![wire::TableEvent { event: Some(wire::table_event::Event::Over(over)) }];
    last.texts.as_mut().unwrap().result = Some(wire::ResultTexts {
        reason: Some(rich("The game is over.")),
        seats: vec![rich("You win with 12.")],
    });
    log.apply_update(&last);
    let conduct = Conduct { calls: 9, answers: 4, strikes: 1, defaults: 0, time_ms: 61_000 };
    let report = TableReport::new(&log, HANDLE, conduct);
    assert_eq!((report.over, report.place, report.points), (true, Some(1), Some(12)));
    assert_eq!(
        report.text(Lang::En),
        "Table k7q2m (gap, your seat 1) is over.\nThe game is over.\nYou win with 12.\nPlayed from here: calls: 9, answers: 4, \
         seconds to answer: 61, strikes: 1, defaults played because of them: 0."
    );
    assert_eq!(super::SeatReport::new(&log, HANDLE, ReportOptions::default()).status, SeatStatus::Over);
}
