//! Set-up: decks, deals and invalid options.

use super::*;
use crate::conformance::Testable;

#[test]
fn deal_sizes_for_each_player_count() {
    // Players, cards per hand, cards in the stack, colours.
    let deals = [
        (2, 6, 14, "blue green yellow"),
        (3, 6, 18, "blue green yellow pink"),
        (4, 6, 22, "blue green yellow pink purple"),
        (5, 5, 21, "blue green yellow pink purple"),
        (6, 5, 16, "blue green yellow pink purple"),
    ];
    for (players, hand, stack, colours) in deals {
        let game = table(players, &[], "", "");
        assert_eq!(game.players(), players);
        let sizes = game.hands.map(CardSet::len);
        let expected: [u8; MAX_SEATS] = std::array::from_fn(|i| if i < players.into() { hand } else { 0 });
        assert_eq!((sizes, game.middle.len(), game.stack.len()), (expected, 4, stack), "{players} players");
        let mut codes = game.card_codes();
        codes.sort_unstable();
        let all = Colour::ALL.iter().filter(|c| colours.contains(&c.to_string()));
        let deck: Vec<u8> = all.flat_map(|colour| colour.cards()).map(Card::code).collect();
        assert_eq!(codes, deck, "each card once, the numbers 0 to 9 in {colours}");
    }
}

#[test]
fn deal_order_is_hands_then_middle_then_stack() {
    let hands = ["b0 y1 g2 b3 y4 g5", "g0 b1 y2 g3 b4 y5"];
    let game = table(2, &hands, "y9 g8 b7 g6", "b6 y6 g7 y7 b8 y8");
    assert_eq!(game.hands.map(format_cards)[..2], ["b0 b3 g2 g5 y1 y4", "b1 b4 g0 g3 y2 y5"]);
    assert_eq!(format_cards(game.middle), "b7 g6 g8 y9");
    let next: Vec<Card> = game.stack.iter().rev().copied().take(6).collect();
    assert_eq!(next, in_order("b6 y6 g7 y7 b8 y8"));
    assert_eq!(game.stack.len(), 14);
}

#[test]
fn seat_0_begins_and_turns_are_clockwise() {
    let mut game = table(3, &["b0", "b2", "b4"], "g7 g8 y7 y8", "");
    for number in [0, 1, 2, 0] {
        assert_eq!(game.to_act(), Seats::only(seat(number)));
        for other in (0..6).filter(|other| *other != number) {
            assert_eq!(legal_actions(&game, seat(other)), [], "seat {other} while seat {number} is asked");
        }
        let first = game.default_action(seat(number)).expect("an action");
        game.apply(seat(number), first, &mut NoEvents).expect("a legal action");
    }
}

#[test]
fn deck_has_numbers_0_to_9_in_five_colours() {
    assert_eq!(card::deck(4).len(), 50);
    for (code, card) in card::deck(6).into_iter().enumerate() {
        assert_eq!(usize::from(card.code()), code);
        assert_eq!(Card::new(card.colour(), card.number()), Some(card));
        assert_eq!(Card::from_code(card.code()), Some(card));
        assert!(card.colour().cards().contains(card));
    }
    assert_eq!((Card::new(Colour::Purple, 10), Card::from_code(50)), (None, None));
    assert_eq!(Colour::ALL.map(|colour| colour.cards().len()), [10; 5]);
    assert_eq!(format_cards(Colour::Green.cards()), "g0 g1 g2 g3 g4 g5 g6 g7 g8 g9");
}

#[test]
fn setup_rejects_values_out_of_range() {
    let new = |version, length, players| {
        let options = Options { length };
        let made = Gap::new(version, options, players, Chance::seeded([0; 32]), &mut NoEvents);
        made.map_or_else(|error| error.to_string(), |_| "made".to_string())
    };
    let medium = Length::Target(30);
    for (version, length, players, expected) in [
        (1, medium, 0, "gap is for 2 to 6 players, not 0"),
        (1, medium, 1, "gap is for 2 to 6 players, not 1"),
        (1, medium, 2, "made"),
        (1, medium, 6, "made"),
        (1, medium, 7, "gap is for 2 to 6 players, not 7"),
        (1, medium, 255, "gap is for 2 to 6 players, not 255"),
        (0, medium, 2, "gap is played by rules version 1, not 0"),
        (2, medium, 2, "gap is played by rules version 1, not 2"),
        (1, Length::Target(0), 2, "gap: option target must be 1 or more, not 0"),
        (1, Length::Target(1), 2, "made"),
        (1, Length::Target(15), 2, "made"),
        (1, Length::Target(70), 2, "made"),
        (1, Length::Target(u32::MAX), 2, "made"),
        (1, Length::Rounds(0), 2, "gap: option rounds must be 1 to 100, not 0"),
        (1, Length::Rounds(1), 2, "made"),
        (1, Length::Rounds(100), 2, "made"),
        (1, Length::Rounds(101), 2, "gap: option rounds must be 1 to 100, not 101"),
        (1, Length::Rounds(u16::MAX), 2, "gap: option rounds must be 1 to 100, not 65535"),
    ] {
        assert_eq!(new(version, length, players), expected, "{version} {length:?} {players}");
    }
    assert_eq!(Options::default().length, medium);
}
