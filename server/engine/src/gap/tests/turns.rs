//! Turns: the cards a card takes, mandatory captures, and refilling the middle.

use super::*;

/// Four players, seat 0 to play, with exactly this hand, middle and stack.
fn position(hand: &str, middle: &str, stack: &str) -> Gap {
    let mut game = table(4, &[], "", "");
    game.hands[0] = cards(hand);
    game.middle = cards(middle);
    game.stack = in_order(stack).into_iter().rev().collect();
    game
}

/// Checks a turn: middle and stack before, the action, the collected cards and the middle after it.
#[track_caller]
fn check(middle: &str, stack: &str, what: &str, collected: &str, after: &str) {
    let mut game = position(&format_card(action(what).card), middle, stack);
    play(&mut game, what);
    assert_eq!(
        format_cards(game.collected[0]),
        format_cards(cards(collected)),
        "{what}: in front of the player"
    );
    assert_eq!(format_cards(game.middle), format_cards(cards(after)), "{what}: the middle after");
    assert!(game.hands[0].is_empty(), "the card has left the hand");
    let drawn = cards(stack) & game.middle;
    assert_eq!(drawn.len() as usize + game.stack.len(), in_order(stack).len());
}

/// Checks the legal actions of a hand, in order.
#[track_caller]
fn assert_legal(hand: &str, middle: &str, expected: &str) {
    let game = position(hand, middle, "");
    let legal: Vec<String> = legal_actions(&game, seat(0)).into_iter().map(format_action).collect();
    assert_eq!(legal.join(" "), expected);
    let first = expected.split(' ').next().map(action);
    assert_eq!(game.default_action(seat(0)), first, "the clock plays the first one");
}

/// Checks that each attempt is refused with this rule, emits nothing and changes nothing.
#[track_caller]
fn assert_refused(hand: &str, middle: &str, attempts: &str, refusal: Refusal) {
    let game = position(hand, middle, "u0 u1");
    for what in attempts.split_whitespace() {
        let (mut after, mut events) = (game.clone(), Vec::new());
        let done = after.apply(seat(0), action(what), &mut events);
        assert_eq!(done, Err(refusal), "{what}");
        assert_eq!((after, events), (game.clone(), vec![]), "{what}");
    }
}

#[test]
fn same_number_takes_all_equal_cards_only() {
    check("g9 p9 b1 y4", "u1 u2", "b9", "b9 g9 p9", "b1 y4 u1 u2");
    check("g9 p8 b0 y4", "u1 u2", "b9", "b9 g9", "p8 b0 y4 u1");
    check("b5 g5 y5 p5", "u1 u2 u3 u4 u6", "u5", "b5 g5 y5 p5 u5", "u1 u2 u3 u4");
    check("g0 b9 y1 p1", "u1", "b0", "b0 g0", "b9 y1 p1 u1");
    assert_legal("b9", "g9 p8 b0 p0", "b9");
}

#[test]
fn without_equal_numbers_a_card_takes_one_of_each_neighbour() {
    check("b3 g5 y8 p8", "u1 u2 u3", "b4<b3>g5", "b3 b4 g5", "y8 p8 u1 u2");
    check("b3 g3 y5 p5", "u1 u2", "b4<g3>p5", "b4 g3 p5", "b3 y5 u1 u2");
}

/// Even if there is only one candidate.
#[test]
fn neighbours_must_be_named_explicitly() {
    assert_refused("b4", "b3 g5 y8 p8", "b4", refusals::LOWER);
}

#[test]
fn neighbouring_numbers_wrap_around() {
    check("g9 p9 b1 y4", "u1 u2", "b0<g9>b1", "b0 b1 g9", "p9 y4 u1 u2");
    check("g9 p9 b1 y4", "u1 u2", "b0<p9>b1", "b0 b1 p9", "g9 y4 u1 u2");
    check("g8 p0 b2 y4", "u1 u2", "b9<g8>p0", "b9 g8 p0", "b2 y4 u1 u2");
    check("g9 p2 b4 y6", "u1 u2", "b0<g9", "b0 g9", "p2 b4 y6 u1");
    check("g1 p3 b5 y7", "u1 u2", "b0>g1", "b0 g1", "p3 b5 y7 u1");
    check("g0 p2 b4 y6", "u1 u2", "b9>g0", "b9 g0", "p2 b4 y6 u1");
    check("g8 p2 b4 y6", "u1 u2", "b9<g8", "b9 g8", "p2 b4 y6 u1");
    check("g0 p5 b6 y7", "u1 u2", "b1<g0", "b1 g0", "p5 b6 y7 u1");
    check("g9 p5 b4 y3", "u1 u2", "b8>g9", "b8 g9", "p5 b4 y3 u1");
    for number in 0..10 {
        let [below, above] = [(number + 9) % 10, (number + 1) % 10];
        let far = (number + 5) % 10;
        assert_legal(
            &format!("b{number}"),
            &format!("g{below} g{above} g{far}"),
            &format!("b{number}<g{below}>g{above}"),
        );
    }
}

#[test]
fn player_chooses_among_several_neighbours() {
    assert_legal("b0", "g9 p9 b1 u1", "b0<g9>b1 b0<g9>u1 b0<p9>b1 b0<p9>u1");
    assert_legal("b0", "g9 p9 u9 b5", "b0<g9 b0<p9 b0<u9");
    assert_legal("b0", "g1 p1 u1 b5", "b0>g1 b0>p1 b0>u1");
}

#[test]
fn card_without_captures_joins_the_middle() {
    check("g9 p9 b1 y4", "u1 u2", "b6", "", "g9 p9 b1 y4 b6");
    check("", "", "b6", "", "b6");
    assert_legal("b6", "g9 p9 b1 y4", "b6");
}

/// By the colour of the card played, then its number, then the lower card, then the higher card.
#[test]
fn legal_actions_are_in_the_documented_order() {
    assert_legal("u0 b9 b3 y5 g6 p2", "g9 p9 b1 y4", "b3>y4 b9 g6 y5<y4 p2<b1 u0<g9>b1 u0<p9>b1");
}

#[test]
fn examples_of_the_rules() {
    let middle = "g9 p9 b1 y4";
    assert_legal("b9 u9", middle, "b9 u9");
    assert_legal("g0", middle, "g0<g9>b1 g0<p9>b1");
    assert_legal("g8", middle, "g8>g9 g8>p9");
    assert_legal("g2", middle, "g2<b1");
    // The 6 joins the middle; the 5 that follows must take the 4 and the 6.
    let mut game = table(4, &["b6", "g5"], middle, "u0 u3");
    play(&mut game, "b6");
    assert_eq!((format_cards(game.middle), game.stack.len()), (format_cards(cards("g9 p9 b1 y4 b6")), 22));
    let only: Vec<_> = legal_actions(&game, seat(1)).into_iter().filter(|a| a.card == card("g5")).collect();
    assert_eq!(only, [action("g5<y4>b6")]);
    play(&mut game, "g5<y4>b6");
    assert_eq!(format_cards(game.collected[1]), "b6 g5 y4");
    assert_eq!(format_cards(game.middle), format_cards(cards("g9 p9 b1 u0")));
}

#[test]
fn captures_are_mandatory() {
    let middle = "g9 p9 b1 y4";
    assert_refused("b0", middle, "b0 b0>b1 b0<b1>b1 b0<b9>b1 b0<y4>b1 b0<b1>g9", refusals::LOWER);
    assert_refused("b0", middle, "b0<g9 b0<p9 b0<g9>g9 b0<g9>u1 b0<p9>y4", refusals::HIGHER);
    assert_refused("b2", middle, "b2 b2<g1 b2>b1", refusals::LOWER);
    assert_refused("b2", middle, "b2<b1>g3 b2<b1>b1", refusals::HIGHER);
    assert_refused("b8", middle, "b8<g7>g9 b8<g9>g9", refusals::LOWER);
    assert_refused("b8", middle, "b8 b8>b9", refusals::HIGHER);
    assert_refused("b6", middle, "b6<b5 b6<y4 b6<b5>b7", refusals::LOWER);
    assert_refused("b6", middle, "b6>b7 b6>g9", refusals::HIGHER);
    assert_refused("b9", middle, "b9<g8 b9>b0 b9<g9>p9 b9>g9 b9<p9", refusals::SAME_NUMBER);
}

#[test]
fn card_must_be_in_hand() {
    assert_refused("b0", "g9 p9 b1 y4", "g0<g9>b1 g9 u5", Refusal::NOT_IN_HAND);
}

#[test]
fn only_the_seat_to_act_may_act() {
    let mut game = table(3, &["b6", "g6", "y6"], "b1 g1 b2 g2", "");
    let try_it = |game: &Gap, number, what| {
        let (mut after, mut events) = (game.clone(), Vec::new());
        let done = after.apply(seat(number), action(what), &mut events);
        assert_eq!((&after, events), (game, vec![]));
        done
    };
    assert_eq!(try_it(&game, 1, "g6"), Err(Refusal::NOT_ASKED));
    assert_eq!(try_it(&game, 2, "b6"), Err(Refusal::NOT_ASKED));
    assert_eq!(try_it(&game, 3, "b6"), Err(Refusal::NO_SUCH_SEAT));
    assert_eq!(try_it(&game, 5, "b6"), Err(Refusal::NO_SUCH_SEAT));
    game.outcome = Some(Outcome::from_points(3, [0; MAX_SEATS]));
    assert_eq!(try_it(&game, 0, "b6"), Err(Refusal::GAME_OVER));
    assert_eq!(try_it(&game, 3, "b6"), Err(Refusal::NO_SUCH_SEAT));
    for number in 0..6 {
        assert_eq!(legal_actions(&game, seat(number)), []);
        assert_eq!(game.default_action(seat(number)), None);
    }
}

#[test]
fn refusal_codes_are_stable() {
    let codes = [refusals::SAME_NUMBER, refusals::LOWER, refusals::HIGHER].map(|refusal| refusal.code);
    assert_eq!(codes, ["gap.same_number", "gap.lower", "gap.higher"]);
}

#[test]
fn middle_is_refilled_to_four_while_the_stack_lasts() {
    // Exactly enough cards, one too few, none.
    check("b5 g5 y5 p5", "u1 u2 u3 u4", "u5", "b5 g5 y5 p5 u5", "u1 u2 u3 u4");
    check("b5 g5 y5 p5", "u1 u2 u3", "u5", "b5 g5 y5 p5 u5", "u1 u2 u3");
    check("b5 g5 y5 p5", "", "u5", "b5 g5 y5 p5 u5", "");
    check("b5 g5 y5 p5 b8", "u1 u2", "u5", "b5 g5 y5 p5 u5", "b8 u1 u2");
    // A card that joins a middle of two or three counts towards the four.
    check("b1 g1", "u7 u8", "b4", "", "b1 g1 b4 u7");
    check("b1 g1 y1", "u7 u8", "b4", "", "b1 g1 y1 b4");
}

#[test]
fn middle_of_four_or_more_is_not_refilled() {
    check("b1 g1 y1 p1 u1", "u7 u8", "b4", "", "b1 g1 y1 p1 u1 b4");
    check("b1 g1 y1 p1 u1 b6 g6", "u7 u8", "b5>g6", "b5 g6", "b1 g1 y1 p1 u1 b6");
    check("b1 g1 y1 p1 b6", "u7 u8", "b5>b6", "b5 b6", "b1 g1 y1 p1");
}

#[test]
fn hands_are_not_refilled_and_collected_cards_stay() {
    let mut game = table(2, &["b4 b9", "g7"], "b3 g5 y8 y9", "y0 y1");
    play(&mut game, "b4<b3>g5");
    assert_eq!(game.hands[0].len(), 5);
    let hand = game.hands[1];
    play(&mut game, "g7>y8");
    assert_eq!(game.hands[1], hand.without(card("g7")));
    play(&mut game, "b9");
    assert_eq!(format_cards(game.collected[0]), format_cards(cards("b3 b4 g5 b9 y9")));
    assert_eq!(format_cards(game.collected[1]), "g7 y8");
}
