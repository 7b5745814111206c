//! What one viewer knows of a game of GAP, and worlds that agree with it.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::score::{self, BestRound, Next};
use super::{Card, Event, Gap, MAX_ROUNDS, MIDDLE, Options, card};
use crate::error::possible;
use crate::{CardSet, Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, Viewer, shuffle};

/// All that one viewer knows. Arrays have a slot a seat; those of seats that are not there are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// How many play.
    pub players: u8,
    /// How the table was set up.
    pub options: Options,
    /// The round, the first being 0.
    pub round: u16,
    /// Whether the round is played only because the best were tied.
    pub extra: bool,
    /// Who began the round.
    pub start: Seat,
    /// Whose turn it is.
    pub turn: Seat,
    /// The viewer's own hand; a spectator has none.
    pub hand: CardSet<Card>,
    /// How many cards each hand has.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The cards in the middle.
    pub middle: CardSet<Card>,
    /// How many cards the stack has.
    pub stack: u8,
    /// What each player collected in this round.
    pub collected: [CardSet<Card>; MAX_SEATS],
    /// The points of the rounds before.
    pub totals: [i32; MAX_SEATS],
    /// The best round of each player so far.
    pub best: [Option<BestRound>; MAX_SEATS],
    /// The result, once the game is over.
    pub outcome: Option<Outcome>,
}

impl View {
    pub(super) fn of(game: &Gap, viewer: Viewer) -> View {
        // An empty hand is what a seat beyond the table has, so it sees what a spectator sees.
        let viewer =
            viewer.seat().filter(|s| s.index() < game.players.into()).map_or(Viewer::Spectator, Viewer::Seat);
        View {
            viewer,
            players: game.players,
            options: game.options,
            round: game.round,
            extra: game.extra,
            start: game.start,
            turn: game.turn,
            hand: viewer.seat().map_or(CardSet::EMPTY, |seat| game.hands[seat.index()]),
            hand_sizes: game.hands.map(CardSet::len),
            middle: game.middle,
            stack: game.stack.len() as u8,
            collected: game.collected,
            totals: game.totals,
            best: game.best,
            outcome: game.outcome,
        }
    }

    /// The cards that the viewer has not seen in this round: other hands and the stack.
    #[must_use]
    pub fn unseen(&self) -> CardSet<Card> {
        card::deck(self.players) - self.seen()
    }

    /// What a seat would score if the round ended now.
    #[must_use]
    pub fn round_points(&self, seat: Seat) -> i32 {
        score::of(self.collected[seat.index()])
    }

    fn seen(&self) -> CardSet<Card> {
        self.collected.iter().fold(self.hand | self.middle, |seen, cards| seen | *cards)
    }

    pub(super) fn follow(&mut self, event: &Event) {
        match *event {
            Event::RoundBegan { round, start, extra, middle } => {
                let size = Gap::hand_size(self.players);
                self.round = round;
                self.start = start;
                self.turn = start;
                self.extra = extra;
                self.middle = middle;
                self.hand_sizes = [0; MAX_SEATS];
                for seat in Seat::all(self.players) {
                    self.hand_sizes[seat.index()] = size;
                }
                let dealt = size.saturating_mul(self.players).saturating_add(MIDDLE);
                self.stack = card::deck(self.players).len().saturating_sub(dealt);
                self.collected = [CardSet::EMPTY; MAX_SEATS];
            }
            Event::Dealt { hand } => self.hand = hand,
            Event::Played { seat, card, taken } => {
                if self.viewer.is(seat) {
                    self.hand = self.hand.without(card);
                }
                let size = &mut self.hand_sizes[seat.index()];
                *size = size.saturating_sub(1);
                if taken.is_empty() {
                    self.middle = self.middle.with(card);
                } else {
                    self.middle = self.middle - taken;
                    self.collected[seat.index()] = self.collected[seat.index()] | taken.with(card);
                }
                self.turn = seat.left(self.players);
            }
            Event::Filled { cards } => {
                self.middle = self.middle | cards;
                self.stack = self.stack.saturating_sub(cards.len());
            }
            Event::RoundScored { round, points } => {
                score::count_round(&mut self.totals, &mut self.best, points, round);
                self.round = round.saturating_add(1);
            }
            Event::Ended { outcome } => self.outcome = Some(outcome),
        }
    }

    /// Every way to spread the unseen cards over the other hands and the stack is equally likely: what the others
    /// played so far says nothing about what they still hold, because every card in hand could have been played.
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

    /// Whether a game can look like this, as far as it is plain: not whether there is a way of playing that leads here.
    fn check(&self) -> Result<(), ImpossibleView> {
        let known = Gap::INFO.check(Gap::INFO.rules_version, self.players);
        possible(known.is_ok(), "the number of players")?;
        possible(self.options.check().is_ok(), "the options")?;
        possible(
            self.viewer.seat().is_none_or(|seat| self.at_table(seat)),
            "a viewer who is not at the table",
        )?;
        possible(self.at_table(self.turn), "a turn of nobody")?;
        self.check_rounds()?;
        self.check_sizes()?;
        self.check_cards()?;
        self.check_points()
    }

    fn at_table(&self, seat: Seat) -> bool {
        seat.index() < usize::from(self.players)
    }

    /// The start moves on by one seat each round. A game that is over has counted its last round.
    fn check_rounds(&self) -> Result<(), ImpossibleView> {
        let index = match self.outcome {
            None => Some(self.round),
            Some(_) => self.round.checked_sub(1),
        };
        let index = index.filter(|index| *index < MAX_ROUNDS);
        let index = index.ok_or(ImpossibleView("a round that no game has"))?;
        let start = Seat::FIRST.left_by(index as u8, self.players);
        possible(self.start == start, "a round with another start")
    }

    /// Everyone has played as often as their place in the turn order says.
    fn check_sizes(&self) -> Result<(), ImpossibleView> {
        let sizes = self.hand_sizes;
        let up = sizes[self.turn.index()];
        possible((up == 0) == self.outcome.is_some(), "a turn without cards, or an end with cards")?;
        possible(up <= Gap::hand_size(self.players), "a hand that is too large")?;
        let mut seat = self.start;
        let mut has_played = true;
        for _ in 0..self.players {
            has_played &= seat != self.turn;
            possible(
                Some(sizes[seat.index()]) == up.checked_sub(has_played.into()),
                "hands that do not fit the turn",
            )?;
            seat = seat.left(self.players);
        }
        let own = self.viewer.seat().map_or(0, |seat| sizes[seat.index()]);
        possible(self.hand.len() == own, "a hand that is not as large as its size")
    }

    /// Every card is in one place, and nobody has collected more than they can have.
    fn check_cards(&self) -> Result<(), ImpossibleView> {
        let (deck, seen) = (card::deck(self.players), self.seen());
        possible(deck.contains_all(seen), "cards of a colour that is left out")?;
        let places = self.collected.iter().chain([&self.hand, &self.middle]);
        let count: u32 = places.map(|cards| u32::from(cards.len())).sum();
        possible(count == u32::from(seen.len()), "a card in two places")?;
        let hands: u32 = self.hand_sizes.iter().map(|size| u32::from(*size)).sum();
        let hidden = hands - u32::from(self.hand.len()) + u32::from(self.stack);
        possible(hidden == u32::from(self.unseen().len()), "cards that are nowhere")?;
        possible(self.middle.len() >= MIDDLE || self.stack == 0, "a middle that was not filled")?;
        for seat in Seat::all(MAX_SEATS as u8) {
            let (size, collected) = (self.hand_sizes[seat.index()], self.collected[seat.index()].len());
            if self.at_table(seat) {
                // A card takes one to four.
                let played = Gap::hand_size(self.players) - size;
                possible(collected != 1 && collected <= 5 * played, "cards that cannot have been collected")?;
            } else {
                possible(size == 0 && collected == 0, "cards of nobody")?;
            }
        }
        Ok(())
    }

    /// The points can have come about in so many rounds, and the game goes on or is over as they say.
    fn check_points(&self) -> Result<(), ImpossibleView> {
        /// No round brings more points than there are cards, or costs more.
        const MOST: i32 = 50;
        for seat in Seat::all(MAX_SEATS as u8) {
            let total = self.totals[seat.index()];
            let reachable = match self.best[seat.index()] {
                None => 0..=0,
                Some(BestRound { points, round }) => {
                    let rounds = i32::from(self.round);
                    let fits = (-MOST..=MOST).contains(&points) && round < self.round;
                    possible(fits, "a best round that cannot be")?;
                    points - MOST * (rounds - 1)..=points * rounds
                }
            };
            let played = self.at_table(seat) && self.round > 0;
            possible(self.best[seat.index()].is_some() == played, "a best round without a round, or none")?;
            possible(reachable.contains(&total), "a total that cannot be reached")?;
        }
        let next = match (self.outcome, self.extra) {
            (Some(outcome), _) => Next::End(outcome),
            (None, true) => Next::ExtraRound,
            (None, false) => Next::Round,
        };
        let length = self.options.length;
        let after =
            score::after_round(length, self.players, self.round, self.extra, &self.totals, &self.best);
        let begun = if self.round == 0 { Next::Round } else { after };
        possible(next == begun, "an end, or none, against the points")
    }
}
