//! What one viewer knows of a game of Habe fertig.

use super::{Card, DEALT, Event, HabeFertig, Options, Phase, Pile, Shown, card};
use crate::{CardSet, MAX_SEATS, Outcome, Points, Seat, Seats, Viewer};

/// All that one viewer knows. Arrays have a slot a seat; those of seats that are not there are empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// How many play.
    pub players: u8,
    /// How the table was set up.
    pub options: Options,
    /// The round, the first being 0.
    pub round: u16,
    /// Who dealt the round.
    pub dealer: Seat,
    /// What the game waits for, or last waited for.
    pub phase: Phase,
    /// Whose turn it is; while cards are hidden, who will have the first turn.
    pub turn: Seat,
    /// How many turns of the round are over.
    pub turns: u16,
    /// How many passes in a row, up to now, found no card to take.
    pub dry_passes: u8,
    /// The viewer's own hand; a spectator has none.
    pub hand: CardSet<Card>,
    /// The two cards that the viewer has hidden.
    pub hidden: CardSet<Card>,
    /// How many cards each hand has.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The top of the left and the right pile; none before everyone has hidden.
    pub tops: Option<[Card; 2]>,
    /// The cards under the tops.
    pub buried: CardSet<Card>,
    /// How many cards the draw pile has.
    pub draw: u8,
    /// How often the draw pile was rebuilt in this round.
    pub rebuilds: u16,
    /// Where the cards that do not lie open came from, oldest first; an origin without cards is left out.
    pub origins: Vec<Origin>,
    /// The points of the rounds before.
    pub totals: [i32; MAX_SEATS],
    /// What was shown at the end of the last round, once the game is over.
    pub shown: Option<Shown>,
    /// The result, once the game is over.
    pub outcome: Option<Outcome>,
}

/// The cards in hands, hidden or in the draw pile that came from one draw pile, the first one or a rebuilt one.
///
/// Everyone sees which cards a draw pile is made of, who takes cards from it, and which of them are laid again. So
/// everyone knows all of this, and for one viewer every way to spread `cards`, less what the viewer holds, over these
/// places is equally likely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The rebuilding that the cards last went through; 0 is the deal.
    pub rebuild: u16,
    /// The cards, the viewer's own among them.
    pub cards: CardSet<Card>,
    /// How many of them each hand has.
    pub in_hands: [u8; MAX_SEATS],
    /// How many of them are hidden. Only cards of the deal ever are.
    pub hidden: u8,
    /// How many of them are in the draw pile. Only the newest ones ever are.
    pub draw: u8,
}

impl Origin {
    const fn empty(rebuild: u16) -> Origin {
        Origin { rebuild, cards: CardSet::EMPTY, in_hands: [0; MAX_SEATS], hidden: 0, draw: 0 }
    }

    /// The origin of the cards of this rebuilding, made if it is not there.
    fn entry(origins: &mut Vec<Origin>, rebuild: u16) -> &mut Origin {
        let place = origins.partition_point(|origin| origin.rebuild < rebuild);
        if origins.get(place).is_none_or(|origin| origin.rebuild != rebuild) {
            origins.insert(place, Origin::empty(rebuild));
        }
        &mut origins[place]
    }

    fn all(game: &HabeFertig) -> Vec<Origin> {
        let mut origins = Vec::new();
        let mut count = |cards: CardSet<Card>, place: &dyn Fn(&mut Origin) -> &mut u8| {
            for card in cards {
                let origin = Origin::entry(&mut origins, game.origin[card.index()]);
                origin.cards = origin.cards.with(card);
                *place(origin) += 1;
            }
        };
        for seat in Seat::all(game.players) {
            count(game.hands[seat.index()], &|origin| &mut origin.in_hands[seat.index()]);
            count(game.hidden[seat.index()], &|origin| &mut origin.hidden);
        }
        count(game.draw.iter().copied().collect(), &|origin| &mut origin.draw);
        origins
    }
}

impl View {
    pub(super) fn of(game: &HabeFertig, viewer: Viewer) -> View {
        // An empty hand is what a seat beyond the table has, so it sees what a spectator sees.
        let viewer =
            viewer.seat().filter(|s| s.index() < game.players.into()).map_or(Viewer::Spectator, Viewer::Seat);
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
                game.shown(winner)
            }),
            outcome: game.outcome,
        }
    }

    /// The hand of a seat, if the viewer sees it.
    #[must_use]
    pub fn hand_of(&self, seat: Seat) -> Option<CardSet<Card>> {
        let shown = self.shown.map(|shown| shown.hands[seat.index()]);
        if self.viewer.is(seat) { Some(self.hand) } else { shown }
    }

    /// What a seat has hidden, if the viewer sees it; nothing is what it has hidden before it does.
    #[must_use]
    pub fn hidden_of(&self, seat: Seat) -> Option<CardSet<Card>> {
        let shown = self.shown.filter(|shown| shown.winner == Some(seat)).map(|shown| shown.hidden);
        if self.viewer.is(seat) { Some(self.hidden) } else { shown }
    }

    /// The cards that go into the gap now, whoever holds them: their player moves again.
    #[must_use]
    pub fn into_gap(&self) -> CardSet<Card> {
        self.tops.map_or(CardSet::EMPTY, card::into_gap)
    }

    /// The cards that the viewer sees: those that lie open, and their own.
    #[must_use]
    pub fn seen(&self) -> CardSet<Card> {
        let turned = match self.phase {
            Phase::Laying { turned } => Some(turned),
            Phase::Hiding { .. } | Phase::Moving => None,
        };
        let open = self.tops.into_iter().flatten().chain(turned).fold(self.buried, CardSet::with);
        self.shown
            .iter()
            .flat_map(|shown| shown.hands.iter().chain([&shown.hidden]))
            .fold(open | self.hand | self.hidden, |seen, cards| seen | *cards)
    }

    /// The cards that the viewer does not see: other hands, what others have hidden, and the draw pile. The
    /// [`origins`](View::origins) tell more about where they can be.
    #[must_use]
    pub fn unseen(&self) -> CardSet<Card> {
        card::DECK - self.seen()
    }

    pub(super) fn follow(&mut self, event: &Event) {
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
                // The last card ends the round, and with it everyone's turn.
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
            Event::RoundScored { points, .. } => self.score(points),
            Event::Ended { outcome } => self.outcome = Some(outcome),
        }
    }

    fn begin_round(&mut self, round: u16, dealer: Seat) {
        let mut dealt = [0; MAX_SEATS];
        dealt[..self.players.min(MAX_SEATS as u8).into()].fill(DEALT);
        let draw = card::DECK.len().saturating_sub(DEALT.saturating_mul(self.players));
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

    /// A seat hides two cards of its hand.
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

    /// The next card of the draw pile is seen by all.
    fn turn_up(&mut self, card: Card) {
        self.draw = self.draw.saturating_sub(1);
        self.open(card, |origin| &mut origin.draw);
    }

    /// A card leaves the place that is counted there, and lies open from now on.
    fn open(&mut self, card: Card, place: impl Fn(&mut Origin) -> &mut u8) {
        for origin in self.origins.iter_mut().filter(|origin| origin.cards.contains(card)) {
            origin.cards = origin.cards.without(card);
            let count = place(origin);
            *count = count.saturating_sub(1);
        }
        self.origins.retain(|origin| !origin.cards.is_empty());
    }

    /// A card is laid on a pile.
    fn cover(&mut self, card: Card, pile: Pile) {
        if let Some(tops) = &mut self.tops {
            let covered = std::mem::replace(&mut tops[pile.index()], card);
            self.buried = self.buried.with(covered);
        }
    }

    /// A seat passes, and takes the next card of the draw pile.
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

    fn score(&mut self, points: Points) {
        for (seat, points) in points.iter() {
            let total = &mut self.totals[seat.index()];
            *total = total.saturating_add(points);
        }
    }
}
