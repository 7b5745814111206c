//! Tests of the rules of Habe fertig, sentence by sentence.

mod hiding;
mod impossible_views;
mod localisation;
mod round_end;
mod sample_uniformity;
mod setup;
mod testable;
mod turns;
mod views;

use super::*;
use crate::test_support::{assert_events_reproduce_views, legal_actions, seat};
use crate::{Audience, CardCode as _, ShuffleId, ShufflePurpose};

/// Parses a card: `r`, `y`, `g`, `b`, `p` or `e` (grey) for the colour, then the number.
fn card(text: &str) -> Card {
    let (colour, number) = text.split_at(1);
    let colour = Colour::ALL["rygbpe".find(colour).expect("a colour")];
    Card::new(colour, number.parse().expect("a number")).expect("a number from 1 to 11")
}

/// Parses cards separated by spaces.
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

fn viewer(number: u8) -> Viewer {
    Viewer::Seat(seat(number))
}

/// Parses an action: `hide r1 r2`, `lay left`, `r4 left` or `pass`.
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

/// The id of a rebuild in the first round.
fn rebuild_id(count: u16) -> ShuffleId {
    ShuffleId { round: 0, purpose: ShufflePurpose::Rebuild, count }
}

/// A table with the events since the last call of [`take_events`](Table::take_events).
#[derive(Clone)]
struct Table {
    game: HabeFertig,
    events: Vec<(Audience, Event)>,
}

impl Table {
    /// Deals these hands, then the cards of `next` to the top of the draw pile. Hands of fewer than twelve
    /// cards are filled with the highest cards given nowhere.
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
        let chance = Chance::scripted([1; 32], vec![(ShuffleId::deal(0), codes(&order))]);
        let mut events = Vec::new();
        let game = HabeFertig::new(1, Options {}, hands.len() as u8, chance, &mut events).expect("a table");
        Table { game, events }
    }

    /// A position in the first round with seat 0 to move: the tops, the draw pile with the top card first,
    /// and the hands. Everyone has hidden two of the highest cards given nowhere, and all other cards are
    /// under the tops.
    fn position(tops: &str, draw: &str, hands: &[&str]) -> Table {
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
        table.events.clear();
        table
    }

    /// Leaves only these cards under the tops, and gives the others to the last player.
    fn with_buried(mut self, cards: &str) -> Table {
        let last = &mut self.game.hands[usize::from(self.game.players) - 1];
        *last = *last | (self.game.buried - set(cards));
        self.game.buried = set(cards);
        self
    }

    /// Sets the hidden cards; cards that are nowhere else go under the tops.
    fn with_hidden(mut self, hidden: &[&str]) -> Table {
        let game = &mut self.game;
        for (place, cards) in game.hidden.iter_mut().zip(hidden) {
            *place = set(cards);
        }
        let draw = game.draw.iter().copied().collect();
        let elsewhere = game.hands.iter().chain(&game.hidden).fold(draw, |all, cards| all | *cards);
        game.buried = super::card::DECK - elsewhere - game.tops.into_iter().flatten().collect();
        self
    }

    /// Sets the number of finished turns of the round.
    fn after_turns(mut self, turns: u16) -> Table {
        let steps = (turns % u16::from(self.game.players)) as u8 + 1;
        self.game.turn = self.game.dealer.left_by(steps, self.game.players);
        self.game.turns = turns;
        self
    }

    /// Scripts the first cards of rebuilt draw piles in the first round.
    fn with_rebuilds(mut self, orders: &[&str]) -> Table {
        let orders = (0..).zip(orders).map(|(count, order)| (rebuild_id(count), codes(&list(order))));
        self.game.chance = Chance::scripted([2; 32], orders.collect());
        self
    }

    /// Moves to the last round, with these totals.
    fn in_last_round(mut self, totals: &[i32]) -> Table {
        let game = &mut self.game;
        game.round = HabeFertig::rounds(game.players) - 1;
        game.totals[..totals.len()].copy_from_slice(totals);
        // The first dealer was the last seat.
        game.dealer = Seat::FIRST.right(game.players).left_by(game.round as u8, game.players);
        game.turn = game.dealer.left(game.players);
        self
    }

    /// Checks that an action is refused with this code and changes nothing.
    fn assert_refused(&self, number: u8, text: &str, code: &str) {
        let mut game = self.game.clone();
        let refusal = game.apply(seat(number), action(text), &mut self.events.clone()).expect_err(text);
        assert_eq!(refusal.code, code, "{text}");
        assert_eq!(game, self.game, "{text} was refused, but changed the game");
    }

    /// Plays for a seat, and checks that the events reproduce every view.
    fn play(&mut self, number: u8, text: &str) -> &mut Table {
        let (before, mut events) = (self.game.clone(), Vec::new());
        let applied = self.game.apply(seat(number), action(text), &mut events);
        assert_eq!(applied, Ok(()), "seat {number}: {text}");
        assert_events_reproduce_views(&before, &self.game, &events, &format!("seat {number}: {text}"));
        self.events.extend(events);
        self
    }

    /// Hides the two highest cards of every hand, in seat order.
    fn hide_all(&mut self) -> &mut Table {
        for number in 0..self.game.players {
            let hand: Vec<Card> = self.game.hands[usize::from(number)].into_iter().collect();
            let cards = Pair::new(hand[10], hand[11]).expect("two different cards");
            self.game.apply(seat(number), Action::Hide(cards), &mut self.events).expect("hiding");
        }
        self
    }

    fn legal(&self, number: u8) -> Vec<Action> {
        legal_actions(&self.game, seat(number))
    }

    /// Checks the legal actions of a seat.
    fn assert_legal(&self, number: u8, expected: &str) {
        let expected: Vec<Action> = expected.split(", ").map(action).collect();
        assert_eq!(self.legal(number), expected);
    }

    /// The events since the last call, with their audience, in English.
    fn take_events(&mut self) -> Vec<String> {
        let texts = self.events.drain(..).map(|(to, event)| match to {
            Audience::Everyone => format!("all: {event}"),
            Audience::Only(seat) => format!("{seat}: {event}"),
            Audience::AllBut(seats) => format!("not {}: {event}", seats.first().expect("a seat")),
        });
        texts.collect()
    }

    fn tops(&self) -> [Card; 2] {
        self.game.tops.expect("piles")
    }

    fn hand(&self, number: u8) -> CardSet<Card> {
        self.game.hands[usize::from(number)]
    }
}
