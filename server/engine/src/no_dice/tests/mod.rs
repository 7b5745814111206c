//! Tests of the rules of No Dice, sentence by sentence.

mod action_cards;
mod cards;
mod display;
mod geometry;
mod held_windows;
mod impossible_views;
mod localisation;
mod order;
mod placements;
mod sample_uniformity;
mod testable;
mod turns;
mod views;
mod windows;

use super::*;
use crate::test_support::{assert_events_reproduce_views, legal_actions, seat};
use crate::{Audience, CardCode as _, NoEvents, ShuffleId};

// Notation: cards such as "5|10 PASS X2", actions such as "5|10 2,0 right", "SWAP 1", "pass".

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

/// A game under test. After every action, the events must reproduce every view.
struct Table {
    game: NoDice,
    /// The events of the last action.
    events: Vec<(Audience, Event)>,
}

impl Table {
    /// Deals the given cards to each seat and fills the hands with playing cards given nowhere; the draw pile
    /// starts with the given cards. PASS cards given nowhere are drawn last.
    fn new(hands: &[&str], pile: &str) -> Table {
        let mut events = Vec::new();
        let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), order(hands, pile))]);
        let game = NoDice::new(1, Options {}, hands.len() as u8, chance, &mut events).expect("a table");
        Table { game, events }
    }

    /// The same with held windows.
    fn held(hands: &[&str], pile: &str) -> Table {
        let mut events = Vec::new();
        let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), order(hands, pile))]);
        let game = NoDice::new_with_held_windows(1, Options {}, hands.len() as u8, chance, &mut events)
            .expect("a table");
        Table { game, events }
    }

    /// The same with hands and draw pile of exactly these cards. All other cards are removed from the game.
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

    /// Plays lines such as "0: pass".
    fn play(&mut self, lines: &[&str]) -> &mut Table {
        for line in lines {
            let (by, does) = line.split_once(": ").expect("a seat and an action");
            self.act(by.parse().expect("a seat"), does);
        }
        self
    }

    fn act(&mut self, by: u8, does: &str) -> &mut Table {
        let legal = legal_actions(&self.game, seat(by));
        assert!(legal.contains(&action(does)), "{does} is not legal for {by}: {legal:?}");
        self.checked(|game, events| {
            game.apply(seat(by), action(does), events)
                .unwrap_or_else(|refusal| panic!("{by}: {does} is refused: {refusal}"));
        })
    }

    /// Closes the held window.
    fn close_window(&mut self) -> &mut Table {
        assert!(self.game.window_is_held(), "no window is held");
        self.checked(NoDice::close_window)
    }

    /// Runs an operation, and checks that its events reproduce every view.
    fn checked(&mut self, operation: impl FnOnce(&mut NoDice, &mut Vec<(Audience, Event)>)) -> &mut Table {
        let before = self.game.clone();
        self.events.clear();
        operation(&mut self.game, &mut self.events);
        assert_events_reproduce_views(&before, &self.game, &self.events, "last operation");
        self
    }

    /// Checks that the action is refused and changes nothing; returns the refusal's code.
    fn refusal_code(&self, by: u8, does: &str) -> &'static str {
        let mut after = self.game.clone();
        let legal = legal_actions(&after, seat(by));
        assert!(!legal.contains(&action(does)), "{does} is legal for {by}");
        let refusal = after.apply(seat(by), action(does), &mut NoEvents).expect_err("a refusal");
        assert_eq!(after, self.game, "a refused action changes nothing");
        refusal.code
    }

    /// The seats to act.
    fn to_act(&self) -> Vec<usize> {
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

    /// The events of the last action with their audience, in English.
    fn event_texts(&self) -> Vec<String> {
        let line = |(to, event): &(Audience, Event)| match to {
            Audience::Everyone => format!("all: {event}"),
            Audience::Only(seat) => format!("{seat}: {event}"),
            Audience::AllBut(seats) => format!("not {seats:?}: {event}"),
        };
        self.events.iter().map(line).collect()
    }
}

/// The card codes of the deal, front first, for [`Table::new`].
fn order(hands: &[&str], pile: &str) -> Vec<u8> {
    let mut rest = Hand::full_deck();
    for text in hands.iter().chain([&pile]) {
        rest = rest.minus(hand(text));
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
