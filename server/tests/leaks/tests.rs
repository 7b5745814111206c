//! The tests: no configuration leaks, and each planted leak is detected.

use parlor_engine::{GameId, Viewer};
use parlor_testkit::{game_count_factor, rng_with_stream};
use rand_chacha::ChaCha8Rng;

use crate::compare::{Leak, compare};
use crate::game_pair::GamePair;
use crate::server::{Route, ServerFactory};
use crate::table_kind::TableKind;

/// The generator of a test of this game.
fn test_rng(game: GameId) -> ChaCha8Rng {
    rng_with_stream(game as u64)
}

/// A pair of games that the viewer cannot tell apart, but another viewer can.
fn distinct_pair(kind: TableKind, viewer: Viewer, rng: &mut ChaCha8Rng) -> GamePair {
    let mut candidates = std::iter::repeat_with(|| GamePair::new(kind, viewer, rng)).take(20);
    candidates
        .find(GamePair::differ)
        .unwrap_or_else(|| panic!("no pair differs for anyone but {viewer:?} in {kind:?}"))
}

/// Compares pairs of a game for every viewer, and returns the number of compared steps.
async fn compare_pairs(
    game: GameId,
    factory: &ServerFactory,
    kinds: &[TableKind],
    games: u32,
    rng: &mut ChaCha8Rng,
) -> usize {
    let (mut compared, mut pairs) = (0, 0);
    for kind in kinds {
        for viewer in Viewer::all(kind.players) {
            for _ in 0..games {
                let pair = distinct_pair(*kind, viewer, rng);
                compared += compare(factory, &pair, None, rng).await.unwrap_or_else(|why| panic!("{why}"));
                pairs += 1;
            }
        }
    }
    println!("{game:?}: {compared} steps of {pairs} pairs of games compared");
    compared
}

/// Minimum number of compared steps of a game.
const MIN_STEPS: usize = 130;

async fn check_no_leaks(game: GameId) {
    let mut rng = test_rng(game);
    let games = game_count_factor().ceil() as u32;
    let mut compared = 0;
    // A game for tests is short: it is compared several times, for enough steps to be meaningful.
    loop {
        compared +=
            compare_pairs(game, &ServerFactory::new(Route::Memory), &TableKind::all(game), games, &mut rng)
                .await;
        if compared >= MIN_STEPS || !game.info().test_only {
            break;
        }
    }
    assert!(compared >= MIN_STEPS, "only {compared} steps compared: too few for a meaningful test");
}

/// Checks that each planted leak is detected within a few games.
async fn check_leaks_are_detected(game: GameId, leaks: &[Leak]) {
    let factory = ServerFactory::new(Route::Memory);
    for leak in leaks {
        let mut rng = test_rng(game);
        let mut compared = 0;
        let mut found = None;
        'search: for kind in TableKind::all(game) {
            for viewer in Viewer::all(kind.players) {
                let pair = distinct_pair(kind, viewer, &mut rng);
                match compare(&factory, &pair, Some(*leak), &mut rng).await {
                    Ok(steps) => compared += steps,
                    Err(why) => {
                        found = Some(why);
                        break 'search;
                    }
                }
            }
        }
        assert!(found.is_some(), "leak {leak:?} undetected over {compared} steps");
    }
}

/// The tests of each game of the catalogue.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            use super::{GameId, Leak};

            #[tokio::test]
            async fn viewer_output_does_not_leak() {
                super::check_no_leaks(GameId::$variant).await;
            }

            #[tokio::test]
            async fn planted_leaks_are_detected() {
                // In the game for tests, everyone has the same number of legal actions.
                let leaks = match GameId::$variant.info().test_only {
                    true => &[Leak::View, Leak::Text, Leak::Board, Leak::Record][..],
                    false => &[Leak::View, Leak::Text, Leak::Board, Leak::Size, Leak::Record],
                };
                super::check_leaks_are_detected(GameId::$variant, leaks).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

/// Update numbers can leak only in games with hidden decisions.
#[tokio::test]
async fn leaking_update_numbers_are_detected() {
    check_leaks_are_detected(GameId::NoDice, &[Leak::Number]).await;
}

/// Times can leak only where a hidden decision delays a turn.
#[tokio::test]
async fn leaking_times_are_detected() {
    check_leaks_are_detected(GameId::NoDice, &[Leak::Time]).await;
}

#[tokio::test]
async fn viewer_output_over_sockets_does_not_leak() {
    let (game, factory) = (GameId::NoDice, ServerFactory::new(Route::Sockets));
    let mut rng = test_rng(game);
    let compared = compare_pairs(game, &factory, &TableKind::all(game)[..1], 1, &mut rng).await;
    assert!(compared >= 40, "only {compared} steps compared: too few for a meaningful test");
}

/// A client of one node plays and watches at a table of another.
#[tokio::test]
async fn viewer_output_through_another_node_does_not_leak() {
    for game in [GameId::NoDice, GameId::HabeFertig] {
        let mut rng = test_rng(game);
        let factory = ServerFactory::new(Route::OtherNode);
        let compared = compare_pairs(game, &factory, &TableKind::all(game)[..1], 1, &mut rng).await;
        assert!(compared >= 40, "only {compared} steps compared: too few for a meaningful test");
    }
}
