//! Conformance support for Habe fertig.

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::super::*;
use crate::CardCode as _;
use crate::conformance::{Reveals, Testable};
use crate::test_support::seat;
use crate::{Relabelling, below};

impl Testable for HabeFertig {
    /// Four rounds, each with four hide actions; 400 turns, which may begin by laying a card and end with an
    /// action; and cards played into the gap, each of which was one of the ten in a hand or taken by a pass.
    const MAX_ACTIONS: usize = 4 * (4 + 2 * 400 + (40 + 400));

    fn options() -> Vec<Options> {
        vec![Options {}]
    }

    fn card_codes(&self) -> Vec<u8> {
        let turned = match self.phase {
            Phase::Laying { turned } => Some(turned),
            Phase::Hiding { .. } | Phase::Moving => None,
        };
        let sets = self.hands.iter().chain(&self.hidden).chain([&self.buried]);
        sets.flat_map(|set| set.into_iter())
            .chain(self.tops.into_iter().flatten())
            .chain(turned)
            .chain(self.draw.iter().copied())
            .map(Card::code)
            .collect()
    }

    fn shown_card_codes(view: &View) -> Vec<u8> {
        view.seen().into_iter().map(Card::code).collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let winner = Seat::all(self.players).find(|seat| self.hands[seat.index()].is_empty());
        let shown = self.outcome.is_some();
        let (game, mut places) = (self.clone(), Vec::new());
        let places_of = self.hands.iter_mut().zip(&mut self.hidden);
        for (seat, (hand, hidden)) in Seat::all(MAX_SEATS as u8).zip(places_of) {
            if viewer.is(seat) {
                continue;
            }
            if !shown {
                places.push(hand);
            }
            if !shown || winner != Some(seat) {
                places.push(hidden);
            }
        }
        for rebuild in 0..=game.rebuilds {
            let of_it = |cards: CardSet<Card>| -> CardSet<Card> {
                cards.into_iter().filter(|card| game.origin[card.index()] == rebuild).collect()
            };
            let mut cards: Vec<Card> = places.iter().flat_map(|place| of_it(**place)).collect();
            crate::shuffle(&mut cards, rng);
            for place in &mut places {
                let old = of_it(**place);
                let new: CardSet<Card> = cards.drain(..usize::from(old.len())).collect();
                **place = (**place - old) | new;
            }
        }
    }

    fn order_key(_: &View, action: &Action) -> Vec<i32> {
        let by_colour_and_number = |card: Card| {
            let colour = Colour::ALL.iter().position(|colour| *colour == card.colour());
            [colour.map_or(-1, |place| place as i32), card.number().into()]
        };
        let left_first = |pile: Pile| match pile {
            Pile::Left => 0,
            Pile::Right => 1,
        };
        match *action {
            Action::Hide(pair) => {
                [pair.low(), pair.high()].into_iter().flat_map(by_colour_and_number).collect()
            }
            Action::Lay(pile) => vec![left_first(pile)],
            Action::Play { card, pile } => {
                let [colour, number] = by_colour_and_number(card);
                vec![0, colour, number, left_first(pile)]
            }
            Action::Pass => vec![1],
        }
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::PilesOpened { .. } | Event::TurnedOver { .. } | Event::YouPassed { .. } => Reveals::Pile,
            Event::RoundBegan { .. }
            | Event::Dealt { .. }
            | Event::Shown { .. }
            | Event::RoundScored { .. }
            | Event::Ended { .. } => Reveals::Hands,
            Event::YouHid { .. }
            | Event::Hid { .. }
            | Event::Laid { .. }
            | Event::Played { .. }
            | Event::Passed { .. }
            | Event::PassedWithoutCard { .. }
            | Event::Rebuilt { .. } => Reveals::Nothing,
        }
    }

    fn relabelled(action: Action, relabelling: &Relabelling) -> Action {
        match action {
            Action::Hide(pair) => {
                Pair::new(relabelling.relabel(pair.low()), relabelling.relabel(pair.high()))
                    .map_or(action, Action::Hide)
            }
            Action::Play { card, pile } => Action::Play { card: relabelling.relabel(card), pile },
            Action::Lay(_) | Action::Pass => action,
        }
    }

    fn is_private(action: &Action) -> bool {
        matches!(action, Action::Hide(_))
    }

    fn random_action(rng: &mut ChaCha8Rng) -> Action {
        let mut card = || Card::from_code(below(66, rng) as u8).expect("a code below 66");
        let (card, other) = (card(), card());
        let pile = Pile::ALL[below(2, rng) as usize];
        match below(8, rng) {
            0 => Action::Pass,
            1 => Action::Lay(pile),
            2..5 => Pair::new(card, other).map_or(Action::Pass, Action::Hide),
            _ => Action::Play { card, pile },
        }
    }

    fn tamper(view: &mut View, rng: &mut ChaCha8Rng) {
        let card = Card::from_code(below(66, rng) as u8).expect("a code below 66");
        let other = Card::from_code(below(66, rng) as u8).expect("a code below 66");
        let seat = seat(below(6, rng) as u8);
        let number = rng.next_u32();
        let toggle = |set: &mut CardSet<Card>| {
            *set = if set.contains(card) { set.without(card) } else { set.with(card) };
        };
        let which = below(view.origins.len() as u32, rng) as usize;
        match below(26, rng) {
            0 => view.viewer = Viewer::Seat(seat),
            1 => view.viewer = Viewer::Spectator,
            2 => view.players = number as u8,
            3 => view.round = (number % 6) as u16,
            4 => view.dealer = seat,
            5 => {
                let waiting = Seat::all(6).filter(|seat| number >> seat.index() & 1 != 0).collect();
                view.phase = Phase::Hiding { waiting };
            }
            6 => view.phase = Phase::Laying { turned: card },
            7 => view.phase = Phase::Moving,
            8 => view.turn = seat,
            9 => view.turns = number as u16,
            10 => view.turns = (number % 402) as u16,
            11 => view.dry_passes = (number % 6) as u8,
            12 => toggle(&mut view.hand),
            13 => toggle(&mut view.hidden),
            14 => view.hand_sizes[seat.index()] = (number % 14) as u8,
            15 => view.tops = (number & 3 != 0).then_some([card, other]),
            16 => toggle(&mut view.buried),
            17 => view.draw = number as u8,
            18 => view.rebuilds = (number % 4) as u16,
            19 => view.totals[seat.index()] = number as i32,
            20 => view.outcome = None,
            21 => view.shown = None,
            22 => {
                let mut hands = [CardSet::EMPTY; MAX_SEATS];
                hands[seat.index()] = view.hand;
                view.shown = Some(RevealedCards { winner: Some(seat), hidden: view.hidden, hands });
            }
            23 => view.origins.truncate(which),
            24 if !view.origins.is_empty() => {
                let doubled = view.origins[which];
                view.origins.push(doubled);
            }
            _ => {
                let Some(origin) = view.origins.get_mut(which) else {
                    return;
                };
                match below(5, rng) {
                    0 => origin.rebuild = number as u16,
                    1 => toggle(&mut origin.cards),
                    2 => origin.in_hands[seat.index()] = (number % 14) as u8,
                    3 => origin.hidden = (number % 9) as u8,
                    _ => origin.draw = number as u8,
                }
            }
        }
    }
}
