//! The conformance suite: the checks that every game of the catalogue must pass.
//!
//! Each check runs for every game, at every number of players and with all options of [`Testable::options`].
//! Random checks print their seed if they fail; `PARLOR_TEST_SEED=7` sets another one, and
//! `PARLOR_TEST_GAMES=10` plays ten times as many games (`0.1`: a tenth).

mod actions;
mod boards;
mod chance;
mod chi_square;
mod erased;
mod golden;
mod held_windows;
mod non_interference;
mod random_games;
pub(crate) mod sample_uniformity;
mod sampling;
mod setup;
mod texts;

use rand_chacha::ChaCha8Rng;

use crate::test_support::{game_count_factor, legal_actions, pick};
use crate::{Chance, EventSink, Game, NoEvents, Relabelling, Seat, Viewer};

pub(crate) use chi_square::assert_uniform;

/// The support a game gives to the suite, implemented in the tests of each game.
pub(crate) trait Testable: Game {
    /// An upper bound of the number of actions of a game.
    const MAX_ACTIONS: usize;

    /// The options to test: the default, and the ends of every range.
    fn options() -> Vec<Self::Options>;

    /// The codes of all cards of the game, wherever they are, in any order.
    fn card_codes(&self) -> Vec<u8>;

    /// The codes of all cards that the view shows, wherever they are, in any order.
    fn shown_card_codes(view: &Self::View) -> Vec<u8>;

    /// Redeals, directly in the state, the hands and other cards that the viewer cannot know. Piles to draw
    /// from keep their order, so that both games draw the same cards.
    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng);

    /// The place of a legal action in the order that the game documents, as a key to sort by. It is computed from
    /// the sentences of the documentation, not with the code that lists the actions.
    fn order_key(view: &Self::View, action: &Self::Action) -> Vec<i32>;

    /// The information an event reveals that its audience did not have.
    fn reveals(event: &Self::Event) -> Reveals;

    /// The same action after a relabelling of the colours.
    fn relabelled(action: Self::Action, _relabelling: &Relabelling) -> Self::Action {
        action
    }

    /// Returns true if the content of the action stays hidden from all other players.
    fn is_private(_action: &Self::Action) -> bool {
        false
    }

    /// A random action, legal or not: any value of the type.
    fn random_action(rng: &mut ChaCha8Rng) -> Self::Action;

    /// Changes a random part of the view to any value of its type.
    fn tamper(view: &mut Self::View, rng: &mut ChaCha8Rng);
}

/// The information an event reveals that its audience did not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reveals {
    /// Only the choice of a player.
    Nothing,
    /// The top cards of a pile.
    Pile,
    /// Cards of another hand, or a new deal.
    Hands,
}

/// The number of games a check plays with each set-up: at least one.
fn game_count(default: u32) -> u32 {
    (f64::from(default) * game_count_factor()).max(1.0) as u32
}

/// Every number of players with every tested option.
fn set_ups<G: Testable>() -> impl Iterator<Item = (u8, G::Options)> {
    let players = G::INFO.min_players..=G::INFO.max_players;
    players.flat_map(|players| G::options().into_iter().map(move |options| (players, options)))
}

/// A game with this chance.
fn new_game<G: Game>(
    players: u8,
    options: G::Options,
    chance: Chance,
    events: &mut impl EventSink<G::Event>,
) -> G {
    G::new(G::INFO.rules_version, options, players, chance, events).expect("a valid set-up")
}

/// A game with fresh chance.
pub(crate) fn fresh_game<G: Game>(players: u8, options: G::Options, rng: &mut ChaCha8Rng) -> G {
    new_game(players, options, Chance::fresh(rng), &mut NoEvents)
}

/// A game with fresh chance and held windows.
pub(crate) fn fresh_held_game<G: Game>(players: u8, options: G::Options, rng: &mut ChaCha8Rng) -> G {
    G::new_with_held_windows(G::INFO.rules_version, options, players, Chance::fresh(rng), &mut NoEvents)
        .expect("a valid set-up")
}

/// [`fresh_game`] or [`fresh_held_game`].
pub(crate) type NewGame<G> = fn(u8, <G as Game>::Options, &mut ChaCha8Rng) -> G;

/// A uniformly chosen seat to act with a uniformly chosen action; `None` if no seat is to act.
fn random_move<G: Game>(game: &G, rng: &mut ChaCha8Rng) -> Option<(Seat, G::Action)> {
    let seats: Vec<Seat> = game.to_act().iter().collect();
    (!seats.is_empty()).then(|| {
        let seat = *pick(&seats, rng);
        (seat, *pick(&legal_actions(game, seat), rng))
    })
}

/// Plays random actions until the game is over or `max` were played, and returns their number. Held windows
/// are closed when no seat is left to act and another action is due.
pub(crate) fn play_random_actions<G: Game>(game: &mut G, max: usize, rng: &mut ChaCha8Rng) -> usize {
    for played in 0..max {
        while game.to_act().is_empty() && game.window_is_held() {
            game.close_window(&mut NoEvents);
        }
        let Some((seat, action)) = random_move(game, rng) else {
            return played;
        };
        game.apply(seat, action, &mut NoEvents).expect("a legal action applies");
    }
    max
}

#[test]
fn play_random_actions_returns_the_number_of_actions() {
    let mut rng = crate::test_support::test_rng("play_random_actions");
    let mut game: crate::gap::Gap = fresh_game(2, Default::default(), &mut rng);
    assert_eq!(play_random_actions(&mut game, 5, &mut rng), 5);
    let rest = play_random_actions(&mut game, usize::MAX, &mut rng);
    assert!(rest > 5 && game.outcome().is_some());
    assert_eq!(play_random_actions(&mut game, 5, &mut rng), 0);
}

/// One test for each of these checks, for one game.
macro_rules! checks {
    ($game:ty: $($file:ident::$check:ident),* $(,)?) => {$(
        #[test]
        fn $check() {
            super::$file::$check::<$game>();
        }
    )*};
}

/// The suite for every game of the catalogue, one module each.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            checks! { crate::$module::$game:
                actions::legal_actions_apply,
                actions::legal_actions_are_in_documented_order,
                actions::illegal_actions_are_refused,
                actions::default_actions_finish_the_game,
                boards::boards_show_what_views_show,
                chance::later_deals_do_not_depend_on_play,
                chance::replay_from_recorded_shuffles,
                chance::relabelled_colours_give_the_same_game,
                golden::golden_playthroughs,
                golden::golden_action_sequence_counts,
                held_windows::held_windows_conform,
                non_interference::non_interference,
                non_interference::non_interference_with_held_windows,
                non_interference::non_interference_of_texts_and_boards,
                non_interference::planted_leaks_are_detected,
                random_games::random_games_conform,
                random_games::replay_from_log,
                sampling::samples_reproduce_the_view,
                sampling::tampered_views_do_not_panic,
                setup::setup_rejects_values_out_of_range,
                texts::decisions_are_put_in_words,
                texts::faces_identify_cards,
                texts::texts_exist_in_both_languages,
            }

            #[test]
            fn erased_game_equals_the_game() {
                super::erased::erased_game_equals_the_game::<crate::$module::$game>(
                    crate::GameId::$variant,
                    crate::AnyAction::$variant,
                    crate::AnyView::$variant,
                    crate::AnyOptions::$variant,
                );
            }
        }
    )*};
}

crate::for_all_games!(suite);
