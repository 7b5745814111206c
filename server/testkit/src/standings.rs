//! Recomputes the standings of a finished tournament from the results of its tables.

use std::collections::{BTreeMap, BTreeSet};

use parlor_proto::v1;

/// Sums over the tables of one entrant.
#[derive(Default)]
struct Sums {
    games: u32,
    groups: BTreeSet<u32>,
    /// Sum over all tables of the points less the mean of the others'.
    scores: f64,
    places: f64,
    finishes: BTreeMap<i32, u32>,
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

/// The counted points by entrant: a seat that forfeited has the lowest points of its table.
fn points(table: &v1::TournamentTable) -> Vec<(u32, f64)> {
    let lowest = table.results.iter().map(|seat| seat.points).min().expect("a table has seats");
    let counted = |seat: &v1::SeatResult| match seat.finish() {
        v1::SeatFinish::PlayedOut => seat.points,
        _ => lowest,
    };
    let points = table.results.iter().map(|seat| f64::from(counted(seat)));
    table.entrants.iter().copied().zip(points).collect()
}

/// Checks the standings of a finished tournament of duplicate deals without void groups against all of its
/// tables.
pub fn check_standings(standings: &v1::Standings, tables: &[v1::TournamentTable], players: u32) {
    assert_eq!(standings.groups_counted, standings.groups_expected, "{standings:?}");
    assert_eq!(standings.groups_counted, standings.groups_complete);
    assert_eq!((standings.tables_over, standings.tables_running), (standings.tables_expected, 0));
    assert_eq!(tables.len() as u32, standings.tables_over);
    assert_eq!(standings.tables_over, standings.groups_counted * players, "one table for each rotation");
    check_tables(tables, players);

    let mut sums: BTreeMap<u32, Sums> = BTreeMap::new();
    let mut pairs: BTreeMap<(u32, u32), (BTreeSet<u32>, f64)> = BTreeMap::new();
    for table in tables {
        let points = points(table);
        let all: f64 = points.iter().map(|(_, points)| points).sum();
        for ((who, own), result) in points.iter().zip(&table.results) {
            let sums = sums.entry(*who).or_default();
            sums.games += 1;
            sums.groups.insert(table.group);
            sums.scores += own - (all - own) / f64::from(players - 1);
            *sums.finishes.entry(result.finish).or_default() += 1;
            let half_points = table.results.iter().map(|other| match other.place.cmp(&result.place) {
                std::cmp::Ordering::Greater => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 0,
            });
            // Less the half point of the comparison with itself.
            sums.places += f64::from(half_points.sum::<u32>() - 1) / 2.0 / f64::from(players - 1);
            for (other, others) in points.iter().filter(|(other, _)| other != who) {
                let pair = pairs.entry((*who, *other)).or_default();
                pair.0.insert(table.group);
                pair.1 += own - others;
            }
        }
    }

    let rows = &standings.rows;
    assert_eq!(rows.iter().map(|row| row.games).sum::<u32>(), standings.tables_over * players);
    for row in rows {
        let Some(sums) = sums.get(&row.entrant) else {
            assert_eq!((row.games, row.groups), (0, 0), "{row:?}");
            continue;
        };
        assert_eq!((row.games, row.groups), (sums.games, sums.groups.len() as u32), "{row:?}");
        assert!(near(row.mean * f64::from(players * row.groups), sums.scores), "{row:?}: {}", sums.scores);
        assert!(near(row.place_points, sums.places), "{row:?}: {}", sums.places);
        let finishes: BTreeMap<i32, u32> =
            row.finishes.iter().map(|count| (count.finish, count.games)).collect();
        assert_eq!(finishes, sums.finishes, "{row:?}");
    }
    let places: f64 = rows.iter().map(|row| row.place_points).sum();
    assert!(near(places, f64::from(standings.tables_over * players) / 2.0), "{places}");
    // Group scores are zero-sum.
    let scores: f64 = rows.iter().map(|row| row.mean * f64::from(row.groups)).sum();
    assert!(near(scores, 0.0), "{scores}");
    assert_eq!(standings.cells.len(), pairs.len(), "one cell for each ordered pair that has met");
    for cell in &standings.cells {
        let (groups, difference) = &pairs[&(cell.entrant, cell.opponent)];
        assert_eq!(cell.groups, groups.len() as u32, "{cell:?}");
        assert!(near(cell.mean * f64::from(players * cell.groups), *difference), "{cell:?}: {difference}");
    }
    assert!(rows.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
}

/// Checks that every table of a deal is listed once, and that each entrant of the deal has had each seat
/// once.
fn check_tables(tables: &[v1::TournamentTable], players: u32) {
    let mut seated: BTreeMap<u32, BTreeSet<(u32, usize)>> = BTreeMap::new();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for table in tables {
        assert!(table.over && table.has_record && table.void_reason.is_empty(), "{table:?}");
        assert_eq!((table.entrants.len(), table.results.len()), (players as usize, players as usize));
        assert!(ids.insert(&table.table_id), "listed twice: {table:?}");
        for (seat, entrant) in table.entrants.iter().enumerate() {
            let is_new = seated.entry(table.group).or_default().insert((*entrant, seat));
            assert!(is_new, "the same seat of a deal twice: {table:?}");
        }
    }
    for (group, seated) in seated {
        let entrants: BTreeSet<u32> = seated.iter().map(|(entrant, _)| *entrant).collect();
        assert_eq!(
            (entrants.len(), seated.len()),
            (players as usize, (players * players) as usize),
            "{group}"
        );
    }
}
