//! Standings of handwritten and simulated groups.

use parlor_testkit::rng_with_default_seed;

use super::*;
use crate::stats::simulate::{Field, table};

fn placing(entrant: u16) -> Placing {
    Placing {
        entrant: Entrant(entrant),
        order: 0,
        match_points: 0.0,
        buchholz: 0.0,
        byes: 0,
        out_in_round: None,
        withdrawn: false,
    }
}

fn placings(entrants: u16) -> Vec<Placing> {
    (0..entrants).map(placing).collect()
}

/// A group of two players, with the points of each table in seat order.
fn duel(number: u32, one: u16, other: u16, points: [(i32, i32); 2]) -> Group {
    let [first, second] = points;
    let tables = vec![
        table(0, &[(Entrant(one), first.0), (Entrant(other), first.1)]),
        table(1, &[(Entrant(other), second.0), (Entrant(one), second.1)]),
    ];
    Group { number, round: 0, tables }
}

fn field(skills: &[f64], players: usize) -> Field {
    Field { skills: skills.to_vec(), players, hands: 5.0, games: 3.0, memory: 0.0 }
}

fn played(field: &Field, groups: u32, seed: u64) -> Vec<Group> {
    let mut rng = rng_with_default_seed(seed);
    (0..groups).map(|number| field.group(number, &mut rng)).collect()
}

#[test]
fn without_groups_all_entrants_are_tied_and_have_no_intervals() {
    let standings = Standings::from_groups(&placings(3), None, &[]);
    assert_eq!((standings.groups_counted, standings.cells.len(), standings.test), (0, 0, None));
    for (row, entrant) in standings.rows.iter().zip(0..) {
        assert_eq!((row.rank, row.entrant, row.games, row.groups), (1, Entrant(entrant), 0, 0));
        assert_eq!((row.mean, row.rating, row.place_points), (0.0, 0.0, 0.0));
        assert_eq!((row.interval, row.rating_interval, row.gain), (None, None, None));
        assert!(row.finishes.is_empty());
    }
    assert!(Standings::from_groups(&[], None, &[]).rows.is_empty());
}

#[test]
fn one_group_gives_ranks_without_intervals() {
    let standings = Standings::from_groups(&placings(3), None, &[duel(0, 2, 0, [(10, 4), (3, 3)])]);
    let rows: Vec<_> = standings.rows.iter().map(|row| (row.rank, row.entrant.0, row.mean)).collect();
    // An entrant without groups ranks behind all others, even with a better mean.
    assert_eq!(rows, [(1, 2, 3.0), (2, 0, -3.0), (3, 1, 0.0)]);
    let winner = &standings.rows[0];
    assert_eq!((winner.games, winner.groups, winner.place_points), (2, 1, 1.5));
    assert_eq!(winner.finishes, [(SeatFinish::PlayedOut, 2)]);
    assert!(winner.rating > 0.0 && winner.interval.is_none() && winner.rating_interval.is_none());
    let cells: Vec<_> =
        standings.cells.iter().map(|c| (c.entrant.0, c.opponent.0, c.groups, c.mean)).collect();
    assert_eq!(cells, [(0, 2, 1, -3.0), (2, 0, 1, 3.0)]);
}

#[test]
fn scores_ratings_and_place_points_add_up() {
    for (players, seed) in [(2, 1), (3, 2), (4, 3)] {
        let groups = played(&field(&[0.0, 1.0, 2.0, 3.0, 4.0], players), 200, seed);
        for group in &groups {
            assert!(group.scores().iter().map(|score| score.score).sum::<f64>().abs() < 1e-9);
        }
        let standings = Standings::from_groups(&placings(5), None, &groups);
        let rows = &standings.rows;
        let scored: f64 = rows.iter().map(|row| row.mean * f64::from(row.groups)).sum();
        assert!(scored.abs() < 1e-6, "{scored}");
        assert!(rows.iter().map(|row| row.rating).sum::<f64>().abs() < 1e-6);
        let games = (200 * players) as f64;
        // In a game, each pair of players shares one point, divided by the number of opponents.
        let points: f64 = rows.iter().map(|row| row.place_points).sum();
        assert!((points - games * players as f64 / 2.0).abs() < 1e-6, "{points}");
        assert_eq!(rows.iter().map(|row| row.games).sum::<u32>() as usize, 200 * players * players);
        for row in rows {
            assert_eq!(row.finishes.iter().map(|(_, games)| games).sum::<u32>(), row.games);
            assert!(row.interval.is_some_and(|interval| interval.contains(row.mean)));
            assert!(row.rating_interval.is_some_and(|interval| interval.contains(row.rating)));
        }
        for cell in &standings.cells {
            let back = |other: &&CrossCell| other.entrant == cell.opponent && other.opponent == cell.entrant;
            let back = standings.cells.iter().find(back).unwrap();
            assert_eq!((back.mean, back.groups), (-cell.mean, cell.groups));
            assert_eq!(back.interval, cell.interval.map(|interval| interval.negated()));
        }
        // The score of an entrant is the mean of its differences to the others.
        let row = &rows[0];
        let own = standings.cells.iter().filter(|cell| cell.entrant == row.entrant);
        let sum: f64 = own.map(|cell| cell.mean * f64::from(cell.groups)).sum();
        assert!((sum / (players - 1) as f64 - row.mean * f64::from(row.groups)).abs() < 1e-6);
    }
}

#[test]
fn stronger_entrants_rank_first_in_means_and_ratings() {
    let skills = [1.0, -2.0, 3.0, -4.0];
    for players in [2, 3, 4] {
        let standings = Standings::from_groups(&placings(4), None, &played(&field(&skills, players), 600, 9));
        let order: Vec<u16> = standings.rows.iter().map(|row| row.entrant.0).collect();
        assert_eq!(order, [2, 0, 1, 3]);
        assert!(standings.rows.is_sorted_by(|a, b| a.rating > b.rating));
    }
}

#[test]
fn accumulator_equals_standings_of_the_groups_so_far() {
    let groups = played(&field(&[0.0, 1.0, 2.0], 2), 90, 4);
    let test = SequentialTest {
        entrant: Entrant(2),
        lower: 0.0,
        upper: 1.0,
        alpha: 0.05,
        beta: 0.05,
        min_groups: 5,
    };
    let mut tally = StandingsAccumulator::new(3, Some(&test));
    for (group, count) in groups.iter().zip(1..) {
        tally.push(group);
        if count % 30 == 0 {
            assert_eq!(
                tally.standings(&placings(3)),
                Standings::from_groups(&placings(3), Some(&test), &groups[..count])
            );
        }
    }
    let state = tally.test().unwrap();
    let of_entrant =
        groups.iter().filter(|group| group.scores().iter().any(|s| s.entrant == Entrant(2))).count();
    assert!(state.decision.is_some() && (state.groups as usize) < of_entrant, "{state:?}");
}

#[test]
fn accumulator_catches_up_and_drops_a_voided_group() {
    let mut groups = played(&field(&[0.0, 1.0, 2.0], 2), 60, 5);
    let mut tally = StandingsAccumulator::new(3, None);
    tally.catch_up(&groups[..20]);
    tally.catch_up(&groups[..20]);
    tally.catch_up(&groups[..50]);
    let mut anew = StandingsAccumulator::new(3, None);
    groups[..50].iter().for_each(|group| anew.push(group));
    assert_eq!(tally, anew);
    // The seventh group is voided, then the last; with and without a new group in the meantime.
    for voided in [6, 48] {
        groups.remove(voided);
        let mut anew = StandingsAccumulator::new(3, None);
        groups[..49].iter().for_each(|group| anew.push(group));
        let mut further = tally.clone();
        further.catch_up(&groups[..50]);
        tally.catch_up(&groups[..49]);
        assert_eq!(tally, anew);
        anew.push(&groups[49]);
        assert_eq!(further, anew);
    }
    tally.catch_up(&[]);
    assert_eq!(tally, StandingsAccumulator::new(3, None));
}

#[test]
fn format_order_precedes_means_and_ties_share_a_rank() {
    let groups = [duel(0, 0, 1, [(5, 0), (0, 5)]), duel(1, 2, 3, [(5, 0), (0, 5)])];
    let order = |orders: [u32; 4], withdrawn: Option<usize>| {
        let mut placings = placings(4);
        placings.iter_mut().zip(orders).for_each(|(placing, order)| placing.order = order);
        if let Some(at) = withdrawn {
            placings[at].withdrawn = true;
        }
        let rows = Standings::from_groups(&placings, None, &groups).rows;
        rows.iter().map(|row| (row.rank, row.entrant.0)).collect::<Vec<_>>()
    };
    assert_eq!(order([0, 0, 0, 0], None), [(1, 0), (1, 2), (3, 1), (3, 3)]);
    assert_eq!(order([0, 0, 0, 0], Some(0)), [(1, 2), (2, 1), (2, 3), (4, 0)]);
    assert_eq!(order([3, 0, 1, 2], None), [(1, 1), (2, 2), (3, 3), (4, 0)]);
    assert_eq!(order([1, 0, 1, 0], Some(1)), [(1, 3), (2, 1), (3, 0), (3, 2)]);
}

#[test]
fn forfeits_are_counted_by_reason_and_score_the_lowest() {
    let mut group = duel(0, 0, 1, [(5, 2), (1, 9)]);
    group.tables[0].seats[0].finish = SeatFinish::TimedOut;
    group.tables[0].seats[0].place = 2;
    group.tables[0].seats[1].place = 1;
    let standings = Standings::from_groups(&placings(2), None, &[group]);
    let row = &standings.rows[0];
    assert_eq!((row.entrant, row.mean, row.place_points), (Entrant(0), 4.0, 1.0));
    assert_eq!(row.finishes, [(SeatFinish::PlayedOut, 1), (SeatFinish::TimedOut, 1)]);
}

#[test]
fn unknown_entrants_in_a_group_are_ignored() {
    let groups: Vec<_> = (0..30).map(|number| duel(number, 0, 9, [(5, 0), (number as i32, 5)])).collect();
    let standings = Standings::from_groups(&placings(2), None, &groups);
    assert_eq!((standings.rows.len(), standings.cells.len()), (2, 0));
    let nothing = Group { number: 0, round: 0, tables: vec![] };
    assert_eq!(Standings::from_groups(&placings(2), None, &[nothing]).groups_counted, 1);
}
