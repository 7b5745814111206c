//! Ranking of a finished game: seats that forfeited are behind all others, and of these the one that forfeited later is
//! ahead.

use crate::wire::SeatFinish;

/// The forfeit of a seat. It is for good, also if a house bot takes over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Forfeit {
    pub(super) finish: SeatFinish,
    /// Position among the forfeits of the table. Those before the start have 0 and share a place.
    pub(super) order: u32,
    /// A house bot has taken over the seat since.
    pub(super) is_replaced: bool,
}

/// A seat at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RankedSeat {
    /// Place by the rules of the game.
    pub(super) place: u32,
    pub(super) forfeit: Option<Forfeit>,
}

/// Place of a seat at its table, and how the game ended for it.
pub(super) type SeatRank = (u32, SeatFinish);

/// Ranks the seats. `recorded` is the ranking of the record: in the first version of the server, seats that forfeited
/// shared the last place, and a house bot that took over could win. Such a ranking is accepted as it is.
pub(super) fn rank(seats: &[RankedSeat], recorded: &[SeatRank]) -> Vec<SeatRank> {
    let first_version = rank_in_first_version(seats);
    if first_version == recorded { first_version } else { rank_by_forfeit(seats) }
}

fn rank_by_forfeit(seats: &[RankedSeat]) -> Vec<SeatRank> {
    let is_ahead = |other: &RankedSeat, own: &RankedSeat| match (other.forfeit, own.forfeit) {
        (None, None) => other.place < own.place,
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (Some(other), Some(own)) => other.order > own.order,
    };
    let place = |own: &RankedSeat| 1 + seats.iter().filter(|other| is_ahead(other, own)).count() as u32;
    seats.iter().map(|seat| (place(seat), finish(seat.forfeit))).collect()
}

fn rank_in_first_version(seats: &[RankedSeat]) -> Vec<SeatRank> {
    let forfeit = |seat: &RankedSeat| seat.forfeit.filter(|forfeit| !forfeit.is_replaced);
    let is_ahead = |other: &RankedSeat, own: &RankedSeat| {
        forfeit(other).is_none() && (forfeit(own).is_some() || other.place < own.place)
    };
    let place = |own: &RankedSeat| 1 + seats.iter().filter(|other| is_ahead(other, own)).count() as u32;
    seats.iter().map(|seat| (place(seat), finish(forfeit(seat)))).collect()
}

fn finish(forfeit: Option<Forfeit>) -> SeatFinish {
    forfeit.map_or(SeatFinish::PlayedOut, |forfeit| forfeit.finish)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forfeited(order: u32, is_replaced: bool) -> Option<Forfeit> {
        Some(Forfeit { finish: SeatFinish::Resigned, order, is_replaced })
    }

    /// The places of seats that the game ranks in this order, with these forfeits.
    fn places(forfeits: &[Option<Forfeit>], recorded: &[u32]) -> Vec<u32> {
        let seats: Vec<RankedSeat> =
            (1..).zip(forfeits).map(|(place, forfeit)| RankedSeat { place, forfeit: *forfeit }).collect();
        let finish_in_first_version =
            |forfeit: &Option<Forfeit>| finish(forfeit.filter(|forfeit| !forfeit.is_replaced));
        let recorded: Vec<SeatRank> =
            recorded.iter().copied().zip(forfeits.iter().map(finish_in_first_version)).collect();
        rank(&seats, &recorded).into_iter().map(|(place, _)| place).collect()
    }

    #[test]
    fn later_forfeits_rank_higher_and_forfeits_before_the_start_share_a_place() {
        let forfeits =
            [forfeited(0, false), forfeited(7, false), None, forfeited(0, false), forfeited(9, false)];
        assert_eq!(places(&forfeits, &[]), [4, 3, 1, 4, 2]);
    }

    #[test]
    fn replaced_seat_stays_behind_the_others() {
        assert_eq!(places(&[forfeited(3, true), None], &[]), [2, 1]);
    }

    #[test]
    fn ranking_of_the_first_version_is_accepted() {
        let forfeits = [forfeited(3, true), forfeited(4, false), forfeited(5, false), None];
        assert_eq!(places(&forfeits, &[1, 3, 3, 2]), [1, 3, 3, 2]);
        assert_eq!(places(&forfeits, &[1, 3, 4, 2]), [4, 3, 2, 1], "another ranking is corrected");
    }
}
