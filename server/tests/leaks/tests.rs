//! The tests: nothing leaks, and a leak would be found.

use parlor_engine::{GameId, Viewer};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::compare::{Leak, compare};
use crate::game_pair::Twins;
use crate::server::House;
use crate::table_kind::Kind;

/// A number from the environment, or 1.
fn setting(name: &str) -> f64 {
    std::env::var(name)
        .map_or(1.0, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: no number")))
}

/// A generator for one test, from `PARLOR_TEST_SEED`, which is printed.
fn test_rng(test: &str, game: GameId) -> ChaCha8Rng {
    let seed = setting("PARLOR_TEST_SEED") as u64;
    println!("{test} {game:?}: PARLOR_TEST_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(game as u64);
    rng
}

/// Two games that the viewer cannot tell apart, but somebody else can.
fn twins(kind: Kind, viewer: Viewer, rng: &mut ChaCha8Rng) -> Twins {
    let mut some = std::iter::repeat_with(|| Twins::new(kind, viewer, rng)).take(20);
    some.find(Twins::differ).unwrap_or_else(|| panic!("nothing is hidden from {viewer:?} in {kind:?}"))
}

/// Compares twins of a game for every viewer, and gives how many steps were compared.
async fn check(game: GameId, house: &House, kinds: &[Kind], games: u32, rng: &mut ChaCha8Rng) -> usize {
    let (mut compared, mut pairs) = (0, 0);
    for kind in kinds {
        for viewer in Viewer::all(kind.players) {
            for _ in 0..games {
                let twins = twins(*kind, viewer, rng);
                compared += compare(house, &twins, None, rng).await.unwrap_or_else(|why| panic!("{why}"));
                pairs += 1;
            }
        }
    }
    println!("{game:?}: {compared} steps of {pairs} pairs of games compared");
    compared
}

async fn nothing_leaks(game: GameId) {
    let mut rng = test_rng("nothing_leaks", game);
    let games = setting("PARLOR_TEST_GAMES").ceil() as u32;
    let compared = check(game, &House::new(false), &Kind::all(game), games, &mut rng).await;
    assert!(compared >= 130, "only {compared} steps were compared: the test tests nothing");
}

/// A leak of each kind is found within a few games.
async fn leaks_are_found(game: GameId, leaks: &[Leak]) {
    let house = House::new(false);
    for leak in leaks {
        let mut rng = test_rng("leaks_are_found", game);
        let mut compared = 0;
        let mut found = None;
        'search: for kind in Kind::all(game) {
            for viewer in Viewer::all(kind.players) {
                let twins = twins(kind, viewer, &mut rng);
                match compare(&house, &twins, Some(*leak), &mut rng).await {
                    Ok(steps) => compared += steps,
                    Err(why) => {
                        found = Some(why);
                        break 'search;
                    }
                }
            }
        }
        assert!(found.is_some(), "a leak by {leak:?} went unnoticed over {compared} steps");
    }
}

/// The tests of each game of the catalogue: a game that is listed there is tested here.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            use super::{GameId, Leak};

            #[tokio::test]
            async fn nothing_leaks() {
                super::nothing_leaks(GameId::$variant).await;
            }

            #[tokio::test]
            async fn leaks_are_found() {
                super::leaks_are_found(GameId::$variant, &[Leak::View, Leak::Size, Leak::Record]).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

/// Only where something is secret, numbers could tell of it.
#[tokio::test]
async fn a_number_that_counts_secrets_is_found() {
    leaks_are_found(GameId::NoDice, &[Leak::Number]).await;
}

#[tokio::test]
async fn nothing_leaks_over_sockets() {
    let (game, house) = (GameId::NoDice, House::new(true));
    let mut rng = test_rng("nothing_leaks_over_sockets", game);
    let compared = check(game, &house, &Kind::all(game)[..1], 1, &mut rng).await;
    assert!(compared >= 40, "only {compared} steps were compared: the test tests nothing");
}
