//! The view of a game of Habe fertig.

use super::{CARDS_DEALT, Card, Event, HabeFertig, Options, Origin, Phase, Pile, RevealedCards, card};
use crate::{CardSet, MAX_SEATS, Outcome, Seat, Seats, Viewer};

/// Everything one viewer knows. Arrays have one slot per seat; slots of seats that are not at the table are
/// empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The number of players.
    pub players: u8,
    /// The options of the table.
    pub options: Options,
    /// The round, starting at 0.
    pub round: u16,
    /// The dealer of the round.
    pub dealer: Seat,
    /// The current decision; once the game is over, the last one.
    pub phase: Phase,
    /// The seat whose turn it is; during hiding, the seat that will have the first turn. It means nothing once
    /// the game is over.
    pub turn: Seat,
    /// The number of finished turns in this round.
    pub turns: u16,
    /// The number of consecutive passes, up to now, without a card to take.
    pub dry_passes: u8,
    /// The viewer's hand; empty for a spectator.
    pub hand: CardSet<Card>,
    /// The two cards hidden by the viewer.
    pub hidden: CardSet<Card>,
    /// The number of cards in each hand.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The tops of the left and right piles; `None` until everyone has hidden cards.
    pub tops: Option<[Card; 2]>,
    /// The cards under the tops.
    pub buried: CardSet<Card>,
    /// The number of cards in the draw pile.
    pub draw: u8,
    /// The number of times the draw pile was rebuilt in this round.
    pub rebuilds: u16,
    /// The origins of the cards that are not face up, oldest first. Origins without cards are omitted.
    pub origins: Vec<Origin>,
    /// The total points before this round.
    pub totals: [i32; MAX_SEATS],
    /// The cards revealed at the end of the last round, once the game is over.
    pub shown: Option<RevealedCards>,
    /// The outcome, once the game is over.
    pub outcome: Option<Outcome>,
}

impl View {
    pub(super) fn of(game: &HabeFertig, viewer: Viewer) -> View {
        let viewer = viewer.at_table(game.players);
        let own = |cards: &[CardSet<Card>; MAX_SEATS]| {
            viewer.seat().map_or(CardSet::EMPTY, |seat| cards[seat.index()])
        };
        View {
            viewer,
            players: game.players,
            options: game.options,
            round: game.round,
            dealer: game.dealer,
            phase: game.phase,
            turn: game.turn,
            turns: game.turns,
            dry_passes: game.dry_passes,
            hand: own(&game.hands),
            hidden: own(&game.hidden),
            hand_sizes: game.hands.map(CardSet::len),
            tops: game.tops,
            buried: game.buried,
            draw: game.draw.len() as u8,
            rebuilds: game.rebuilds,
            origins: Origin::all(game),
            totals: game.totals,
            shown: game.outcome.map(|_| {
                let winner = Seat::all(game.players).find(|seat| game.hands[seat.index()].is_empty());
                game.revealed(winner)
            }),
            outcome: game.outcome,
        }
    }

    /// The hand of a seat, if the viewer can see it.
    #[must_use]
    pub fn hand_of(&self, seat: Seat) -> Option<CardSet<Card>> {
        let shown = self.shown.map(|shown| shown.hands[seat.index()]);
        if self.viewer.is(seat) { Some(self.hand) } else { shown }
    }

    /// The cards hidden by a seat, if the viewer can see them; empty before the seat has hidden any.
    #[must_use]
    pub fn hidden_of(&self, seat: Seat) -> Option<CardSet<Card>> {
        let shown = self.shown.filter(|shown| shown.winner == Some(seat)).map(|shown| shown.hidden);
        if self.viewer.is(seat) { Some(self.hidden) } else { shown }
    }

    /// All cards that would go into the gap now, and give their player another move.
    #[must_use]
    pub fn into_gap(&self) -> CardSet<Card> {
        self.tops.map_or(CardSet::EMPTY, card::into_gap)
    }

    /// The turned-over card that is to be laid.
    #[must_use]
    pub const fn turned(&self) -> Option<Card> {
        match self.phase {
            Phase::Laying { turned } => Some(turned),
            Phase::Hiding { .. } | Phase::Moving => None,
        }
    }

    /// The cards the viewer sees: face-up cards and their own.
    #[must_use]
    pub fn seen(&self) -> CardSet<Card> {
        let open = self.tops.into_iter().flatten().chain(self.turned()).fold(self.buried, CardSet::with);
        self.shown
            .iter()
            .flat_map(|shown| shown.hands.iter().chain([&shown.hidden]))
            .fold(open | self.hand | self.hidden, |seen, cards| seen | *cards)
    }

    /// The cards the viewer does not see: other hands, cards hidden by others, and the draw pile. The
    /// [`origins`](View::origins) narrow down where they can be.
    #[must_use]
    pub fn unseen(&self) -> CardSet<Card> {
        card::DECK - self.seen()
    }

    pub(super) fn apply_event(&mut self, event: &Event) {
        match *event {
            Event::RoundBegan { round, dealer } => self.begin_round(round, dealer),
            Event::Dealt { hand } => self.hand = hand,
            Event::YouHid { cards } => {
                self.hand = self.hand - cards.cards();
                self.hidden = cards.cards();
                if let Some(seat) = self.viewer.seat() {
                    self.hide(seat);
                }
            }
            Event::Hid { seat } => self.hide(seat),
            Event::PilesOpened { tops } => {
                self.tops = Some(tops);
                self.phase = Phase::Moving;
                for card in tops {
                    self.turn_up(card);
                }
            }
            Event::TurnedOver { card, .. } => {
                self.phase = Phase::Laying { turned: card };
                self.turn_up(card);
            }
            Event::Laid { card, pile, .. } => {
                self.phase = Phase::Moving;
                self.cover(card, pile);
            }
            Event::Played { seat, card, pile, gap } => {
                self.dry_passes = 0;
                self.cover(card, pile);
                self.open(card, |origin| &mut origin.in_hands[seat.index()]);
                if self.viewer.is(seat) {
                    self.hand = self.hand.without(card);
                }
                let size = &mut self.hand_sizes[seat.index()];
                *size = size.saturating_sub(1);
                // The last card ends the round, not just the turn.
                if *size > 0 && !gap {
                    self.end_turn();
                }
            }
            Event::YouPassed { card } => {
                self.hand = self.hand.with(card);
                if let Some(seat) = self.viewer.seat() {
                    self.take(seat);
                }
            }
            Event::Passed { seat } => self.take(seat),
            Event::PassedWithoutCard { .. } => {
                self.dry_passes = self.dry_passes.saturating_add(1);
                self.end_turn();
            }
            Event::Rebuilt { cards } => {
                self.rebuilds = self.rebuilds.saturating_add(1);
                self.buried = self.buried - cards;
                self.draw = cards.len();
                self.origins.push(Origin { cards, draw: cards.len(), ..Origin::empty(self.rebuilds) });
            }
            Event::Shown { shown } => self.shown = Some(shown),
            Event::RoundScored { points, .. } => points.add_to(&mut self.totals),
            Event::Ended { outcome } => self.outcome = Some(outcome),
        }
    }

    fn begin_round(&mut self, round: u16, dealer: Seat) {
        let mut dealt = [0; MAX_SEATS];
        dealt[..self.players.min(MAX_SEATS as u8).into()].fill(CARDS_DEALT);
        let draw = card::DECK.len().saturating_sub(CARDS_DEALT.saturating_mul(self.players));
        self.round = round;
        self.dealer = dealer;
        self.phase = Phase::Hiding { waiting: Seats::all(self.players) };
        self.turn = dealer.left(self.players);
        self.turns = 0;
        self.dry_passes = 0;
        self.hidden = CardSet::EMPTY;
        self.hand_sizes = dealt;
        self.tops = None;
        self.buried = CardSet::EMPTY;
        self.draw = draw;
        self.rebuilds = 0;
        self.origins = vec![Origin { cards: card::DECK, in_hands: dealt, draw, ..Origin::empty(0) }];
        self.shown = None;
    }

    /// Moves two cards of a seat from its hand to the hidden ones.
    fn hide(&mut self, seat: Seat) {
        if let Phase::Hiding { waiting } = &mut self.phase {
            *waiting = waiting.without(seat);
        }
        let size = &mut self.hand_sizes[seat.index()];
        *size = size.saturating_sub(2);
        if let Some(origin) = self.origins.first_mut() {
            let in_hand = &mut origin.in_hands[seat.index()];
            *in_hand = in_hand.saturating_sub(2);
            origin.hidden = origin.hidden.saturating_add(2);
        }
    }

    /// Turns the top card of the draw pile face up.
    fn turn_up(&mut self, card: Card) {
        self.draw = self.draw.saturating_sub(1);
        self.open(card, |origin| &mut origin.draw);
    }

    /// Removes a card that is now face up from the counted place of its origin.
    fn open(&mut self, card: Card, place: impl Fn(&mut Origin) -> &mut u8) {
        for origin in self.origins.iter_mut().filter(|origin| origin.cards.contains(card)) {
            origin.cards = origin.cards.without(card);
            let count = place(origin);
            *count = count.saturating_sub(1);
        }
        self.origins.retain(|origin| !origin.cards.is_empty());
    }

    /// Puts a card on a pile.
    fn cover(&mut self, card: Card, pile: Pile) {
        if let Some(tops) = &mut self.tops {
            let covered = std::mem::replace(&mut tops[pile.index()], card);
            self.buried = self.buried.with(covered);
        }
    }

    /// Moves the top card of the draw pile to the hand of a seat that passed.
    fn take(&mut self, seat: Seat) {
        self.draw = self.draw.saturating_sub(1);
        let size = &mut self.hand_sizes[seat.index()];
        *size = size.saturating_add(1);
        if let Some(origin) = self.origins.iter_mut().find(|origin| origin.draw > 0) {
            origin.draw -= 1;
            let in_hand = &mut origin.in_hands[seat.index()];
            *in_hand = in_hand.saturating_add(1);
        }
        self.end_turn();
    }

    fn end_turn(&mut self) {
        self.turn = self.turn.left(self.players);
        self.turns = self.turns.saturating_add(1);
    }
}
