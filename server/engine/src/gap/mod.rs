//! GAP (Frank Noack, Rico Besteher): collect many cards of few colours.
//!
//! # The order of the legal actions
//!
//! By the card played (colour, then number); with the same card, by the lower card taken, then by the higher
//! one.

mod action;
mod board;
mod card;
mod event;
mod options;
pub mod refusals;
mod sample;
mod score;
mod text;
mod view;

#[cfg(test)]
mod tests;

use std::hint::select_unpredictable;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use action::Action;
pub use card::{Card, Colour};
pub use event::Event;
pub use options::{Length, Options};
pub use score::BestRound;
pub use view::View;

use score::Continuation;

use crate::game::check_to_act;
use crate::{
    Audience, Board, CardSet, Chance, ColourSymmetry, EventSink, Game, GameInfo, ImpossibleView, Lang,
    MAX_SEATS, Outcome, Points, Refusal, Seat, Seats, SetupError, ShuffleId, Text, TextBuilder, Viewer,
};

/// The maximum number of rounds of a game.
pub const MAX_ROUNDS: u16 = 100;

/// The number of cards the middle is filled up to.
const MIDDLE_SIZE: u8 = 4;

/// A game of GAP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    options: Options,
    players: u8,
    chance: Chance,
    round: u16,
    start: Seat,
    turn: Seat,
    extra: bool,
    hands: [CardSet<Card>; MAX_SEATS],
    middle: CardSet<Card>,
    /// The top card is the last element.
    stack: ArrayVec<Card, 50>,
    collected: [CardSet<Card>; MAX_SEATS],
    totals: [i32; MAX_SEATS],
    best: [Option<BestRound>; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for Gap {
    type Options = Options;
    type Card = Card;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "gap",
        name: Text { en: "GAP", de: "GAP" },
        summary: Text {
            en: "Play a card, take its equals or its neighbours, and collect many of few colours.",
            de: "Spiele eine Karte, nimm ihresgleichen oder ihre Nachbarn und sammle viele von wenigen Farben.",
        },
        min_players: 2,
        max_players: 6,
        rules_version: 1,
        rules: Text { en: include_str!("rules.en.md"), de: include_str!("rules.de.md") },
        test_only: false,
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Event>,
    ) -> Result<Gap, SetupError> {
        Self::INFO.check_setup(rules_version, players)?;
        options.check()?;
        let mut game = Gap {
            options,
            players,
            chance,
            round: 0,
            start: Seat::FIRST,
            turn: Seat::FIRST,
            extra: false,
            hands: [CardSet::EMPTY; MAX_SEATS],
            middle: CardSet::EMPTY,
            stack: ArrayVec::new(),
            collected: [CardSet::EMPTY; MAX_SEATS],
            totals: [0; MAX_SEATS],
            best: [None; MAX_SEATS],
            outcome: None,
        };
        game.deal(events);
        Ok(game)
    }

    fn players(&self) -> u8 {
        self.players
    }

    fn to_act(&self) -> Seats {
        if self.outcome.is_some() { Seats::NONE } else { Seats::only(self.turn) }
    }

    fn legal_actions(&self, seat: Seat, out: &mut Vec<Action>) {
        out.clear();
        if !self.to_act().contains(seat) {
            return;
        }
        for card in self.hands[seat.index()] {
            let [_, lowers, highers] = self.captures(card);
            choices(lowers).for_each(|lower| {
                choices(highers).for_each(|higher| out.push(Action { card, lower, higher }));
            });
        }
    }

    fn apply(
        &mut self,
        seat: Seat,
        action: Action,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        let taken = self.check(seat, action)?;
        let card = action.card;
        self.hands[seat.index()] = self.hands[seat.index()].without(card);
        if taken.is_empty() {
            self.middle = self.middle.with(card);
        } else {
            self.middle = self.middle - taken;
            self.collected[seat.index()] = self.collected[seat.index()] | taken.with(card);
        }
        events.emit(Audience::Everyone, Event::Played { seat, card, taken });
        self.fill(events);
        self.turn = seat.left(self.players);
        if self.hands[self.turn.index()].is_empty() {
            self.end_round(events);
        }
        Ok(())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn apply_event(view: &mut View, event: &Event) {
        view.apply_event(event);
    }

    fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
        board::board(view, actions, lang)
    }

    fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
        board::write_action(view, action, out);
    }

    fn write_question(view: &View, out: &mut TextBuilder) {
        board::write_question(view, out);
    }

    /// The first legal action: GAP has no action that declines.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        let card = self.hands[seat.index()].first().filter(|_| self.to_act().contains(seat))?;
        let [_, lowers, highers] = self.captures(card);
        Some(Action { card, lower: lowers.first(), higher: highers.first() })
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<Gap, ImpossibleView> {
        view.sample(rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn colour_symmetry(players: u8) -> Option<ColourSymmetry> {
        Some(ColourSymmetry { colours: card::deck(players).len() / 10, cards_per_colour: 10 })
    }
}

impl Gap {
    /// The number of cards in each hand at the start of a round.
    const fn hand_size(players: u8) -> u8 {
        if players <= 4 { 6 } else { 5 }
    }

    /// The cards in the middle with the number of the card and, only if there are none, those with the next
    /// lower and the next higher number.
    fn captures(&self, card: Card) -> [CardSet<Card>; 3] {
        let number = card.number();
        let same = self.middle & card::numbered(number);
        let neighbours = |number| {
            let cards = self.middle & card::numbered(number);
            select_unpredictable(same.is_empty(), cards, CardSet::EMPTY)
        };
        [same, neighbours(number + 9), neighbours(number + 1)]
    }

    /// The cards the action takes, or the rule it breaks.
    fn check(&self, seat: Seat, action: Action) -> Result<CardSet<Card>, Refusal> {
        check_to_act(self, seat)?;
        if !self.hands[seat.index()].contains(action.card) {
            return Err(Refusal::NOT_IN_HAND);
        }
        let [same, lowers, highers] = self.captures(action.card);
        match (check_choice(lowers, action.lower), check_choice(highers, action.higher)) {
            (Some(lower), Some(higher)) => Ok(same | lower | higher),
            _ if !same.is_empty() => Err(refusals::SAME_NUMBER),
            (None, _) => Err(refusals::LOWER),
            (_, None) => Err(refusals::HIGHER),
        }
    }

    /// Shuffles and deals the hands in seat order, then the middle; the remaining cards are the stack.
    fn deal(&mut self, events: &mut impl EventSink<Event>) {
        let mut cards: ArrayVec<Card, 50> = card::deck(self.players).into_iter().collect();
        self.chance.shuffle(ShuffleId::deal(self.round), &mut cards, events);
        cards.reverse();
        self.stack = cards;
        for seat in Seat::all(self.players) {
            self.hands[seat.index()] = self.draw(Self::hand_size(self.players));
        }
        self.middle = self.draw(MIDDLE_SIZE);
        self.collected = [CardSet::EMPTY; MAX_SEATS];
        self.turn = self.start;
        let (round, start, extra, middle) = (self.round, self.start, self.extra, self.middle);
        events.emit(Audience::Everyone, Event::RoundBegan { round, start, extra, middle });
        for seat in Seat::all(self.players) {
            events.emit(Audience::Only(seat), Event::Dealt { hand: self.hands[seat.index()] });
        }
    }

    /// Removes the top `count` cards of the stack, or as many as it has.
    fn draw(&mut self, count: u8) -> CardSet<Card> {
        let left = self.stack.len().saturating_sub(count.into());
        self.stack.drain(left..).collect()
    }

    /// Refills the middle up to [`MIDDLE_SIZE`] cards, as far as the stack lasts.
    fn fill(&mut self, events: &mut impl EventSink<Event>) {
        let missing = MIDDLE_SIZE.saturating_sub(self.middle.len());
        let cards = self.draw(missing);
        if !cards.is_empty() {
            self.middle = self.middle | cards;
            events.emit(Audience::Everyone, Event::Filled { cards });
        }
    }

    fn end_round(&mut self, events: &mut impl EventSink<Event>) {
        let (round, points) =
            (self.round, Points::new(self.players, self.collected.map(score::round_points)));
        score::count_round(&mut self.totals, &mut self.best, points, round);
        events.emit(Audience::Everyone, Event::RoundScored { round, points });
        self.round += 1;
        let length = self.options.length;
        match score::after_round(length, self.players, self.round, self.extra, &self.totals, &self.best) {
            Continuation::Round => {}
            Continuation::ExtraRound => self.extra = true,
            Continuation::End(outcome) => {
                self.outcome = Some(outcome);
                events.emit(Audience::Everyone, Event::Ended { outcome });
                return;
            }
        }
        self.start = self.start.left(self.players);
        self.deal(events);
    }
}

/// The valid choices of a neighbour: each of the candidates, or `None` if there are none.
fn choices(candidates: CardSet<Card>) -> impl Iterator<Item = Option<Card>> {
    let mut cards = candidates.into_iter();
    std::iter::once(cards.next()).chain(cards.map(Some))
}

/// The cards taken if `named` is chosen from the candidates; `None` if the choice is invalid. Exactly one
/// must be named, or none if there are no candidates.
fn check_choice(candidates: CardSet<Card>, named: Option<Card>) -> Option<CardSet<Card>> {
    let taken = named.map_or(CardSet::EMPTY, CardSet::only);
    (candidates.contains_all(taken) && taken.is_empty() == candidates.is_empty()).then_some(taken)
}
