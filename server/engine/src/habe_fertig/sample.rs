//! Worlds that agree with a view of Habe fertig, and views that no world agrees with.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::{Card, DEALT, HabeFertig, Origin, Phase, View, card};
use crate::error::possible;
use crate::{CardSet, Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, shuffle};

/// More stars than there are on all cards together cannot be lost in a round.
const ALL_STARS: i32 = 120;

/// More stars than these cannot be on two cards.
const MOST_STARS_HIDDEN: i32 = 8;

impl View {
    /// The cards of each origin are spread evenly over the places where the viewer does not see them: what the others
    /// played or did not play says nothing about what they still hold, because passing is always allowed.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Result<HabeFertig, ImpossibleView> {
        self.check()?;
        let mut hands = [CardSet::EMPTY; MAX_SEATS];
        let mut hidden = [CardSet::EMPTY; MAX_SEATS];
        for seat in Seat::all(self.players) {
            hands[seat.index()] = self.hand_of(seat).unwrap_or_default();
            hidden[seat.index()] = self.hidden_of(seat).unwrap_or_default();
        }
        let mut draw = ArrayVec::new();
        let mut origin_of = [0; Card::COUNT];
        for origin in &self.origins {
            for card in origin.cards {
                origin_of[card.index()] = origin.rebuild;
            }
            let mut unseen: ArrayVec<Card, { Card::COUNT }> =
                (origin.cards & self.unseen()).into_iter().collect();
            shuffle(&mut unseen, rng);
            let mut take = |count: u8| -> CardSet<Card> {
                let left = unseen.len().saturating_sub(count.into());
                unseen.drain(left..).collect()
            };
            for seat in Seat::all(self.players) {
                if self.hand_of(seat).is_none() {
                    hands[seat.index()] = hands[seat.index()] | take(origin.in_hands[seat.index()]);
                }
                if origin.rebuild == 0 && self.hidden_of(seat).is_none() && self.has_hidden(seat) {
                    hidden[seat.index()] = take(2);
                }
            }
            draw.extend(unseen);
        }
        Ok(HabeFertig {
            options: self.options,
            players: self.players,
            chance: Chance::fresh(rng),
            round: self.round,
            dealer: self.dealer,
            phase: self.phase,
            turn: self.turn,
            turns: self.turns,
            dry_passes: self.dry_passes,
            hands,
            hidden,
            tops: self.tops,
            buried: self.buried,
            draw,
            rebuilds: self.rebuilds,
            origin: origin_of,
            totals: self.totals,
            outcome: self.outcome,
        })
    }

    fn at_table(&self, seat: Seat) -> bool {
        seat.index() < usize::from(self.players)
    }

    fn has_hidden(&self, seat: Seat) -> bool {
        match self.phase {
            Phase::Hiding { waiting } => !waiting.contains(seat),
            Phase::Laying { .. } | Phase::Moving => true,
        }
    }

    /// How many turns a seat has ended in this round.
    pub(super) fn turns_of(&self, seat: Seat) -> u32 {
        let players = u32::from(self.players);
        let before = (seat.index() as u32 + 2 * players - 1 - self.dealer.index() as u32) % players;
        (u32::from(self.turns) + players - 1 - before) / players
    }

    /// Whether a game can look like this. Totals are only checked for their range.
    fn check(&self) -> Result<(), ImpossibleView> {
        possible(
            HabeFertig::INFO.check(HabeFertig::INFO.rules_version, self.players).is_ok(),
            "the number of players",
        )?;
        possible(
            self.viewer.seat().is_none_or(|seat| self.at_table(seat)),
            "a viewer who is not at the table",
        )?;
        self.check_turn()?;
        self.check_phase()?;
        self.check_cards()?;
        for origin in &self.origins {
            self.check_origin(origin)?;
        }
        self.check_sizes()?;
        self.check_end()
    }

    /// The dealer follows from the round, and whose turn it is from the turns before.
    fn check_turn(&self) -> Result<(), ImpossibleView> {
        possible(self.round < HabeFertig::rounds(self.players), "more rounds than a game has")?;
        let first = Seat::FIRST.right(self.players);
        let dealer = first.left_by(self.round as u8, self.players);
        possible(self.dealer == dealer, "a dealer who does not deal this round")?;
        let limit = HabeFertig::turn_limit(self.players);
        possible(self.turns <= limit, "more turns than a round has")?;
        let steps = (self.turns % u16::from(self.players)) as u8 + 1;
        possible(self.turn == dealer.left_by(steps, self.players), "a turn out of order")?;
        possible(u16::from(self.dry_passes) <= self.turns, "more passes than turns")?;
        possible(self.rebuilds <= 2 * (self.turns + 1), "more rebuilt draw piles than turns can use up")
    }

    fn check_phase(&self) -> Result<(), ImpossibleView> {
        match self.phase {
            Phase::Hiding { waiting } => {
                possible(
                    !waiting.is_empty() && waiting.fits(self.players),
                    "hiding without anyone who hides",
                )?;
                possible(self.tops.is_none(), "piles before everyone has hidden")?;
                possible(
                    self.turns == 0 && self.rebuilds == 0 && self.buried.is_empty(),
                    "turns before everyone has hidden",
                )
            }
            Phase::Laying { .. } => {
                possible(
                    self.tops.is_some_and(|tops| !card::is_gap(tops)),
                    "a card turned over in spite of a gap",
                )?;
                possible(self.dry_passes == 0, "a card where there was none")
            }
            Phase::Moving => {
                possible(self.tops.is_some(), "a turn without piles")?;
                let is_dry = self.draw == 0 && self.buried.is_empty();
                possible(self.dry_passes == 0 || is_dry, "a pass without a card where there were some")?;
                let is_won = self.shown.is_some_and(|shown| shown.winner.is_some());
                possible(self.draw > 0 || is_dry || is_won, "an empty draw pile that was not rebuilt")
            }
        }
    }

    /// Every card is in one place.
    fn check_cards(&self) -> Result<(), ImpossibleView> {
        let turned = match self.phase {
            Phase::Laying { turned } => Some(turned),
            Phase::Hiding { .. } | Phase::Moving => None,
        };
        let single = self.tops.into_iter().flatten().chain(turned).map(CardSet::only);
        let places = self.origins.iter().map(|origin| origin.cards).chain(single);
        let mut seen = self.buried;
        for cards in places {
            possible((seen & cards).is_empty(), "a card in two places")?;
            seen = seen | cards;
        }
        possible(seen == card::DECK, "cards that are nowhere")?;
        let mut known = CardSet::EMPTY;
        for seat in Seat::all(self.players) {
            for cards in [self.hand_of(seat), self.hidden_of(seat)].into_iter().flatten() {
                possible((known & cards).is_empty(), "a card that two hold, or that is held and hidden")?;
                known = known | cards;
            }
        }
        possible(
            self.viewer.seat().is_some() || (self.hand | self.hidden).is_empty(),
            "a spectator with cards",
        )?;
        possible(self.origins.is_sorted_by(|a, b| a.rebuild < b.rebuild), "origins out of order")
    }

    /// The counts of an origin add up, and agree with what the viewer sees.
    fn check_origin(&self, origin: &Origin) -> Result<(), ImpossibleView> {
        possible(!origin.cards.is_empty(), "an origin without cards")?;
        possible(origin.rebuild <= self.rebuilds, "cards from a draw pile that is still to come")?;
        possible(origin.hidden == 0 || origin.rebuild == 0, "hidden cards that were not dealt")?;
        possible(origin.draw == 0 || origin.rebuild == self.rebuilds, "a draw pile of old cards")?;
        let places = origin.in_hands.iter().chain([&origin.hidden, &origin.draw]);
        let count: u32 = places.map(|count| u32::from(*count)).sum();
        possible(count == u32::from(origin.cards.len()), "an origin whose cards do not add up")?;
        for seat in Seat::all(self.players) {
            let held = self.hand_of(seat).map(|hand| (hand & origin.cards).len());
            possible(
                held.is_none_or(|held| held == origin.in_hands[seat.index()]),
                "a hand that does not agree with its origins",
            )?;
            let hidden = self.hidden_of(seat).unwrap_or_default();
            possible(
                origin.rebuild == 0 || (hidden & origin.cards).is_empty(),
                "hidden cards that were not dealt",
            )?;
        }
        Ok(())
    }

    /// What the origins count is as much as there is.
    fn check_sizes(&self) -> Result<(), ImpossibleView> {
        let sum = |count: &dyn Fn(&Origin) -> u8| -> u32 {
            self.origins.iter().map(|origin| u32::from(count(origin))).sum()
        };
        let is_hiding = matches!(self.phase, Phase::Hiding { .. });
        let held = self.origins.iter().fold(CardSet::EMPTY, |cards, origin| cards | origin.cards);
        let mut all_hidden = 0;
        for seat in Seat::all(MAX_SEATS as u8) {
            let size = self.hand_sizes[seat.index()];
            possible(
                sum(&|origin| origin.in_hands[seat.index()]) == u32::from(size),
                "a hand that is not as large as its size says",
            )?;
            if !self.at_table(seat) {
                possible(size == 0 && self.totals[seat.index()] == 0, "points or cards of nobody")?;
                continue;
            }
            let hidden = if self.has_hidden(seat) { 2 } else { 0 };
            all_hidden += u32::from(hidden);
            possible(!is_hiding || size == DEALT - hidden, "a hand that is not as it was dealt")?;
            possible(
                u32::from(size) <= u32::from(DEALT - 2) + self.turns_of(seat) || is_hiding,
                "a hand that grew by more than a card a turn",
            )?;
            let hand = self.hand_of(seat);
            // The origins count as many of its cards, so a hand of this size has no card that is elsewhere.
            possible(
                hand.is_none_or(|hand| hand.len() == size),
                "a hand that is not as large as its size says",
            )?;
            let cards = self.hidden_of(seat);
            possible(
                cards.is_none_or(|cards| cards.len() == hidden && held.contains_all(cards)),
                "not two hidden cards",
            )?;
        }
        possible(
            sum(&|origin| origin.hidden) == all_hidden,
            "more or fewer hidden cards than everyone's two",
        )?;
        possible(
            sum(&|origin| origin.draw) == u32::from(self.draw),
            "a draw pile that is not as large as its size says",
        )
    }

    /// The game is over exactly when it must be.
    fn check_end(&self) -> Result<(), ImpossibleView> {
        let over = self.outcome.is_some();
        let scored = i32::from(self.round) + i32::from(over);
        let range = -ALL_STARS * scored..=MOST_STARS_HIDDEN * scored;
        possible(self.totals.iter().all(|total| range.contains(total)), "a total that cannot be reached")?;
        let mut finished = Seat::all(self.players).filter(|seat| self.hand_sizes[seat.index()] == 0);
        let (winner, second) = (finished.next(), finished.next());
        possible(second.is_none(), "two players without cards")?;
        let limit = HabeFertig::turn_limit(self.players);
        let at_bound = self.turns == limit || self.dry_passes == self.players;
        possible(self.dry_passes <= self.players, "more passes than end the round")?;
        possible(over == (winner.is_some() || at_bound), "a round that should be over, or should not")?;
        possible(self.shown.is_some() == over, "cards shown before the end, or not shown")?;
        let result = self.outcome.map(|_| Outcome::by_points(self.players, self.totals));
        possible(self.outcome == result, "a result that the points do not give")?;
        let Some(shown) = self.shown else { return Ok(()) };
        possible(
            self.phase == Phase::Moving && self.round + 1 == HabeFertig::rounds(self.players),
            "an end in the middle of the game",
        )?;
        possible(
            shown.winner == winner && winner.is_none_or(|seat| seat == self.turn && !at_bound),
            "a winner who did not win",
        )?;
        possible(winner.is_none() || !self.buried.is_empty(), "a last card that was laid on nothing")?;
        let hands = Seat::all(MAX_SEATS as u8).map(|seat| shown.hands[seat.index()]);
        let seen = Seat::all(MAX_SEATS as u8).map(|seat| {
            let hand = self.hand_of(seat).filter(|_| self.at_table(seat));
            hand.unwrap_or_default()
        });
        possible(hands.eq(seen), "a hand shown that is not the hand")?;
        let hidden = winner.and_then(|seat| self.hidden_of(seat)).unwrap_or_default();
        possible(shown.hidden == hidden, "hidden cards shown that were not hidden")
    }
}
