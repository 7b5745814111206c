//! What was played: the results of tables, in groups that share a deal, and what an entrant scores in a group.

/// One who takes part, by the place among all entrants, the first being 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entrant(pub u16);

impl Entrant {
    /// The place among all entrants, as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a game ended for one of its seats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Finish {
    /// It played to the end.
    PlayedOut,
    /// Its clock ran out too often.
    TimedOut,
    /// It resigned.
    Resigned,
    /// It was away for longer than the grace.
    Disconnected,
    /// It was set aside, and defaults were played for it.
    SetAside,
}

impl Finish {
    /// Whether the seat forfeited: it scores the lowest of its table.
    #[must_use]
    pub const fn is_forfeit(self) -> bool {
        !matches!(self, Finish::PlayedOut)
    }
}

/// What one seat of a table reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatScore {
    /// Who sat there.
    pub entrant: Entrant,
    /// Its points by the rules of the game.
    pub points: i32,
    /// Its place: 1 is the best; equals share a place, and the next is counted on.
    pub place: u8,
    /// How the game ended for it.
    pub finish: Finish,
}

/// A table that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableScore {
    /// Which table of its group it was, the first being 0.
    pub rotation: u8,
    /// What the seats reached, in the order of the seats.
    pub seats: Vec<SeatScore>,
}

impl TableScore {
    /// The points that count: those of the game, but a seat that forfeited has the lowest of the table.
    pub fn points(&self) -> impl Iterator<Item = (Entrant, i32)> + '_ {
        let lowest = self.seats.iter().map(|seat| seat.points).min().unwrap_or_default();
        let counted = move |seat: &SeatScore| if seat.finish.is_forfeit() { lowest } else { seat.points };
        self.seats.iter().map(move |seat| (seat.entrant, counted(seat)))
    }

    /// What each seat scored: its points less the mean of the others'.
    pub fn scores(&self) -> impl Iterator<Item = (Entrant, f64)> + '_ {
        let sum: i64 = self.points().map(|(_, points)| i64::from(points)).sum();
        let others = self.seats.len().saturating_sub(1).max(1) as f64;
        self.points().map(move |(entrant, points)| {
            let points = i64::from(points);
            (entrant, points as f64 - (sum - points) as f64 / others)
        })
    }
}

/// A group that is complete: one deal, played by all its tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The number of the deal, in the order in which groups count.
    pub number: u32,
    /// The round, of a format that has rounds; 0 otherwise.
    pub round: u32,
    /// Its tables, by rotation. With independent deals there is one.
    pub tables: Vec<TableScore>,
}

/// What an entrant scored in a group: the unit of all statistics.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GroupScore {
    /// Who.
    pub entrant: Entrant,
    /// The points less the mean of the others', averaged over the tables of the group.
    pub score: f64,
}

impl Group {
    /// What everyone scored in the group, in the order of the seats of its first table.
    #[must_use]
    pub fn scores(&self) -> Vec<GroupScore> {
        let entrants = self.tables.first().map(|table| table.seats.as_slice()).unwrap_or_default();
        let mut scores: Vec<GroupScore> =
            entrants.iter().map(|seat| GroupScore { entrant: seat.entrant, score: 0.0 }).collect();
        for (who, score) in self.tables.iter().flat_map(TableScore::scores) {
            if let Some(sum) = scores.iter_mut().find(|sum| sum.entrant == who) {
                sum.score += score;
            }
        }
        scores.iter_mut().for_each(|sum| sum.score /= self.tables.len() as f64);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rotation: u8, seats: &[(u16, i32, Finish)]) -> TableScore {
        let seat =
            |&(entrant, points, finish)| SeatScore { entrant: Entrant(entrant), points, place: 1, finish };
        TableScore { rotation, seats: seats.iter().map(seat).collect() }
    }

    #[test]
    fn a_group_score_is_the_lead_over_the_mean_of_the_others_averaged_over_the_rotations() {
        use Finish::PlayedOut;
        let first = table(0, &[(4, 10, PlayedOut), (7, 4, PlayedOut), (2, 1, PlayedOut)]);
        let second = table(1, &[(2, 6, PlayedOut), (4, 3, PlayedOut), (7, 3, PlayedOut)]);
        let group = Group { number: 0, round: 0, tables: vec![first, second] };
        let scores: Vec<_> = group.scores().iter().map(|s| (s.entrant.0, s.score)).collect();
        assert_eq!(scores, [(4, 3.0), (7, -1.5), (2, -1.5)]);
    }

    #[test]
    fn whoever_forfeits_has_the_lowest_points_of_the_table() {
        let table =
            table(0, &[(0, 9, Finish::TimedOut), (1, 2, Finish::PlayedOut), (2, 5, Finish::PlayedOut)]);
        let points: Vec<_> = table.points().map(|(who, points)| (who.0, points)).collect();
        assert_eq!(points, [(0, 2), (1, 2), (2, 5)]);
    }
}
