//! Conformance support for Five Three Five.

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::below;
use crate::conformance::{Reveals, Testable};
use crate::five_three_five::field::cards_of;

impl Testable for FiveThreeFive {
    /// Three players can play 29 hands, six players 23: after 22 of them all six totals can still be about
    /// -19. In each hand, six players lay up to 60 cards, and up to five players pass between two cards.
    const MAX_ACTIONS: usize = 23 * 60 * 6;

    fn options() -> Vec<Options> {
        [false, true].map(|beginner| Options { beginner }).to_vec()
    }

    fn card_codes(&self) -> Vec<u8> {
        let places = self.hands.into_iter().chain([self.gone, cards_of(self.stack)]);
        places.flat_map(Ranks::iter).chain(self.rest.iter().copied()).map(Rank::code).collect()
    }

    fn shown_card_codes(view: &View) -> Vec<u8> {
        let others = Seat::all(view.players).filter(|seat| !view.viewer.is(*seat));
        let hands = others.map(|seat| view.left[seat.index()]).chain([view.hand]);
        hands.chain([view.gone, cards_of(view.stack)]).flat_map(Ranks::iter).map(Rank::code).collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let kept = usize::from(FiveThreeFive::kept_back(self.players, self.hand_number));
        // Once the game is over, the hands are face up; the cards set aside stay hidden.
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

    fn order_key(_: &View, action: &Action) -> Vec<i32> {
        let (phase, laid) = match action {
            Action::Lead(lead) => (0, lead),
            Action::Overwrite(beating) => return vec![1, beating.lowest().number().into()],
            Action::Add(grown) => (2, grown),
            Action::Pass => return vec![3],
        };
        let kind = match laid.kind() {
            CombinationKind::Single => 0,
            CombinationKind::Set => 1,
            _ => 2,
        };
        vec![phase, kind, laid.lowest().number().into(), laid.size().into()]
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::HandBegan { .. } | Event::Dealt { .. } | Event::HandScored { .. } => Reveals::Hands,
            Event::Laid { .. } | Event::Passed { .. } | Event::Flushed { .. } | Event::Ended { .. } => {
                Reveals::Nothing
            }
        }
    }

    fn random_action(rng: &mut ChaCha8Rng) -> Action {
        let combination = random_combination(rng);
        match below(4, rng) {
            0 => Action::Lead(combination),
            1 => Action::Overwrite(combination),
            2 => Action::Add(combination),
            _ => Action::Pass,
        }
    }

    fn tamper(view: &mut View, rng: &mut ChaCha8Rng) {
        let seat = seat(below(6, rng) as u8);
        let cards = Ranks::copies(random_rank(rng), 1 + below(2, rng) as u8);
        let number = rng.next_u32();
        let tampered = |ranks: Ranks| {
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
                let combination = random_combination(rng);
                view.stack = (number & 1 == 0).then_some(Stack { combination, by: seat });
            }
            10 => {
                view.passed = if view.passed.contains(seat) {
                    view.passed.without(seat)
                } else {
                    view.passed.with(seat)
                }
            }
            11 => view.hand = tampered(view.hand),
            12 => view.hand_sizes[seat.index()] = (number % 15) as u8,
            13 => view.gone = tampered(view.gone),
            14 => [&mut view.set_aside, &mut view.kept_back][seat.index() & 1].clone_from(&(number as u8)),
            15 => view.left[seat.index()] = tampered(view.left[seat.index()]),
            16 => view.totals[seat.index()] = number as i32 >> (number % 32),
            _ => view.outcome = None,
        }
    }
}

fn random_rank(rng: &mut ChaCha8Rng) -> Rank {
    Rank::from_code(below(13, rng) as u8).expect("a code below 13")
}

fn random_combination(rng: &mut ChaCha8Rng) -> Combination {
    let (rank, size) = (random_rank(rng), 2 + below(4, rng) as u8);
    let larger = match below(3, rng) {
        0 => None,
        1 => Combination::set(rank, size),
        _ => Combination::run(rank, size),
    };
    larger.unwrap_or(Combination::single(rank))
}
