//! Any game: which field of the `oneof` belongs to which game of the catalogue.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, CardCode, Game, GameId, for_all_games};

use super::field::WrongField;
use super::messages;
use crate::v1;
use crate::write::{Fields, Write};

macro_rules! conversions {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        conversion!(AnyOptions, GameOptions, game_options, $($variant: $module::$game),*);
        conversion!(AnyAction, GameAction, game_action, $($variant: $module::$game),*);
        conversion!(AnyEvent, GameEvent, game_event, $($variant: $module::$game),*);
        conversion!(AnyView, GameView, game_view, $($variant: $module::$game),*);

        impl From<GameId> for v1::GameInfo {
            fn from(id: GameId) -> v1::GameInfo {
                let info = id.info();
                let options = match id {
                    $(GameId::$variant => super::$module::option_infos(),)*
                };
                v1::GameInfo {
                    game: info.id.into(),
                    name: Some(info.name.into()),
                    summary: Some(info.summary.into()),
                    min_players: info.min_players.into(),
                    max_players: info.max_players.into(),
                    rules_version: info.rules_version,
                    options,
                }
            }
        }

        /// The card of a game that has this code, as shuffles have it.
        ///
        /// ```
        /// use parlor_engine::GameId;
        /// use parlor_proto::convert::{card, card_code};
        /// let green_7 = card(GameId::Gap, 17).expect("GAP has 50 cards");
        /// assert_eq!(card_code(green_7), Ok((GameId::Gap, 17)));
        /// assert_eq!(card(GameId::Gap, 50), None);
        /// ```
        #[must_use]
        pub fn card(game: GameId, code: u8) -> Option<v1::GameCard> {
            let card = match game {
                $(GameId::$variant => {
                    v1::game_card::Game::$variant(super::$module::Dealt::from_code(code)?.into())
                })*
            };
            Some(v1::GameCard { game: Some(card) })
        }

        /// The game that a card belongs to, and its code.
        pub fn card_code(wire: v1::GameCard) -> Result<(GameId, u8), WrongField> {
            match wire.game {
                $(Some(v1::game_card::Game::$variant(card)) => super::$module::Dealt::try_from(card)
                    .map(|card| (GameId::$variant, card.code()))
                    .map_err(|error: WrongField| error.within(GameId::$variant.info().id)),)*
                None => Err(no_game()),
            }
        }
    };
}

/// One of the types of a game, of any game, and its message. What the engine knows nothing of is left as it is when it is
/// not set.
macro_rules! conversion {
    ($any:ident, $message:ident, $oneof:ident, $($variant:ident: $module:ident::$game:ident),*) => {
        impl Write for $any {
            fn write(&self, to: &mut Fields<'_>) {
                match self {
                    $($any::$variant(part) => to.message(super::$module::FIELD, part),)*
                }
            }
        }

        messages!($any => $message);

        impl TryFrom<v1::$message> for $any {
            type Error = WrongField;
            fn try_from(wire: v1::$message) -> Result<$any, WrongField> {
                match wire.game {
                    $(Some(v1::$oneof::Game::$variant(part)) => part
                        .try_into()
                        .map($any::$variant)
                        .map_err(|error: WrongField| {
                            error.within(<parlor_engine::$module::$game as Game>::INFO.id)
                        }),)*
                    None => Err(no_game()),
                }
            }
        }
    };
}

for_all_games!(conversions);

/// What is wrong with a message that names no game, or one that is not known here.
fn no_game() -> WrongField {
    let ids: Vec<&str> = GameId::ALL.iter().map(|game| game.info().id).collect();
    WrongField::new(format!("must have a game: {}", ids.join(", ")))
}
