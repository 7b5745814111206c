//! What one viewer knows of a game of Flush, and worlds that agree with it.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::hands::{SECOND_HALF, is_over};
use super::{Event, Flush, Kind, Options, Play, Rank, Ranks, Stack, card, cards_of, next};
use crate::error::possible;
use crate::{Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, Seats, Viewer, shuffle};

/// All that one viewer knows. Arrays have a slot a seat; those of seats that are not there are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// How many play.
    pub players: u8,
    /// How the table was set up.
    pub options: Options,
    /// The number of the hand, the first being 0.
    pub hand_number: u16,
    /// Who led the first field of the hand.
    pub start: Seat,
    /// Whose turn it is. Once the game is over, whose it would have been.
    pub turn: Seat,
    /// The stack of the field; none where a lead is due.
    pub stack: Option<Stack>,
    /// Who has passed on this field.
    pub passed: Seats,
    /// The viewer's own cards; a spectator has none.
    pub hand: Ranks,
    /// How many cards each player has.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The cards of this deal that were seen and are out: laid, or, for two players, shown after the first half.
    pub gone: Ranks,
    /// How many cards nobody will see.
    pub set_aside: u8,
    /// How many cards two players keep for their second half.
    pub kept_back: u8,
    /// The cards that each player was left with, once the game is over.
    pub left: [Ranks; MAX_SEATS],
    /// The points so far.
    pub totals: [i32; MAX_SEATS],
    /// The result, once the game is over.
    pub outcome: Option<Outcome>,
}

impl View {
    pub(super) fn of(game: &Flush, viewer: Viewer) -> View {
        // An empty hand is what a seat beyond the table has, so it sees what a spectator sees.
        let viewer = viewer
            .seat()
            .filter(|seat| seat.index() < game.players.into())
            .map_or(Viewer::Spectator, Viewer::Seat);
        let kept_back = Flush::kept_back(game.players, game.hand_number);
        View {
            viewer,
            players: game.players,
            options: game.options,
            hand_number: game.hand_number,
            start: game.start,
            turn: game.turn,
            stack: game.stack,
            passed: game.passed,
            hand: viewer.seat().map_or(Ranks::EMPTY, |seat| game.hands[seat.index()]),
            hand_sizes: game.hands.map(Ranks::len),
            gone: game.gone,
            set_aside: game.rest.len() as u8 - kept_back,
            kept_back,
            left: game.outcome.map_or([Ranks::EMPTY; MAX_SEATS], |_| game.hands),
            totals: game.totals,
            outcome: game.outcome,
        }
    }

    /// Whether the player whose turn it is leads a field.
    #[must_use]
    pub const fn lead_is_due(&self) -> bool {
        self.stack.is_none() && self.outcome.is_none()
    }

    /// The cards that the viewer has not seen: other hands, what is kept back, and what is set aside.
    #[must_use]
    pub fn unseen(&self) -> Ranks {
        let all = Ranks::each(card::copies(self.players));
        let known = [self.hand, self.gone, cards_of(self.stack)];
        let shown = Seat::all(self.players).filter(|seat| !self.viewer.is(*seat));
        shown.map(|seat| self.left[seat.index()]).chain(known).fold(all, Ranks::minus)
    }

    pub(super) fn follow(&mut self, event: &Event) {
        match *event {
            Event::HandBegan { hand_number, start } => {
                self.gone = if self.players == 2 && hand_number > 0 {
                    let laid = self.gone.plus(cards_of(self.stack));
                    self.left.into_iter().fold(laid, Ranks::plus)
                } else {
                    Ranks::EMPTY
                };
                self.left = [Ranks::EMPTY; MAX_SEATS];
                self.hand_number = hand_number;
                self.start = start;
                self.turn = start;
                self.stack = None;
                self.passed = Seats::NONE;
                self.hand_sizes = [0; MAX_SEATS];
                for seat in Seat::all(self.players) {
                    self.hand_sizes[seat.index()] = Flush::hand_size(self.players);
                }
                self.kept_back = Flush::kept_back(self.players, hand_number);
                self.set_aside = Flush::set_aside(self.players);
            }
            Event::Dealt { hand } => self.hand = hand,
            Event::Laid { seat, play, cards, combination } => {
                if self.viewer.is(seat) {
                    self.hand = self.hand.minus(cards);
                }
                let size = &mut self.hand_sizes[seat.index()];
                *size = size.saturating_sub(cards.len());
                if play == Play::Overwrite {
                    self.gone = self.gone.plus(cards_of(self.stack));
                }
                self.stack = Some(Stack { combination, by: seat });
                self.turn = next(seat, self.passed, self.players);
            }
            Event::Passed { seat } => {
                self.passed = self.passed.with(seat);
                self.turn = next(seat, self.passed, self.players);
            }
            Event::Flushed { by, why: _ } => {
                self.gone = self.gone.plus(cards_of(self.stack));
                self.stack = None;
                self.passed = Seats::NONE;
                self.turn = by;
            }
            Event::HandScored { hand_number: _, left, points } => {
                self.left = left;
                for (seat, points) in points.iter() {
                    let total = &mut self.totals[seat.index()];
                    *total = total.saturating_add(points);
                }
            }
            Event::Ended { outcome } => self.outcome = Some(outcome),
        }
    }

    /// Every way to spread the unseen cards, each copy a card of its own, over the other hands, what is kept back and
    /// what is set aside is equally likely: nobody had to lay what they laid, or to pass for want of cards.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Result<Flush, ImpossibleView> {
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
        Ok(Flush {
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

    /// Whether a game can look like this.
    fn check(&self) -> Result<(), ImpossibleView> {
        possible(
            Flush::INFO.check(Flush::INFO.rules_version, self.players).is_ok(),
            "the number of players",
        )?;
        let at_table = |seat: Seat| seat.index() < usize::from(self.players);
        possible(at_table(self.start) && at_table(self.turn), "a seat that is not at the table")?;
        possible(self.viewer.seat().is_none_or(at_table), "a viewer who is not at the table")?;
        possible(
            self.set_aside == Flush::set_aside(self.players)
                && self.kept_back == Flush::kept_back(self.players, self.hand_number),
            "more or fewer cards laid by than are",
        )?;
        self.check_cards()?;
        self.check_field()?;
        self.check_points()
    }

    /// Every card is in one place, and every hand as large as it is said to be.
    fn check_cards(&self) -> Result<(), ImpossibleView> {
        let over = self.outcome.is_some();
        let own = self.viewer.seat().map_or(0, |seat| self.hand_sizes[seat.index()]);
        possible(self.hand.len() == own, "a hand that is not as large as its size says")?;
        let dealt = Flush::hand_size(self.players);
        for seat in Seat::all(MAX_SEATS as u8) {
            let (size, left) = (self.hand_sizes[seat.index()], self.left[seat.index()]);
            let at_table = seat.index() < usize::from(self.players);
            possible(at_table || (size == 0 && left.is_empty()), "cards of nobody")?;
            possible(size <= dealt, "a hand that is too large")?;
            let shown = if over { size } else { 0 };
            possible(left.len() == shown, "cards shown before the end, or not shown at the end")?;
            let own_is_shown = !over || !self.viewer.is(seat) || left == self.hand;
            possible(own_is_shown, "a hand that is not what was shown")?;
        }
        // Where places have more of a rank than there are, no fewer than none are unseen: the sum is too large.
        let places = Seat::all(self.players)
            .filter(|seat| !self.viewer.is(*seat))
            .map(|seat| self.left[seat.index()])
            .chain([self.hand, self.gone, cards_of(self.stack)]);
        let seen: u32 = places.map(|cards| u32::from(cards.len())).sum();
        let all = u32::from(Ranks::each(card::copies(self.players)).len());
        let unseen = u32::from(self.unseen().len());
        possible(seen + unseen == all, "more cards of a rank than there are")?;
        let hidden: u32 = if over {
            0
        } else {
            self.hand_sizes.iter().map(|size| u32::from(*size)).sum::<u32>() - u32::from(own)
        };
        possible(
            hidden + u32::from(self.set_aside) + u32::from(self.kept_back) == unseen,
            "cards that are nowhere",
        )?;
        let before = if self.players == 2 && self.hand_number > 0 { SECOND_HALF } else { 0 };
        possible(self.gone.len() >= before, "cards of the first half that are not gone")
    }

    /// The stack, who has passed, and the turn agree.
    fn check_field(&self) -> Result<(), ImpossibleView> {
        possible(self.passed.fits(self.players), "a pass of nobody")?;
        let out_of_cards = |seat: Seat| self.hand_sizes[seat.index()] == 0;
        let Some(Stack { combination, by }) = self.stack else {
            possible(self.outcome.is_none(), "an end without a last card")?;
            possible(self.passed.is_empty(), "a pass on nothing")?;
            possible(!Seat::all(self.players).any(out_of_cards), "a hand without cards that goes on")?;
            let full = Flush::hand_size(self.players);
            let untouched = Seat::all(self.players).all(|seat| self.hand_sizes[seat.index()] == full);
            return possible(!untouched || self.turn == self.start, "a hand that somebody else leads");
        };
        possible(by.index() < usize::from(self.players), "cards laid by nobody")?;
        possible(
            self.hand_sizes[by.index()] < Flush::hand_size(self.players),
            "cards laid from a full hand",
        )?;
        possible(!self.passed.contains(by), "cards laid after passing")?;
        possible(self.passed.len() + 2 <= self.players, "a field that everyone passed on")?;
        let done = |seat: Seat| out_of_cards(seat) == (self.outcome.is_some() && seat == by);
        possible(
            Seat::all(self.players).all(done),
            "a hand without cards that goes on, or an end with cards",
        )?;
        possible(self.turn == next(by, self.passed, self.players), "a turn that is not next")?;
        let eights = combination.kind() == Kind::Set && combination.lowest() == Rank::EIGHT;
        possible(
            self.outcome.is_some() || (!combination.is_full() && !eights),
            "a stack that would have been flushed",
        )
    }

    /// The totals are such that the game came to this hand, led by this player, and ended if it did.
    fn check_points(&self) -> Result<(), ImpossibleView> {
        let nobody = Seat::all(MAX_SEATS as u8).skip(self.players.into());
        possible(nobody.map(|seat| self.totals[seat.index()]).all(|total| total == 0), "points of nobody")?;
        // No hand costs more than 13 cards of 4, and a game of more than two has nobody below the limit before.
        let in_range = |total: i32| (self.options.limit() - 13 * 4..=0).contains(&total);
        possible(self.totals.into_iter().all(in_range), "a total that cannot be reached")?;
        let mut before = self.totals;
        for (total, left) in before.iter_mut().zip(self.left) {
            *total += self.options.penalty(left);
        }
        possible(before.into_iter().all(|total| total <= 0), "a total that cannot be reached")?;
        // Whoever does not win a hand loses a point at least, and whoever does loses none.
        let hands = i32::from(self.hand_number);
        let at_table = &before[..usize::from(self.players)];
        let fewest_wins: i32 = at_table.iter().map(|total| (hands + total).max(0)).sum();
        let most_wins: i32 = at_table.iter().map(|total| if *total == 0 { hands } else { hands - 1 }).sum();
        possible((fewest_wins..=most_wins).contains(&hands), "totals that do not fit the number of hands")?;
        let lowest = before.into_iter().min().unwrap_or(0);
        if self.hand_number == 0 {
            possible(self.start == Seat::FIRST, "a first hand that seat 0 does not lead")?;
        } else {
            possible(before[self.start.index()] == lowest, "a hand that the lowest total does not lead")?;
            possible(
                !is_over(self.players, self.options, self.hand_number - 1, &before),
                "a hand after the end",
            )?;
        }
        let end = is_over(self.players, self.options, self.hand_number, &self.totals);
        let result = self.outcome.map(|_| Outcome::by_points(self.players, self.totals));
        possible(self.outcome.is_none() || end, "an end that the points do not give")?;
        possible(self.outcome == result, "a result that the points do not give")
    }
}
