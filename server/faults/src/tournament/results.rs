//! What came of the tournaments of a run, without what differs from run to run: ids and times.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, Result};
use parlor_sdk::{Client, TableFilter, wire};
use tokio_stream::StreamExt;

/// Which table of a tournament it is: the deal and the rotation.
type Place = (u32, u32);

/// A decision at a table: the seat, its number, who made it, and which of the legal actions it was.
type Move = (u32, u32, i32, u32);

/// A table that was played.
#[derive(Clone, PartialEq, Debug)]
struct Played {
    /// As the tournament lists it.
    listed: wire::TournamentTable,
    /// All that was decided, by seats.
    moves: Vec<Move>,
}

/// What came of a tournament.
#[derive(Clone, PartialEq, Debug)]
struct Cup {
    name: String,
    state: i32,
    /// Whether it ends as soon as a question is answered.
    has_question: bool,
    standings: wire::Standings,
    tables: BTreeMap<Place, Played>,
}

/// What came of all tournaments of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Account {
    cups: Vec<Cup>,
    /// Tables that the server has beyond those of the tournaments, one for each place.
    surplus: usize,
}

/// How one run differs from another.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Difference {
    /// Tables of the one that the other does not have.
    pub(super) lost: usize,
    /// Tables of the other that the one does not have, or that it has twice.
    pub(super) doubled: usize,
    /// What else differs, and where.
    pub(super) sentences: Vec<String>,
}

impl Difference {
    pub(super) fn is_none(&self) -> bool {
        *self == Difference::default()
    }
}

impl Account {
    /// Asks the server for all that there is of these tournaments, which are over.
    pub(super) async fn of(client: &Client, tournaments: &[String]) -> Result<Account> {
        let mut account = Account::default();
        for id in tournaments {
            account.cups.push(Cup::of(client, id).await?);
        }
        let mut begun = HashSet::new();
        let mut tables = std::pin::pin!(client.tables(TableFilter::new()));
        while let Some(table) = tables.next().await {
            let deal =
                table?.shuffle.and_then(|shuffle| shuffle.deal_group).context("a table of no tournament")?;
            let number = tournaments.iter().position(|id| *id == deal.tournament_id);
            let cup = &account.cups[number.context("a table of another tournament")?];
            let place = (deal.number(), deal.rotation());
            let is_known = !cup.counts(deal.number()) || cup.tables.contains_key(&place);
            if !begun.insert((number, place)) || !is_known {
                account.surplus += 1;
            }
        }
        Ok(account)
    }

    /// How many tables were played.
    pub(super) fn tables(&self) -> usize {
        self.cups.iter().map(|cup| cup.tables.len()).sum()
    }

    /// Why this is no run to compare others with, if it is not: somebody did not play to the end, or not all counts.
    pub(super) fn flaw(&self) -> Option<String> {
        for Cup { name, state, standings, tables, .. } in &self.cups {
            let finishes = standings.rows.iter().flat_map(|row| &row.finishes);
            let finished = *state == wire::TournamentState::Finished as i32;
            let all_count = standings.groups_counted == standings.groups_expected;
            let flaw = if !finished || !all_count || standings.groups_voided > 0 || tables.is_empty() {
                "not all groups count"
            } else if finishes.into_iter().any(|count| count.finish() != wire::SeatFinish::PlayedOut) {
                "not all games were played out"
            } else if tables.values().any(|played| played.moves.is_empty()) {
                "not all tables have a record"
            } else {
                continue;
            };
            return Some(format!("{flaw} in {name}"));
        }
        None
    }

    /// How another run, which should have been the same, differs from this one.
    pub(super) fn difference(&self, other: &Account) -> Difference {
        let mut difference = Difference { doubled: other.surplus, ..Difference::default() };
        for (cup, other) in self.cups.iter().zip(&other.cups) {
            difference.lost += cup.tables.keys().filter(|place| !other.tables.contains_key(place)).count();
            difference.doubled += other.tables.keys().filter(|place| !cup.tables.contains_key(place)).count();
            cup.compare(other, &mut |sentence| {
                difference.sentences.push(format!("{}: {sentence}", cup.name));
            });
        }
        if self.cups.len() != other.cups.len() {
            difference.sentences.push("there are not as many tournaments".to_owned());
        }
        difference
    }
}

impl Cup {
    async fn of(client: &Client, id: &str) -> Result<Cup> {
        let tournament = client.tournament(id).await?;
        let setup = tournament.setup.unwrap_or_default();
        let standings = client.standings(id, true).await?;
        let has_question = setup.test.is_some();
        let mut cup = Cup {
            name: setup.name,
            state: tournament.state,
            has_question,
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
            if cup.counts(table.group) {
                cup.tables.insert((table.group, table.rotation), Played { listed: table, moves });
            }
        }
        if has_question {
            let standings = &mut cup.standings;
            (standings.groups_complete, standings.tables_over) = (0, 0);
            (standings.groups_expected, standings.tables_expected) = (standings.groups_counted, 0);
        }
        Ok(cup)
    }

    /// Whether a group counts. When a question is answered, later groups may have begun already, or not yet.
    fn counts(&self, group: u32) -> bool {
        !self.has_question || group < self.standings.groups_counted
    }

    /// Says what differs.
    fn compare(&self, other: &Cup, say: &mut impl FnMut(String)) {
        if self.state != other.state {
            say("it did not end the same way".to_owned());
        }
        for (place, played) in &self.tables {
            match other.tables.get(place) {
                None => say(format!("the table {place:?} was not played")),
                Some(other) if other.moves != played.moves => {
                    let same = played.moves.iter().zip(&other.moves).take_while(|(a, b)| a == b).count();
                    let (was, is) = (played.moves.get(same), other.moves.get(same));
                    say(format!("at the table {place:?}, {was:?} has become {is:?}"));
                }
                Some(other) if other.listed != played.listed => {
                    say(format!("of the table {place:?}, {:?} has become {:?}", played.listed, other.listed));
                }
                Some(_) => {}
            }
        }
        let (rows, others) = (&self.standings.rows, &other.standings.rows);
        match rows.iter().zip(others).find(|(was, is)| was != is) {
            Some((was, is)) => say(format!("in the standings, {was:?} has become {is:?}")),
            None if self.standings != other.standings => {
                say("the standings differ in something else than their rows".to_owned());
            }
            None => {}
        }
    }
}

/// What was decided at each table of a tournament, by the ids of the tables.
async fn moves(client: &Client, tournament: &str) -> Result<BTreeMap<String, Vec<Move>>> {
    let mut records = client.export_records(tournament, None);
    let mut all = BTreeMap::new();
    while let Some(record) = records.next().await.context("the records")? {
        let decided = record.steps.iter().flat_map(|step| &step.decided);
        let mut moves: Vec<Move> =
            decided.map(|made| (made.seat, made.decision_id, made.by, made.index)).collect();
        // Where several decide at once, anyone may be first.
        moves.sort_unstable();
        all.insert(record.table_id, moves);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of two tables, between two entrants.
    fn account() -> Account {
        let table = |(group, rotation): Place| {
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
            ((group, rotation), Played { listed, moves: vec![(0, 1, 1, 4), (1, 1, 1, 2)] })
        };
        let finishes = vec![wire::FinishCount { finish: wire::SeatFinish::PlayedOut.into(), games: 4 }];
        let row = |entrant| wire::StandingsRow { entrant, finishes: finishes.clone(), ..Default::default() };
        let standings = wire::Standings {
            rows: vec![row(1), row(0)],
            groups_counted: 2,
            groups_expected: 2,
            ..wire::Standings::default()
        };
        let cup = Cup {
            name: "gap".to_owned(),
            state: wire::TournamentState::Finished.into(),
            has_question: false,
            standings,
            tables: [(0, 0), (0, 1), (1, 0), (1, 1)].map(table).into(),
        };
        Account { cups: vec![cup], surplus: 0 }
    }

    /// What is found when something is wrong with the other run: what is lost, what is doubled, how many sentences.
    fn found(spoil: impl FnOnce(&mut Account)) -> (usize, usize, usize) {
        let mut other = account();
        spoil(&mut other);
        let difference = account().difference(&other);
        assert!(!difference.is_none(), "{difference:?}");
        (difference.lost, difference.doubled, difference.sentences.len())
    }

    #[test]
    fn two_runs_that_are_the_same_do_not_differ() {
        assert!(account().difference(&account()).is_none());
        assert_eq!(account().flaw(), None);
    }

    #[test]
    fn every_difference_is_found() {
        fn played(account: &mut Account) -> &mut Played {
            account.cups[0].tables.get_mut(&(1, 0)).unwrap()
        }
        fn standings(account: &mut Account) -> &mut wire::Standings {
            &mut account.cups[0].standings
        }
        assert_eq!(found(|other| drop(other.cups[0].tables.remove(&(0, 1)))), (1, 0, 1));
        let twice = |other: &mut Account| {
            let again = played(other).clone();
            other.cups[0].tables.insert((2, 0), again);
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
        assert_eq!(found(|other| other.cups[0].state = 0), (0, 0, 1));
        assert_eq!(found(|other| other.cups.clear()), (0, 0, 1));
    }

    #[test]
    fn a_run_that_shows_nothing_is_found() {
        let spoils: [fn(&mut Account); 5] = [
            |account| account.cups[0].state = wire::TournamentState::Running.into(),
            |account| account.cups[0].standings.groups_counted = 1,
            |account| account.cups[0].standings.groups_voided = 1,
            |account| {
                account.cups[0].standings.rows[0].finishes[0].finish = wire::SeatFinish::TimedOut.into();
            },
            |account| account.cups[0].tables.get_mut(&(0, 0)).unwrap().moves.clear(),
        ];
        for (number, spoil) in spoils.into_iter().enumerate() {
            let mut spoilt = account();
            spoil(&mut spoilt);
            assert!(spoilt.flaw().is_some(), "{number}");
        }
    }
}
