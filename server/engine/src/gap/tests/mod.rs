//! Tests of the rules of GAP, sentence by sentence.
//!
//! Cards are written as a letter and a number: `b7` is the blue 7, and the other colours are `g`reen,
//! `y`ellow, `p`ink and p`u`rple. An action is the card with the lower and the higher card it takes:
//! `b0<g9>b1`.

mod events;
mod impossible_views;
mod localisation;
mod sample_uniformity;
mod scoring;
mod setup;
mod testable;
mod turns;
mod views;

use super::*;
use crate::test_support::{legal_actions, seat};
use crate::{CardCode as _, NoEvents};

const LETTERS: [char; 5] = ['b', 'g', 'y', 'p', 'u'];

fn card(text: &str) -> Card {
    let (letter, number) = text.split_at(1);
    let colour = LETTERS.iter().position(|l| letter.starts_with(*l));
    let number = number.parse().expect("a number");
    Card::new(Colour::ALL[colour.expect("a colour")], number).expect("a card")
}

fn in_order(text: &str) -> Vec<Card> {
    text.split_whitespace().map(card).collect()
}

fn cards(text: &str) -> CardSet<Card> {
    in_order(text).into_iter().collect()
}

fn action(text: &str) -> Action {
    let (rest, higher) =
        text.split_once('>').map_or((text, None), |(rest, higher)| (rest, Some(card(higher))));
    let (played, lower) =
        rest.split_once('<').map_or((rest, None), |(played, lower)| (played, Some(card(lower))));
    let card = card(played);
    Action { card, lower, higher }
}

fn format_card(card: Card) -> String {
    format!("{}{}", LETTERS[card.colour() as usize], card.number())
}

fn format_cards(cards: CardSet<Card>) -> String {
    cards.into_iter().map(format_card).collect::<Vec<_>>().join(" ")
}

fn format_action(action: Action) -> String {
    let lower = action.lower.map(|lower| format!("<{}", format_card(lower)));
    let higher = action.higher.map(|higher| format!(">{}", format_card(higher)));
    format_card(action.card) + &lower.unwrap_or_default() + &higher.unwrap_or_default()
}

/// A table with a scripted deal: each hand starts with the given cards and is filled with cards given
/// nowhere; the middle and the top of the stack are as given.
fn table(players: u8, hands: &[&str], middle: &str, stack: &str) -> Gap {
    table_with(Options::default(), players, hands, middle, stack, &mut NoEvents)
}

fn table_with(
    options: Options,
    players: u8,
    hands: &[&str],
    middle: &str,
    stack: &str,
    events: &mut impl EventSink<Event>,
) -> Gap {
    let named = cards(&(hands.join(" ") + " " + middle + " " + stack));
    let mut others = (card::deck(players) - named).into_iter();
    let mut order = Vec::new();
    for number in 0..usize::from(players) {
        let hand = hands.get(number).copied().unwrap_or_default();
        let size = order.len() + usize::from(Gap::hand_size(players));
        order.extend(in_order(hand));
        order.extend(others.by_ref().take(size - order.len()));
    }
    order.extend(in_order(middle));
    order.extend(in_order(stack));
    let codes = order.into_iter().map(Card::code).collect();
    let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), codes)]);
    Gap::new(1, options, players, chance, events).expect("a table")
}

/// Plays for the seat whose turn it is, and returns the events.
fn play(game: &mut Gap, what: &str) -> Vec<(Audience, Event)> {
    let mut events = Vec::new();
    let done = game.apply(game.turn, action(what), &mut events);
    assert_eq!(done, Ok(()), "{what} in {game:#?}");
    events
}
