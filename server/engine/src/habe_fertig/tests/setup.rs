//! The cards, the set-up and the deal.

use super::*;
use crate::SetupError;

#[test]
fn deck_has_66_cards_in_six_colours() {
    let mut codes = 0..;
    for colour in Colour::ALL {
        for number in 1..=11 {
            let card = Card::new(colour, number).expect("a number from 1 to 11");
            assert_eq!((card.colour(), card.number()), (colour, number));
            assert_eq!(Some(card.code()), codes.next());
            assert_eq!(Card::from_code(card.code()), Some(card));
            assert!(colour.cards().contains(card) && super::super::card::DECK.contains(card));
        }
        assert_eq!(colour.cards().len(), 11);
        assert_eq!((Card::new(colour, 0), Card::new(colour, 12)), (None, None));
    }
    assert_eq!(Card::from_code(66), None);
    assert_eq!(super::super::card::DECK.len(), 66);
}

#[test]
fn stars_depend_on_the_number() {
    for colour in Colour::ALL {
        let stars = (1..=11).map(|number| Card::new(colour, number).expect("a card").stars());
        assert_eq!(stars.collect::<Vec<_>>(), [0, 1, 2, 2, 3, 4, 3, 2, 2, 1, 0]);
    }
    assert_eq!(super::super::card::stars(set("r6 g6 b5 y1")), 11);
}

/// Every pair of tops and every card, against the wording of the rules.
#[test]
fn gaps_and_matches_follow_the_rules() {
    for left in super::super::card::DECK {
        for right in super::super::card::DECK {
            let (low, high) = (left.number().min(right.number()), left.number().max(right.number()));
            assert_eq!(super::super::card::is_gap([left, right]), high - low >= 2);
            for card in super::super::card::DECK {
                let between = low < card.number() && card.number() < high;
                let neither = card.colour() != left.colour() && card.colour() != right.colour();
                let into_gap = super::super::card::into_gap([left, right]).contains(card);
                assert_eq!(into_gap, between && neither, "{left}, {right}: {card}");
                let matches = card.colour() == left.colour() || card.number() == left.number();
                assert_eq!(super::super::card::matching(left).contains(card), matches);
            }
        }
    }
}

#[test]
fn setup_rejects_player_counts_out_of_range() {
    for players in 0..=6 {
        let new = HabeFertig::new(1, Options {}, players, Chance::seeded([0; 32]), &mut crate::NoEvents);
        let expected = SetupError::Players { game: "habe_fertig", got: players, min: 2, max: 4 };
        match new {
            Ok(game) => assert_eq!((game.players(), (2..=4).contains(&players)), (players, true)),
            Err(error) => assert_eq!((error, (2..=4).contains(&players)), (expected, false)),
        }
    }
}

/// "Deals 12 to each player": in seat order, from the front.
#[test]
fn deal_sizes_for_each_player_count() {
    for players in 2..=4u8 {
        let order: Vec<u8> = (0..66).rev().collect();
        let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), order)]);
        let mut events = Vec::new();
        let game = HabeFertig::new(1, Options {}, players, chance, &mut events).expect("a table");
        let last = seat(players - 1);
        let mut expected = vec![(Audience::Everyone, Event::RoundBegan { round: 0, dealer: last })];
        for number in 0..players {
            let hand: CardSet<Card> =
                (54 - 12 * number..66 - 12 * number).filter_map(Card::from_code).collect();
            assert_eq!(game.hands[usize::from(number)], hand);
            expected.push((Audience::Only(seat(number)), Event::Dealt { hand }));
        }
        assert_eq!(events, expected);
        let view = game.view(Viewer::Spectator);
        assert_eq!((view.draw, view.dealer, view.turn), (66 - 12 * players, last, Seat::FIRST));
        assert_eq!((view.round, view.turns, view.tops), (0, 0, None));
        assert_eq!(view.hand_sizes.iter().sum::<u8>(), 12 * players);
    }
}

/// The first dealer is the last seat, and the deal passes to the left; four rounds, or three for three
/// players.
#[test]
fn deal_rotates_clockwise() {
    for (players, dealers) in [(2, &[1, 0, 1, 0][..]), (3, &[2, 0, 1]), (4, &[3, 0, 1, 2])] {
        let chance = Chance::seeded([5; 32]);
        let mut events = Vec::new();
        let mut game = HabeFertig::new(1, Options {}, players, chance, &mut events).expect("a table");
        while let Some(seat) = game.to_act().first() {
            let action = game.default_action(seat).expect("a seat that is asked");
            game.apply(seat, action, &mut events).expect("a default");
        }
        let began = events.iter().filter_map(|(_, event)| match event {
            Event::RoundBegan { round, dealer } => Some((*round, dealer.index())),
            _ => None,
        });
        let expected: Vec<(u16, usize)> = (0..).zip(dealers.iter().copied()).collect();
        assert_eq!(began.collect::<Vec<_>>(), expected);
    }
}

/// A new round keeps nothing but the totals.
#[test]
fn new_round_resets_everything_but_totals() {
    let mut table = Table::position("r4 b9", "", &["y6", "g1 g6", "g2"]).with_buried("").with_rebuilds(&[]);
    table.game.dry_passes = 2;
    table.play(0, "y6 left");
    let game = &table.game;
    assert_eq!((game.round, game.dealer, game.turn), (1, seat(0), seat(1)));
    assert_eq!((game.turns, game.dry_passes, game.rebuilds), (0, 0, 0));
    assert_eq!((game.tops, game.buried, game.draw.len()), (None, CardSet::EMPTY, 30));
    assert_eq!((game.origin, game.hidden), ([0; 66], [CardSet::EMPTY; MAX_SEATS]));
    assert_eq!(game.phase, Phase::Hiding { waiting: Seats::all(3) });
    let dealt = HabeFertig {
        round: 1,
        dealer: seat(0),
        turn: seat(1),
        totals: game.totals,
        hands: game.hands,
        draw: game.draw.clone(),
        ..HabeFertig::new(1, Options {}, 3, game.chance.clone(), &mut crate::NoEvents).expect("a table")
    };
    assert_eq!(*game, dealt);
}
