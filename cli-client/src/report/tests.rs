//! Report of a small tournament: content and escaping.

use super::*;

fn row(rank: u32, entrant: u32, name: &str, mean: f64) -> wire::StandingsRow {
    wire::StandingsRow {
        rank,
        entrant,
        name: name.into(),
        groups: 3,
        games: 6,
        mean,
        interval: Some(wire::Interval { low: mean - 1.5, high: mean + 1.5 }),
        rating: mean * 40.0,
        rating_interval: Some(wire::Interval { low: -100.0, high: 100.0 }),
        match_points: f64::from(3 - rank) / 2.0,
        ..Default::default()
    }
}

fn small(name: &str) -> Report {
    let cell =
        |entrant, opponent, mean| wire::CrossCell { entrant, opponent, groups: 3, mean, interval: None };
    let point = |groups, rating: f64| wire::RatingPoint { groups, ratings: vec![-rating, rating] };
    let table = wire::TournamentTable {
        table_id: "table-1".into(),
        entrants: vec![0, 1],
        over: true,
        has_record: true,
        results: vec![
            wire::SeatResult {
                seat: 0,
                points: 4,
                finish: wire::SeatFinish::PlayedOut.into(),
                ..Default::default()
            },
            wire::SeatResult {
                seat: 1,
                points: -2,
                finish: wire::SeatFinish::TimedOut.into(),
                ..Default::default()
            },
        ],
        ..Default::default()
    };
    let link = RecordLink { address: "data:text/plain;base64,eA==".into(), file: "table-1.txt".into() };
    Report {
        tournament: wire::Tournament {
            tournament_id: "t-1".into(),
            setup: Some(wire::TournamentSetup {
                name: name.into(),
                options: parlor_sdk::options::default_for("gap").ok(),
                players: 2,
                ..Default::default()
            }),
            shuffle: Some(wire::TournamentShuffle { commitment: vec![0xab; 32], ..Default::default() }),
            ..Default::default()
        },
        standings: wire::Standings {
            state: wire::TournamentState::Finished.into(),
            rows: vec![row(1, 1, "greedy", 2.5), row(2, 0, name, -2.5)],
            cells: vec![cell(0, 1, -2.5), cell(1, 0, 2.5)],
            history: vec![point(1, 20.0), point(3, 100.0)],
            groups_counted: 3,
            ..Default::default()
        },
        tables: vec![table],
        records: [("table-1".to_owned(), link)].into(),
        created: "today".into(),
    }
}

#[test]
fn report_page_contains_every_section() {
    let page = small("Cup").page(Lang::En);
    for part in [
        "<title>Cup</title>",
        "GAP, 2 players a table",
        "<h2>Standings</h2>",
        "1.00 points, Buchholz 0.00",
        "0.50 points, Buchholz 0.00",
        "<h2>Rating over time</h2>",
        "<h2>Cross table</h2>",
        "<h2>Tables and records</h2>",
        "download=\"table-1.txt\" href=\"data:text/plain;base64,eA==\"",
        "greedy -2 (ran out of time)",
        &"ab".repeat(32),
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    assert!(!page.contains("http://") && !page.contains("https://"), "the page has no external resources");
    assert!(small("Cup").page(Lang::De).contains("<h2>Stand</h2>"));
}

#[test]
fn names_are_html_escaped() {
    let page = small("<script>alert('x')</script>\" onload=\"").page(Lang::En);
    assert!(!page.contains("<script") && !page.contains("\" onload=\""));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;"));
}

/// Every opened element is closed, in order.
#[test]
fn report_page_is_well_formed_html() {
    for report in [small("Cup"), Report::default()] {
        let page = report.page(Lang::En);
        let mut open: Vec<&str> = Vec::new();
        for tag in page.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap();
            let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap();
            if tag.starts_with('!') || tag.ends_with('/') || matches!(name, "meta") {
                continue;
            }
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "in {page}");
            } else {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?} is never closed");
    }
}
