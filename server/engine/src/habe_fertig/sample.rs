//! Sampling game states consistent with a view of Habe fertig, and validating views.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::{CARDS_DEALT, Card, HabeFertig, Origin, Phase, View, card};
use crate::error::ensure;
use crate::{CardSet, Chance, Game, ImpossibleView, MAX_SEATS, Outcome, Seat, shuffle};

/// Upper bound of the stars lost in a round: the stars on all cards.
const MAX_LOST_STARS: i32 = 120;

/// Maximum number of stars on two cards.
const MAX_HIDDEN_STARS: i32 = 8;

impl View {
    /// Distributes the cards of each origin uniformly over the places that the viewer does not see. Play
    /// reveals nothing about the cards still held, because passing is always allowed.
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

    fn has_hidden(&self, seat: Seat) -> bool {
        match self.phase {
            Phase::Hiding { waiting } => !waiting.contains(seat),
            Phase::Laying { .. } | Phase::Moving => true,
        }
    }

    /// The number of turns a seat has finished in this round.
    pub(super) fn turns_of(&self, seat: Seat) -> u32 {
        let players = u32::from(self.players);
        let before = (seat.index() as u32 + 2 * players - 1 - self.dealer.index() as u32) % players;
        (u32::from(self.turns) + players - 1 - before) / players
    }

    /// Validates the view. Totals are only checked for their range.
    fn check(&self) -> Result<(), ImpossibleView> {
        HabeFertig::INFO.check_view(self.players, self.viewer)?;
        self.check_turn()?;
        self.check_phase()?;
        self.check_cards()?;
        for origin in &self.origins {
            self.check_origin(origin)?;
        }
        self.check_sizes()?;
        self.check_end()
    }

    /// Validates the dealer, which follows from the round, and the turn, which follows from the number of
    /// turns.
    fn check_turn(&self) -> Result<(), ImpossibleView> {
        ensure(self.round < HabeFertig::rounds(self.players), "there are more rounds than a game can have")?;
        let first = Seat::FIRST.right(self.players);
        let dealer = first.left_by(self.round as u8, self.players);
        ensure(self.dealer == dealer, "the dealer does not follow from the round")?;
        let limit = HabeFertig::turn_limit(self.players);
        ensure(self.turns <= limit, "there are more turns than a round can have")?;
        let steps = (self.turns % u16::from(self.players)) as u8 + 1;
        ensure(
            self.turn == dealer.left_by(steps, self.players),
            "the turn does not follow from the number of turns",
        )?;
        ensure(u16::from(self.dry_passes) <= self.turns, "there are more passes than turns")?;
        ensure(self.rebuilds <= 2 * (self.turns + 1), "there are more rebuilds than the turns allow")
    }

    fn check_phase(&self) -> Result<(), ImpossibleView> {
        match self.phase {
            Phase::Hiding { waiting } => {
                ensure(
                    !waiting.is_empty() && waiting.fits(self.players),
                    "no seat, or one that is not at the table, is to hide cards",
                )?;
                ensure(self.tops.is_none(), "the piles are open before everyone has hidden cards")?;
                ensure(
                    self.turns == 0 && self.rebuilds == 0 && self.buried.is_empty(),
                    "turns were played before everyone has hidden cards",
                )
            }
            Phase::Laying { .. } => {
                ensure(
                    self.tops.is_some_and(|tops| !card::is_gap(tops)),
                    "a card was turned over in spite of a gap",
                )?;
                ensure(self.dry_passes == 0, "a card was turned over although there was none")
            }
            Phase::Moving => {
                ensure(self.tops.is_some(), "a turn has begun before the piles are open")?;
                let is_dry = self.draw == 0 && self.buried.is_empty();
                ensure(self.dry_passes == 0 || is_dry, "a pass took no card although there were cards")?;
                let is_won = self.shown.is_some_and(|shown| shown.winner.is_some());
                ensure(self.draw > 0 || is_dry || is_won, "an empty draw pile was not rebuilt")
            }
        }
    }

    /// Validates that every card is in exactly one place.
    fn check_cards(&self) -> Result<(), ImpossibleView> {
        let turned = match self.phase {
            Phase::Laying { turned } => Some(turned),
            Phase::Hiding { .. } | Phase::Moving => None,
        };
        let single = self.tops.into_iter().flatten().chain(turned).map(CardSet::only);
        let places = self.origins.iter().map(|origin| origin.cards).chain(single);
        let mut seen = self.buried;
        for cards in places {
            ensure((seen & cards).is_empty(), "a card is in two places")?;
            seen = seen | cards;
        }
        ensure(seen == card::DECK, "the cards do not add up to the deck")?;
        let mut known = CardSet::EMPTY;
        for seat in Seat::all(self.players) {
            for cards in [self.hand_of(seat), self.hidden_of(seat)].into_iter().flatten() {
                ensure((known & cards).is_empty(), "a card is in two hands, or both held and hidden")?;
                known = known | cards;
            }
        }
        ensure(
            self.viewer.seat().is_some() || (self.hand | self.hidden).is_empty(),
            "a spectator has cards",
        )?;
        ensure(self.origins.is_sorted_by(|a, b| a.rebuild < b.rebuild), "the origins are out of order")
    }

    /// Validates that the counts of an origin add up and match the cards the viewer sees.
    fn check_origin(&self, origin: &Origin) -> Result<(), ImpossibleView> {
        ensure(!origin.cards.is_empty(), "an origin has no cards")?;
        ensure(origin.rebuild <= self.rebuilds, "an origin is a later rebuild")?;
        ensure(origin.hidden == 0 || origin.rebuild == 0, "hidden cards were not dealt")?;
        ensure(
            origin.draw == 0 || origin.rebuild == self.rebuilds,
            "the draw pile has cards of an earlier rebuild",
        )?;
        let places = origin.in_hands.iter().chain([&origin.hidden, &origin.draw]);
        let count: u32 = places.map(|count| u32::from(*count)).sum();
        ensure(count == u32::from(origin.cards.len()), "the counts of an origin do not add up")?;
        for seat in Seat::all(self.players) {
            let held = self.hand_of(seat).map(|hand| (hand & origin.cards).len());
            ensure(
                held.is_none_or(|held| held == origin.in_hands[seat.index()]),
                "a hand contradicts the origins",
            )?;
            let hidden = self.hidden_of(seat).unwrap_or_default();
            ensure(origin.rebuild == 0 || (hidden & origin.cards).is_empty(), "hidden cards were not dealt")?;
        }
        Ok(())
    }

    /// Validates the sizes of hands, hidden cards and draw pile against the origins.
    fn check_sizes(&self) -> Result<(), ImpossibleView> {
        let sum = |count: &dyn Fn(&Origin) -> u8| -> u32 {
            self.origins.iter().map(|origin| u32::from(count(origin))).sum()
        };
        let is_hiding = matches!(self.phase, Phase::Hiding { .. });
        let held = self.origins.iter().fold(CardSet::EMPTY, |cards, origin| cards | origin.cards);
        let mut all_hidden = 0;
        for seat in Seat::all(MAX_SEATS as u8) {
            let size = self.hand_sizes[seat.index()];
            ensure(
                sum(&|origin| origin.in_hands[seat.index()]) == u32::from(size),
                "a hand does not match its size",
            )?;
            if !seat.is_at_table(self.players) {
                ensure(
                    size == 0 && self.totals[seat.index()] == 0,
                    "a seat that is not at the table has points or cards",
                )?;
                continue;
            }
            let hidden = if self.has_hidden(seat) { 2 } else { 0 };
            all_hidden += u32::from(hidden);
            ensure(
                !is_hiding || size == CARDS_DEALT - hidden,
                "a hand does not have the dealt size while cards are hidden",
            )?;
            ensure(
                u32::from(size) <= u32::from(CARDS_DEALT - 2) + self.turns_of(seat) || is_hiding,
                "a hand has grown by more than one card per turn",
            )?;
            let hand = self.hand_of(seat);
            // The origins count this many of its cards, so a hand of this size has no other cards.
            ensure(hand.is_none_or(|hand| hand.len() == size), "a hand does not match its size")?;
            let cards = self.hidden_of(seat);
            ensure(
                cards.is_none_or(|cards| cards.len() == hidden && held.contains_all(cards)),
                "a player has not hidden two cards",
            )?;
        }
        ensure(sum(&|origin| origin.hidden) == all_hidden, "the number of hidden cards is wrong")?;
        ensure(sum(&|origin| origin.draw) == u32::from(self.draw), "the draw pile does not match its size")
    }

    /// Validates that the game is over exactly if the rules say so.
    fn check_end(&self) -> Result<(), ImpossibleView> {
        let over = self.outcome.is_some();
        let scored = i32::from(self.round) + i32::from(over);
        let range = -MAX_LOST_STARS * scored..=MAX_HIDDEN_STARS * scored;
        ensure(self.totals.iter().all(|total| range.contains(total)), "a total is out of reach")?;
        let mut finished = Seat::all(self.players).filter(|seat| self.hand_sizes[seat.index()] == 0);
        let (winner, second) = (finished.next(), finished.next());
        ensure(second.is_none(), "two players have no cards")?;
        let limit = HabeFertig::turn_limit(self.players);
        let at_bound = self.turns == limit || self.dry_passes == self.players;
        ensure(self.dry_passes <= self.players, "there are more passes than end the round")?;
        ensure(over == (winner.is_some() || at_bound), "the game must end with the round, and only then")?;
        ensure(self.shown.is_some() == over, "cards must be revealed at the end, and only then")?;
        let result = self.outcome.map(|_| Outcome::from_points(self.players, self.totals));
        ensure(self.outcome == result, "the outcome does not follow from the points")?;
        let Some(shown) = self.shown else { return Ok(()) };
        ensure(
            self.phase == Phase::Moving && self.round + 1 == HabeFertig::rounds(self.players),
            "the game ended before its last round",
        )?;
        ensure(
            shown.winner == winner && winner.is_none_or(|seat| seat == self.turn && !at_bound),
            "the winner has not won the round",
        )?;
        ensure(winner.is_none() || !self.buried.is_empty(), "the last card covers no card")?;
        let hands = Seat::all(MAX_SEATS as u8).map(|seat| shown.hands[seat.index()]);
        let seen = Seat::all(MAX_SEATS as u8).map(|seat| {
            let hand = self.hand_of(seat).filter(|_| seat.is_at_table(self.players));
            hand.unwrap_or_default()
        });
        ensure(hands.eq(seen), "a revealed hand is not the hand")?;
        let hidden = winner.and_then(|seat| self.hidden_of(seat)).unwrap_or_default();
        ensure(shown.hidden == hidden, "the revealed hidden cards were not hidden")
    }
}
