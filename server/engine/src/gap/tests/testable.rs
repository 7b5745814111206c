//! Conformance support for GAP.

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::conformance::{Reveals, Testable};
use crate::{Relabelling, below};

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

    fn card_codes(&self) -> Vec<u8> {
        let sets = self.hands.iter().chain(&self.collected).chain([&self.middle]);
        sets.flat_map(|set| set.into_iter()).chain(self.stack.iter().copied()).map(Card::code).collect()
    }

    fn shown_card_codes(view: &View) -> Vec<u8> {
        view.seen().into_iter().map(Card::code).collect()
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

    fn order_key(_: &View, action: &Action) -> Vec<i32> {
        let by_colour_and_number = |card: Card| {
            let colour = Colour::ALL.iter().position(|colour| *colour == card.colour());
            [colour.map_or(-1, |place| place as i32), card.number().into()]
        };
        let cards = [Some(action.card), action.lower, action.higher];
        cards.into_iter().flat_map(|card| card.map_or([-1, -1], by_colour_and_number)).collect()
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::Filled { .. } => Reveals::Pile,
            Event::RoundBegan { .. } | Event::Dealt { .. } => Reveals::Hands,
            Event::Played { .. } | Event::RoundScored { .. } | Event::Ended { .. } => Reveals::Nothing,
        }
    }

    fn relabelled(action: Action, relabelling: &Relabelling) -> Action {
        let relabelled = |card: Card| relabelling.relabel(card);
        Action {
            card: relabelled(action.card),
            lower: action.lower.map(relabelled),
            higher: action.higher.map(relabelled),
        }
    }

    fn random_action(rng: &mut ChaCha8Rng) -> Action {
        let mut card = || Card::from_code(below(50, rng) as u8);
        let (card, lower, higher) = (card(), card(), card());
        let named = below(4, rng);
        Action {
            card: card.expect("a code below 50"),
            lower: lower.filter(|_| named & 1 != 0),
            higher: higher.filter(|_| named & 2 != 0),
        }
    }

    fn tamper(view: &mut View, rng: &mut ChaCha8Rng) {
        let card = Card::from_code(below(50, rng) as u8).expect("a code below 50");
        let seat = seat(below(6, rng) as u8);
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
