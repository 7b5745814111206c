//! Views that no game can give, and views that are just possible.

use super::knowledge::after_a_rebuild;
use super::*;
use crate::conformance::test_rng;

/// Tables at different moments, for views to be spoiled.
fn hiding() -> Table {
    let mut table = Table::deal(&["r1 r2 r3", "b1 b2 b3"], "y1");
    table.play(0, "hide r1 r2");
    table
}

fn laying() -> Table {
    let mut table = Table::moment("r8 b4", "g9 g2", &["r5 y1", "b1"]);
    table.play(0, "r5 left");
    table
}

fn dry() -> Table {
    let mut table = Table::moment("r4 b9", "", &["y6", "p3"]).bury("");
    table.play(0, "pass");
    table
}

fn won() -> Table {
    let mut table = Table::moment("r4 b9", "g1", &["y6", "b8"]).in_last_round(&[1, -2]);
    table.play(1, "b8 right");
    table
}

fn drawn() -> Table {
    let mut table = Table::moment("r4 b9", "", &["y6", "b8"]).bury("").in_last_round(&[1, -2]);
    table.play(1, "pass").play(0, "pass");
    table
}

/// How to come to a moment.
type Moment = fn() -> Table;
/// What to change in a view.
type Spoil = fn(&mut View);

/// A view, what is changed in it, and why it cannot be.
#[test]
fn impossible_views() {
    let moving = after_a_rebuild;
    let cases: &[(Moment, Spoil, &str)] = &[
        (moving, |v| v.players = 1, "the number of players"),
        (moving, |v| v.players = 5, "the number of players"),
        (moving, |v| v.viewer = viewer(2), "a viewer who is not at the table"),
        (moving, |v| v.round = 4, "more rounds than a game has"),
        (moving, |v| v.dealer = seat(0), "a dealer who does not deal this round"),
        (moving, |v| v.round = 1, "a dealer who does not deal this round"),
        (moving, |v| v.turns = 201, "more turns than a round has"),
        (moving, |v| v.turns += 1, "a turn out of order"),
        (moving, |v| v.turn = seat(0), "a turn out of order"),
        (moving, |v| (v.turns, v.rebuilds, v.dry_passes) = (1, 1, 2), "more passes than turns"),
        (moving, |v| v.rebuilds = 249, "more rebuilt draw piles than turns can use up"),
        (hiding, |v| v.phase = Phase::Hiding { waiting: Seats::NONE }, "hiding without anyone who hides"),
        (hiding, |v| v.phase = Phase::Hiding { waiting: Seats::all(3) }, "hiding without anyone who hides"),
        (moving, |v| v.phase = Phase::Hiding { waiting: Seats::all(2) }, "piles before everyone has hidden"),
        (hiding, |v| v.turns = 2, "turns before everyone has hidden"),
        (hiding, |v| v.rebuilds = 1, "turns before everyone has hidden"),
        (hiding, |v| v.buried = set("y1"), "turns before everyone has hidden"),
        (laying, |v| v.tops = None, "a card turned over in spite of a gap"),
        (laying, |v| v.tops = Some([card("r5"), card("b7")]), "a card turned over in spite of a gap"),
        (laying, |v| v.dry_passes = 1, "a card where there was none"),
        (hiding, |v| v.phase = Phase::Moving, "a turn without piles"),
        (moving, |v| v.dry_passes = 1, "a pass without a card where there were some"),
        (moving, |v| (v.draw, v.buried) = (0, set("g3")), "an empty draw pile that was not rebuilt"),
        (moving, |v| v.buried = set("y6"), "a card in two places"),
        (moving, |v| v.tops = Some([card("r4"), card("r4")]), "a card in two places"),
        (moving, |v| v.tops = Some([card("r4"), card("b8")]), "a card in two places"),
        (laying, |v| v.phase = Phase::Laying { turned: card("r8") }, "a card in two places"),
        (laying, |v| v.phase = Phase::Moving, "cards that are nowhere"),
        (moving, |v| v.origins.clear(), "cards that are nowhere"),
        (moving, |v| v.hidden = v.hand, "a card that two hold, or that is held and hidden"),
        (won, |v| v.hand = set("g1"), "a hand that does not agree with its origins"),
        (moving, |v| v.viewer = Viewer::Spectator, "a spectator with cards"),
        (moving, |v| v.origins.reverse(), "origins out of order"),
        (moving, |v| v.origins[1].rebuild = 0, "origins out of order"),
        (
            moving,
            |v| {
                v.origins.push(Origin { rebuild: 2, cards: CardSet::EMPTY, ..v.origins[1] });
            },
            "an origin without cards",
        ),
        (moving, |v| v.origins[1].rebuild = 2, "cards from a draw pile that is still to come"),
        (moving, |v| v.origins[1].hidden = 1, "hidden cards that were not dealt"),
        (moving, |v| v.rebuilds = 2, "a draw pile of old cards"),
        (moving, |v| v.origins[0].in_hands[0] += 1, "an origin whose cards do not add up"),
        (moving, |v| v.origins[1].draw += 1, "an origin whose cards do not add up"),
        (moving, |v| v.viewer = viewer(0), "a hand that does not agree with its origins"),
        (moving, |v| v.hand = v.hand.without(card("p3")), "a hand that does not agree with its origins"),
        (moving, |v| v.hidden = set("e9 g3"), "hidden cards that were not dealt"),
        (moving, |v| v.hand_sizes[0] += 1, "a hand that is not as large as its size says"),
        (moving, |v| v.hand = v.hand.with(card("r4")), "a hand that is not as large as its size says"),
        (moving, |v| v.totals[2] = 1, "points or cards of nobody"),
        (
            moving,
            |v| {
                v.origins[0].in_hands[0] -= 1;
                v.origins[0].in_hands[2] = 1;
                v.hand_sizes[0] -= 1;
                v.hand_sizes[2] = 1;
            },
            "points or cards of nobody",
        ),
        (
            hiding,
            |v| {
                v.origins[0].in_hands[0] -= 1;
                v.origins[0].draw += 1;
                v.hand_sizes[0] -= 1;
                v.draw += 1;
            },
            "a hand that is not as it was dealt",
        ),
        (moving, |v| (v.turns, v.rebuilds) = (89, 1), "a hand that grew by more than a card a turn"),
        (moving, |v| v.hidden = set("e9"), "not two hidden cards"),
        (moving, |v| v.hidden = set("e9 r4"), "not two hidden cards"),
        (hiding, |v| v.hidden = set("b1 b2"), "a card that two hold, or that is held and hidden"),
        (
            moving,
            |v| {
                v.origins[0].hidden -= 1;
                v.origins[0].in_hands[0] += 1;
                v.hand_sizes[0] += 1;
            },
            "more or fewer hidden cards than everyone's two",
        ),
        (moving, |v| v.draw = 2, "a draw pile that is not as large as its size says"),
        (moving, |v| v.totals[0] = 1, "a total that cannot be reached"),
        (moving, |v| v.totals[0] = -1, "a total that cannot be reached"),
        (won, |v| v.totals[0] = 33, "a total that cannot be reached"),
        (won, |v| v.totals[0] = -481, "a total that cannot be reached"),
        (dry, |v| v.dry_passes = 3, "more passes than end the round"),
        (dry, |v| v.dry_passes = 2, "a round that should be over, or should not"),
        (moving, |v| (v.turns, v.turn) = (200, seat(0)), "a round that should be over, or should not"),
        (drawn, |v| v.dry_passes = 1, "a round that should be over, or should not"),
        (won, |v| (v.outcome, v.totals) = (None, [0; 6]), "a round that should be over, or should not"),
        (won, |v| v.shown = None, "cards shown before the end, or not shown"),
        (won, |v| v.totals = [-4, 0, 0, 0, 0, 0], "a result that the points do not give"),
        (won, |v| (v.round, v.dealer) = (1, seat(0)), "an end in the middle of the game"),
        (
            won,
            |v| change_shown(v, |s| s.winner = Some(seat(0))),
            "a card that two hold, or that is held and hidden",
        ),
        (won, |v| change_shown(v, |s| s.winner = None), "a winner who did not win"),
        (
            drawn,
            |v| change_shown(v, |s| s.hidden = set("e10 e11")),
            "hidden cards shown that were not hidden",
        ),
        (won, |v| change_shown(v, |s| s.hidden = set("e10 e11")), "hidden cards shown that were not hidden"),
        (won, |v| change_shown(v, |s| s.hands[1] = set("b8")), "a hand shown that is not the hand"),
        (won, |v| change_shown(v, |s| s.hands[5] = set("b8")), "a hand shown that is not the hand"),
        (won, |v| change_shown(v, |s| s.hands[0] = set("y1")), "a hand that does not agree with its origins"),
        (won, |v| (v.turns, v.turn) = (v.turns + 1, seat(0)), "a winner who did not win"),
        (won, |v| v.turns = 200, "a winner who did not win"),
        (
            won,
            |v| {
                let buried = std::mem::take(&mut v.buried);
                v.draw += buried.len();
                v.origins[0].draw += buried.len();
                v.origins[0].cards = v.origins[0].cards | buried;
            },
            "a last card that was laid on nothing",
        ),
    ];
    let mut rng = test_rng("habe_fertig: impossible views");
    let mut wrong = Vec::new();
    for (number, (table, spoil, why)) in cases.iter().enumerate() {
        let mut view = table().game.view(viewer(1));
        HabeFertig::sample(&view, &mut rng).expect("possible before it is spoiled");
        spoil(&mut view);
        let refused = HabeFertig::sample(&view, &mut rng).map(|_| ()).map_err(|why| why.to_string());
        if refused != Err(format!("impossible view: {why}")) {
            wrong.push(format!("case {number}, {why}: {refused:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn turns_are_counted_for_each_seat() {
    let mut view = Table::deal(&["", "", ""], "").game.view(Viewer::Spectator);
    view.dealer = seat(1);
    for (turns, each) in [(0, [0, 0, 0]), (1, [0, 0, 1]), (2, [1, 0, 1]), (3, [1, 1, 1]), (7, [2, 2, 3])] {
        view.turns = turns;
        assert_eq!([0, 1, 2].map(|number| view.turns_of(seat(number))), each);
    }
}

fn change_shown(view: &mut View, change: fn(&mut Shown)) {
    change(view.shown.as_mut().expect("the end"));
}

/// The ends of the ranges that a view is checked for.
#[test]
fn views_that_are_just_possible() {
    let cases: &[(Moment, Spoil)] = &[
        (won, |v| v.totals = [-480, 32, 0, 0, 0, 0]),
        (after_a_rebuild, |v| (v.turns, v.rebuilds) = (199, 1)),
        (after_a_rebuild, |v| (v.turns, v.rebuilds) = (91, 1)),
        (dry, |v| v.rebuilds = 2 * (v.turns + 1)),
    ];
    let mut rng = test_rng("habe_fertig: just possible views");
    for (number, (table, spoil)) in cases.iter().enumerate() {
        let mut view = table().game.view(viewer(1));
        spoil(&mut view);
        view.outcome = view.outcome.map(|_| Outcome::by_points(2, view.totals));
        let world = HabeFertig::sample(&view, &mut rng);
        assert_eq!(world.map(|world| world.view(viewer(1))), Ok(view), "case {number}");
    }
}

/// Three players have more turns in a round than a byte counts.
#[test]
fn late_turns_are_in_order() {
    let mut rng = test_rng("habe_fertig: late turns");
    let mut view = Table::moment("r8 b4", "g9 g2", &["r5 y1", "b1", "p3"]).game.view(viewer(1));
    for turns in 250..=260 {
        view.turns = turns;
        view.turn = view.dealer.left_by((turns % 3) as u8 + 1, 3);
        let world = HabeFertig::sample(&view, &mut rng);
        assert_eq!(world.map(|world| world.view(viewer(1))), Ok(view.clone()), "{turns}");
        view.turn = view.turn.left(3);
        let why = HabeFertig::sample(&view, &mut rng).expect_err("not their turn").to_string();
        assert_eq!(why, "impossible view: a turn out of order");
    }
}
