//! The deck, hands and the deal.

use super::*;

#[test]
fn deck_has_every_pair_once_and_15_action_cards() {
    let deck = card::deck();
    assert_eq!(deck.len(), 60);
    assert!(deck.is_sorted());
    let mut pairs = Vec::new();
    for lower in 2..=10 {
        for higher in lower..=10 {
            let card = PlayingCard::new(lower, higher).expect("a pair");
            assert_eq!(PlayingCard::new(higher, lower), Some(card));
            assert_eq!((card.lower(), card.higher(), card.is_double()), (lower, higher, lower == higher));
            pairs.push(Card::Playing(card));
        }
    }
    assert_eq!(pairs.len(), 45);
    assert_eq!(deck[..45], pairs);
    let actions = [(Card::Switch, 4, 45), (Card::Pass, 4, 46), (Card::X2, 4, 47), (Card::Swap, 3, 48)];
    for (card, copies, code) in actions {
        assert_eq!(deck.iter().filter(|one| **one == card).count(), copies);
        assert_eq!((card.code(), usize::from(card.copies())), (code, copies));
    }
    assert_eq!(Card::ACTIONS, actions.map(|(card, ..)| card));
    for (code, card) in card::kinds().enumerate() {
        assert_eq!((usize::from(card.code()), Card::from_code(code as u8)), (code, Some(card)));
    }
    assert_eq!((card::kinds().count(), Card::from_code(49), Card::from_code(255)), (49, None, None));
    let playing = (0..=255).filter_map(PlayingCard::from_code);
    assert_eq!(playing.map(Card::Playing).collect::<Vec<_>>(), pairs);
    for (one, other) in [(1, 5), (5, 11), (0, 0), (11, 11), (255, 2)] {
        assert_eq!(PlayingCard::new(one, other), None);
    }
}

#[test]
fn hand_counts_cards_of_a_kind() {
    let cards = hand("5|10 PASS PASS X2 2|2 SWAP SWITCH");
    assert_eq!((cards.len(), cards.is_empty()), (7, false));
    for (text, count) in [("5|10", 1), ("5|9", 0), ("PASS", 2), ("X2", 1), ("SWAP", 1), ("SWITCH", 1)] {
        assert_eq!((cards.count(card(text)), cards.contains(card(text))), (count, count > 0), "{text}");
    }
    let in_order = ["2|2", "5|10", "SWITCH", "PASS", "PASS", "X2", "SWAP"].map(card);
    assert_eq!(cards.into_iter().collect::<Vec<_>>(), in_order);
    assert_eq!(format!("{:?}", hand("X2 X2")), "[X2, X2]");
    let playing: Vec<Card> = cards.playing().map(Card::Playing).collect();
    assert_eq!(playing, ["2|2", "5|10"].map(card));
    assert_eq!(cards.without(Card::Pass), hand("5|10 PASS X2 2|2 SWAP SWITCH"));
    assert_eq!(cards.without(card("5|9")), cards);
    assert_eq!(cards.with(card("5|10")), cards, "a playing card is there once");
    assert_eq!(cards.with(Card::Swap).count(Card::Swap), 2);
    let many = Hand::EMPTY.plus(hand(&"SWAP ".repeat(9)));
    assert_eq!((many.len(), many.count(Card::Swap), many.count(Card::X2)), (7, 7, 0));
    assert_eq!(cards.minus(hand("PASS X2 X2 3|3")), hand("5|10 PASS 2|2 SWAP SWITCH"));
    assert_eq!(cards.plus(hand("PASS 3|3")), hand("5|10 PASS PASS PASS X2 2|2 3|3 SWAP SWITCH"));
    assert_eq!((Hand::full_deck().len(), Hand::EMPTY.len(), Hand::EMPTY.is_empty()), (60, 0, true));
    assert_eq!(Hand::full_deck().into_iter().collect::<Vec<_>>(), card::deck().to_vec());
}

#[test]
fn deal_gives_everyone_seven_cards_and_the_rest_is_the_draw_pile() {
    for players in 2..=6u8 {
        let codes: Vec<u8> = (0..49).chain([45, 45, 45, 46, 46, 46, 47, 47, 47, 48, 48]).collect();
        let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), codes.clone())]);
        let mut events = Vec::new();
        let game = NoDice::new(1, Options {}, players, chance, &mut events).expect("a table");
        let cards = |codes: &[u8]| codes.iter().filter_map(|code| Card::from_code(*code)).collect::<Vec<_>>();
        for seat in Seat::all(players) {
            let dealt: Hand = cards(&codes[7 * seat.index()..][..7]).into_iter().collect();
            assert_eq!(game.hands[seat.index()], dealt);
            assert_eq!(events[seat.index()], (Audience::Only(seat), Event::Dealt { hand: dealt }));
        }
        let mut pile = game.draw_pile.to_vec();
        pile.reverse();
        assert_eq!(pile, cards(&codes[7 * usize::from(players)..]));
        assert_eq!(game.players(), players);
        assert_eq!((game.order, game.turn, game.scores), (PlayOrder::Clockwise, Seat::FIRST, [0; 6]));
        let next_up = (Audience::Everyone, Event::NextUp { seat: Seat::FIRST });
        let your_turn = (Audience::Only(Seat::FIRST), Event::YourTurn);
        assert_eq!(
            events[usize::from(players)..],
            [next_up, your_turn],
            "{players} players, no PASS in a hand"
        );
    }
}
