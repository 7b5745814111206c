//! Real games to take messages from: random play of every game, at every number of players, with several options.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, AnyView, Audience, Chance, GameId, Outcome, Seat, Viewer, below,
};
use parlor_proto::v1::{self, game_options::Game, gap_options::Length};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// A generator for one test, from `PARLOR_TEST_SEED`; the seed is printed, and shown when the test fails.
pub(crate) fn test_rng(test: &str) -> ChaCha8Rng {
    let seed = match std::env::var("PARLOR_TEST_SEED") {
        Ok(text) => text.parse().expect("PARLOR_TEST_SEED is a whole number"),
        Err(_) => 1,
    };
    println!("{test}: PARLOR_TEST_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(test.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte)));
    rng
}

/// Options of every game, as a client would send them.
fn options() -> Vec<v1::GameOptions> {
    let gap = |length| Game::Gap(v1::GapOptions { length });
    [
        Game::HabeFertig(v1::HabeFertigOptions {}),
        gap(None),
        gap(Some(Length::Target(1))),
        gap(Some(Length::Target(u32::MAX))),
        gap(Some(Length::Rounds(2))),
        Game::Flush(v1::FlushOptions { beginner: false }),
        Game::Flush(v1::FlushOptions { beginner: true }),
        Game::NoDice(v1::NoDiceOptions {}),
    ]
    .map(|game| v1::GameOptions { game: Some(game) })
    .to_vec()
}

/// What a game shows to a test.
pub(crate) trait Watch {
    /// What the table was set up with.
    fn options(&mut self, options: AnyOptions);
    /// All that a seat can do.
    fn legal(&mut self, actions: &[AnyAction], view: &AnyView);
    /// Something that some audience was told.
    fn event(&mut self, event: AnyEvent);
    /// What a viewer knows.
    fn view(&mut self, view: AnyView);
    /// The end.
    fn outcome(&mut self, outcome: Outcome);
}

/// Plays `games` random games with each set-up, and one more with held windows, up to 150 actions each, and shows
/// everything. A game that is longer is played to its end by its defaults, so that every kind of event comes.
pub(crate) fn play_all(games: u32, rng: &mut ChaCha8Rng, watch: &mut impl Watch) {
    let mut played: Vec<GameId> = Vec::new();
    for wire in options() {
        let options = AnyOptions::try_from(wire).expect("options that are allowed");
        played.push(options.game());
        let info = options.game().info();
        for players in info.min_players..=info.max_players {
            for _ in 0..games {
                watch.options(options);
                play(options, players, false, rng, watch);
            }
            play(options, players, true, rng, watch);
        }
    }
    assert!(GameId::ALL.iter().all(|game| played.contains(game)), "every game has its options above");
}

fn play(options: AnyOptions, players: u8, held: bool, rng: &mut ChaCha8Rng, watch: &mut impl Watch) {
    let version = options.game().info().rules_version;
    let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
    let chance = Chance::fresh(rng);
    let mut game = if held {
        AnyGame::new_with_held_windows(version, options, players, chance, &mut events)
    } else {
        AnyGame::new(version, options, players, chance, &mut events)
    }
    .expect("a set-up that is allowed");
    for step in 0.. {
        for (_, event) in events.drain(..) {
            watch.event(event);
        }
        let random = step < 150;
        if random || game.outcome().is_some() {
            for viewer in Viewer::all(players) {
                watch.view(game.view(viewer));
            }
        }
        let asked: Vec<Seat> = game.to_act().iter().collect();
        if asked.is_empty() && game.window_is_held() {
            game.close_window(&mut events);
            continue;
        }
        if asked.is_empty() {
            break;
        }
        let seat = asked[below(asked.len() as u32, rng) as usize];
        let action = if random {
            let legal = game.legal_actions(seat);
            watch.legal(&legal, &game.view(Viewer::Seat(seat)));
            legal[below(legal.len() as u32, rng) as usize]
        } else {
            game.default_action(seat).expect("a default of a seat that is asked")
        };
        game.apply(seat, action, &mut events).expect("an action that is offered");
    }
    watch.outcome(game.outcome().expect("the game is over"));
}
