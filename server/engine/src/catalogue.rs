//! The catalogue: the list of all games, and [`GameId`].
//!
//! The list in [`for_all_games!`](crate::for_all_games) is the only place that names all games. Every type
//! with one variant per game is generated from it, here, in `erased.rs` and in other crates; no other `match`
//! over games exists.

use crate::{AnyOptions, ColourSymmetry, Game, GameInfo};

/// Calls a macro with the list of all games, as `Variant: module::Type, ...`.
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
            FiveThreeFive: five_three_five::FiveThreeFive,
            NoDice: no_dice::NoDice,
            HighCard: high_card::HighCard,
        }
    };
}

macro_rules! catalogue {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        /// Identifies a game.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum GameId {
            $(#[doc = concat!("[`", stringify!($game), "`](crate::", stringify!($module), ")")] $variant,)*
        }

        impl GameId {
            /// Every game, in catalogue order.
            pub const ALL: &[GameId] = &[$(GameId::$variant),*];

            /// Static facts about the game.
            #[must_use]
            pub const fn info(self) -> GameInfo {
                match self {
                    $(GameId::$variant => <crate::$module::$game as Game>::INFO,)*
                }
            }

            /// See [`Game::colour_symmetry`].
            #[must_use]
            pub fn colour_symmetry(self, players: u8) -> Option<ColourSymmetry> {
                match self {
                    $(GameId::$variant => <crate::$module::$game as Game>::colour_symmetry(players),)*
                }
            }

            /// The default options of the game.
            #[must_use]
            pub fn default_options(self) -> AnyOptions {
                match self {
                    $(GameId::$variant => AnyOptions::$variant(Default::default()),)*
                }
            }
        }
    };
}

for_all_games!(catalogue);

impl GameId {
    /// The games for players, in catalogue order: all but those that are [only for
    /// tests](GameInfo::test_only).
    pub fn published() -> impl Iterator<Item = GameId> + Clone {
        GameId::ALL.iter().copied().filter(|game| !game.info().test_only)
    }

    /// The game with this id, if any, including games that are only for tests.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_id() {
        for game in GameId::ALL {
            assert_eq!(GameId::from_id(game.info().id), Some(*game));
        }
        assert_eq!((GameId::from_id(""), GameId::from_id("chess")), (None, None));
    }

    #[test]
    fn published_games_exclude_test_games() {
        let test_games: Vec<GameId> = GameId::ALL
            .iter()
            .copied()
            .filter(|game| GameId::published().all(|other| other != *game))
            .collect();
        assert_eq!(test_games, [GameId::HighCard]);
    }
}
