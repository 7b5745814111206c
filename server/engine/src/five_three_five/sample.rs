//! Sampling game states consistent with a view of Five Three Five, and validating views.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::combination::MAX_LAID;
use super::field::{cards_of, next_seat};
use super::hand_flow::{SECOND_HALF, is_over};
use super::{CombinationKind, FiveThreeFive, Rank, Ranks, Stack, View, card};
use crate::error::ensure;
use crate::{Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, shuffle};

impl View {
    /// Distributes the unseen cards, each copy counted as distinct, uniformly over the other hands, the cards
    /// kept back and the cards set aside. Play reveals nothing about the cards still held: every play and
    /// every pass is voluntary.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Result<FiveThreeFive, ImpossibleView> {
        self.check()?;
        let mut unseen: ArrayVec<Rank, 65> = self.unseen().iter().collect();
        shuffle(&mut unseen, rng);
        let mut hands = self.left;
        if self.outcome.is_none() {
            for seat in Seat::all(self.players) {
                hands[seat.index()] = if self.viewer.is(seat) {
                    self.hand
                } else {
                    let rest = unseen.len() - usize::from(self.hand_sizes[seat.index()]);
                    unseen.drain(rest..).collect()
                };
            }
        }
        Ok(FiveThreeFive {
            options: self.options,
            players: self.players,
            chance: Chance::fresh(rng),
            hand_number: self.hand_number,
            start: self.start,
            turn: self.turn,
            stack: self.stack,
            passed: self.passed,
            hands,
            gone: self.gone,
            rest: unseen.into_iter().collect(),
            totals: self.totals,
            outcome: self.outcome,
        })
    }

    /// Validates the view.
    fn check(&self) -> Result<(), ImpossibleView> {
        FiveThreeFive::INFO.check_view(self.players, self.viewer)?;
        let [start, turn] = [self.start, self.turn].map(|seat| seat.is_at_table(self.players));
        ensure(start && turn, "the start or the turn is at a seat that is not at the table")?;
        ensure(
            self.set_aside == FiveThreeFive::set_aside(self.players)
                && self.kept_back == FiveThreeFive::kept_back(self.players, self.hand_number),
            "the number of cards kept back or set aside is wrong",
        )?;
        self.check_cards()?;
        self.check_field()?;
        self.check_points()
    }

    /// Validates that every card is in exactly one place, and the sizes of the hands.
    fn check_cards(&self) -> Result<(), ImpossibleView> {
        let over = self.outcome.is_some();
        let own = self.viewer.seat().map_or(0, |seat| self.hand_sizes[seat.index()]);
        ensure(self.hand.len() == own, "a hand does not match its size")?;
        let dealt = FiveThreeFive::hand_size(self.players);
        for seat in Seat::all(MAX_SEATS as u8) {
            let (size, left) = (self.hand_sizes[seat.index()], self.left[seat.index()]);
            let at_table = seat.is_at_table(self.players);
            ensure(at_table || (size == 0 && left.is_empty()), "a seat that is not at the table has cards")?;
            ensure(size <= dealt, "a hand is too large")?;
            let shown = if over { size } else { 0 };
            ensure(left.len() == shown, "cards must be revealed at the end, and only then")?;
            let own_is_shown = !over || !self.viewer.is(seat) || left == self.hand;
            ensure(own_is_shown, "the viewer's hand is not the revealed one")?;
        }
        // If some rank occurs too often, `unseen` saturates at zero for it and the sum is too large.
        let places = Seat::all(self.players)
            .filter(|seat| !self.viewer.is(*seat))
            .map(|seat| self.left[seat.index()])
            .chain([self.hand, self.gone, cards_of(self.stack)]);
        let seen: u32 = places.map(|cards| u32::from(cards.len())).sum();
        let all = u32::from(Ranks::each(card::copies(self.players)).len());
        let unseen = u32::from(self.unseen().len());
        ensure(seen + unseen == all, "there are too many cards of a rank")?;
        let hidden: u32 = if over {
            0
        } else {
            self.hand_sizes.iter().map(|size| u32::from(*size)).sum::<u32>() - u32::from(own)
        };
        ensure(
            hidden + u32::from(self.set_aside) + u32::from(self.kept_back) == unseen,
            "the cards do not add up to the deck",
        )?;
        let before = if self.players == 2 && self.hand_number > 0 { SECOND_HALF } else { 0 };
        ensure(self.gone.len() >= before, "cards of the first half are still in play")
    }

    /// Validates the stack, the passes and the turn against each other.
    fn check_field(&self) -> Result<(), ImpossibleView> {
        ensure(self.passed.fits(self.players), "a seat that is not at the table has passed")?;
        let out_of_cards = |seat: Seat| self.hand_sizes[seat.index()] == 0;
        let Some(Stack { combination, by }) = self.stack else {
            ensure(self.outcome.is_none(), "the game ended without a last card")?;
            ensure(self.passed.is_empty(), "a seat has passed without a stack")?;
            ensure(
                !Seat::all(self.players).any(out_of_cards),
                "a player has no cards, but the hand continues",
            )?;
            let full = FiveThreeFive::hand_size(self.players);
            let untouched = Seat::all(self.players).all(|seat| self.hand_sizes[seat.index()] == full);
            return ensure(
                !untouched || self.turn == self.start,
                "an untouched hand is not led by the start seat",
            );
        };
        ensure(by.is_at_table(self.players), "the stack belongs to a seat that is not at the table")?;
        let dealt = FiveThreeFive::hand_size(self.players);
        let has_laid = |seat: &Seat| self.hand_sizes[seat.index()] < dealt;
        ensure(has_laid(&by), "the owner of the stack has a full hand")?;
        // Nobody lays twice on a stack while nobody else does: the field would be flushed.
        ensure(
            combination.size() <= MAX_LAID || Seat::all(self.players).filter(has_laid).count() > 1,
            "one player cannot have laid the whole stack",
        )?;
        ensure(!self.passed.contains(by), "the owner of the stack has passed")?;
        ensure(self.passed.len() + 2 <= self.players, "too many seats have passed")?;
        let done = |seat: Seat| out_of_cards(seat) == (self.outcome.is_some() && seat == by);
        ensure(Seat::all(self.players).all(done), "only the player who ends the game must have no cards")?;
        ensure(
            self.turn == next_seat(by, self.passed, self.players),
            "the turn does not follow from the last play",
        )?;
        let eights = combination.kind() == CombinationKind::Set && combination.lowest() == Rank::EIGHT;
        ensure(
            self.outcome.is_some() || (!combination.is_full() && !eights),
            "the stack would have been flushed",
        )
    }

    /// Validates that the totals lead to this hand, its leader and, if the game is over, its end.
    fn check_points(&self) -> Result<(), ImpossibleView> {
        let absent = Seat::all(MAX_SEATS as u8).skip(self.players.into());
        ensure(
            absent.map(|seat| self.totals[seat.index()]).all(|total| total == 0),
            "a seat that is not at the table has points",
        )?;
        // A hand costs at most 13 cards of 4 points, and with more than two players no total is beyond the
        // limit before the last hand.
        let in_range = |total: i32| (self.options.limit() - 13 * 4..=0).contains(&total);
        ensure(self.totals.into_iter().all(in_range), "a total is out of reach")?;
        let mut before = self.totals;
        for (total, left) in before.iter_mut().zip(self.left) {
            *total += self.options.penalty(left);
        }
        ensure(before.into_iter().all(|total| total <= 0), "a total is out of reach")?;
        // The winner of a hand loses no points; everyone else loses at least one.
        let hands = i32::from(self.hand_number);
        let at_table = &before[..usize::from(self.players)];
        let fewest_wins: i32 = at_table.iter().map(|total| (hands + total).max(0)).sum();
        let most_wins: i32 = at_table.iter().map(|total| if *total == 0 { hands } else { hands - 1 }).sum();
        ensure((fewest_wins..=most_wins).contains(&hands), "the totals do not match the number of hands")?;
        let lowest = before.into_iter().min().unwrap_or(0);
        if self.hand_number == 0 {
            ensure(self.start == Seat::FIRST, "the first hand is not led by seat 0")?;
        } else {
            ensure(before[self.start.index()] == lowest, "the start seat does not have the lowest total")?;
            ensure(
                !is_over(self.players, self.options, self.hand_number - 1, &before),
                "the game had ended before this hand",
            )?;
        }
        let end = is_over(self.players, self.options, self.hand_number, &self.totals);
        let result = self.outcome.map(|_| Outcome::from_points(self.players, self.totals));
        ensure(self.outcome.is_none() || end, "the points do not end the game")?;
        ensure(self.outcome == result, "the outcome does not follow from the points")
    }
}
