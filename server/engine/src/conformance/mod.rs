//! The suite that every game must pass: those there are, and those to come.
//!
//! It runs on each game of the catalogue, at every number of players and with all options that [`Testable`] names.
//! Random tests print their seed when they fail; `PARLOR_TEST_SEED=7` runs them with another one, and
//! `PARLOR_TEST_GAMES=10` plays ten times as many games (or `0.1`, a tenth).

mod deals;
mod golden;
mod held;
mod interference;
mod play;
mod sampling;
mod uniform;

use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::{Audience, Chance, Events, Game, NoEvents, Relabelling, Seat, Shuffle, Viewer, below};

pub(crate) use sampling::assert_uniform;

/// What the suite must know of a game beyond its rules. Implemented in the tests of each game.
pub(crate) trait Testable: Game {
    /// More actions than any game of it can have.
    const MAX_ACTIONS: usize;

    /// Options to test: the default, and the ends of every range.
    fn options() -> Vec<Self::Options>;

    /// The codes of all cards wherever they are, in any order.
    fn census(&self) -> Vec<u8>;

    /// Deals anew, directly in the state, what the viewer cannot know of hands and of cards laid aside. Piles that
    /// are still to be drawn keep their order, so that chance brings both games the same cards.
    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng);

    /// What the event shows that its audience could not know before.
    fn reveals(event: &Self::Event) -> Reveals;

    /// The same action where the cards have other names.
    fn relabelled(action: Self::Action, _names: &Relabelling) -> Self::Action {
        action
    }

    /// Whether others learn nothing of the action's content.
    fn is_private(_action: &Self::Action) -> bool {
        false
    }

    /// An action, legal or not: any value of the type can come.
    fn any_action(rng: &mut ChaCha8Rng) -> Self::Action;

    /// Changes one thing in a view; any value of the type can come.
    fn spoil(view: &mut Self::View, rng: &mut ChaCha8Rng);
}

/// What an event shows that its audience could not know before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reveals {
    /// Nothing but what somebody chose to do.
    Nothing,
    /// The next cards of a pile.
    Pile,
    /// Cards that were in another's hand, or a new deal.
    Hands,
}

/// A number from the environment, or 1.
fn setting<N: FromStr + From<u8>>(name: &str) -> N {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => N::from(1),
    }
}

/// A generator for one test, from `PARLOR_TEST_SEED`; the seed is printed, and shown when the test fails.
pub(crate) fn test_rng(test: &str) -> ChaCha8Rng {
    let seed = setting::<u64>("PARLOR_TEST_SEED");
    println!("{test}: PARLOR_TEST_SEED={seed}");
    let name = test.bytes().fold(0u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(name);
    rng
}

/// How many games a test plays with each set-up: at least one.
fn games(default: u32) -> u32 {
    (f64::from(default) * setting::<f64>("PARLOR_TEST_GAMES")).max(1.0) as u32
}

/// One of the items, each equally likely.
pub(crate) fn pick<'a, T>(items: &'a [T], rng: &mut ChaCha8Rng) -> &'a T {
    &items[below(items.len() as u32, rng) as usize]
}

/// Every number of players with all options that are tested.
fn set_ups<G: Testable>() -> impl Iterator<Item = (u8, G::Options)> {
    let players = G::INFO.min_players..=G::INFO.max_players;
    players.flat_map(|players| G::options().into_iter().map(move |options| (players, options)))
}

/// A table of the game on fresh chance.
fn table<G: Game>(players: u8, options: G::Options, rng: &mut ChaCha8Rng) -> G {
    G::new(G::INFO.rules_version, options, players, Chance::fresh(rng), &mut NoEvents)
        .expect("a set-up that is allowed")
}

/// The same with held windows.
fn held_table<G: Game>(players: u8, options: G::Options, rng: &mut ChaCha8Rng) -> G {
    G::new_held(G::INFO.rules_version, options, players, Chance::fresh(rng), &mut NoEvents)
        .expect("a set-up that is allowed")
}

/// How a test sets up its tables.
type SetUp<G> = fn(u8, <G as Game>::Options, &mut ChaCha8Rng) -> G;

/// What the seat can do.
pub(crate) fn legal<G: Game>(game: &G, seat: Seat) -> Vec<G::Action> {
    let mut legal = Vec::new();
    game.legal_actions(seat, &mut legal);
    legal
}

/// One of the seats that are asked and one of its actions, each equally likely; nothing when the game waits for nobody.
fn random_move<G: Game>(game: &G, rng: &mut ChaCha8Rng) -> Option<(Seat, G::Action)> {
    let asked: Vec<Seat> = game.to_act().iter().collect();
    (!asked.is_empty()).then(|| {
        let seat = *pick(&asked, rng);
        (seat, *pick(&legal(game, seat), rng))
    })
}

/// Plays random actions until the game is over or `most` were played; gives back how many. Windows that are held are
/// closed when nobody is asked any more and another action is due.
pub(crate) fn play_on<G: Game>(game: &mut G, most: usize, rng: &mut ChaCha8Rng) -> usize {
    for played in 0..most {
        while game.to_act().is_empty() && game.window_is_held() {
            game.close_window(&mut NoEvents);
        }
        let Some((seat, action)) = random_move(game, rng) else {
            return played;
        };
        game.apply(seat, action, &mut NoEvents).expect("an action that is offered applies");
    }
    most
}

/// Everything a game tells, and every order of cards that it puts on record.
struct Recorder<E> {
    told: Vec<(Audience, E)>,
    shuffles: Vec<(Shuffle, Vec<u8>)>,
}

impl<E> Recorder<E> {
    fn new() -> Recorder<E> {
        Recorder { told: Vec::new(), shuffles: Vec::new() }
    }
}

impl<E: Copy> Recorder<E> {
    /// What this viewer was told.
    fn told_to(&self, viewer: Viewer) -> Vec<E> {
        self.told.iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| *event).collect()
    }
}

impl<E> Events<E> for Recorder<E> {
    fn tell(&mut self, to: Audience, event: E) {
        self.told.push((to, event));
    }

    fn shuffled(&mut self, name: Shuffle, codes: impl Iterator<Item = u8>) {
        self.shuffles.push((name, codes.collect()));
    }
}

/// The suite for each game of the catalogue: a game that is listed there is tested here.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            use crate::$module::$game as G;

            #[test]
            fn random_games_keep_every_promise() {
                super::play::random_games_keep_every_promise::<G>();
            }
            #[test]
            fn what_is_not_offered_is_refused_and_changes_nothing() {
                super::play::what_is_not_offered_is_refused_and_changes_nothing::<G>();
            }
            #[test]
            fn every_offered_action_applies() {
                super::play::every_offered_action_applies::<G>();
            }
            #[test]
            fn defaults_alone_reach_the_end() {
                super::play::defaults_alone_reach_the_end::<G>();
            }
            #[test]
            fn set_ups_out_of_range_name_the_range() {
                super::play::set_ups_out_of_range_name_the_range::<G>();
            }
            #[test]
            fn every_language_has_its_words() {
                super::play::every_language_has_its_words::<G>();
            }
            #[test]
            fn any_game_plays_like_the_game_itself() {
                super::play::any_game_plays_like_the_game_itself::<G>(
                    crate::GameId::$variant,
                    crate::AnyAction::$variant,
                    crate::AnyView::$variant,
                    crate::AnyOptions::$variant,
                );
            }
            #[test]
            fn what_is_played_never_moves_a_later_deal() {
                super::deals::what_is_played_never_moves_a_later_deal::<G>();
            }
            #[test]
            fn a_recorded_script_replays_the_game() {
                super::deals::a_recorded_script_replays_the_game::<G>();
            }
            #[test]
            fn other_colours_are_the_same_game() {
                super::deals::other_colours_are_the_same_game::<G>();
            }
            #[test]
            fn what_is_hidden_changes_nothing_that_is_seen() {
                super::interference::what_is_hidden_changes_nothing_that_is_seen::<G>();
            }
            #[test]
            fn a_leak_is_found() {
                super::interference::a_leak_is_found::<G>();
            }
            #[test]
            fn held_windows_keep_every_promise() {
                super::held::held_windows_keep_every_promise::<G>();
            }
            #[test]
            fn held_windows_tell_nothing() {
                super::interference::held_windows_tell_nothing::<G>();
            }
            #[test]
            fn sampled_worlds_give_the_view_back() {
                super::sampling::sampled_worlds_give_the_view_back::<G>();
            }
            #[test]
            fn no_view_makes_anything_panic() {
                super::sampling::no_view_makes_anything_panic::<G>();
            }
            #[test]
            fn playthroughs_are_as_they_were() {
                super::golden::playthroughs_are_as_they_were::<G>();
            }
            #[test]
            fn counts_of_sequences_are_as_they_were() {
                super::golden::counts_of_sequences_are_as_they_were::<G>();
            }
        }
    )*};
}

crate::for_all_games!(suite);
