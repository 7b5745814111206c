//! The rules of No Dice, sentence by sentence.

mod cards;
mod geometry;
mod held;
mod turns;
mod views;
mod window;
mod words;

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::Card as _;
use crate::conformance::{Reveals, Testable};
use crate::{Audience, NoEvents, Shuffle, below, shuffle};

impl Testable for NoDice {
    /// 60 turns with a card; between two of them five passes, and five more for each PASS card in a window; before each
    /// of those turns four answers, and four for each turn that is skipped.
    const MAX_ACTIONS: usize = (60 + 61 * 5 + 4 * 5) * 5 + 4 * 4;

    fn options() -> Vec<Options> {
        vec![Options {}]
    }

    fn census(&self) -> Vec<u8> {
        let hands = self.hands.iter().chain([&self.played]);
        hands
            .flat_map(|hand| *hand)
            .chain(self.draw_pile.iter().copied())
            .chain(self.board.laid().iter().map(|laid| Card::Playing(laid.placement.card())))
            .map(Card::code)
            .collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let own = viewer.seat();
        let others: Vec<Seat> = Seat::all(self.players).filter(|seat| Some(*seat) != own).collect();
        let is_open = self.held || !self.asked.is_empty();
        let sees_wait = own.is_some_and(|own| self.yes.contains(own) || is_open && own == self.turn);
        // Who waits in a window that is held learns nothing from that.
        let waits = sees_wait && !self.held;
        let mut kept = own.map_or([Hand::EMPTY; MAX_SEATS], |own| self.known[own.index()]);
        let mut cards = Vec::new();
        for seat in &others {
            let (hand, kept) = (self.hands[seat.index()], &mut kept[seat.index()]);
            while waits && kept.count(Card::Pass) < hand.count(Card::Pass) {
                *kept = kept.with(Card::Pass);
            }
            cards.extend(hand.less(*kept));
        }
        shuffle(&mut cards, rng);
        for seat in &others {
            let (hand, kept) = (&mut self.hands[seat.index()], kept[seat.index()]);
            let missing = hand.len() - kept.len();
            *hand = kept.and(cards.drain(..usize::from(missing)).collect());
            // What others remember is nothing to this viewer.
            self.known[seat.index()] = [Hand::EMPTY; MAX_SEATS];
        }
        if is_open && !waits {
            let has_answered = own.filter(|own| !self.asked.contains(*own));
            let answered = has_answered.map_or(Seats::NONE, Seats::only).with(self.turn);
            let holders = self.holders_of_pass();
            self.asked = holders.iter().filter(|seat| !answered.contains(*seat)).collect();
            self.yes = self.yes.iter().filter(|seat| Some(*seat) == own).collect();
        }
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::Drew { .. } => Reveals::Pile,
            Event::Dealt { .. } | Event::Got { .. } => Reveals::Hands,
            _ => Reveals::Nothing,
        }
    }

    fn is_private(action: &Action) -> bool {
        *action == Action::Decline
    }

    fn any_action(rng: &mut ChaCha8Rng) -> Action {
        let near = |rng: &mut ChaCha8Rng| match below(8, rng) {
            0 => rng.next_u32() as i16,
            _ => below(25, rng) as i16 - 12,
        };
        match below(12, rng) {
            0 => Action::Switch,
            1 => Action::PassCard,
            2 => Action::X2,
            3 => Action::Swap(any_seat(rng)),
            4 => Action::Pass,
            5 => Action::Decline,
            _ => any_placement(near, rng).map_or(Action::Pass, Action::Lay),
        }
    }

    fn spoil(view: &mut View, rng: &mut ChaCha8Rng) {
        let card = Card::from_code(below(49, rng) as u8).expect("a code below 49");
        let seat = any_seat(rng);
        let number = rng.next_u32();
        let toggled = |hand: Hand| {
            if hand.contains(card) { hand.without(card) } else { hand.with(card) }
        };
        let toggled_seat = |seats: Seats| {
            if seats.contains(seat) { seats.without(seat) } else { seats.with(seat) }
        };
        match below(23, rng) {
            0 => view.viewer = Viewer::Seat(seat),
            1 => view.viewer = Viewer::Spectator,
            2 => view.players = number as u8,
            3 => view.order = view.order.reversed(),
            4 => view.turn = seat,
            5 => view.decision = None,
            6 => view.decision = Some(Decision::Turn),
            7 => view.decision = Some(Decision::Window),
            8 => view.said_yes = !view.said_yes,
            9 => view.hand = toggled(view.hand),
            10 => view.known[seat.index()] = toggled(view.known[seat.index()]),
            11 => view.hand_sizes[seat.index()] = (number % 9) as u8,
            12 => view.draw_pile = (number % 64) as u8,
            13 => view.table.truncate(number as usize % 45),
            14 => view.table.extend(view.table.clone()),
            15 => {
                let placement = any_placement(|rng| rng.next_u32() as i16, rng);
                view.table.extend(placement.map(|placement| Laid { seat, placement }));
            }
            16 => view.played = toggled(view.played),
            17 => view.x2 = toggled_seat(view.x2),
            18 => view.passed = toggled_seat(view.passed),
            19 => view.scores[seat.index()] = number as i32,
            20 => view.outcome = None,
            21 => view.windows_held = !view.windows_held,
            _ => view.outcome = Some(Outcome::by_points(view.players.min(6), view.scores)),
        }
    }
}

fn any_seat(rng: &mut ChaCha8Rng) -> Seat {
    Seat::new(below(6, rng) as u8).expect("a seat")
}

fn any_placement(mut at: impl FnMut(&mut ChaCha8Rng) -> i16, rng: &mut ChaCha8Rng) -> Option<Placement> {
    let card = PlayingCard::from_code(below(45, rng) as u8).expect("a code below 45");
    let (x, y) = (at(rng), at(rng));
    Placement::new(card, x, y, Direction::ALL[below(4, rng) as usize])
}

// The notation of the scenarios: cards as "5|10 PASS X2", actions as "5|10 2,0 right", "SWAP 1", "pass".

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

fn card(text: &str) -> Card {
    match text {
        "SWITCH" => Card::Switch,
        "PASS" => Card::Pass,
        "X2" => Card::X2,
        "SWAP" => Card::Swap,
        _ => Card::Playing(playing(text)),
    }
}

fn playing(text: &str) -> PlayingCard {
    let (one, other) = text.split_once('|').expect("two values");
    let value = |text: &str| text.parse().expect("a value");
    PlayingCard::new(value(one), value(other)).expect("a card of the game")
}

fn hand(text: &str) -> Hand {
    text.split_whitespace().map(card).collect()
}

fn placement(text: &str) -> Placement {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [card, square, toward] = words[..] else {
        panic!("a card, a square and a direction: {text}");
    };
    let (x, y) = square.split_once(',').expect("two numbers");
    let number = |text: &str| text.parse().expect("a number");
    let toward = match toward {
        "right" => Direction::Right,
        "down" => Direction::Down,
        "left" => Direction::Left,
        "up" => Direction::Up,
        _ => panic!("no direction: {toward}"),
    };
    Placement::new(playing(card), number(x), number(y), toward).expect("a placement")
}

fn action(text: &str) -> Action {
    match text {
        "SWITCH" => Action::Switch,
        "PASS" => Action::PassCard,
        "X2" => Action::X2,
        "pass" => Action::Pass,
        "decline" => Action::Decline,
        _ => match text.strip_prefix("SWAP ") {
            Some(with) => Action::Swap(seat(with.parse().expect("a seat"))),
            None => Action::Lay(placement(text)),
        },
    }
}

/// A game in a test: every action is followed by every viewer from events alone.
struct Table {
    game: NoDice,
    /// What the last action told.
    told: Vec<(Audience, Event)>,
}

impl Table {
    /// Deals the cards named to each seat and fills the hands up with playing cards that are not named; the draw pile
    /// begins with the cards named for it. The PASS cards that are not named are the last to be drawn.
    fn new(hands: &[&str], pile: &str) -> Table {
        let mut told = Vec::new();
        let chance = Chance::scripted([0; 32], vec![(Shuffle::deal(0), order(hands, pile))]);
        let game = NoDice::new(1, Options {}, hands.len() as u8, chance, &mut told).expect("a table");
        Table { game, told }
    }

    /// The same with held windows.
    fn held(hands: &[&str], pile: &str) -> Table {
        let mut told = Vec::new();
        let chance = Chance::scripted([0; 32], vec![(Shuffle::deal(0), order(hands, pile))]);
        let game = NoDice::new_held(1, Options {}, hands.len() as u8, chance, &mut told).expect("a table");
        Table { game, told }
    }

    /// The same with hands that are no larger than named, and a draw pile of just these cards. What is left over lies
    /// nowhere.
    fn late(hands: &[&str], pile: &str) -> Table {
        Table::new(&vec![""; hands.len()], "").with_cards(hands, pile)
    }

    fn with_cards(mut self, hands: &[&str], pile: &str) -> Table {
        let game = &mut self.game;
        for (i, text) in hands.iter().enumerate() {
            game.hands[i] = hand(text);
        }
        game.draw_pile = pile.split_whitespace().rev().map(card).collect();
        game.asked = game.holders_of_pass().without(game.turn);
        self
    }

    /// Each line is a seat and what it does.
    fn play(&mut self, lines: &[&str]) -> &mut Table {
        for line in lines {
            let (by, does) = line.split_once(": ").expect("a seat and an action");
            self.act(by.parse().expect("a seat"), does);
        }
        self
    }

    fn act(&mut self, by: u8, does: &str) -> &mut Table {
        let mut offered = Vec::new();
        self.game.legal_actions(seat(by), &mut offered);
        assert!(offered.contains(&action(does)), "{by} is not offered {does}: {offered:?}");
        self.followed(|game, told| {
            game.apply(seat(by), action(does), told)
                .unwrap_or_else(|why| panic!("{by}: {does} is refused: {why}"));
        })
    }

    /// Closes the window that is held.
    fn close(&mut self) -> &mut Table {
        assert!(self.game.window_is_held(), "no window is held");
        self.followed(NoDice::close_window)
    }

    /// Does something that every viewer follows from events alone.
    fn followed(&mut self, does: impl FnOnce(&mut NoDice, &mut Vec<(Audience, Event)>)) -> &mut Table {
        let viewers: Vec<Viewer> = Viewer::all(self.game.players).collect();
        let mut views: Vec<View> = viewers.iter().map(|viewer| self.game.view(*viewer)).collect();
        self.told.clear();
        does(&mut self.game, &mut self.told);
        for (viewer, view) in viewers.iter().zip(&mut views) {
            for (_, event) in self.told.iter().filter(|(to, _)| to.includes(*viewer)) {
                NoDice::follow(view, event);
            }
            assert_eq!(*view, self.game.view(*viewer), "{viewer:?} follows {:#?}", self.told);
        }
        self
    }

    /// The code of the refusal.
    fn refused(&self, by: u8, does: &str) -> &'static str {
        let mut after = self.game.clone();
        let mut offered = Vec::new();
        after.legal_actions(seat(by), &mut offered);
        assert!(!offered.contains(&action(does)), "{by} is offered {does}");
        let refusal = after.apply(seat(by), action(does), &mut NoEvents).expect_err("a refusal");
        assert_eq!(after, self.game, "a refused action changes nothing");
        refusal.code
    }

    /// Who is asked.
    fn asked(&self) -> Vec<usize> {
        self.game.to_act().iter().map(Seat::index).collect()
    }

    fn view(&self, of: u8) -> View {
        self.game.view(Viewer::Seat(seat(of)))
    }

    fn sizes(&self) -> Vec<u8> {
        Seat::all(self.game.players).map(|seat| self.game.hands[seat.index()].len()).collect()
    }

    fn scores(&self) -> &[i32] {
        &self.game.scores[..self.game.players.into()]
    }

    fn places(&self) -> Vec<u8> {
        let outcome = self.game.outcome().expect("the game is over");
        outcome.standings().map(|standing| standing.place).collect()
    }

    /// What was told to whom by the last action, in English.
    fn said(&self) -> Vec<String> {
        let line = |(to, event): &(Audience, Event)| match to {
            Audience::Everyone => format!("all: {event}"),
            Audience::Only(seat) => format!("{seat}: {event}"),
            Audience::AllBut(seats) => format!("not {seats:?}: {event}"),
        };
        self.told.iter().map(line).collect()
    }
}

/// The codes of all cards, front first, for [`Table::new`].
fn order(hands: &[&str], pile: &str) -> Vec<u8> {
    let mut rest = Hand::full_deck();
    for text in hands.iter().chain([&pile]) {
        rest = rest.less(hand(text));
    }
    let mut cards = Vec::new();
    for text in hands {
        let mut hand: Vec<Card> = text.split_whitespace().map(card).collect();
        while hand.len() < 7 {
            let filler = rest.playing().last().map(Card::Playing).expect("a playing card is left");
            rest = rest.without(filler);
            hand.push(filler);
        }
        cards.extend(hand);
    }
    cards.extend(pile.split_whitespace().map(card));
    let (passes, others): (Vec<Card>, Vec<Card>) = rest.into_iter().partition(|card| *card == Card::Pass);
    cards.extend(others.into_iter().chain(passes));
    cards.into_iter().map(Card::code).collect()
}
