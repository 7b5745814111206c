//! Results of tables, in groups that share a deal, and the scores of entrants in a group.

/// Index of an entrant among all entrants of the tournament, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entrant(pub u16);

impl Entrant {
    /// The index as a `usize`.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Reason for which a game ended for one of its seats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SeatFinish {
    /// The seat played to the end.
    PlayedOut,
    /// Forfeit: the clock ran out too often.
    TimedOut,
    /// Forfeit: the seat resigned.
    Resigned,
    /// Forfeit: disconnected for longer than the grace.
    Disconnected,
    /// Forfeit: the agent was suspended, and default actions were played for it.
    SetAside,
}

impl SeatFinish {
    /// True for every reason but `PlayedOut`. A forfeited seat scores the lowest points of its table.
    #[must_use]
    pub const fn is_forfeit(self) -> bool {
        !matches!(self, SeatFinish::PlayedOut)
    }
}

/// Result of one seat of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatScore {
    /// The entrant in the seat.
    pub entrant: Entrant,
    /// Points by the rules of the game.
    pub points: i32,
    /// Place, from 1 for the best. Ties share a place and the next places are skipped (1, 1, 3).
    pub place: u8,
    /// Reason for which the game ended for the seat.
    pub finish: SeatFinish,
}

/// Result of a finished table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableScore {
    /// Rotation of the deal, from 0: which table of its group this is.
    pub rotation: u8,
    /// Results in seat order.
    pub seats: Vec<SeatScore>,
}

impl TableScore {
    /// Scored points in seat order: those of the game, but a forfeited seat gets the lowest points of the
    /// table.
    pub fn points(&self) -> impl Iterator<Item = (Entrant, i32)> + '_ {
        let lowest = self.seats.iter().map(|seat| seat.points).min().unwrap_or_default();
        let counted = move |seat: &SeatScore| if seat.finish.is_forfeit() { lowest } else { seat.points };
        self.seats.iter().map(move |seat| (seat.entrant, counted(seat)))
    }

    /// Scores in seat order: the seat's points less the mean of the others'.
    pub fn scores(&self) -> impl Iterator<Item = (Entrant, f64)> + '_ {
        let sum: i64 = self.points().map(|(_, points)| i64::from(points)).sum();
        let others = self.seats.len().saturating_sub(1).max(1) as f64;
        self.points().map(move |(entrant, points)| {
            let points = i64::from(points);
            (entrant, points as f64 - (sum - points) as f64 / others)
        })
    }
}

/// A complete deal group: one deal with the results of all its tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Number of the deal. Groups enter the statistics in this order.
    pub number: u32,
    /// Round, from 0; always 0 in formats without rounds.
    pub round: u32,
    /// Tables by rotation; a single one with independent deals.
    pub tables: Vec<TableScore>,
}

/// Score of an entrant in a group: the unit of all statistics.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GroupScore {
    /// The entrant.
    pub entrant: Entrant,
    /// Points less the mean of the others', averaged over the tables of the group.
    pub score: f64,
}

impl Group {
    /// Scores of all entrants of the group, in seat order of its first table.
    #[must_use]
    pub fn scores(&self) -> Vec<GroupScore> {
        let entrants = self.tables.first().map(|table| table.seats.as_slice()).unwrap_or_default();
        let mut scores: Vec<GroupScore> =
            entrants.iter().map(|seat| GroupScore { entrant: seat.entrant, score: 0.0 }).collect();
        for (entrant, score) in self.tables.iter().flat_map(TableScore::scores) {
            if let Some(sum) = scores.iter_mut().find(|sum| sum.entrant == entrant) {
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

    fn table(rotation: u8, seats: &[(u16, i32, SeatFinish)]) -> TableScore {
        let seat =
            |&(entrant, points, finish)| SeatScore { entrant: Entrant(entrant), points, place: 1, finish };
        TableScore { rotation, seats: seats.iter().map(seat).collect() }
    }

    #[test]
    fn group_score_is_the_lead_over_the_mean_of_the_others_averaged_over_rotations() {
        use SeatFinish::PlayedOut;
        let first = table(0, &[(4, 10, PlayedOut), (7, 4, PlayedOut), (2, 1, PlayedOut)]);
        let second = table(1, &[(2, 6, PlayedOut), (4, 3, PlayedOut), (7, 3, PlayedOut)]);
        let group = Group { number: 0, round: 0, tables: vec![first, second] };
        let scores: Vec<_> = group.scores().iter().map(|s| (s.entrant.0, s.score)).collect();
        assert_eq!(scores, [(4, 3.0), (7, -1.5), (2, -1.5)]);
    }

    #[test]
    fn forfeited_seat_scores_the_lowest_points_of_its_table() {
        let table = table(
            0,
            &[(0, 9, SeatFinish::TimedOut), (1, 2, SeatFinish::PlayedOut), (2, 5, SeatFinish::PlayedOut)],
        );
        let points: Vec<_> = table.points().map(|(entrant, points)| (entrant.0, points)).collect();
        assert_eq!(points, [(0, 2), (1, 2), (2, 5)]);
    }
}
