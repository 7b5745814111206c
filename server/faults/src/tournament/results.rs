//! Results of the tournaments of a run, without ids and times, which differ from run to run.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, Result};
use parlor_sdk::{Client, TableFilter, wire};
use tokio_stream::StreamExt;

/// A table of a tournament: deal and rotation.
type TableKey = (u32, u32);

/// A decision at a table: seat, decision id, decider, and index of the action.
type Move = (u32, u32, i32, u32);

/// A played table.
#[derive(Clone, PartialEq, Debug)]
struct PlayedTable {
    /// The table in the tournament's listing.
    listed: wire::TournamentTable,
    /// All decisions, by seat.
    moves: Vec<Move>,
}

/// Results of a tournament.
#[derive(Clone, PartialEq, Debug)]
struct TournamentResults {
    name: String,
    state: i32,
    /// The tournament has a sequential test.
    has_test: bool,
    standings: wire::Standings,
    tables: BTreeMap<TableKey, PlayedTable>,
}

/// Results of all tournaments of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct RunResults {
    tournaments: Vec<TournamentResults>,
    /// Tables of the server beyond one for each deal and rotation of the tournaments.
    surplus: usize,
}

/// Difference between two runs.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Difference {
    /// Tables of the first run that the second does not have.
    pub(super) lost: usize,
    /// Tables of the second run that the first does not have, or that it has twice.
    pub(super) doubled: usize,
    /// Descriptions of all other differences.
    pub(super) descriptions: Vec<String>,
}

impl Difference {
    pub(super) fn is_none(&self) -> bool {
        *self == Difference::default()
    }
}

impl RunResults {
    /// Reads the results of these finished tournaments from the server.
    pub(super) async fn read(client: &Client, tournaments: &[String]) -> Result<RunResults> {
        let mut results = RunResults::default();
        for id in tournaments {
            results.tournaments.push(TournamentResults::read(client, id).await?);
        }
        let mut started = HashSet::new();
        let mut tables = std::pin::pin!(client.tables(TableFilter::new()));
        while let Some(table) = tables.next().await {
            let deal =
                table?.shuffle.and_then(|shuffle| shuffle.deal_group).context("a table of no tournament")?;
            let number = tournaments.iter().position(|id| *id == deal.tournament_id);
            let tournament = &results.tournaments[number.context("a table of another tournament")?];
            let key = (deal.number(), deal.rotation());
            let is_known = !tournament.counts(deal.number()) || tournament.tables.contains_key(&key);
            if !started.insert((number, key)) || !is_known {
                results.surplus += 1;
            }
        }
        Ok(results)
    }

    /// Number of played tables.
    pub(super) fn tables(&self) -> usize {
        self.tournaments.iter().map(|tournament| tournament.tables.len()).sum()
    }

    /// Reason for which the run is no valid reference, if any: a game was not played out, or a group is not
    /// counted.
    pub(super) fn defect(&self) -> Option<String> {
        for TournamentResults { name, state, standings, tables, .. } in &self.tournaments {
            let finishes = standings.rows.iter().flat_map(|row| &row.finishes);
            let finished = *state == wire::TournamentState::Finished as i32;
            let all_count = standings.groups_counted == standings.groups_expected;
            let defect = if !finished || !all_count || standings.groups_voided > 0 || tables.is_empty() {
                "not all groups count"
            } else if finishes.into_iter().any(|count| count.finish() != wire::SeatFinish::PlayedOut) {
                "not all games were played out"
            } else if tables.values().any(|played| played.moves.is_empty()) {
                "not all tables have a record"
            } else {
                continue;
            };
            return Some(format!("{defect} in {name}"));
        }
        None
    }

    /// Compares another run, which should be equal, with this one.
    pub(super) fn difference(&self, other: &RunResults) -> Difference {
        let mut difference = Difference { doubled: other.surplus, ..Difference::default() };
        for (tournament, other) in self.tournaments.iter().zip(&other.tournaments) {
            difference.lost += tournament.tables.keys().filter(|key| !other.tables.contains_key(key)).count();
            difference.doubled +=
                other.tables.keys().filter(|key| !tournament.tables.contains_key(key)).count();
            tournament.compare(other, &mut |description| {
                difference.descriptions.push(format!("{}: {description}", tournament.name));
            });
        }
        if self.tournaments.len() != other.tournaments.len() {
            difference.descriptions.push("there are not as many tournaments".to_owned());
        }
        difference
    }
}

impl TournamentResults {
    async fn read(client: &Client, id: &str) -> Result<TournamentResults> {
        let tournament = client.tournament(id).await?;
        let setup = tournament.setup.unwrap_or_default();
        let standings = client.standings(id, true).await?;
        let has_test = setup.test.is_some();
        let mut tournament = TournamentResults {
            name: setup.name,
            state: tournament.state,
            has_test,
            standings,
            tables: BTreeMap::new(),
        };
        let mut moves = moves(client, id).await?;
        let mut tables = std::pin::pin!(client.tournament_tables(id));
        while let Some(table) = tables.next().await {
            let mut table = table?;
            let moves = moves.remove(&table.table_id).unwrap_or_default();
            table.table_id.clear();
            table.results.iter_mut().for_each(|result| result.think_ms = 0);
            if tournament.counts(table.group) {
                tournament.tables.insert((table.group, table.rotation), PlayedTable { listed: table, moves });
            }
        }
        if has_test {
            let standings = &mut tournament.standings;
            (standings.groups_complete, standings.tables_over) = (0, 0);
            (standings.groups_expected, standings.tables_expected) = (standings.groups_counted, 0);
        }
        Ok(tournament)
    }

    /// True if a group is compared. After the decision of a sequential test, later groups may or may not have
    /// started.
    fn counts(&self, group: u32) -> bool {
        !self.has_test || group < self.standings.groups_counted
    }

    /// Describes all differences.
    fn compare(&self, other: &TournamentResults, describe: &mut impl FnMut(String)) {
        if self.state != other.state {
            describe("it did not end the same way".to_owned());
        }
        for (key, played) in &self.tables {
            match other.tables.get(key) {
                None => describe(format!("the table {key:?} was not played")),
                Some(other) if other.moves != played.moves => {
                    let same = played.moves.iter().zip(&other.moves).take_while(|(a, b)| a == b).count();
                    let (was, is) = (played.moves.get(same), other.moves.get(same));
                    describe(format!("at the table {key:?}, {was:?} has become {is:?}"));
                }
                Some(other) if other.listed != played.listed => {
                    describe(format!(
                        "of the table {key:?}, {:?} has become {:?}",
                        played.listed, other.listed
                    ));
                }
                Some(_) => {}
            }
        }
        let (rows, others) = (&self.standings.rows, &other.standings.rows);
        match rows.iter().zip(others).find(|(was, is)| was != is) {
            Some((was, is)) => describe(format!("in the standings, {was:?} has become {is:?}")),
            None if self.standings != other.standings => {
                describe("the standings differ in something else than their rows".to_owned());
            }
            None => {}
        }
    }
}

/// Decisions at each table of a tournament, by table id.
async fn moves(client: &Client, tournament: &str) -> Result<BTreeMap<String, Vec<Move>>> {
    let mut records = client.export_records(tournament, None);
    let mut all = BTreeMap::new();
    while let Some(record) = records.next().await.context("the records")? {
        let decided = record.steps.iter().flat_map(|step| &step.decided);
        let mut moves: Vec<Move> =
            decided.map(|made| (made.seat, made.decision_id, made.by, made.index)).collect();
        // The order of simultaneous decisions may vary.
        moves.sort_unstable();
        all.insert(record.table_id, moves);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of two tables, between two entrants.
    fn results() -> RunResults {
        let table = |(group, rotation): TableKey| {
            let results = [0, 1].map(|seat| wire::SeatResult {
                seat,
                place: seat + 1,
                points: 10 - seat as i32,
                ..wire::SeatResult::default()
            });
            let listed = wire::TournamentTable {
                group,
                rotation,
                results: results.to_vec(),
                over: true,
                ..wire::TournamentTable::default()
            };
            ((group, rotation), PlayedTable { listed, moves: vec![(0, 1, 1, 4), (1, 1, 1, 2)] })
        };
        let finishes = vec![wire::FinishCount { finish: wire::SeatFinish::PlayedOut.into(), games: 4 }];
        let row = |entrant| wire::StandingsRow { entrant, finishes: finishes.clone(), ..Default::default() };
        let standings = wire::Standings {
            rows: vec![row(1), row(0)],
            groups_counted: 2,
            groups_expected: 2,
            ..wire::Standings::default()
        };
        let tournament = TournamentResults {
            name: "gap".to_owned(),
            state: wire::TournamentState::Finished.into(),
            has_test: false,
            standings,
            tables: [(0, 0), (0, 1), (1, 0), (1, 1)].map(table).into(),
        };
        RunResults { tournaments: vec![tournament], surplus: 0 }
    }

    /// Numbers of lost tables, duplicated tables and described differences after a change of the other run.
    fn found(change: impl FnOnce(&mut RunResults)) -> (usize, usize, usize) {
        let mut other = results();
        change(&mut other);
        let difference = results().difference(&other);
        assert!(!difference.is_none(), "{difference:?}");
        (difference.lost, difference.doubled, difference.descriptions.len())
    }

    #[test]
    fn equal_runs_have_no_difference() {
        assert!(results().difference(&results()).is_none());
        assert_eq!(results().defect(), None);
    }

    #[test]
    fn every_difference_is_detected() {
        fn played(results: &mut RunResults) -> &mut PlayedTable {
            results.tournaments[0].tables.get_mut(&(1, 0)).unwrap()
        }
        fn standings(results: &mut RunResults) -> &mut wire::Standings {
            &mut results.tournaments[0].standings
        }
        assert_eq!(found(|other| drop(other.tournaments[0].tables.remove(&(0, 1)))), (1, 0, 1));
        let twice = |other: &mut RunResults| {
            let again = played(other).clone();
            other.tournaments[0].tables.insert((2, 0), again);
        };
        assert_eq!(found(twice), (0, 1, 0));
        assert_eq!(found(|other| other.surplus = 1), (0, 1, 0));
        assert_eq!(found(|other| played(other).moves[1].3 = 3), (0, 0, 1));
        assert_eq!(found(|other| played(other).moves.clear()), (0, 0, 1));
        assert_eq!(found(|other| played(other).listed.results[0].points += 1), (0, 0, 1));
        assert_eq!(found(|other| played(other).listed.void_reason.push('x')), (0, 0, 1));
        assert_eq!(found(|other| standings(other).rows[1].rating = 0.1), (0, 0, 1));
        assert_eq!(found(|other| drop(standings(other).rows.pop())), (0, 0, 1));
        assert_eq!(found(|other| standings(other).groups_voided = 1), (0, 0, 1));
        assert_eq!(found(|other| other.tournaments[0].state = 0), (0, 0, 1));
        assert_eq!(found(|other| other.tournaments.clear()), (0, 0, 1));
    }

    #[test]
    fn invalid_reference_run_is_detected() {
        let changes: [fn(&mut RunResults); 5] = [
            |results| results.tournaments[0].state = wire::TournamentState::Running.into(),
            |results| results.tournaments[0].standings.groups_counted = 1,
            |results| results.tournaments[0].standings.groups_voided = 1,
            |results| {
                results.tournaments[0].standings.rows[0].finishes[0].finish =
                    wire::SeatFinish::TimedOut.into();
            },
            |results| results.tournaments[0].tables.get_mut(&(0, 0)).unwrap().moves.clear(),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut failed = results();
            change(&mut failed);
            assert!(failed.defect().is_some(), "{number}");
        }
    }
}
