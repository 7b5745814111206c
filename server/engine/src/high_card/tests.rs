//! Tests of High Card: the sentences of the rules, and the support for the conformance suite.

use rand_chacha::ChaCha8Rng;

use super::*;
use crate::conformance::sample_uniformity::{Pool, check, codes, opponent};
use crate::conformance::{Reveals, Testable, fresh_game};
use crate::test_support::{legal_actions, seat};
use crate::{NoEvents, below};

impl Testable for HighCard {
    const MAX_ACTIONS: usize = MAX_PLAYERS;

    fn options() -> Vec<Options> {
        vec![Options]
    }

    fn card_codes(&self) -> Vec<u8> {
        let dealt: CardSet<Card> = self.hands.iter().flat_map(|hand| hand.into_iter()).collect();
        let played: CardSet<Card> = self.played.iter().copied().collect();
        let held = self.hands.iter().flat_map(|hand| hand.into_iter());
        held.chain(self.played.iter().copied()).chain(DECK - dealt - played).map(Card::code).collect()
    }

    fn shown_card_codes(view: &View) -> Vec<u8> {
        view.hand.into_iter().chain(view.played.iter().copied()).map(Card::code).collect()
    }

    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng) {
        let mut cards: Vec<Card> = self.view(viewer).unseen().into_iter().collect();
        crate::shuffle(&mut cards, rng);
        for seat in Seat::all(self.players).filter(|seat| !viewer.is(*seat)) {
            let hand = &mut self.hands[seat.index()];
            *hand = cards.drain(..usize::from(hand.len())).collect();
        }
    }

    fn order_key(_: &View, action: &Action) -> Vec<i32> {
        vec![action.card.rank().into()]
    }

    fn reveals(event: &Event) -> Reveals {
        match event {
            Event::Dealt { .. } => Reveals::Hands,
            Event::Played { .. } | Event::Ended { .. } => Reveals::Nothing,
        }
    }

    fn random_action(rng: &mut ChaCha8Rng) -> Action {
        Action { card: random_card(rng) }
    }

    fn tamper(view: &mut View, rng: &mut ChaCha8Rng) {
        let card = random_card(rng);
        match below(6, rng) {
            0 => view.viewer = Viewer::Seat(seat(below(6, rng) as u8)),
            1 => view.viewer = Viewer::Spectator,
            2 => view.players = below(8, rng) as u8,
            3 if view.hand.contains(card) => view.hand = view.hand.without(card),
            3 => view.hand = view.hand.with(card),
            4 => drop(view.played.pop()),
            _ => drop(view.played.try_push(card)),
        }
    }
}

fn random_card(rng: &mut ChaCha8Rng) -> Card {
    Card::from_code(below(13, rng) as u8).expect("a code below 13")
}

fn card(rank: u8) -> Card {
    Card::new(rank).expect("a rank")
}

/// A table at which seat 0 has the cards 1 to 3, seat 1 the cards 4 to 6, and so on.
fn table(players: u8) -> HighCard {
    let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), (0..13).collect())]);
    HighCard::new(1, Options, players, chance, &mut NoEvents).expect("a table")
}

fn play(game: &mut HighCard, rank: u8) -> Result<(), Refusal> {
    let seat = game.to_act().first().unwrap_or(Seat::FIRST);
    game.apply(seat, Action { card: card(rank) }, &mut NoEvents)
}

#[test]
fn ranks_are_1_to_13() {
    assert_eq!((Card::new(0), Card::new(14)), (None, None));
    assert_eq!((card(1).code(), card(13).rank()), (0, 13));
}

#[test]
fn highest_card_scores_its_rank() {
    let mut game = table(3);
    for rank in [2, 4, 9] {
        assert_eq!(play(&mut game, rank), Ok(()));
    }
    let outcome = game.outcome().expect("the game is over");
    let standings: Vec<_> = outcome.standings().map(|s| (s.points, s.place)).collect();
    assert_eq!(standings, [(0, 2), (0, 2), (9, 1)]);
    assert_eq!(play(&mut game, 1), Err(Refusal::GAME_OVER));
}

#[test]
fn players_play_cards_of_their_hand_in_seat_order() {
    let mut game = table(2);
    assert_eq!(legal_actions(&game, seat(0)), [1, 2, 3].map(|rank| Action { card: card(rank) }));
    assert_eq!(play(&mut game, 4), Err(Refusal::NOT_IN_HAND));
    assert_eq!(game.apply(seat(1), Action { card: card(4) }, &mut NoEvents), Err(Refusal::NOT_ASKED));
    assert_eq!(game.default_action(seat(0)), Some(Action { card: card(1) }));
    assert_eq!(play(&mut game, 3), Ok(()));
    assert_eq!((game.to_act(), game.outcome()), (Seats::only(seat(1)), None));
}

#[test]
fn samples_are_uniform() {
    check::<HighCard>(
        "high_card_samples_are_uniform",
        fresh_game,
        |view| {
            let theirs = usize::from(view.hand_size(opponent()));
            Some(vec![Pool { cards: codes(view.unseen()), groups: vec![theirs] }])
        },
        |_, _| true,
        |theirs, _| vec![vec![codes(theirs.hand)]],
    );
}
