//! The rules of Habe fertig, sentence by sentence.

mod ends;
mod hiding;
mod impossible;
mod knowledge;
mod setup;
mod testable;
mod turns;
mod words;

use super::*;
use crate::{Audience, Card as _, Purpose, Shuffle};

/// A card in short: r, y, g, b, p or e (grey) for the colour, then the number.
fn card(text: &str) -> Card {
    let (colour, number) = text.split_at(1);
    let colour = Colour::ALL["rygbpe".find(colour).expect("a colour")];
    Card::new(colour, number.parse().expect("a number")).expect("a number from 1 to 11")
}

/// Cards in short, with blanks between them.
fn list(text: &str) -> Vec<Card> {
    text.split_whitespace().map(card).collect()
}

fn set(text: &str) -> CardSet<Card> {
    list(text).into_iter().collect()
}

fn pair(text: &str) -> Pair {
    let cards = list(text);
    Pair::new(cards[0], cards[1]).expect("two different cards")
}

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

fn viewer(number: u8) -> Viewer {
    Viewer::Seat(seat(number))
}

/// An action in short: "hide r1 r2", "lay left", "r4 left" or "pass".
fn action(text: &str) -> Action {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let pile = || match rest {
        "left" => Pile::Left,
        "right" => Pile::Right,
        _ => panic!("no pile: {text}"),
    };
    match first {
        "pass" => Action::Pass,
        "hide" => Action::Hide(pair(rest)),
        "lay" => Action::Lay(pile()),
        played => Action::Play { card: card(played), pile: pile() },
    }
}

fn codes(cards: &[Card]) -> Vec<u8> {
    cards.iter().map(|card| card.code()).collect()
}

/// The name of a rebuilding in the first round.
fn rebuild(count: u16) -> Shuffle {
    Shuffle { round: 0, purpose: Purpose::Rebuild, count }
}

/// A table that a scenario plays on, with every event since the last look.
#[derive(Clone)]
struct Table {
    game: HabeFertig,
    told: Vec<(Audience, Event)>,
}

impl Table {
    /// Deals these hands of twelve, and then the cards of `next` from the draw pile. Hands that are not filled up by
    /// name get the highest cards that nothing else names.
    fn deal(hands: &[&str], next: &str) -> Table {
        let named: CardSet<Card> = hands.iter().map(|hand| set(hand)).fold(set(next), |all, hand| all | hand);
        let mut others: Vec<Card> = (super::card::DECK - named).into_iter().collect();
        let mut order = Vec::new();
        for hand in hands {
            let mut hand = list(hand);
            hand.extend(others.drain(others.len() + hand.len() - 12..));
            order.extend(hand);
        }
        order.extend(list(next));
        let chance = Chance::scripted([1; 32], vec![(Shuffle::deal(0), codes(&order))]);
        let mut told = Vec::new();
        let game = HabeFertig::new(1, Options {}, hands.len() as u8, chance, &mut told).expect("a table");
        Table { game, told }
    }

    /// A moment in the first round, seat 0 to move: the tops, the draw pile with the next card first, and the hands. Everyone hides two
    /// of the highest cards that nothing else names, and all other cards are under the tops.
    fn moment(tops: &str, draw: &str, hands: &[&str]) -> Table {
        let mut table = Table::deal(&vec![""; hands.len()], "");
        let game = &mut table.game;
        let named: CardSet<Card> =
            hands.iter().map(|hand| set(hand)).fold(set(tops) | set(draw), |all, hand| all | hand);
        let mut others: Vec<Card> = (super::card::DECK - named).into_iter().collect();
        for (seat, hand) in Seat::all(game.players).zip(hands) {
            game.hands[seat.index()] = set(hand);
            game.hidden[seat.index()] = others.drain(others.len() - 2..).collect();
        }
        game.tops = Some([list(tops)[0], list(tops)[1]]);
        game.draw = list(draw).into_iter().rev().collect();
        game.buried = others.into_iter().collect();
        game.phase = Phase::Moving;
        game.turns = 60 * u16::from(game.players);
        table.told.clear();
        table
    }

    /// Leaves only these cards under the tops, and gives the last player the others.
    fn bury(mut self, cards: &str) -> Table {
        let last = &mut self.game.hands[usize::from(self.game.players) - 1];
        *last = *last | (self.game.buried - set(cards));
        self.game.buried = set(cards);
        self
    }

    /// These cards are hidden, and what is named nowhere is under the tops.
    fn hiding(mut self, hidden: &[&str]) -> Table {
        let game = &mut self.game;
        for (place, cards) in game.hidden.iter_mut().zip(hidden) {
            *place = set(cards);
        }
        let draw = game.draw.iter().copied().collect();
        let elsewhere = game.hands.iter().chain(&game.hidden).fold(draw, |all, cards| all | *cards);
        game.buried = super::card::DECK - elsewhere - game.tops.into_iter().flatten().collect();
        self
    }

    /// With so many turns of the round played.
    fn after_turns(mut self, turns: u16) -> Table {
        let steps = (turns % u16::from(self.game.players)) as u8 + 1;
        self.game.turn = self.game.dealer.left_by(steps, self.game.players);
        self.game.turns = turns;
        self
    }

    /// Fixes the orders of rebuilt draw piles in the first round, as far as they are named.
    fn rebuilding(mut self, orders: &[&str]) -> Table {
        let orders = (0..).zip(orders).map(|(count, order)| (rebuild(count), codes(&list(order))));
        self.game.chance = Chance::scripted([2; 32], orders.collect());
        self
    }

    /// In the last round, with these points so far.
    fn in_last_round(mut self, totals: &[i32]) -> Table {
        let game = &mut self.game;
        game.round = HabeFertig::rounds(game.players) - 1;
        game.totals[..totals.len()].copy_from_slice(totals);
        // The first dealer was the last seat.
        game.dealer = Seat::FIRST.right(game.players).left_by(game.round as u8, game.players);
        game.turn = game.dealer.left(game.players);
        self
    }

    /// What is refused, by whom, with which code.
    fn refuses(&self, number: u8, text: &str, code: &str) {
        let mut game = self.game.clone();
        let refusal = game.apply(seat(number), action(text), &mut self.told.clone()).expect_err(text);
        assert_eq!(refusal.code, code, "{text}");
        assert_eq!(game, self.game, "{text} was refused, and must change nothing");
    }

    /// Plays for one seat; the views of everyone follow.
    fn play(&mut self, number: u8, text: &str) -> &mut Table {
        let mut views: Vec<View> =
            Viewer::all(self.game.players).map(|viewer| self.game.view(viewer)).collect();
        let mut told = Vec::new();
        let done = self.game.apply(seat(number), action(text), &mut told);
        assert_eq!(done, Ok(()), "seat {number}: {text}");
        for view in &mut views {
            let viewer = view.viewer;
            for (_, event) in told.iter().filter(|(to, _)| to.includes(viewer)) {
                HabeFertig::follow(view, event);
            }
            assert_eq!(*view, self.game.view(viewer), "seat {number}: {text}");
        }
        self.told.extend(told);
        self
    }

    /// Everyone hides their two highest cards, in the order of the seats.
    fn hide_all(&mut self) -> &mut Table {
        for number in 0..self.game.players {
            let hand: Vec<Card> = self.game.hands[usize::from(number)].into_iter().collect();
            let cards = Pair::new(hand[10], hand[11]).expect("two different cards");
            self.game.apply(seat(number), Action::Hide(cards), &mut self.told).expect("hiding");
        }
        self
    }

    fn legal(&self, number: u8) -> Vec<Action> {
        let mut out = vec![Action::Pass; 3];
        self.game.legal_actions(seat(number), &mut out);
        out
    }

    /// What a seat can do, in short.
    fn can(&self, number: u8, expected: &str) {
        let expected: Vec<Action> = expected.split(", ").map(action).collect();
        assert_eq!(self.legal(number), expected);
    }

    /// The events since the last look, with their audience, in English.
    fn heard(&mut self) -> Vec<String> {
        let told = self.told.drain(..).map(|(to, event)| match to {
            Audience::Everyone => format!("all: {event}"),
            Audience::Only(seat) => format!("{seat}: {event}"),
            Audience::AllBut(seats) => format!("not {}: {event}", seats.first().expect("a seat")),
        });
        told.collect()
    }

    fn tops(&self) -> [Card; 2] {
        self.game.tops.expect("piles")
    }

    fn hand(&self, number: u8) -> CardSet<Card> {
        self.game.hands[usize::from(number)]
    }
}
