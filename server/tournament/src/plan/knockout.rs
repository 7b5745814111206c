//! Knockout bracket: after each round the better part of each line-up advances, until one entrant remains.
//!
//! **Bracket.** Every entrant has a position in the bracket, at first by seeding. In a round the best
//! positions get byes, and the others are distributed over the tables in serpentine order: with two players
//! the first meets the last, the second the last but one. Advancing entrants take the best positions of their
//! line-up in the order of their results, so an underdog that wins takes the position of the favourite. With
//! two players this is the standard bracket.
//!
//! **Round sizes.** At most the worse half of a table is eliminated; in the last round, with exactly one
//! table, all but the best. So `f(0) = players`, and `f(i + 1)` is the largest field that one round can
//! reduce to `f(i)`. A round reduces the field to the next smaller `f`, or as far as eliminating half of each
//! full table allows, with the fewest tables possible: byes occur in the first round only, where the numbers
//! allow it.
//!
//! **Advancing** is decided by the scores of the round's groups, then of its tie-break groups, then by
//! seeding. A line-up with a withdrawal is decided by its complete groups.

use super::lineup_score::LineupScore;
use super::lineups::Lineup;
use crate::Entrant;

/// State of a knockout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Knockout {
    players: usize,
    /// Remaining entrants by position.
    bracket: Vec<Entrant>,
    byes: Vec<u32>,
    eliminations: Vec<Option<Elimination>>,
    tables: Vec<BracketTable>,
}

/// Elimination of an entrant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Elimination {
    /// Round, from 0.
    pub(crate) round: u32,
    /// Place in the line-up, from 0 for the best.
    pub(crate) place: usize,
    /// Score in the round.
    pub(crate) score: i64,
}

/// A line-up of the current round.
#[derive(Clone, PartialEq, Eq, Debug)]
struct BracketTable {
    /// Bracket positions, ascending.
    positions: Vec<usize>,
    /// Number of entrants that advance.
    advancing: usize,
}

/// Number of tables of a round, and of entrants that it eliminates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RoundSize {
    tables: usize,
    eliminated: usize,
}

/// Size of a round with `remaining` entrants, or `None` if they do not fill a table.
fn round_size(remaining: usize, players: usize) -> Option<RoundSize> {
    if remaining <= players {
        return (remaining == players).then_some(RoundSize { tables: 1, eliminated: players - 1 });
    }
    let half = players / 2;
    let worse = players - half;
    let (mut goal, mut next) = (players, players + players / half * worse);
    while next < remaining {
        (goal, next) = (next, next + next / half * worse);
    }
    let eliminated = remaining - goal;
    let tables = eliminated.div_ceil(worse).min(remaining / players);
    Some(RoundSize { tables, eliminated: eliminated.min(tables * worse) })
}

/// Number of tables of each future round, given the number of remaining entrants.
pub(crate) fn tables_per_round(mut remaining: usize, players: usize) -> Vec<usize> {
    let mut rounds = Vec::new();
    while let Some(size) = round_size(remaining, players) {
        rounds.push(size.tables);
        remaining -= size.eliminated;
    }
    rounds
}

impl Knockout {
    pub(crate) fn new(entrants: usize, players: usize) -> Knockout {
        let bracket = (0..entrants as u16).map(Entrant).collect();
        Knockout {
            players,
            bracket,
            byes: vec![0; entrants],
            eliminations: vec![None; entrants],
            tables: Vec::new(),
        }
    }

    /// Line-ups of the next round from the active entrants. Empty if they do not fill a table.
    pub(crate) fn pair_round(&mut self, is_active: impl Fn(Entrant) -> bool) -> Vec<Lineup> {
        self.bracket.retain(|entrant| is_active(*entrant));
        let remaining = self.bracket.len();
        let Some(size) = round_size(remaining, self.players) else { return Vec::new() };
        let first = remaining - size.tables * self.players;
        for entrant in &self.bracket[..first] {
            self.byes[entrant.index()] += 1;
        }
        let table = |table: usize| {
            let row = |row: usize| {
                let at = if row.is_multiple_of(2) { table } else { size.tables - 1 - table };
                first + row * size.tables + at
            };
            // Eliminations are spread evenly; later tables have one more if they do not divide evenly.
            let eliminated = (size.eliminated + table) / size.tables;
            let positions = (0..self.players).map(row).collect();
            BracketTable { positions, advancing: self.players - eliminated }
        };
        self.tables = (0..size.tables).map(table).collect();
        let lineup = |table: &BracketTable| table.positions.iter().map(|&at| self.bracket[at]).collect();
        self.tables.iter().map(lineup).collect()
    }

    /// Line-ups of the round, by index, that need one more tie-break group: all members are active, fewer
    /// than `most` tie-break groups were played, and the last to advance and the first to be eliminated have
    /// equal scores.
    pub(crate) fn tied_lineups(
        &self,
        scores: &[LineupScore],
        most: u32,
        is_active: impl Fn(Entrant) -> bool,
    ) -> Vec<usize> {
        let is_tied = |&at: &usize| {
            let (lineup_score, advancing) = (&scores[at], self.tables[at].advancing);
            let ranking = ranking(lineup_score);
            let score =
                |place: usize| (lineup_score.score[ranking[place]], lineup_score.tie_score[ranking[place]]);
            let all_active = lineup_score.lineup.iter().all(|entrant| is_active(*entrant));
            all_active && lineup_score.tie_groups < most && score(advancing - 1) == score(advancing)
        };
        (0..self.tables.len()).filter(is_tied).collect()
    }

    /// Ends a round: updates the bracket and eliminates the worse part of each line-up.
    pub(crate) fn finish_round(
        &mut self,
        scores: &[LineupScore],
        round: u32,
        is_active: impl Fn(Entrant) -> bool,
    ) {
        for (table, lineup_score) in std::mem::take(&mut self.tables).iter().zip(scores) {
            let mut ranking = ranking(lineup_score);
            ranking.sort_by_key(|&at| !is_active(lineup_score.lineup[at]));
            for (place, &at) in ranking.iter().enumerate() {
                let entrant = lineup_score.lineup[at];
                self.bracket[table.positions[place]] = entrant;
                if place >= table.advancing || !is_active(entrant) {
                    let elimination = Elimination { round, place, score: lineup_score.score[at] };
                    self.eliminations[entrant.index()].get_or_insert(elimination);
                }
            }
        }
        self.bracket.retain(|entrant| self.eliminations[entrant.index()].is_none());
    }

    /// Eliminates an entrant that withdrew during a round.
    pub(crate) fn withdraw(&mut self, entrant: Entrant, round: u32) {
        let (place, score) = (self.players, i64::MIN);
        self.eliminations[entrant.index()].get_or_insert(Elimination { round, place, score });
    }

    /// Elimination of an entrant, or `None` while it is in the bracket.
    pub(crate) fn elimination(&self, entrant: Entrant) -> Option<Elimination> {
        self.eliminations[entrant.index()]
    }

    /// Byes of an entrant, including the current round.
    pub(crate) fn byes(&self, entrant: Entrant) -> u32 {
        self.byes[entrant.index()]
    }

    /// Number of entrants that will remain after the current round.
    pub(crate) fn remaining_after_round(&self, is_active: impl Fn(Entrant) -> bool) -> usize {
        let remaining = self.bracket.iter().filter(|entrant| is_active(**entrant)).count();
        let eliminated = |table: &BracketTable| {
            let active = table.positions.iter().filter(|at| is_active(self.bracket[**at])).count();
            active.saturating_sub(table.advancing)
        };
        remaining - self.tables.iter().map(eliminated).sum::<usize>()
    }
}

/// Members of a line-up, best first: by score, then by tie-break score, then by seeding.
fn ranking(lineup_score: &LineupScore) -> Vec<usize> {
    let LineupScore { lineup, score, tie_score, .. } = lineup_score;
    let mut ranking: Vec<usize> = (0..lineup.len()).collect();
    ranking.sort_by_key(|&at| (std::cmp::Reverse((score[at], tie_score[at])), lineup[at]));
    ranking
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a knockout in which the better seed always wins. Returns the line-ups of each round.
    fn bracket(entrants: usize, players: usize) -> Vec<Vec<Vec<u16>>> {
        let mut knockout = Knockout::new(entrants, players);
        let mut rounds = Vec::new();
        loop {
            let lineups = knockout.pair_round(|_| true);
            if lineups.is_empty() {
                return rounds;
            }
            let lineup_score = |lineup: &Lineup| {
                let score = lineup.iter().map(|entrant| -i64::from(entrant.0)).collect();
                LineupScore { score, ..LineupScore::new(lineup) }
            };
            let scores: Vec<LineupScore> = lineups.iter().map(lineup_score).collect();
            assert!(knockout.tied_lineups(&scores, 3, |_| true).is_empty());
            knockout.finish_round(&scores, rounds.len() as u32, |_| true);
            let numbers = |lineup: &Lineup| lineup.iter().map(|entrant| entrant.0).collect();
            rounds.push(lineups.iter().map(numbers).collect());
        }
    }

    #[test]
    fn top_seeds_get_byes_and_meet_last() {
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
            "the better half advances"
        );
        assert_eq!(bracket(9, 3), [vec![vec![0, 5, 6], vec![1, 4, 7], vec![2, 3, 8]], vec![vec![0, 1, 2]]]);
    }

    #[test]
    fn winning_underdog_takes_the_bracket_position_of_the_favourite() {
        let mut knockout = Knockout::new(4, 2);
        let lineups = knockout.pair_round(|_| true);
        let scores: Vec<LineupScore> = lineups
            .iter()
            .map(|lineup| LineupScore {
                score: lineup.iter().map(|entrant| i64::from(entrant.0)).collect(),
                ..LineupScore::new(lineup)
            })
            .collect();
        knockout.finish_round(&scores, 0, |_| true);
        assert_eq!(knockout.pair_round(|_| true), [[Entrant(3), Entrant(2)]]);
    }

    #[test]
    fn tie_break_is_needed_only_at_the_elimination_boundary() {
        let mut knockout = Knockout::new(8, 4);
        let lineups = knockout.pair_round(|_| true);
        let with = |score: [i64; 4]| {
            let first = LineupScore { score: score.to_vec(), ..LineupScore::new(&lineups[0]) };
            let clear = LineupScore { score: vec![4, 3, 2, 1], ..LineupScore::new(&lineups[1]) };
            vec![first, clear]
        };
        let tied = |score, most| knockout.tied_lineups(&with(score), most, |_| true);
        let none: [usize; 0] = [];
        assert_eq!(tied([5, 5, 1, 1], 1), none, "both pairs are on the same side");
        assert_eq!(tied([5, 3, 3, 1], 1), [0]);
        assert_eq!(tied([5, 3, 3, 1], 0), none, "the seeding decides");
        let is_active = |entrant| entrant != lineups[0][3];
        assert_eq!(knockout.tied_lineups(&with([5, 3, 3, 1]), 1, is_active), none, "one has withdrawn");
        let mut broken = with([5, 3, 3, 1]);
        broken[0].tie_score = vec![0, 0, 1, 0];
        broken[0].tie_groups = 1;
        assert_eq!(knockout.tied_lineups(&broken, 3, |_| true), none);
        knockout.finish_round(&broken, 0, |_| true);
        assert!(knockout.elimination(lineups[0][1]).is_some());
        assert!(knockout.elimination(lineups[0][2]).is_none());
    }

    #[test]
    fn knockout_reduces_every_field_to_one() {
        for players in 2..=9 {
            for entrants in players..=256 {
                let mut remaining = entrants;
                while let Some(size) = round_size(remaining, players) {
                    assert!(size.tables >= 1 && size.tables * players <= remaining);
                    assert!(size.eliminated >= size.tables);
                    let worse = if remaining == players { players - 1 } else { players.div_ceil(2) };
                    assert!(size.eliminated <= size.tables * worse);
                    remaining -= size.eliminated;
                }
                assert_eq!(remaining, 1, "{players} of {entrants}");
            }
        }
    }
}
