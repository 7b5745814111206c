//! Conformance support for No Dice.

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::conformance::{Reveals, Testable};
use crate::{below, shuffle};

impl Testable for NoDice {
    /// 60 turns with a card; between two of them up to five passes, and five more for each PASS card played
    /// in a window; before each of those turns four answers, and four for each skipped turn.
    const MAX_ACTIONS: usize = (60 + 61 * 5 + 4 * 5) * 5 + 4 * 4;

    fn options() -> Vec<Options> {
        vec![Options {}]
    }

    fn card_codes(&self) -> Vec<u8> {
        let hands = self.hands.iter().chain([&self.played]);
        hands
            .flat_map(|hand| *hand)
            .chain(self.draw_pile.iter().copied())
            .chain(self.board.laid().iter().map(|laid| Card::Playing(laid.placement.card())))
            .map(Card::code)
            .collect()
    }

    fn shown_card_codes(view: &View) -> Vec<u8> {
        view.seen().into_iter().map(Card::code).collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let own = viewer.seat();
        let others: Vec<Seat> = Seat::all(self.players).filter(|seat| Some(*seat) != own).collect();
        let is_open = self.held || !self.asked.is_empty();
        let sees_wait = own.is_some_and(|own| self.yes.contains(own) || is_open && own == self.turn);
        // Waiting in a held window reveals nothing.
        let waits = sees_wait && !self.held;
        let mut kept = own.map_or([Hand::EMPTY; MAX_SEATS], |own| self.known[own.index()]);
        let mut cards = Vec::new();
        for seat in &others {
            let (hand, kept) = (self.hands[seat.index()], &mut kept[seat.index()]);
            while waits && kept.count(Card::Pass) < hand.count(Card::Pass) {
                *kept = kept.with(Card::Pass);
            }
            cards.extend(hand.minus(*kept));
        }
        shuffle(&mut cards, rng);
        for seat in &others {
            let (hand, kept) = (&mut self.hands[seat.index()], kept[seat.index()]);
            let missing = hand.len() - kept.len();
            *hand = kept.plus(cards.drain(..usize::from(missing)).collect());
            // The memories of other players do not affect this viewer.
            self.known[seat.index()] = [Hand::EMPTY; MAX_SEATS];
        }
        if is_open && !waits {
            let has_answered = own.filter(|own| !self.asked.contains(*own));
            let answered = has_answered.map_or(Seats::NONE, Seats::only).with(self.turn);
            let holders = self.holders_of_pass();
            self.asked = holders.iter().filter(|seat| !answered.contains(*seat)).collect();
            self.yes = self.yes.iter().filter(|seat| Some(*seat) == own).collect();
        }
    }

    fn order_key(view: &View, action: &Action) -> Vec<i32> {
        order::key(view, *action)
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::Drew { .. } => Reveals::Pile,
            Event::Dealt { .. } | Event::Got { .. } => Reveals::Hands,
            _ => Reveals::Nothing,
        }
    }

    fn is_private(action: &Action) -> bool {
        *action == Action::Decline
    }

    fn random_action(rng: &mut ChaCha8Rng) -> Action {
        let near = |rng: &mut ChaCha8Rng| match below(8, rng) {
            0 => rng.next_u32() as i16,
            _ => below(25, rng) as i16 - 12,
        };
        match below(12, rng) {
            0 => Action::Switch,
            1 => Action::PassCard,
            2 => Action::X2,
            3 => Action::Swap(random_seat(rng)),
            4 => Action::Pass,
            5 => Action::Decline,
            _ => random_placement(near, rng).map_or(Action::Pass, Action::Lay),
        }
    }

    fn tamper(view: &mut View, rng: &mut ChaCha8Rng) {
        let card = Card::from_code(below(49, rng) as u8).expect("a code below 49");
        let seat = random_seat(rng);
        let number = rng.next_u32();
        let toggled = |hand: Hand| {
            if hand.contains(card) { hand.without(card) } else { hand.with(card) }
        };
        let toggled_seat = |seats: Seats| {
            if seats.contains(seat) { seats.without(seat) } else { seats.with(seat) }
        };
        match below(23, rng) {
            0 => view.viewer = Viewer::Seat(seat),
            1 => view.viewer = Viewer::Spectator,
            2 => view.players = number as u8,
            3 => view.order = view.order.reversed(),
            4 => view.turn = seat,
            5 => view.decision = None,
            6 => view.decision = Some(Decision::Turn),
            7 => view.decision = Some(Decision::Window),
            8 => view.said_yes = !view.said_yes,
            9 => view.hand = toggled(view.hand),
            10 => view.known[seat.index()] = toggled(view.known[seat.index()]),
            11 => view.hand_sizes[seat.index()] = (number % 9) as u8,
            12 => view.draw_pile = (number % 64) as u8,
            13 => view.table.truncate(number as usize % 45),
            14 => view.table.extend(view.table.clone()),
            15 => {
                let placement = random_placement(|rng| rng.next_u32() as i16, rng);
                view.table.extend(placement.map(|placement| LaidCard { seat, placement }));
            }
            16 => view.played = toggled(view.played),
            17 => view.x2 = toggled_seat(view.x2),
            18 => view.passed = toggled_seat(view.passed),
            19 => view.scores[seat.index()] = number as i32,
            20 => view.outcome = None,
            21 => view.windows_held = !view.windows_held,
            _ => view.outcome = Some(Outcome::from_points(view.players.min(6), view.scores)),
        }
    }
}

fn random_seat(rng: &mut ChaCha8Rng) -> Seat {
    seat(below(6, rng) as u8)
}

fn random_placement(mut at: impl FnMut(&mut ChaCha8Rng) -> i16, rng: &mut ChaCha8Rng) -> Option<Placement> {
    let card = PlayingCard::from_code(below(45, rng) as u8).expect("a code below 45");
    let (x, y) = (at(rng), at(rng));
    Placement::new(card, x, y, Direction::ALL[below(4, rng) as usize])
}
