//! Strength order of the house bots: greedy beats random in every game.

mod duel;

use duel::{Duel, compare, quantile, tail};
use parlor_bots::HouseBot;
use parlor_engine::GameId;

#[test]
fn greedy_beats_random_in_every_game() {
    let seed = parlor_testkit::test_seed(7);
    for game in GameId::ALL {
        for players in [2, 4] {
            let [a, b] = ["greedy", "random"].map(|name| HouseBot::by_name(name).expect("a bot"));
            let duel = Duel { game: *game, players, a, b, deals: 150, seed };
            let result = duel.run();
            assert!(result.mean > 0.0 && result.p < 0.001, "{duel:?}: {result:?}");
        }
    }
}

/// Compares with published tables of Student's t.
#[test]
fn student_t_matches_published_tables() {
    for (p, freedom, t) in [(0.025, 10.0, 2.228), (0.025, 100.0, 1.984), (0.001, 30.0, 3.385)] {
        assert!((quantile(p, freedom) - t).abs() < 0.001, "{p} {freedom}");
        assert!((tail(t, freedom) - p).abs() < 0.000_02, "{p} {freedom}");
    }
    assert!((tail(0.0, 7.0) - 0.5).abs() < 1e-9);
    let clear = compare(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert!((clear.mean - 3.0).abs() < 1e-12 && (clear.margin - 1.963).abs() < 0.001);
    assert!((clear.p - 0.006_6).abs() < 0.000_1, "{clear:?}");
}
