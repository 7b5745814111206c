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
        match_points: (3.0 - f64::from(rank)) / 2.0,
        provisional_groups: 4,
        provisional_mean: 0.25,
        ..Default::default()
    }
}

fn small(name: &str) -> Report {
    let cell = |entrant, opponent, mean: f64| {
        let interval = Some(wire::Interval { low: mean - 3.0, high: mean + 3.0 });
        wire::CrossCell { entrant, opponent, groups: 3, mean, interval }
    };
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
                think_ms: 1500,
                clocks_run_out: 3,
                ..Default::default()
            },
        ],
        ..Default::default()
    };
    let game = Game { record: "the record".into(), replay: vec!["greedy plays 4".into()] };
    Report {
        tournament: wire::Tournament {
            tournament_id: "t-1".into(),
            setup: Some(wire::TournamentSetup {
                name: name.into(),
                options: parlor_sdk::options::default_for("gap").ok(),
                players: 2,
                clock: Some(wire::ClockSettings {
                    decision_ms: Some(10_000),
                    bank_ms: Some(30_000),
                    ..Default::default()
                }),
                ..Default::default()
            }),
            start_time: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
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
        games: Games::InPage([("table-1".to_owned(), game)].into()),
        created: "today".into(),
    }
}

#[test]
fn report_page_contains_every_section() {
    let page = small("Cup").page(Lang::En);
    for part in [
        "<title>Cup</title>",
        "greedy and Cup cannot be told apart: +2.5 points a deal, 95% interval -0.5 to 5.5, after 3 deals.",
        "<dt>Game</dt><dd>GAP</dd>",
        "<dt>Clock</dt><dd>10s a decision, bank 30s</dd>",
        "<dt>Started</dt><dd>2023-11-14 22:13 UTC</dd>",
        "No intervals yet: with fewer than 20 deals",
        "<h2>Standings</h2>",
        "1.00 points, Buchholz 0.00",
        "0.50 points, Buchholz 0.00",
        "4 provisional: +0.25",
        "<h2>Rating over time</h2>",
        "<h2>Cross table</h2>",
        // Paper and phones have no tooltips.
        "<span>+1.00 … +4.00</span>",
        "<h2>Time and forfeits</h2>",
        "1 × ran out of time",
        "<td>1s 500ms</td>",
        "<h2>Games</h2>",
        "<a href=\"#table-1\">replay</a>",
        "greedy -2 (ran out of time)",
        "<h2>Glossary</h2>",
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
    assert_eq!(page.matches("<script").count(), 2, "the archive and its own script");
    assert!(!page.contains("<script>alert") && !page.contains("\" onload=\""));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;"));
}

/// Every opened element is closed, in order.
#[test]
fn report_page_is_well_formed_html() {
    let links = GameLinks { replay: "games/table-1.html".into(), record: "games/table-1.txt".into() };
    let beside = Report { games: Games::Beside([("table-1".to_owned(), links)].into()), ..small("Cup") };
    assert!(beside.page(Lang::En).contains("<a href=\"games/table-1.html\">replay</a>"));
    for report in [small("Cup"), knockout(), beside, Report::default()] {
        let page = report.page(Lang::En).replace(include_str!("archive.js"), "");
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

/// A knockout of four in two rounds.
fn knockout() -> Report {
    let mut report = small("Cup");
    let setup = report.tournament.setup.as_mut().unwrap();
    setup.format = Some(wire::tournament_setup::Format::Knockout(wire::KnockoutFormat::default()));
    let names = ["ann", "bob", "cid", "dee"];
    let out_in = [None, Some(1), Some(0), Some(0)];
    let rows = (0..4).map(|at| wire::StandingsRow {
        out_in_round: out_in[at],
        match_points: 0.0,
        ..row(at as u32 + 1, at as u32, names[at], 1.0 - at as f64)
    });
    report.standings.rows = rows.collect();
    report.standings.rounds = 2;
    let table = |round, entrants: [u32; 2], points: [i32; 2]| wire::TournamentTable {
        round,
        entrants: entrants.to_vec(),
        results: points
            .iter()
            .map(|points| wire::SeatResult {
                points: *points,
                finish: wire::SeatFinish::PlayedOut.into(),
                ..Default::default()
            })
            .collect(),
        ..Default::default()
    };
    report.tables = vec![table(0, [0, 3], [5, 1]), table(0, [2, 1], [0, 2]), table(1, [0, 1], [4, 3])];
    report
}

#[test]
fn knockout_report_has_a_bracket() {
    let page = knockout().page(Lang::En);
    let start = page.find("<h2>Bracket</h2>").expect("a bracket");
    let bracket = &page[start..][..page[start..].find("</div>").unwrap()];
    for part in [
        "Round 1",
        "<li><span>ann</span> <b>+4.00</b></li><li class=\"out\"><span>dee <small>out</small></span> <b>-4.00</b></li>",
        "<li><span>bob</span> <b>+2.00</b></li><li class=\"out\"><span>cid <small>out</small></span>",
        "Round 2",
        "<li class=\"out\"><span>bob <small>out</small></span> <b>-1.00</b></li>",
    ] {
        assert!(bracket.contains(part), "{part} is missing in {bracket}");
    }
    assert!(page.contains("ann wins the knockout after 2 rounds."), "{page}");
    assert!(!small("Cup").page(Lang::En).contains("<h2>Bracket</h2>"));
}

/// A page with 1,200 games stays below its bound: real records, each with digits of its own, which is more than differs
/// between games.
#[test]
fn page_with_1200_games_is_within_its_bound() {
    const RECORD: &str = include_str!("../../../fuzz/corpus/record_text/made_gap_whole");
    let record = parlor_sdk::record::read(RECORD.as_bytes()).unwrap().remove(0);
    let lines = transcript(&record, Lang::En);
    assert!(lines.len() > 12 && lines.iter().any(|line| line.contains("Ada")), "{lines:?}");
    // A linear congruential generator (Knuth, MMIX).
    let mut state = 1_u64;
    let mut digit = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + (state >> 33) as u8 % 10)
    };
    let mut other = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_digit() { digit() } else { c }).collect()
    };
    let mut report = small("Cup");
    let mut games = BTreeMap::new();
    let table = report.tables[0].clone();
    report.tables.clear();
    for group in 0..1200 {
        let table_id = format!("01m7tv36jqawj6cbhh6xdt{group:04}");
        let replay = lines.iter().map(|line| other(line)).collect();
        games.insert(table_id.clone(), Game { record: other(RECORD), replay });
        report.tables.push(wire::TournamentTable { group, table_id, ..table.clone() });
    }
    report.games = Games::InPage(games);
    let size = report.page(Lang::En).len();
    assert!((500_000..MAX_PAGE_BYTES).contains(&size), "{size} bytes");
}
