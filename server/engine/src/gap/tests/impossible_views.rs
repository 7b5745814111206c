//! Validation of views: impossible ones, and ones at the limits of the possible.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::views::{near_the_end, view};
use super::*;

fn best(points: i32, round: u16) -> Option<BestRound> {
    Some(BestRound { points, round })
}

/// Six views of real games: the first deal, a turn later, near the end of a round, a later round, an extra
/// round, the end.
fn possible_views() -> [View; 6] {
    let mut game = table(3, &["b4"], "b3 g5 y8 y9", "y0 y1");
    let dealt = view(&game, 1);
    play(&mut game, "b4<b3>g5");
    let later_turn = view(&game, 1);
    let later_round = View {
        options: Options { length: Length::Target(1000) },
        round: 4,
        start: seat(1),
        turn: seat(1),
        totals: [12, -7, 0, 0, 0, 0],
        best: [best(6, 1), best(0, 0), best(0, 3), None, None, None],
        ..dealt
    };
    let extra = View {
        options: Options { length: Length::Rounds(3) },
        extra: true,
        totals: [12, 12, 0, 0, 0, 0],
        best: [best(6, 1), best(6, 1), best(0, 3), None, None, None],
        ..later_round
    };
    let mut ended = near_the_end();
    ended.options.length = Length::Rounds(1);
    ended.round = 1;
    ended.hand_sizes = [0; MAX_SEATS];
    ended.middle = ended.middle | ended.hand | cards("y0");
    ended.hand = CardSet::EMPTY;
    ended.totals = [7, 5, 0, 0, 0, 0];
    ended.best = [best(7, 0), best(5, 0), None, None, None, None];
    ended.outcome = Some(Outcome::from_points(2, ended.totals));
    [dealt, later_turn, near_the_end(), later_round, extra, ended]
}

const DEALT: usize = 0;
const LATER_TURN: usize = 1;
const NEAR_THE_END: usize = 2;
const LATER_ROUND: usize = 3;
const EXTRA: usize = 4;
const ENDED: usize = 5;

/// The result of sampling the view after a change.
fn sample_after(which: usize, change: impl Fn(&mut View)) -> Result<(), &'static str> {
    let mut view = possible_views()[which];
    change(&mut view);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let world = Gap::sample(&view, &mut rng).map_err(|error| error.0)?;
    assert_eq!(world.view(view.viewer), view, "a sample reproduces the view");
    Ok(())
}

#[test]
fn views_of_games_can_be_sampled() {
    for which in DEALT..=ENDED {
        assert_eq!(sample_after(which, |_| ()), Ok(()), "{which}");
    }
}

type Change = fn(&mut View);

#[test]
fn impossible_views_are_rejected_with_a_reason() {
    let cases: &[(&str, usize, &[Change])] = &[
        (
            "the number of players is out of range",
            DEALT,
            &[|v| v.players = 0, |v| v.players = 1, |v| v.players = 7, |v| v.players = 255],
        ),
        (
            "the options are out of range",
            DEALT,
            &[
                |v| v.options.length = Length::Target(0),
                |v| v.options.length = Length::Rounds(0),
                |v| v.options.length = Length::Rounds(101),
            ],
        ),
        ("the viewer is not at the table", DEALT, &[|v| v.viewer = Viewer::Seat(seat(3))]),
        ("the turn belongs to a seat that is not at the table", DEALT, &[|v| v.turn = seat(3)]),
        ("the round is out of range", DEALT, &[|v| v.round = 100, |v| v.round = u16::MAX]),
        ("the round is out of range", ENDED, &[|v| v.round = 0, |v| v.round = 101]),
        (
            "the start seat does not follow from the round",
            LATER_ROUND,
            &[|v| v.start = seat(0), |v| v.start = seat(2), |v| v.start = seat(5), |v| v.round = 5],
        ),
        ("the start seat does not follow from the round", ENDED, &[|v| v.round = 2]),
        (
            "the seat to act must have cards until the end, and none after it",
            DEALT,
            &[|v| v.hand_sizes[0] = 0, |v| v.hand_sizes = [0; MAX_SEATS]],
        ),
        (
            "the seat to act must have cards until the end, and none after it",
            LATER_ROUND,
            &[|v| {
                (v.start, v.turn) = (seat(0), seat(0));
                v.outcome = Some(Outcome::from_points(3, v.totals));
            }],
        ),
        (
            "the seat to act must have cards until the end, and none after it",
            ENDED,
            &[|v| (v.outcome, v.start, v.turn) = (None, seat(1), seat(1))],
        ),
        (
            "the start seat does not follow from the round",
            EXTRA,
            &[|v| v.outcome = Some(Outcome::from_points(3, v.totals))],
        ),
        ("a hand is too large", DEALT, &[|v| v.hand_sizes = [7, 7, 7, 0, 0, 0], |v| v.hand_sizes[0] = 255]),
        (
            "the hand sizes do not match the turn",
            DEALT,
            &[
                |v| v.turn = seat(1),
                |v| v.turn = seat(2),
                |v| v.hand_sizes[1] = 5,
                |v| v.hand_sizes[2] = 5,
                |v| v.hand_sizes[2] = 7,
            ],
        ),
        (
            "the hand sizes do not match the turn",
            LATER_TURN,
            &[
                |v| v.turn = seat(0),
                |v| v.turn = seat(2),
                |v| v.hand_sizes[0] = 6,
                |v| v.hand_sizes[0] = 4,
                |v| v.hand_sizes[2] = 5,
            ],
        ),
        ("the hand sizes do not match the turn", ENDED, &[|v| v.turn = seat(1)]),
        (
            "a hand does not match its size",
            LATER_TURN,
            &[
                |v| v.hand = CardSet::EMPTY,
                |v| v.viewer = Viewer::Spectator,
                |v| v.viewer = Viewer::Seat(seat(0)),
            ],
        ),
        (
            "cards of an unused colour are in play",
            DEALT,
            &[|v| v.collected[0] = cards("u1"), |v| v.middle = cards("b3 g5 y8 u9")],
        ),
        (
            "a card is in two places",
            LATER_TURN,
            &[
                |v| v.collected[1] = cards("b4"),
                |v| v.middle = v.middle.with(card("b4")),
                |v| v.middle = v.middle | v.hand,
            ],
        ),
        (
            "the cards do not add up to the deck",
            LATER_TURN,
            &[
                |v| v.stack += 1,
                |v| v.stack -= 1,
                |v| v.stack = 255,
                |v| v.hand_sizes[4] = 1,
                |v| v.hand_sizes = [5, 6, 6, 255, 255, 255],
            ],
        ),
        (
            "the middle was not refilled",
            LATER_TURN,
            &[|v| (v.middle, v.stack) = (v.middle.without(card("y9")), v.stack + 1)],
        ),
        (
            "the collected cards cannot have been taken",
            LATER_TURN,
            &[
                // A single card; cards of a player who has not played; more than five per card played.
                |v| (v.collected[0], v.stack) = (cards("b4"), v.stack + 2),
                |v| v.collected.swap(0, 1),
                |v| (v.collected[0], v.stack) = (cards("b3 b4 g5 p0 p1 p2"), v.stack - 3),
            ],
        ),
        (
            "a seat that is not at the table has cards",
            LATER_TURN,
            &[
                |v| v.collected.swap(0, 3),
                |v| (v.hand_sizes[3], v.stack) = (1, v.stack - 1),
                |v| (v.hand_sizes[5], v.stack) = (1, v.stack - 1),
            ],
        ),
        (
            "a best round is out of range",
            LATER_ROUND,
            &[
                |v| v.best[0] = best(6, 4),
                |v| v.best[2] = best(0, u16::MAX),
                |v| v.best[0] = best(51, 1),
                |v| v.best[0] = best(-51, 1),
                |v| v.best[0] = best(i32::MAX, 1),
                |v| v.best[0] = best(i32::MIN, 1),
                |v| v.best[4] = best(99, 1),
            ],
        ),
        (
            "a best round must exist exactly after the first round",
            LATER_ROUND,
            &[|v| v.best[2] = None, |v| v.best[3] = best(0, 0)],
        ),
        (
            "a total is out of reach",
            LATER_ROUND,
            &[
                |v| v.totals[0] = 25,
                |v| v.totals[0] = 6 - 151,
                |v| v.totals[0] = i32::MAX,
                |v| v.totals[0] = i32::MIN,
                |v| v.totals[3] = 1,
                |v| v.totals[5] = -1,
            ],
        ),
        ("a total is out of reach", DEALT, &[|v| v.totals[0] = 1, |v| v.totals[2] = -1]),
        ("a total is out of reach", ENDED, &[|v| v.totals[0] = 6, |v| v.totals[0] = 8]),
        (
            "the points contradict the end or the extra round",
            LATER_ROUND,
            &[
                |v| v.options.length = Length::Target(12),
                |v| v.options.length = Length::Rounds(4),
                |v| v.extra = true,
            ],
        ),
        ("the points contradict the end or the extra round", DEALT, &[|v| v.extra = true]),
        (
            "the points contradict the end or the extra round",
            EXTRA,
            &[|v| v.extra = false, |v| v.totals[0] = 11, |v| v.best[0] = best(7, 1)],
        ),
        (
            "the points contradict the end or the extra round",
            ENDED,
            &[
                |v| v.options.length = Length::Rounds(2),
                |v| v.options.length = Length::Target(8),
                |v| v.outcome = Some(Outcome::from_points(2, [5, 7, 0, 0, 0, 0])),
                |v| (v.totals[1], v.best[1]) = (7, best(7, 0)),
            ],
        ),
    ];
    for (reason, which, changes) in cases {
        for (index, change) in changes.iter().enumerate() {
            assert_eq!(sample_after(*which, change), Err(*reason), "view {which}, change {index}");
        }
    }
}

/// Values just inside each limit.
#[test]
fn views_at_the_limits_can_be_sampled() {
    let cases: &[(usize, &[Change])] = &[
        (DEALT, &[|v| v.options.length = Length::Rounds(100), |v| v.options.length = Length::Target(1)]),
        (
            LATER_TURN,
            &[
                |v| (v.collected[0], v.stack) = (cards("b3 b4"), v.stack + 1),
                |v| (v.collected[0], v.stack) = (cards("b3 b4 g5 p0 p1"), v.stack - 2),
                |v| (v.collected[0], v.stack) = (CardSet::EMPTY, v.stack + 3),
            ],
        ),
        (
            NEAR_THE_END,
            &[|v| {
                v.middle = cards("b4 b6 b8");
                v.collected[0] = v.collected[0] | cards("b2 y0 y2 y4");
                v.stack = 0;
            }],
        ),
        (
            LATER_ROUND,
            &[
                |v| v.totals[0] = 24,
                |v| v.totals[0] = 6 - 150,
                |v| (v.best[0], v.totals[0]) = (best(50, 3), 200),
                |v| (v.best[0], v.totals[0]) = (best(-50, 3), -200),
                |v| v.options.length = Length::Target(13),
                |v| v.options.length = Length::Rounds(5),
            ],
        ),
        (LATER_ROUND, &[|v| (v.round, v.start, v.turn) = (99, seat(0), seat(0))]),
        (
            ENDED,
            &[
                |v| v.options.length = Length::Target(7),
                |v| (v.extra, v.options.length) = (true, Length::Target(8)),
                |v| (v.round, v.start, v.turn) = (100 - 1, seat(0), seat(0)),
                |v| (v.round, v.start, v.turn) = (100, seat(1), seat(1)),
            ],
        ),
    ];
    for (which, changes) in cases {
        for (index, change) in changes.iter().enumerate() {
            assert_eq!(sample_after(*which, change), Ok(()), "view {which}, change {index}");
        }
    }
}
