//! The games, in one list, and the types that hold any of them.
//!
//! The list below is the only place that names all games. A type that has one form for each game is made from it with
//! [`for_all_games!`](crate::for_all_games), here and in other crates; no other `match` over games exists.

use rand_core::Rng;

use crate::text::{Lang, Say, display_in_english};
use crate::{
    Audience, Chance, Colours, Events, Game, GameInfo, ImpossibleView, Outcome, Refusal, Seat, Seats,
    SetupError, Shuffle, Viewer,
};

/// Calls a macro with the list of all games: `Variant: module::Type, ...`.
///
/// ```
/// macro_rules! ids {
///     ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
///         [$(<parlor_engine::$module::$game as parlor_engine::Game>::INFO.id),*]
///     };
/// }
/// assert!(parlor_engine::for_all_games!(ids).contains(&"gap"));
/// ```
#[macro_export]
macro_rules! for_all_games {
    ($callback:ident) => {
        $callback! {
            HabeFertig: habe_fertig::HabeFertig,
            Gap: gap::Gap,
            Flush: flush::Flush,
            NoDice: no_dice::NoDice,
        }
    };
}

/// How many legal actions most decisions have at most.
const FEW: usize = 16;

macro_rules! catalogue {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        /// Which game.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum GameId {
            $(#[doc = concat!("[`", stringify!($game), "`](crate::", stringify!($module), ")")] $variant,)*
        }

        impl GameId {
            /// Every game.
            pub const ALL: &[GameId] = &[$(GameId::$variant),*];

            /// What is the same for every table of the game.
            #[must_use]
            pub const fn info(self) -> GameInfo {
                match self {
                    $(GameId::$variant => <crate::$module::$game as Game>::INFO,)*
                }
            }

            /// See [`Game::colours`].
            #[must_use]
            pub fn colours(self, players: u8) -> Option<Colours> {
                match self {
                    $(GameId::$variant => <crate::$module::$game as Game>::colours(players),)*
                }
            }

            /// The options that most people play with.
            #[must_use]
            pub fn default_options(self) -> AnyOptions {
                match self {
                    $(GameId::$variant => AnyOptions::$variant(Default::default()),)*
                }
            }
        }

        any!(AnyOptions, Options, "The options of any game.", derive(Clone, Copy, PartialEq, Eq, Debug),
            $($variant: $module::$game),*);
        any!(AnyAction, Action, "An action of any game.", derive(Clone, Copy, PartialEq, Eq, Hash, Debug),
            $($variant: $module::$game),*);
        any!(AnyEvent, Event, "An event of any game.", derive(Clone, Copy, PartialEq, Eq, Debug),
            $($variant: $module::$game),*);
        any!(AnyView, View, "A view of any game.", derive(Clone, PartialEq, Eq, Debug),
            $($variant: $module::$game),*);

        /// A game in progress, whichever it is.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the variants are the games")]
        pub enum AnyGame {
            // In a box each: a server holds many of them, and the largest has four times the size of the smallest.
            $($variant(Box<crate::$module::$game>),)*
        }

        impl AnyGame {
            /// Sets up a table of the game whose options these are. See [`Game::new`].
            pub fn new(
                rules_version: u32,
                options: AnyOptions,
                players: u8,
                chance: Chance,
                events: &mut impl Events<AnyEvent>,
            ) -> Result<AnyGame, SetupError> {
                match options {
                    $(AnyOptions::$variant(options) =>
                        <crate::$module::$game>::new(rules_version, options, players, chance, &mut Erase(events))
                            .map(|game| AnyGame::$variant(Box::new(game))),)*
                }
            }

            /// Sets up a table with held windows. See [`Game::new_held`].
            pub fn new_held(
                rules_version: u32,
                options: AnyOptions,
                players: u8,
                chance: Chance,
                events: &mut impl Events<AnyEvent>,
            ) -> Result<AnyGame, SetupError> {
                match options {
                    $(AnyOptions::$variant(options) =>
                        <crate::$module::$game>::new_held(rules_version, options, players, chance, &mut Erase(events))
                            .map(|game| AnyGame::$variant(Box::new(game))),)*
                }
            }

            /// Which game it is.
            #[must_use]
            pub const fn id(&self) -> GameId {
                match self {
                    $(AnyGame::$variant(_) => GameId::$variant,)*
                }
            }

            /// See [`Game::players`].
            #[must_use]
            pub fn players(&self) -> u8 {
                match self {
                    $(AnyGame::$variant(game) => game.players(),)*
                }
            }

            /// See [`Game::to_act`].
            #[must_use]
            pub fn to_act(&self) -> Seats {
                match self {
                    $(AnyGame::$variant(game) => game.to_act(),)*
                }
            }

            /// See [`Game::legal_actions`].
            #[must_use]
            pub fn legal_actions(&self, seat: Seat) -> Vec<AnyAction> {
                match self {
                    $(AnyGame::$variant(game) => {
                        let mut legal = Vec::with_capacity(FEW);
                        game.legal_actions(seat, &mut legal);
                        legal.into_iter().map(AnyAction::$variant).collect()
                    })*
                }
            }

            /// One of the legal actions, by its place among them. See [`Game::legal_actions`].
            #[must_use]
            pub fn legal_action(&self, seat: Seat, index: usize) -> Option<AnyAction> {
                match self {
                    $(AnyGame::$variant(game) => {
                        let mut legal = Vec::with_capacity(FEW);
                        game.legal_actions(seat, &mut legal);
                        legal.get(index).copied().map(AnyAction::$variant)
                    })*
                }
            }

            /// The place of an action among the legal ones, if it is one. See [`Game::legal_actions`].
            #[must_use]
            pub fn legal_index(&self, seat: Seat, action: AnyAction) -> Option<usize> {
                match (self, action) {
                    $((AnyGame::$variant(game), AnyAction::$variant(action)) => {
                        let mut legal = Vec::with_capacity(FEW);
                        game.legal_actions(seat, &mut legal);
                        legal.iter().position(|offered| *offered == action)
                    })*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => None,
                }
            }

            /// See [`Game::apply`]. An action of another game is refused.
            pub fn apply(
                &mut self,
                seat: Seat,
                action: AnyAction,
                events: &mut impl Events<AnyEvent>,
            ) -> Result<(), Refusal> {
                match (self, action) {
                    $((AnyGame::$variant(game), AnyAction::$variant(action)) =>
                        game.apply(seat, action, &mut Erase(events)),)*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => Err(Refusal::OTHER_GAME),
                }
            }

            /// See [`Game::view`].
            #[must_use]
            pub fn view(&self, viewer: Viewer) -> AnyView {
                match self {
                    $(AnyGame::$variant(game) => AnyView::$variant(game.view(viewer)),)*
                }
            }

            /// See [`Game::default_action`].
            #[must_use]
            pub fn default_action(&self, seat: Seat) -> Option<AnyAction> {
                match self {
                    $(AnyGame::$variant(game) => game.default_action(seat).map(AnyAction::$variant),)*
                }
            }

            /// See [`Game::sample`].
            pub fn sample(view: &AnyView, rng: &mut impl Rng) -> Result<AnyGame, ImpossibleView> {
                match view {
                    $(AnyView::$variant(view) => <crate::$module::$game>::sample(view, rng)
                        .map(|game| AnyGame::$variant(Box::new(game))),)*
                }
            }

            /// See [`Game::outcome`].
            #[must_use]
            pub fn outcome(&self) -> Option<Outcome> {
                match self {
                    $(AnyGame::$variant(game) => game.outcome(),)*
                }
            }

            /// See [`Game::is_secret`].
            #[must_use]
            pub fn is_secret(&self, seat: Seat) -> bool {
                match self {
                    $(AnyGame::$variant(game) => game.is_secret(seat),)*
                }
            }

            /// See [`Game::waits_for`].
            #[must_use]
            pub fn waits_for(&self) -> Seats {
                match self {
                    $(AnyGame::$variant(game) => game.waits_for(),)*
                }
            }

            /// See [`Game::window_is_held`].
            #[must_use]
            pub fn window_is_held(&self) -> bool {
                match self {
                    $(AnyGame::$variant(game) => game.window_is_held(),)*
                }
            }

            /// See [`Game::close_window`].
            pub fn close_window(&mut self, events: &mut impl Events<AnyEvent>) {
                match self {
                    $(AnyGame::$variant(game) => game.close_window(&mut Erase(events)),)*
                }
            }
        }

        impl AnyView {
            /// See [`Game::follow`]. An event of another game changes nothing.
            pub fn follow(&mut self, event: &AnyEvent) {
                match (self, event) {
                    $((AnyView::$variant(view), AnyEvent::$variant(event)) =>
                        <crate::$module::$game as Game>::follow(view, event),)*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => {}
                }
            }
        }
    };
}

/// One of the types of a game, of any game.
macro_rules! any {
    ($any:ident, $part:ident, $doc:literal, $derive:meta, $($variant:ident: $module:ident::$game:ident),*) => {
        #[doc = $doc]
        #[$derive]
        #[expect(missing_docs, reason = "the variants are the games")]
        pub enum $any {
            $($variant(<crate::$module::$game as Game>::$part),)*
        }

        // The plain path, not the associated type: other crates convert to these types too, and the compiler must see
        // that theirs is a different one.
        $(impl From<crate::$module::$part> for $any {
            fn from(part: crate::$module::$part) -> $any {
                $any::$variant(part)
            }
        })*

        impl $any {
            /// Which game it belongs to.
            #[must_use]
            pub const fn game(&self) -> GameId {
                match self {
                    $($any::$variant(_) => GameId::$variant,)*
                }
            }
        }

        impl Say for $any {
            fn say(&self, lang: Lang, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($any::$variant(part) => part.say(lang, f),)*
                }
            }
        }

        display_in_english!($any);
    };
}

for_all_games!(catalogue);

impl GameId {
    /// The game with this id.
    ///
    /// ```
    /// use parlor_engine::GameId;
    /// assert_eq!(GameId::from_id("gap"), Some(GameId::Gap));
    /// assert_eq!(GameId::from_id("chess"), None);
    /// ```
    #[must_use]
    pub fn from_id(id: &str) -> Option<GameId> {
        GameId::ALL.iter().copied().find(|game| game.info().id == id)
    }
}

/// Passes the events of one game on as events of any game.
struct Erase<'a, S>(&'a mut S);

impl<E: Into<AnyEvent>, S: Events<AnyEvent>> Events<E> for Erase<'_, S> {
    fn tell(&mut self, to: Audience, event: E) {
        self.0.tell(to, event.into());
    }

    fn shuffled(&mut self, name: Shuffle, codes: impl Iterator<Item = u8>) {
        self.0.shuffled(name, codes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a game tells, and what it shuffles.
    #[derive(Default)]
    struct Told(Vec<(Audience, AnyEvent)>, Vec<(Shuffle, Vec<u8>)>);

    impl Events<AnyEvent> for Told {
        fn tell(&mut self, to: Audience, event: AnyEvent) {
            self.0.push((to, event));
        }

        fn shuffled(&mut self, name: Shuffle, codes: impl Iterator<Item = u8>) {
            self.1.push((name, codes.collect()));
        }
    }

    #[test]
    fn every_game_is_found_by_its_id() {
        for game in GameId::ALL {
            assert_eq!(GameId::from_id(game.info().id), Some(*game));
        }
        assert_eq!((GameId::from_id(""), GameId::from_id("chess")), (None, None));
    }

    #[test]
    fn events_and_shuffles_come_through() {
        for game in GameId::ALL {
            let (version, options) = (game.info().rules_version, game.default_options());
            let mut told = Told::default();
            let table =
                AnyGame::new(version, options, 2, Chance::seeded([1; 32]), &mut told).expect("a table");
            assert!(!told.0.is_empty() && told.0.iter().all(|(_, event)| event.game() == *game));
            assert!(told.1.iter().any(|(name, codes)| *name == Shuffle::deal(0) && !codes.is_empty()));
            assert_eq!((table.id(), table.players()), (*game, 2));
        }
    }

    #[test]
    fn an_action_is_known_by_its_place() {
        let mut others = Vec::new();
        for game in GameId::ALL {
            let (version, options) = (game.info().rules_version, game.default_options());
            let table = AnyGame::new(version, options, 2, Chance::seeded([1; 32]), &mut Told::default());
            let table = table.expect("a table");
            for seat in Seat::all(2) {
                let legal = table.legal_actions(seat);
                for (index, action) in legal.iter().enumerate() {
                    assert_eq!(table.legal_action(seat, index), Some(*action));
                    assert_eq!(table.legal_index(seat, *action), Some(index));
                }
                assert_eq!(table.legal_action(seat, legal.len()), None);
                assert!(
                    others.iter().all(|other| table.legal_index(seat, *other).is_none()),
                    "of other games"
                );
            }
            others.extend(Seat::all(2).flat_map(|seat| table.legal_actions(seat)));
        }
        assert!(!others.is_empty());
    }

    /// Only No Dice asks in secret, and only where windows are held do they wait.
    #[test]
    fn most_games_have_no_secrets() {
        for game in GameId::ALL {
            let (version, options) = (game.info().rules_version, game.default_options());
            let mut told = Told::default();
            let table =
                AnyGame::new(version, options, 2, Chance::seeded([1; 32]), &mut told).expect("a table");
            assert!(!table.window_is_held());
            let is_asked = table.to_act().iter().any(|seat| table.is_secret(seat));
            assert!(!is_asked || *game == GameId::NoDice, "{game:?}");
        }
    }
}
