//! Tests of the rules of Five Three Five, sentence by sentence.

mod cards;
mod examples;
mod fields;
mod flushing;
mod hand_flow;
mod impossible_views;
mod localisation;
mod sample_uniformity;
mod testable;
mod views;

use super::*;
use crate::conformance::Testable;
use crate::test_support::{assert_events_reproduce_views, seat};
use crate::{Audience, CardCode as _, NoEvents, Points, ShuffleId};

fn rank(number: u8) -> Rank {
    Rank::new(number).expect("a rank")
}

/// Parses cards, as numbers separated by spaces or commas.
fn ranks(text: &str) -> Vec<Rank> {
    let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
    numbers.map(|number| rank(number.parse().expect("a number"))).collect()
}

/// Parses a multiset of cards.
fn cards(text: &str) -> Ranks {
    ranks(text).into_iter().collect()
}

/// Parses a combination, such as `5`, `5,5` or `4,5,6`.
fn combination(text: &str) -> Combination {
    let ranks = ranks(text);
    let (first, size) = (ranks[0], ranks.len() as u8);
    let found = match size {
        1 => Some(Combination::single(first)),
        _ if ranks[1] == first => Combination::set(first, size),
        _ => Combination::run(first, size),
    };
    let found = found.expect("a combination");
    assert_eq!(found.to_string(), text, "a combination is written in order");
    found
}

/// Parses an action: `lead 5`, `over 5,5`, `add 4,5,6` or `pass`.
fn action(text: &str) -> Action {
    match text.split_once(' ') {
        Some(("lead", cards)) => Action::Lead(combination(cards)),
        Some(("over", cards)) => Action::Overwrite(combination(cards)),
        Some(("add", cards)) => Action::Add(combination(cards)),
        None if text == "pass" => Action::Pass,
        _ => panic!("no action: {text}"),
    }
}

/// Formats an action as [`action`] parses it.
fn format_action(action: &Action) -> String {
    match action {
        Action::Lead(lead) => format!("lead {lead}"),
        Action::Overwrite(higher) => format!("over {higher}"),
        Action::Add(grown) => format!("add {grown}"),
        Action::Pass => "pass".to_string(),
    }
}

/// The legal actions of the seat, in order, separated by bars.
fn legal(game: &FiveThreeFive, seat: Seat) -> String {
    let mut legal = Vec::new();
    game.legal_actions(seat, &mut legal);
    legal.iter().map(format_action).collect::<Vec<_>>().join(" | ")
}

/// The order of a deal in which each hand starts with the given cards and is filled with the lowest cards
/// given nowhere.
fn script(players: u8, hands: &[&str]) -> Vec<u8> {
    let mut others: Vec<Rank> = card::deck(players).collect();
    for named in hands.iter().flat_map(|hand| ranks(hand)) {
        let found = others.iter().position(|other| *other == named);
        others.remove(found.expect("no more cards of a rank than there are"));
    }
    let mut order = Vec::new();
    for hand in hands {
        let hand = ranks(hand);
        let missing = usize::from(FiveThreeFive::hand_size(players)) - hand.len();
        order.extend(hand.into_iter().chain(others.drain(..missing)));
    }
    order.into_iter().map(Rank::code).collect()
}

/// A table with its first deals scripted by [`script`].
fn dealt(options: Options, deals: &[&[&str]]) -> FiveThreeFive {
    let players = deals[0].len() as u8;
    let orders = deals.iter().enumerate();
    let orders = orders.map(|(round, hands)| (ShuffleId::deal(round as u16), script(players, hands)));
    let chance = Chance::scripted([0; 32], orders.collect());
    FiveThreeFive::new(1, options, players, chance, &mut NoEvents).expect("a table")
}

/// A table in the middle of its first hand: each player has exactly these cards, and the rest of their hand
/// is gone.
fn table(hands: &[&str]) -> FiveThreeFive {
    let mut game = dealt(Options::default(), &[hands]);
    cut_hands(&mut game, hands);
    game
}

/// Removes all but these cards from the hands.
fn cut_hands(game: &mut FiveThreeFive, hands: &[&str]) {
    for (hand, kept) in game.hands.iter_mut().zip(hands) {
        let kept = cards(kept);
        assert!(hand.contains_all(kept), "{hand:?} was not dealt {kept:?}");
        game.gone = game.gone.plus(hand.minus(kept));
        *hand = kept;
    }
}

/// Plays lines such as `1 over 9 -> eight`: a seat, an action and, after the arrow, its consequence: the
/// reason of a flush (`passed`, `full`, `eight`), `ends` for the end of the hand, or the code of a refusal.
/// No arrow means that cards were laid and nothing else happened.
///
/// After each line, the events must reproduce every view, and the action must have been listed as legal if
/// and only if it was applied.
fn play(game: &mut FiveThreeFive, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (does, expected) = line.split_once(" -> ").unwrap_or((line, ""));
        let (number, does) = does.split_once(' ').expect("a seat and an action");
        let (who, action) = (seat(number.parse().expect("a seat")), action(does));
        let is_legal = legal(game, who).split(" | ").any(|listed| listed == does);
        let before = game.clone();
        let mut events = Vec::new();
        let result = game.apply(who, action, &mut events);
        assert_eq!(result.is_ok(), is_legal, "{line}");
        assert!(result.is_ok() || *game == before, "a refusal changes nothing: {line}");
        let mut codes = [game.card_codes(), before.card_codes()];
        codes.iter_mut().for_each(|codes| codes.sort_unstable());
        assert_eq!(codes[0], codes[1], "cards are conserved: {line}");
        assert_events_reproduce_views(&before, game, &events, line);
        let consequence = match result {
            Err(refusal) => refusal.code,
            Ok(()) => {
                events.iter().map(|(_, event)| consequence(event)).find(|text| !text.is_empty()).unwrap_or("")
            }
        };
        assert_eq!(consequence, expected, "{line}");
    }
}

/// The consequence of an event, as [`play`] writes it.
fn consequence(event: &Event) -> &'static str {
    match event {
        Event::Flushed { reason, .. } => match reason {
            FlushReason::AllPassed => "passed",
            FlushReason::Full => "full",
            FlushReason::Eight => "eight",
        },
        Event::HandScored { .. } => "ends",
        _ => "",
    }
}

/// Plays lines at a table with exactly these hands.
fn check(hands: &[&str], lines: &str) {
    play(&mut table(hands), lines);
}
