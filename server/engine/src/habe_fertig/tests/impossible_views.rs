//! Validation of views: impossible ones, and ones at the limits of the possible.

use super::views::after_a_rebuild;
use super::*;
use crate::test_support::test_rng;

/// Tables in different phases, whose views are then changed.
fn hiding() -> Table {
    let mut table = Table::deal(&["r1 r2 r3", "b1 b2 b3"], "y1");
    table.play(0, "hide r1 r2");
    table
}

fn laying() -> Table {
    let mut table = Table::position("r8 b4", "g9 g2", &["r5 y1", "b1"]);
    table.play(0, "r5 left");
    table
}

fn dry() -> Table {
    let mut table = Table::position("r4 b9", "", &["y6", "p3"]).with_buried("");
    table.play(0, "pass");
    table
}

fn won() -> Table {
    let mut table = Table::position("r4 b9", "g1", &["y6", "b8"]).in_last_round(&[1, -2]);
    table.play(1, "b8 right");
    table
}

fn drawn() -> Table {
    let mut table = Table::position("r4 b9", "", &["y6", "b8"]).with_buried("").in_last_round(&[1, -2]);
    table.play(1, "pass").play(0, "pass");
    table
}

/// Builds a table.
type NewTable = fn() -> Table;
/// Changes a view.
type Change = fn(&mut View);

/// A table, a change to its view, and the reason of the rejection.
#[test]
fn impossible_views_are_rejected_with_a_reason() {
    let moving = after_a_rebuild;
    let cases: &[(NewTable, Change, &str)] = &[
        (moving, |v| v.players = 1, "the number of players is out of range"),
        (moving, |v| v.players = 5, "the number of players is out of range"),
        (moving, |v| v.viewer = viewer(2), "the viewer is not at the table"),
        (moving, |v| v.round = 4, "there are more rounds than a game can have"),
        (moving, |v| v.dealer = seat(0), "the dealer does not follow from the round"),
        (moving, |v| v.round = 1, "the dealer does not follow from the round"),
        (moving, |v| v.turns = 201, "there are more turns than a round can have"),
        (moving, |v| v.turns += 1, "the turn does not follow from the number of turns"),
        (moving, |v| v.turn = seat(0), "the turn does not follow from the number of turns"),
        (moving, |v| (v.turns, v.rebuilds, v.dry_passes) = (1, 1, 2), "there are more passes than turns"),
        (moving, |v| v.rebuilds = 249, "there are more rebuilds than the turns allow"),
        (
            hiding,
            |v| v.phase = Phase::Hiding { waiting: Seats::NONE },
            "no seat, or one that is not at the table, is to hide cards",
        ),
        (
            hiding,
            |v| v.phase = Phase::Hiding { waiting: Seats::all(3) },
            "no seat, or one that is not at the table, is to hide cards",
        ),
        (
            moving,
            |v| v.phase = Phase::Hiding { waiting: Seats::all(2) },
            "the piles are open before everyone has hidden cards",
        ),
        (hiding, |v| v.turns = 2, "turns were played before everyone has hidden cards"),
        (hiding, |v| v.rebuilds = 1, "turns were played before everyone has hidden cards"),
        (hiding, |v| v.buried = set("y1"), "turns were played before everyone has hidden cards"),
        (laying, |v| v.tops = None, "a card was turned over in spite of a gap"),
        (laying, |v| v.tops = Some([card("r5"), card("b7")]), "a card was turned over in spite of a gap"),
        (laying, |v| v.dry_passes = 1, "a card was turned over although there was none"),
        (hiding, |v| v.phase = Phase::Moving, "a turn has begun before the piles are open"),
        (moving, |v| v.dry_passes = 1, "a pass took no card although there were cards"),
        (moving, |v| (v.draw, v.buried) = (0, set("g3")), "an empty draw pile was not rebuilt"),
        (moving, |v| v.buried = set("y6"), "a card is in two places"),
        (moving, |v| v.tops = Some([card("r4"), card("r4")]), "a card is in two places"),
        (moving, |v| v.tops = Some([card("r4"), card("b8")]), "a card is in two places"),
        (laying, |v| v.phase = Phase::Laying { turned: card("r8") }, "a card is in two places"),
        (laying, |v| v.phase = Phase::Moving, "the cards do not add up to the deck"),
        (moving, |v| v.origins.clear(), "the cards do not add up to the deck"),
        (moving, |v| v.hidden = v.hand, "a card is in two hands, or both held and hidden"),
        (won, |v| v.hand = set("g1"), "a hand contradicts the origins"),
        (moving, |v| v.viewer = Viewer::Spectator, "a spectator has cards"),
        (moving, |v| v.origins.reverse(), "the origins are out of order"),
        (moving, |v| v.origins[1].rebuild = 0, "the origins are out of order"),
        (
            moving,
            |v| {
                v.origins.push(Origin { rebuild: 2, cards: CardSet::EMPTY, ..v.origins[1] });
            },
            "an origin has no cards",
        ),
        (moving, |v| v.origins[1].rebuild = 2, "an origin is a later rebuild"),
        (moving, |v| v.origins[1].hidden = 1, "hidden cards were not dealt"),
        (moving, |v| v.rebuilds = 2, "the draw pile has cards of an earlier rebuild"),
        (moving, |v| v.origins[0].in_hands[0] += 1, "the counts of an origin do not add up"),
        (moving, |v| v.origins[1].draw += 1, "the counts of an origin do not add up"),
        (moving, |v| v.viewer = viewer(0), "a hand contradicts the origins"),
        (moving, |v| v.hand = v.hand.without(card("p3")), "a hand contradicts the origins"),
        (moving, |v| v.hidden = set("e9 g3"), "hidden cards were not dealt"),
        (moving, |v| v.hand_sizes[0] += 1, "a hand does not match its size"),
        (moving, |v| v.hand = v.hand.with(card("r4")), "a hand does not match its size"),
        (moving, |v| v.totals[2] = 1, "a seat that is not at the table has points or cards"),
        (
            moving,
            |v| {
                v.origins[0].in_hands[0] -= 1;
                v.origins[0].in_hands[2] = 1;
                v.hand_sizes[0] -= 1;
                v.hand_sizes[2] = 1;
            },
            "a seat that is not at the table has points or cards",
        ),
        (
            hiding,
            |v| {
                v.origins[0].in_hands[0] -= 1;
                v.origins[0].draw += 1;
                v.hand_sizes[0] -= 1;
                v.draw += 1;
            },
            "a hand does not have the dealt size while cards are hidden",
        ),
        (moving, |v| (v.turns, v.rebuilds) = (89, 1), "a hand has grown by more than one card per turn"),
        (moving, |v| v.hidden = set("e9"), "a player has not hidden two cards"),
        (moving, |v| v.hidden = set("e9 r4"), "a player has not hidden two cards"),
        (hiding, |v| v.hidden = set("b1 b2"), "a card is in two hands, or both held and hidden"),
        (
            moving,
            |v| {
                v.origins[0].hidden -= 1;
                v.origins[0].in_hands[0] += 1;
                v.hand_sizes[0] += 1;
            },
            "the number of hidden cards is wrong",
        ),
        (moving, |v| v.draw = 2, "the draw pile does not match its size"),
        (moving, |v| v.totals[0] = 1, "a total is out of reach"),
        (moving, |v| v.totals[0] = -1, "a total is out of reach"),
        (won, |v| v.totals[0] = 33, "a total is out of reach"),
        (won, |v| v.totals[0] = -481, "a total is out of reach"),
        (dry, |v| v.dry_passes = 3, "there are more passes than end the round"),
        (dry, |v| v.dry_passes = 2, "the game must end with the round, and only then"),
        (moving, |v| (v.turns, v.turn) = (200, seat(0)), "the game must end with the round, and only then"),
        (drawn, |v| v.dry_passes = 1, "the game must end with the round, and only then"),
        (won, |v| (v.outcome, v.totals) = (None, [0; 6]), "the game must end with the round, and only then"),
        (won, |v| v.shown = None, "cards must be revealed at the end, and only then"),
        (won, |v| v.totals = [-4, 0, 0, 0, 0, 0], "the outcome does not follow from the points"),
        (won, |v| (v.round, v.dealer) = (1, seat(0)), "the game ended before its last round"),
        (
            won,
            |v| change_shown(v, |s| s.winner = Some(seat(0))),
            "a card is in two hands, or both held and hidden",
        ),
        (won, |v| change_shown(v, |s| s.winner = None), "the winner has not won the round"),
        (
            drawn,
            |v| change_shown(v, |s| s.hidden = set("e10 e11")),
            "the revealed hidden cards were not hidden",
        ),
        (
            won,
            |v| change_shown(v, |s| s.hidden = set("e10 e11")),
            "the revealed hidden cards were not hidden",
        ),
        (won, |v| change_shown(v, |s| s.hands[1] = set("b8")), "a revealed hand is not the hand"),
        (won, |v| change_shown(v, |s| s.hands[5] = set("b8")), "a revealed hand is not the hand"),
        (won, |v| change_shown(v, |s| s.hands[0] = set("y1")), "a hand contradicts the origins"),
        (won, |v| (v.turns, v.turn) = (v.turns + 1, seat(0)), "the winner has not won the round"),
        (won, |v| v.turns = 200, "the winner has not won the round"),
        (
            won,
            |v| {
                let buried = std::mem::take(&mut v.buried);
                v.draw += buried.len();
                v.origins[0].draw += buried.len();
                v.origins[0].cards = v.origins[0].cards | buried;
            },
            "the last card covers no card",
        ),
    ];
    let mut rng = test_rng("habe_fertig: impossible views");
    let mut wrong = Vec::new();
    for (number, (table, change, reason)) in cases.iter().enumerate() {
        let mut view = table().game.view(viewer(1));
        HabeFertig::sample(&view, &mut rng).expect("possible before the change");
        change(&mut view);
        let result = HabeFertig::sample(&view, &mut rng).map(|_| ()).map_err(|error| error.to_string());
        if result != Err(format!("impossible view: {reason}")) {
            wrong.push(format!("case {number}, {reason}: {result:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn finished_turns_are_counted_for_each_seat() {
    let mut view = Table::deal(&["", "", ""], "").game.view(Viewer::Spectator);
    view.dealer = seat(1);
    for (turns, each) in [(0, [0, 0, 0]), (1, [0, 0, 1]), (2, [1, 0, 1]), (3, [1, 1, 1]), (7, [2, 2, 3])] {
        view.turns = turns;
        assert_eq!([0, 1, 2].map(|number| view.turns_of(seat(number))), each);
    }
}

fn change_shown(view: &mut View, change: fn(&mut RevealedCards)) {
    change(view.shown.as_mut().expect("the end"));
}

/// Values at the limits of the validated ranges.
#[test]
fn views_at_the_limits_can_be_sampled() {
    let cases: &[(NewTable, Change)] = &[
        (won, |v| v.totals = [-480, 32, 0, 0, 0, 0]),
        (after_a_rebuild, |v| (v.turns, v.rebuilds) = (199, 1)),
        (after_a_rebuild, |v| (v.turns, v.rebuilds) = (91, 1)),
        (dry, |v| v.rebuilds = 2 * (v.turns + 1)),
    ];
    let mut rng = test_rng("habe_fertig: views at the limits");
    for (number, (table, change)) in cases.iter().enumerate() {
        let mut view = table().game.view(viewer(1));
        change(&mut view);
        view.outcome = view.outcome.map(|_| Outcome::from_points(2, view.totals));
        let sample = HabeFertig::sample(&view, &mut rng);
        assert_eq!(sample.map(|sample| sample.view(viewer(1))), Ok(view), "case {number}");
    }
}

/// Three players can have more turns in a round than fit into a byte.
#[test]
fn turn_order_is_validated_beyond_255_turns() {
    let mut rng = test_rng("habe_fertig: turn order");
    let mut view = Table::position("r8 b4", "g9 g2", &["r5 y1", "b1", "p3"]).game.view(viewer(1));
    for turns in 250..=260 {
        view.turns = turns;
        view.turn = view.dealer.left_by((turns % 3) as u8 + 1, 3);
        let sample = HabeFertig::sample(&view, &mut rng);
        assert_eq!(sample.map(|sample| sample.view(viewer(1))), Ok(view.clone()), "{turns}");
        view.turn = view.turn.left(3);
        let error = HabeFertig::sample(&view, &mut rng).expect_err("not their turn").to_string();
        assert_eq!(error, "impossible view: the turn does not follow from the number of turns");
    }
}
