//! GAP (Frank Noack, Rico Besteher): collect many of some colours and few of none.
//!
//! # The order of the legal actions
//!
//! By the card played (colour, then number); with the same card, by the lower card taken, then by the higher one.

mod card;
mod score;
mod text;
mod view;

#[cfg(test)]
mod tests;

use std::hint::select_unpredictable;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use card::{Card, Colour};
pub use score::BestRound;
pub use view::View;

use score::Next;

use crate::{
    Audience, CardSet, Chance, Colours, Events, Game, GameInfo, ImpossibleView, MAX_SEATS, Outcome, Points,
    Refusal, Seat, Seats, SetupError, Shuffle, Text, Viewer,
};

/// A game ends after so many rounds at the latest.
pub const MAX_ROUNDS: u16 = 100;

/// How many cards the middle is filled up to.
const MIDDLE: u8 = 4;

/// When a game ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// After the round in which somebody has so many points: 1 or more.
    Target(u32),
    /// After so many rounds: 1 to 100.
    Rounds(u16),
}

/// What can be chosen for a table of GAP.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// When the game ends.
    pub length: Length,
}

/// The medium game: to 30 points.
impl Default for Options {
    fn default() -> Options {
        Options { length: Length::Target(30) }
    }
}

impl Options {
    fn check(self) -> Result<(), SetupError> {
        let wrong = |option, got: u32, allowed| {
            Err(SetupError::Option { game: Gap::INFO.id, option, got: got.into(), allowed })
        };
        match self.length {
            Length::Target(0) => wrong("target", 0, "1 or more"),
            Length::Rounds(rounds) if rounds == 0 || rounds > MAX_ROUNDS => {
                wrong("rounds", rounds.into(), "1 to 100")
            }
            Length::Target(_) | Length::Rounds(_) => Ok(()),
        }
    }
}

/// Playing a card, with the neighbours it takes.
///
/// Where the middle has cards of the same number, all of them are taken and no neighbour is named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// The card played.
    pub card: Card,
    /// The card of the next lower number that is taken, if there is one.
    pub lower: Option<Card>,
    /// The card of the next higher number that is taken, if there is one.
    pub higher: Option<Card>,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A round began.
    RoundBegan {
        /// The round, the first being 0.
        round: u16,
        /// Who begins.
        start: Seat,
        /// Whether the round is played only because the best were tied.
        extra: bool,
        /// The cards turned up in the middle.
        middle: CardSet<Card>,
    },
    /// You were dealt this hand.
    Dealt {
        /// Your cards.
        hand: CardSet<Card>,
    },
    /// A card was played.
    Played {
        /// Who played.
        seat: Seat,
        /// The card.
        card: Card,
        /// What it took from the middle. If nothing, the card joined the middle.
        taken: CardSet<Card>,
    },
    /// The middle was filled up from the stack.
    Filled {
        /// The cards turned up.
        cards: CardSet<Card>,
    },
    /// A round was over.
    RoundScored {
        /// The round, the first being 0.
        round: u16,
        /// What each seat scored in it.
        points: Points,
    },
    /// The game was over.
    Ended {
        /// The result.
        outcome: Outcome,
    },
}

/// Rules that an action can break.
pub mod refusals {
    use crate::Refusal;

    /// Cards of the same number are taken, all of them, and nothing else.
    pub const SAME_NUMBER: Refusal = Refusal::new(
        "gap.same_number",
        "The middle has cards of that number: the card takes all of them, and no neighbours.",
        "In der Mitte liegen Karten mit dieser Zahl: Die Karte nimmt sie alle, und keine Nachbarn.",
    );
    /// The lower card named cannot be taken, or one that must be taken is not named.
    pub const LOWER: Refusal = Refusal::new(
        "gap.lower",
        "Take exactly one card of the next lower number if the middle has one, and none otherwise.",
        "Nimm genau eine Karte mit der nächstkleineren Zahl, wenn eine in der Mitte liegt, sonst keine.",
    );
    /// The higher card named cannot be taken, or one that must be taken is not named.
    pub const HIGHER: Refusal = Refusal::new(
        "gap.higher",
        "Take exactly one card of the next higher number if the middle has one, and none otherwise.",
        "Nimm genau eine Karte mit der nächstgrößeren Zahl, wenn eine in der Mitte liegt, sonst keine.",
    );
}

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
    /// The next card is the last one.
    stack: ArrayVec<Card, 50>,
    collected: [CardSet<Card>; MAX_SEATS],
    totals: [i32; MAX_SEATS],
    best: [Option<BestRound>; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for Gap {
    type Options = Options;
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
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Event>,
    ) -> Result<Gap, SetupError> {
        Self::INFO.check(rules_version, players)?;
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
            let [_, lowers, highers] = self.finds(card);
            each_or_none(lowers).for_each(|lower| {
                each_or_none(highers).for_each(|higher| out.push(Action { card, lower, higher }));
            });
        }
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) -> Result<(), Refusal> {
        let taken = self.check(seat, action)?;
        let card = action.card;
        self.hands[seat.index()] = self.hands[seat.index()].without(card);
        if taken.is_empty() {
            self.middle = self.middle.with(card);
        } else {
            self.middle = self.middle - taken;
            self.collected[seat.index()] = self.collected[seat.index()] | taken.with(card);
        }
        events.tell(Audience::Everyone, Event::Played { seat, card, taken });
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

    fn follow(view: &mut View, event: &Event) {
        view.follow(event);
    }

    /// Nothing can be declined in GAP, so this is the first legal action.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        let card = self.hands[seat.index()].first().filter(|_| self.to_act().contains(seat))?;
        let [_, lowers, highers] = self.finds(card);
        Some(Action { card, lower: lowers.first(), higher: highers.first() })
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<Gap, ImpossibleView> {
        view.sample(rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn colours(players: u8) -> Option<Colours> {
        Some(Colours { count: card::deck(players).len() / 10, cards: 10 })
    }
}

impl Gap {
    /// How many cards each hand has at the beginning of a round.
    const fn hand_size(players: u8) -> u8 {
        if players <= 4 { 6 } else { 5 }
    }

    /// What the card finds in the middle: the cards of its number and, only where there are none, those of the next
    /// lower and of the next higher one.
    fn finds(&self, card: Card) -> [CardSet<Card>; 3] {
        let number = card.number();
        let same = self.middle & card::numbered(number);
        let neighbours = |number| {
            let cards = self.middle & card::numbered(number);
            select_unpredictable(same.is_empty(), cards, CardSet::EMPTY)
        };
        [same, neighbours(number + 9), neighbours(number + 1)]
    }

    /// What the action would take, or the rule against it.
    fn check(&self, seat: Seat, action: Action) -> Result<CardSet<Card>, Refusal> {
        if seat.index() >= usize::from(self.players) {
            return Err(Refusal::NO_SUCH_SEAT);
        }
        if self.outcome.is_some() {
            return Err(Refusal::GAME_OVER);
        }
        if seat != self.turn {
            return Err(Refusal::NOT_ASKED);
        }
        if !self.hands[seat.index()].contains(action.card) {
            return Err(Refusal::NOT_IN_HAND);
        }
        let [same, lowers, highers] = self.finds(action.card);
        match (one_of(lowers, action.lower), one_of(highers, action.higher)) {
            (Some(lower), Some(higher)) => Ok(same | lower | higher),
            _ if !same.is_empty() => Err(refusals::SAME_NUMBER),
            (None, _) => Err(refusals::LOWER),
            (_, None) => Err(refusals::HIGHER),
        }
    }

    /// Shuffles, and deals the hands in the order of the seats, then the middle; the rest is the stack.
    fn deal(&mut self, events: &mut impl Events<Event>) {
        let mut cards: ArrayVec<Card, 50> = card::deck(self.players).into_iter().collect();
        self.chance.shuffle(Shuffle::deal(self.round), &mut cards, events);
        cards.reverse();
        self.stack = cards;
        for seat in Seat::all(self.players) {
            self.hands[seat.index()] = self.draw(Self::hand_size(self.players));
        }
        self.middle = self.draw(MIDDLE);
        self.collected = [CardSet::EMPTY; MAX_SEATS];
        self.turn = self.start;
        let (round, start, extra, middle) = (self.round, self.start, self.extra, self.middle);
        events.tell(Audience::Everyone, Event::RoundBegan { round, start, extra, middle });
        for seat in Seat::all(self.players) {
            events.tell(Audience::Only(seat), Event::Dealt { hand: self.hands[seat.index()] });
        }
    }

    /// The next `count` cards of the stack, or as many as it has.
    fn draw(&mut self, count: u8) -> CardSet<Card> {
        let left = self.stack.len().saturating_sub(count.into());
        self.stack.drain(left..).collect()
    }

    /// Fills the middle up to four, while the stack lasts.
    fn fill(&mut self, events: &mut impl Events<Event>) {
        let missing = MIDDLE.saturating_sub(self.middle.len());
        let cards = self.draw(missing);
        if !cards.is_empty() {
            self.middle = self.middle | cards;
            events.tell(Audience::Everyone, Event::Filled { cards });
        }
    }

    fn end_round(&mut self, events: &mut impl Events<Event>) {
        let (round, points) = (self.round, Points::new(self.players, self.collected.map(score::of)));
        score::count_round(&mut self.totals, &mut self.best, points, round);
        events.tell(Audience::Everyone, Event::RoundScored { round, points });
        self.round += 1;
        let length = self.options.length;
        match score::after_round(length, self.players, self.round, self.extra, &self.totals, &self.best) {
            Next::Round => {}
            Next::ExtraRound => self.extra = true,
            Next::End(outcome) => {
                self.outcome = Some(outcome);
                events.tell(Audience::Everyone, Event::Ended { outcome });
                return;
            }
        }
        self.start = self.start.left(self.players);
        self.deal(events);
    }
}

/// What can be named where these are offered: each of them, or none if there are none.
fn each_or_none(offered: CardSet<Card>) -> impl Iterator<Item = Option<Card>> {
    let mut cards = offered.into_iter();
    std::iter::once(cards.next()).chain(cards.map(Some))
}

/// What is taken where these are offered and this one is named, if that is right: one of them, or none where there
/// are none.
fn one_of(offered: CardSet<Card>, named: Option<Card>) -> Option<CardSet<Card>> {
    let taken = named.map_or(CardSet::EMPTY, CardSet::only);
    (offered.contains_all(taken) && taken.is_empty() == offered.is_empty()).then_some(taken)
}
