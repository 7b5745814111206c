//! Sampling game states consistent with a view of GAP, and validating views.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::score::{self, BestRound, Continuation};
use super::{Card, Gap, MAX_ROUNDS, MIDDLE_SIZE, View, card};
use crate::error::ensure;
use crate::{CardSet, Chance, Game, ImpossibleView, MAX_SEATS, Seat, shuffle};

impl View {
    /// Distributes the unseen cards uniformly over the other hands and the stack. Play reveals nothing about
    /// the cards still held, because every card in hand can be played at any time.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Result<Gap, ImpossibleView> {
        self.check()?;
        let mut unseen: ArrayVec<Card, 50> = self.unseen().into_iter().collect();
        shuffle(&mut unseen, rng);
        let mut hands = [CardSet::EMPTY; MAX_SEATS];
        for seat in Seat::all(self.players) {
            hands[seat.index()] = if self.viewer.is(seat) {
                self.hand
            } else {
                let left = unseen.len() - usize::from(self.hand_sizes[seat.index()]);
                unseen.drain(left..).collect()
            };
        }
        Ok(Gap {
            options: self.options,
            players: self.players,
            chance: Chance::fresh(rng),
            round: self.round,
            start: self.start,
            turn: self.turn,
            extra: self.extra,
            hands,
            middle: self.middle,
            stack: unseen,
            collected: self.collected,
            totals: self.totals,
            best: self.best,
            outcome: self.outcome,
        })
    }

    /// Validates the view for consistency, not for reachability by a sequence of actions.
    fn check(&self) -> Result<(), ImpossibleView> {
        Gap::INFO.check_view(self.players, self.viewer)?;
        ensure(self.options.check().is_ok(), "the options are out of range")?;
        ensure(self.turn.is_at_table(self.players), "the turn belongs to a seat that is not at the table")?;
        self.check_rounds()?;
        self.check_sizes()?;
        self.check_cards()?;
        self.check_points()
    }

    /// Validates the start seat, which advances by one seat per round. A finished game has counted its last
    /// round.
    fn check_rounds(&self) -> Result<(), ImpossibleView> {
        let index = match self.outcome {
            None => Some(self.round),
            Some(_) => self.round.checked_sub(1),
        };
        let index = index.filter(|index| *index < MAX_ROUNDS);
        let index = index.ok_or(ImpossibleView("the round is out of range"))?;
        let start = Seat::FIRST.left_by(index as u8, self.players);
        ensure(self.start == start, "the start seat does not follow from the round")
    }

    /// Validates that hand sizes match the position in the turn order.
    fn check_sizes(&self) -> Result<(), ImpossibleView> {
        let sizes = self.hand_sizes;
        let up = sizes[self.turn.index()];
        ensure(
            (up == 0) == self.outcome.is_some(),
            "the seat to act must have cards until the end, and none after it",
        )?;
        ensure(up <= Gap::hand_size(self.players), "a hand is too large")?;
        let mut seat = self.start;
        let mut has_played = true;
        for _ in 0..self.players {
            has_played &= seat != self.turn;
            ensure(
                Some(sizes[seat.index()]) == up.checked_sub(has_played.into()),
                "the hand sizes do not match the turn",
            )?;
            seat = seat.left(self.players);
        }
        let own = self.viewer.seat().map_or(0, |seat| sizes[seat.index()]);
        ensure(self.hand.len() == own, "a hand does not match its size")
    }

    /// Validates that every card is in exactly one place, and that the collected cards can have been taken.
    fn check_cards(&self) -> Result<(), ImpossibleView> {
        let (deck, seen) = (card::deck(self.players), self.seen());
        ensure(deck.contains_all(seen), "cards of an unused colour are in play")?;
        let places = self.collected.iter().chain([&self.hand, &self.middle]);
        let count: u32 = places.map(|cards| u32::from(cards.len())).sum();
        ensure(count == u32::from(seen.len()), "a card is in two places")?;
        let hands: u32 = self.hand_sizes.iter().map(|size| u32::from(*size)).sum();
        let hidden = hands - u32::from(self.hand.len()) + u32::from(self.stack);
        ensure(hidden == u32::from(self.unseen().len()), "the cards do not add up to the deck")?;
        ensure(self.middle.len() >= MIDDLE_SIZE || self.stack == 0, "the middle was not refilled")?;
        for seat in Seat::all(MAX_SEATS as u8) {
            let (size, collected) = (self.hand_sizes[seat.index()], self.collected[seat.index()].len());
            if seat.is_at_table(self.players) {
                // A card takes one to four others.
                let played = Gap::hand_size(self.players) - size;
                ensure(
                    collected != 1 && collected <= 5 * played,
                    "the collected cards cannot have been taken",
                )?;
            } else {
                ensure(size == 0 && collected == 0, "a seat that is not at the table has cards")?;
            }
        }
        Ok(())
    }

    /// Validates that the points are reachable in this many rounds, and that the game is over exactly if they
    /// say so.
    fn check_points(&self) -> Result<(), ImpossibleView> {
        /// Upper bound of the points gained or lost in a round: the number of cards.
        const MAX_ROUND_POINTS: i32 = 50;
        for seat in Seat::all(MAX_SEATS as u8) {
            let total = self.totals[seat.index()];
            let reachable = match self.best[seat.index()] {
                None => 0..=0,
                Some(BestRound { points, round }) => {
                    let rounds = i32::from(self.round);
                    let fits = (-MAX_ROUND_POINTS..=MAX_ROUND_POINTS).contains(&points) && round < self.round;
                    ensure(fits, "a best round is out of range")?;
                    points - MAX_ROUND_POINTS * (rounds - 1)..=points * rounds
                }
            };
            let played = seat.is_at_table(self.players) && self.round > 0;
            ensure(
                self.best[seat.index()].is_some() == played,
                "a best round must exist exactly after the first round",
            )?;
            ensure(reachable.contains(&total), "a total is out of reach")?;
        }
        let next = match (self.outcome, self.extra) {
            (Some(outcome), _) => Continuation::End(outcome),
            (None, true) => Continuation::ExtraRound,
            (None, false) => Continuation::Round,
        };
        let length = self.options.length;
        let after =
            score::after_round(length, self.players, self.round, self.extra, &self.totals, &self.best);
        let begun = if self.round == 0 { Continuation::Round } else { after };
        ensure(next == begun, "the points contradict the end or the extra round")
    }
}
