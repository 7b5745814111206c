//! The rules of Flush, sentence by sentence.

mod cards;
mod fields;
mod flushing;
mod hands;
mod impossible;
mod views;
mod words;

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::conformance::{Reveals, Testable};
use crate::{Card as _, NoEvents, Points, Shuffle, below};

impl Testable for Flush {
    /// Three players can have 29 hands, six players 23: after 22 of them the totals of all six are -19 or so. In each,
    /// six players lay up to 60 cards, and for each card up to five pass.
    const MAX_ACTIONS: usize = 23 * 60 * 6;

    fn options() -> Vec<Options> {
        [false, true].map(|beginner| Options { beginner }).to_vec()
    }

    fn census(&self) -> Vec<u8> {
        let places = self.hands.into_iter().chain([self.gone, cards_of(self.stack)]);
        places.flat_map(Ranks::iter).chain(self.rest.iter().copied()).map(Rank::code).collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let kept = usize::from(Flush::kept_back(self.players, self.hand_number));
        // Once the game is over, the hands are on the table, and what was set aside stays hidden.
        let over = self.outcome.is_some();
        let others: Vec<Seat> = Seat::all(self.players).filter(|seat| !over && !viewer.is(*seat)).collect();
        let hands = others.iter().flat_map(|seat| self.hands[seat.index()].iter());
        let mut cards: Vec<Rank> = hands.chain(self.rest.drain(kept..)).collect();
        crate::shuffle(&mut cards, rng);
        for seat in others {
            let hand = &mut self.hands[seat.index()];
            *hand = cards.drain(..usize::from(hand.len())).collect();
        }
        self.rest.extend(cards);
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::HandBegan { .. } | Event::Dealt { .. } | Event::HandScored { .. } => Reveals::Hands,
            Event::Laid { .. } | Event::Passed { .. } | Event::Flushed { .. } | Event::Ended { .. } => {
                Reveals::Nothing
            }
        }
    }

    fn any_action(rng: &mut ChaCha8Rng) -> Action {
        let combination = any_combination(rng);
        match below(4, rng) {
            0 => Action::Lead(combination),
            1 => Action::Overwrite(combination),
            2 => Action::Add(combination),
            _ => Action::Pass,
        }
    }

    fn spoil(view: &mut View, rng: &mut ChaCha8Rng) {
        let seat = Seat::new(below(6, rng) as u8).expect("a seat");
        let cards = Ranks::copies(any_rank(rng), 1 + below(2, rng) as u8);
        let number = rng.next_u32();
        let spoiled = |ranks: Ranks| {
            if number & 1 == 0 { ranks.plus(cards) } else { ranks.minus(cards) }
        };
        match below(18, rng) {
            0 => view.viewer = Viewer::Seat(seat),
            1 => view.viewer = Viewer::Spectator,
            2 => view.players = number as u8,
            3 => view.players = (number % 8) as u8,
            4 => view.options.beginner = !view.options.beginner,
            5 => view.hand_number = (number % 3) as u16,
            6 => view.hand_number = number as u16,
            7 => view.start = seat,
            8 => view.turn = seat,
            9 => {
                let combination = any_combination(rng);
                view.stack = (number & 1 == 0).then_some(Stack { combination, by: seat });
            }
            10 => {
                view.passed = if view.passed.contains(seat) {
                    view.passed.without(seat)
                } else {
                    view.passed.with(seat)
                }
            }
            11 => view.hand = spoiled(view.hand),
            12 => view.hand_sizes[seat.index()] = (number % 15) as u8,
            13 => view.gone = spoiled(view.gone),
            14 => [&mut view.set_aside, &mut view.kept_back][seat.index() & 1].clone_from(&(number as u8)),
            15 => view.left[seat.index()] = spoiled(view.left[seat.index()]),
            16 => view.totals[seat.index()] = number as i32 >> (number % 32),
            _ => view.outcome = None,
        }
    }
}

fn any_rank(rng: &mut ChaCha8Rng) -> Rank {
    Rank::from_code(below(13, rng) as u8).expect("a code below 13")
}

fn any_combination(rng: &mut ChaCha8Rng) -> Combination {
    let (rank, size) = (any_rank(rng), 2 + below(4, rng) as u8);
    let larger = match below(3, rng) {
        0 => None,
        1 => Combination::set(rank, size),
        _ => Combination::sequence(rank, size),
    };
    larger.unwrap_or(Combination::single(rank))
}

/// The seat with this number.
fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// The rank with this number.
fn rank(number: u8) -> Rank {
    Rank::new(number).expect("a rank")
}

/// Cards as numbers between spaces or commas.
fn ranks(text: &str) -> Vec<Rank> {
    let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
    numbers.map(|number| rank(number.parse().expect("a number"))).collect()
}

/// Cards in no order.
fn cards(text: &str) -> Ranks {
    ranks(text).into_iter().collect()
}

/// A combination as it is written: `5`, `5,5` or `4,5,6`.
fn combination(text: &str) -> Combination {
    let ranks = ranks(text);
    let (first, size) = (ranks[0], ranks.len() as u8);
    let found = match size {
        1 => Some(Combination::single(first)),
        _ if ranks[1] == first => Combination::set(first, size),
        _ => Combination::sequence(first, size),
    };
    let found = found.expect("a combination");
    assert_eq!(found.to_string(), text, "a combination is written in order");
    found
}

/// An action as `lead 5`, `over 5,5`, `add 4,5,6` or `pass`.
fn action(text: &str) -> Action {
    match text.split_once(' ') {
        Some(("lead", cards)) => Action::Lead(combination(cards)),
        Some(("over", cards)) => Action::Overwrite(combination(cards)),
        Some(("add", cards)) => Action::Add(combination(cards)),
        None if text == "pass" => Action::Pass,
        _ => panic!("no action: {text}"),
    }
}

/// An action in the form that [`action`] reads.
fn short(action: &Action) -> String {
    match action {
        Action::Lead(lead) => format!("lead {lead}"),
        Action::Overwrite(higher) => format!("over {higher}"),
        Action::Add(grown) => format!("add {grown}"),
        Action::Pass => "pass".to_string(),
    }
}

/// What the seat can do, in order, with bars between.
fn legal(game: &Flush, seat: Seat) -> String {
    let mut legal = Vec::new();
    game.legal_actions(seat, &mut legal);
    legal.iter().map(short).collect::<Vec<_>>().join(" | ")
}

/// A deal in which each hand begins with the cards given, and is filled up with others, the lowest first.
fn script(players: u8, hands: &[&str]) -> Vec<u8> {
    let mut others: Vec<Rank> = card::deck(players).collect();
    for named in hands.iter().flat_map(|hand| ranks(hand)) {
        let found = others.iter().position(|other| *other == named);
        others.remove(found.expect("no more cards of a rank than there are"));
    }
    let mut order = Vec::new();
    for hand in hands {
        let hand = ranks(hand);
        let missing = usize::from(Flush::hand_size(players)) - hand.len();
        order.extend(hand.into_iter().chain(others.drain(..missing)));
    }
    order.into_iter().map(Rank::code).collect()
}

/// A table at which the first deals are given as for [`script`].
fn dealt(options: Options, deals: &[&[&str]]) -> Flush {
    let players = deals[0].len() as u8;
    let orders = deals.iter().enumerate();
    let orders = orders.map(|(round, hands)| (Shuffle::deal(round as u16), script(players, hands)));
    let chance = Chance::scripted([0; 32], orders.collect());
    Flush::new(1, options, players, chance, &mut NoEvents).expect("a table")
}

/// A table in the middle of its first hand: everyone has just the cards given, and what else they were dealt is gone.
fn table(hands: &[&str]) -> Flush {
    let mut game = dealt(Options::default(), &[hands]);
    cut_hands(&mut game, hands);
    game
}

/// Takes all but these cards out of the hands.
fn cut_hands(game: &mut Flush, hands: &[&str]) {
    for (hand, kept) in game.hands.iter_mut().zip(hands) {
        let kept = cards(kept);
        assert!(hand.contains_all(kept), "{hand:?} was not dealt {kept:?}");
        game.gone = game.gone.plus(hand.minus(kept));
        *hand = kept;
    }
}

/// Plays lines like `1 over 9 -> eight`: a seat, an action, and behind the arrow what came of it: the reason of a flush
/// (`passed`, `full`, `eight`), `ends` for the end of the hand, the code of a refusal, or nothing but the cards laid.
///
/// After each line, every viewer must know from the events alone what the game shows them, and an action must have
/// been offered just if it was done.
fn play(game: &mut Flush, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (does, comes) = line.split_once(" -> ").unwrap_or((line, ""));
        let (number, does) = does.split_once(' ').expect("a seat and an action");
        let (who, action) = (seat(number.parse().expect("a seat")), action(does));
        let offered = legal(game, who).split(" | ").any(|offer| offer == does);
        let before = game.clone();
        let mut events = Vec::new();
        let result = game.apply(who, action, &mut events);
        assert_eq!(result.is_ok(), offered, "{line}");
        assert!(result.is_ok() || *game == before, "a refusal changes nothing: {line}");
        let mut census = [game.census(), before.census()];
        census.iter_mut().for_each(|codes| codes.sort_unstable());
        assert_eq!(census[0], census[1], "no card comes or goes: {line}");
        for viewer in Viewer::all(game.players) {
            let mut view = before.view(viewer);
            for (_, event) in events.iter().filter(|(to, _)| to.includes(viewer)) {
                Flush::follow(&mut view, event);
            }
            assert_eq!(view, game.view(viewer), "{line}");
        }
        let came = match result {
            Err(refusal) => refusal.code,
            Ok(()) => events.iter().map(|(_, event)| came(event)).find(|came| !came.is_empty()).unwrap_or(""),
        };
        assert_eq!(came, comes, "{line}");
    }
}

/// What a line of [`play`] says of an event.
fn came(event: &Event) -> &'static str {
    match event {
        Event::Flushed { why, .. } => match why {
            Why::AllPassed => "passed",
            Why::Full => "full",
            Why::Eight => "eight",
        },
        Event::HandScored { .. } => "ends",
        _ => "",
    }
}

/// Plays lines at a table where everyone has just these cards.
fn check(hands: &[&str], lines: &str) {
    play(&mut table(hands), lines);
}
