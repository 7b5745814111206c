//! The rules of GAP, sentence by sentence.
//!
//! Cards are written as a letter and a number: `b7` is the blue 7, then `g`reen, `y`ellow, `p`ink and p`u`rple. An
//! action is the card with the lower and the higher one that it takes: `b0<g9>b1`.

mod end;
mod events;
mod impossible;
mod set_up;
mod turns;
mod views;
mod words;

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::conformance::{Reveals, Testable, legal};
use crate::{Card as _, NoEvents, Relabelling, below};

const LETTERS: [char; 5] = ['b', 'g', 'y', 'p', 'u'];

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

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

fn name(card: Card) -> String {
    format!("{}{}", LETTERS[card.colour() as usize], card.number())
}

fn names(cards: CardSet<Card>) -> String {
    cards.into_iter().map(name).collect::<Vec<_>>().join(" ")
}

fn written(action: Action) -> String {
    let lower = action.lower.map(|lower| format!("<{}", name(lower)));
    let higher = action.higher.map(|higher| format!(">{}", name(higher)));
    name(action.card) + &lower.unwrap_or_default() + &higher.unwrap_or_default()
}

/// A table on scripted chance: each hand begins with the cards named, then come cards that are named nowhere; the
/// middle and the first cards of the stack are those named.
fn table(players: u8, hands: &[&str], middle: &str, stack: &str) -> Gap {
    table_with(Options::default(), players, hands, middle, stack, &mut NoEvents)
}

fn table_with(
    options: Options,
    players: u8,
    hands: &[&str],
    middle: &str,
    stack: &str,
    events: &mut impl Events<Event>,
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
    let chance = Chance::scripted([0; 32], vec![(Shuffle::deal(0), codes)]);
    Gap::new(1, options, players, chance, events).expect("a table")
}

/// Lets whoever's turn it is play, and gives what everybody was told.
fn play(game: &mut Gap, what: &str) -> Vec<(Audience, Event)> {
    let mut events = Vec::new();
    let done = game.apply(game.turn, action(what), &mut events);
    assert_eq!(done, Ok(()), "{what} in {game:#?}");
    events
}

impl Testable for Gap {
    /// 100 rounds of 30 cards.
    const MAX_ACTIONS: usize = 3000;

    fn options() -> Vec<Options> {
        [
            Length::Target(30),
            Length::Target(1),
            Length::Target(u32::MAX),
            Length::Rounds(1),
            Length::Rounds(3),
        ]
        .map(|length| Options { length })
        .to_vec()
    }

    fn census(&self) -> Vec<u8> {
        let sets = self.hands.iter().chain(&self.collected).chain([&self.middle]);
        sets.flat_map(|set| set.into_iter()).chain(self.stack.iter().copied()).map(Card::code).collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let others: Vec<Seat> = Seat::all(self.players).filter(|seat| !viewer.is(*seat)).collect();
        let mut cards: Vec<Card> = others.iter().flat_map(|seat| self.hands[seat.index()]).collect();
        crate::shuffle(&mut cards, rng);
        for seat in others {
            let hand = &mut self.hands[seat.index()];
            *hand = cards.drain(..usize::from(hand.len())).collect();
        }
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::Filled { .. } => Reveals::Pile,
            Event::RoundBegan { .. } | Event::Dealt { .. } => Reveals::Hands,
            Event::Played { .. } | Event::RoundScored { .. } | Event::Ended { .. } => Reveals::Nothing,
        }
    }

    fn relabelled(action: Action, names: &Relabelling) -> Action {
        let named = |card: Card| names.name(card);
        Action { card: named(action.card), lower: action.lower.map(named), higher: action.higher.map(named) }
    }

    fn any_action(rng: &mut ChaCha8Rng) -> Action {
        let mut card = || Card::from_code(below(50, rng) as u8);
        let (card, lower, higher) = (card(), card(), card());
        let named = below(4, rng);
        Action {
            card: card.expect("a code below 50"),
            lower: lower.filter(|_| named & 1 != 0),
            higher: higher.filter(|_| named & 2 != 0),
        }
    }

    fn spoil(view: &mut View, rng: &mut ChaCha8Rng) {
        let card = Card::from_code(below(50, rng) as u8).expect("a code below 50");
        let seat = Seat::new(below(6, rng) as u8).expect("a seat");
        let toggled = |set: CardSet<Card>| {
            if set.contains(card) { set.without(card) } else { set.with(card) }
        };
        let number = rng.next_u32();
        match below(17, rng) {
            0 => view.viewer = Viewer::Seat(seat),
            1 => view.viewer = Viewer::Spectator,
            2 => view.players = number as u8,
            3 => view.options.length = Length::Target(number % 3),
            4 => view.options.length = Length::Rounds(number as u16),
            5 => view.round = (number % 110) as u16,
            6 => view.extra = !view.extra,
            7 => view.start = seat,
            8 => view.turn = seat,
            9 => view.hand = toggled(view.hand),
            10 => view.hand_sizes[seat.index()] = (number % 9) as u8,
            11 => view.middle = toggled(view.middle),
            12 => view.stack = number as u8,
            13 => view.collected[seat.index()] = toggled(view.collected[seat.index()]),
            14 => view.totals[seat.index()] = number as i32,
            15 => {
                view.best[seat.index()] =
                    Some(BestRound { points: number as i32, round: (number >> 16) as u16 });
            }
            _ => view.outcome = None,
        }
    }
}
