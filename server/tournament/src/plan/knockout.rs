//! A knockout: rounds after which the better ones of each line-up go on, until one is left.
//!
//! Everyone has a place in the bracket, at first by the seeding. In a round the best places have byes, and the others are
//! dealt out to the tables there and back: between two, the first place meets the last, the second the last but one. Who
//! goes on takes the best places of the line-up, in the order of the results, so that an underdog who wins has the place
//! of the favourite: between two, this is the bracket that everyone knows.
//!
//! At most the worse half of a table is out, and in the last round, when just one table can be filled, all but the best.
//! So `f(0) = players`, `f(i + 1)` = the most who can be brought down to `f(i)` in a round. A round brings those who are
//! left down to the next smaller `f`, or as far as half of each full table does, with the fewest tables that can do it: byes
//! are needed in the first round only, where the numbers allow it at all.
//!
//! Who goes on is decided by the scores of the round's groups, then by those of the groups that were played because of a
//! tie, then by the seeding. A line-up that somebody withdrew from is decided by what it had complete.

use super::lineups::Lineup;
use super::outcome::Outcome;
use crate::Entrant;

/// What a knockout has come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Knockout {
    players: usize,
    /// Those who are in, by their places in the bracket.
    bracket: Vec<Entrant>,
    byes: Vec<u32>,
    out: Vec<Option<Out>>,
    tables: Vec<Table>,
}

/// How an entrant was out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    /// In which round, the first being 0.
    pub(crate) round: u32,
    /// The place in the line-up, the best being 0.
    pub(crate) place: usize,
    /// What it had scored.
    pub(crate) score: i64,
}

/// A line-up of the round that is played.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Table {
    /// The places in the bracket, ascending.
    places: Vec<usize>,
    /// How many go on.
    go_on: usize,
}

/// How many tables a round has, and how many are out after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Size {
    tables: usize,
    out: usize,
}

/// The size of the round in which `left` are left, or none if they cannot fill a table.
fn size(left: usize, players: usize) -> Option<Size> {
    if left <= players {
        return (left == players).then_some(Size { tables: 1, out: players - 1 });
    }
    let half = players / 2;
    let worse = players - half;
    let (mut goal, mut next) = (players, players + players / half * worse);
    while next < left {
        (goal, next) = (next, next + next / half * worse);
    }
    let out = left - goal;
    let tables = out.div_ceil(worse).min(left / players);
    Some(Size { tables, out: out.min(tables * worse) })
}

/// The tables of all rounds to come, if `left` are left now.
pub(crate) fn rounds(mut left: usize, players: usize) -> Vec<usize> {
    let mut rounds = Vec::new();
    while let Some(size) = size(left, players) {
        rounds.push(size.tables);
        left -= size.out;
    }
    rounds
}

impl Knockout {
    pub(crate) fn new(entrants: usize, players: usize) -> Knockout {
        let bracket = (0..entrants as u16).map(Entrant).collect();
        Knockout { players, bracket, byes: vec![0; entrants], out: vec![None; entrants], tables: Vec::new() }
    }

    /// The line-ups of the next round, of those who are still there. None if they do not fill a table.
    pub(crate) fn pair(&mut self, there: impl Fn(Entrant) -> bool) -> Vec<Lineup> {
        self.bracket.retain(|who| there(*who));
        let left = self.bracket.len();
        let Some(size) = size(left, self.players) else { return Vec::new() };
        let first = left - size.tables * self.players;
        for who in &self.bracket[..first] {
            self.byes[who.index()] += 1;
        }
        let table = |table: usize| {
            let row = |row: usize| {
                let at = if row.is_multiple_of(2) { table } else { size.tables - 1 - table };
                first + row * size.tables + at
            };
            // What is out is shared out evenly, the later tables having more if it does not come out even.
            let out = (size.out + table) / size.tables;
            Table { places: (0..self.players).map(row).collect(), go_on: self.players - out }
        };
        self.tables = (0..size.tables).map(table).collect();
        let lineup = |table: &Table| table.places.iter().map(|&place| self.bracket[place]).collect();
        self.tables.iter().map(lineup).collect()
    }

    /// The line-ups of the round that have to play one more group, by their numbers in the round: all of the line-up are
    /// still there, and the last who would go on and the first who would not have scored the same.
    pub(crate) fn ties(
        &self,
        outcomes: &[Outcome],
        most: u32,
        there: impl Fn(Entrant) -> bool,
    ) -> Vec<usize> {
        let tied = |&at: &usize| {
            let (outcome, go_on) = (&outcomes[at], self.tables[at].go_on);
            let order = order(outcome);
            let score = |place: usize| (outcome.score[order[place]], outcome.tie_score[order[place]]);
            let whole = outcome.lineup.iter().all(|who| there(*who));
            whole && outcome.tie_groups < most && score(go_on - 1) == score(go_on)
        };
        (0..self.tables.len()).filter(tied).collect()
    }

    /// Ends a round: the better ones go on.
    pub(crate) fn settle(&mut self, outcomes: &[Outcome], round: u32, there: impl Fn(Entrant) -> bool) {
        for (table, outcome) in std::mem::take(&mut self.tables).iter().zip(outcomes) {
            let mut order = order(outcome);
            order.sort_by_key(|&at| !there(outcome.lineup[at]));
            for (place, &at) in order.iter().enumerate() {
                let who = outcome.lineup[at];
                self.bracket[table.places[place]] = who;
                if place >= table.go_on || !there(who) {
                    self.out[who.index()].get_or_insert(Out { round, place, score: outcome.score[at] });
                }
            }
        }
        self.bracket.retain(|who| self.out[who.index()].is_none());
    }

    /// Takes an entrant out who withdrew in a round.
    pub(crate) fn withdraw(&mut self, who: Entrant, round: u32) {
        let (place, score) = (self.players, i64::MIN);
        self.out[who.index()].get_or_insert(Out { round, place, score });
    }

    /// How an entrant was out. None while it is in.
    pub(crate) fn out(&self, who: Entrant) -> Option<Out> {
        self.out[who.index()]
    }

    /// How many byes an entrant had, that of the round that is played among them.
    pub(crate) fn byes(&self, who: Entrant) -> u32 {
        self.byes[who.index()]
    }

    /// How many will be left after the round that is played.
    pub(crate) fn left_after(&self, there: impl Fn(Entrant) -> bool) -> usize {
        let left = self.bracket.iter().filter(|who| there(**who)).count();
        let out = |table: &Table| {
            let here = table.places.iter().filter(|place| there(self.bracket[**place])).count();
            here.saturating_sub(table.go_on)
        };
        left - self.tables.iter().map(out).sum::<usize>()
    }
}

/// The line-up in the order of what was reached: the score, then that of the groups because of ties, then the seeding.
fn order(outcome: &Outcome) -> Vec<usize> {
    let mut order: Vec<usize> = (0..outcome.lineup.len()).collect();
    let key =
        |&at: &usize| (std::cmp::Reverse((outcome.score[at], outcome.tie_score[at])), outcome.lineup[at]);
    order.sort_by_key(key);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a knockout in which the better seed always wins, and tells the line-ups of each round.
    fn bracket(entrants: usize, players: usize) -> Vec<Vec<Vec<u16>>> {
        let mut knockout = Knockout::new(entrants, players);
        let mut told = Vec::new();
        loop {
            let lineups = knockout.pair(|_| true);
            if lineups.is_empty() {
                return told;
            }
            let outcome = |lineup: &Lineup| {
                let mut outcome = Outcome::new(lineup);
                outcome.score = lineup.iter().map(|who| -i64::from(who.0)).collect();
                outcome
            };
            let outcomes: Vec<Outcome> = lineups.iter().map(outcome).collect();
            assert!(knockout.ties(&outcomes, 3, |_| true).is_empty());
            knockout.settle(&outcomes, told.len() as u32, |_| true);
            told.push(lineups.iter().map(|lineup| lineup.iter().map(|who| who.0).collect()).collect());
        }
    }

    #[test]
    fn the_best_places_have_byes_and_meet_last() {
        assert_eq!(
            bracket(8, 2),
            [
                vec![vec![0, 7], vec![1, 6], vec![2, 5], vec![3, 4]],
                vec![vec![0, 3], vec![1, 2]],
                vec![vec![0, 1]]
            ]
        );
        assert_eq!(
            bracket(5, 2),
            [vec![vec![3, 4]], vec![vec![0, 3], vec![1, 2]], vec![vec![0, 1]]],
            "three byes in the first round"
        );
        assert_eq!(
            bracket(8, 4),
            [vec![vec![0, 3, 4, 7], vec![1, 2, 5, 6]], vec![vec![0, 1, 2, 3]]],
            "the better half goes on"
        );
        assert_eq!(bracket(9, 3), [vec![vec![0, 5, 6], vec![1, 4, 7], vec![2, 3, 8]], vec![vec![0, 1, 2]]]);
    }

    #[test]
    fn an_underdog_takes_the_place_of_the_favourite() {
        let mut knockout = Knockout::new(4, 2);
        let lineups = knockout.pair(|_| true);
        let outcomes: Vec<Outcome> = lineups
            .iter()
            .map(|lineup| Outcome {
                score: lineup.iter().map(|who| i64::from(who.0)).collect(),
                ..Outcome::new(lineup)
            })
            .collect();
        knockout.settle(&outcomes, 0, |_| true);
        assert_eq!(knockout.pair(|_| true), [[Entrant(3), Entrant(2)]]);
    }

    #[test]
    fn a_tie_counts_only_where_it_decides() {
        let mut knockout = Knockout::new(8, 4);
        let lineups = knockout.pair(|_| true);
        let with = |score: [i64; 4]| {
            let outcome = Outcome { score: score.to_vec(), ..Outcome::new(&lineups[0]) };
            let clear = Outcome { score: vec![4, 3, 2, 1], ..Outcome::new(&lineups[1]) };
            vec![outcome, clear]
        };
        let none: [usize; 0] = [];
        assert_eq!(knockout.ties(&with([5, 5, 1, 1]), 1, |_| true), none, "both pairs are on the same side");
        assert_eq!(knockout.ties(&with([5, 3, 3, 1]), 1, |_| true), [0]);
        assert_eq!(knockout.ties(&with([5, 3, 3, 1]), 0, |_| true), none, "then the seeding decides");
        assert_eq!(knockout.ties(&with([5, 3, 3, 1]), 1, |who| who != lineups[0][3]), none, "one is gone");
        let mut broken = with([5, 3, 3, 1]);
        broken[0].tie_score = vec![0, 0, 1, 0];
        broken[0].tie_groups = 1;
        assert_eq!(knockout.ties(&broken, 3, |_| true), none);
        knockout.settle(&broken, 0, |_| true);
        assert!(knockout.out(lineups[0][1]).is_some() && knockout.out(lineups[0][2]).is_none());
    }

    #[test]
    fn every_number_of_entrants_comes_down_to_one() {
        for players in 2..=9 {
            for entrants in players..=256 {
                let mut left = entrants;
                while let Some(size) = size(left, players) {
                    assert!(size.tables >= 1 && size.tables * players <= left && size.out >= size.tables);
                    let worse = if left == players { players - 1 } else { players.div_ceil(2) };
                    assert!(size.out <= size.tables * worse);
                    left -= size.out;
                }
                assert_eq!(left, 1, "{players} of {entrants}");
            }
        }
    }
}
