//! Any game: the field of each `oneof` for each game of the catalogue.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, CardCode, Game, GameId, for_all_games};

use super::build_messages;
use super::field::InvalidField;
use crate::encode::{self, Encode, ToWire, build_message};
use crate::v1;

/// Implements the conversions that have a case for each game of the catalogue.
macro_rules! conversions {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        any_conversion!(AnyOptions, game_options, v1::GameOptions, |game| encode::GameOptions { game },
            $($variant: $module::$game),*);
        any_conversion!(AnyAction, game_action, v1::GameAction, |game| encode::GameAction { game },
            $($variant: $module::$game),*);
        any_conversion!(AnyEvent, game_event, v1::GameEvent, |game| encode::GameEvent { game },
            $($variant: $module::$game),*);
        any_conversion!(AnyView, game_view, v1::game_view::Game, |game| game, $($variant: $module::$game),*);

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

        /// Returns the card of a game with this code, as in shuffles; `None` if the game has no such card.
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
                    v1::game_card::Game::$variant(super::$module::DealtCard::from_code(code)?.into())
                })*
            };
            Some(v1::GameCard { game: Some(card) })
        }

        /// Returns the game that a card belongs to, and its code.
        pub fn card_code(wire: v1::GameCard) -> Result<(GameId, u8), InvalidField> {
            let v1::GameCard { game } = wire;
            match game {
                $(Some(v1::game_card::Game::$variant(card)) => super::$module::DealtCard::try_from(card)
                    .map(|card| (GameId::$variant, card.code()))
                    .map_err(|error: InvalidField| error.within(GameId::$variant.info().id)),)*
                None => Err(missing_game()),
            }
        }
    };
}

/// Converts a type of any game to its wire type, and from the `oneof` of games. `$encoder` makes the encoder of the wire
/// type from that of the `oneof`.
macro_rules! any_conversion {
    ($any:ident, $oneof:ident, $wire:ty, $encoder:expr, $($variant:ident: $module:ident::$game:ident),*) => {
        impl ToWire for $any {
            type Wire = $wire;

            #[inline]
            fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
                let encoder = $encoder;
                encoder(match self {
                    $($any::$variant(part) => encode::$oneof::Game::$variant(part),)*
                })
            }
        }

        impl TryFrom<v1::$oneof::Game> for $any {
            type Error = InvalidField;
            fn try_from(wire: v1::$oneof::Game) -> Result<$any, InvalidField> {
                match wire {
                    $(v1::$oneof::Game::$variant(part) => part
                        .try_into()
                        .map($any::$variant)
                        .map_err(|error: InvalidField| {
                            error.within(<parlor_engine::$module::$game as Game>::INFO.id)
                        }),)*
                }
            }
        }
    };
}

for_all_games!(conversions);

build_messages!(AnyOptions => GameOptions, AnyAction => GameAction, AnyEvent => GameEvent);

/// Implements `TryFrom` for messages with no field but the `oneof` of games.
macro_rules! from_messages {
    ($($message:ident => $any:ident),*) => {
        $(impl TryFrom<v1::$message> for $any {
            type Error = InvalidField;
            fn try_from(wire: v1::$message) -> Result<$any, InvalidField> {
                let v1::$message { game } = wire;
                game.ok_or_else(missing_game)?.try_into()
            }
        })*
    };
}

from_messages!(GameOptions => AnyOptions, GameAction => AnyAction, GameEvent => AnyEvent);

/// The engine does not know who gave the seed: `seed_given` is false.
impl From<AnyView> for v1::GameView {
    fn from(view: AnyView) -> v1::GameView {
        build_message(encode::GameView { game: view, seed_given: false })
    }
}

impl TryFrom<v1::GameView> for AnyView {
    type Error = InvalidField;
    fn try_from(wire: v1::GameView) -> Result<AnyView, InvalidField> {
        let v1::GameView { game, seed_given: _ } = wire;
        game.ok_or_else(missing_game)?.try_into()
    }
}

/// The error of a message without a game, or with one that this version does not know.
fn missing_game() -> InvalidField {
    let ids: Vec<&str> = GameId::published().map(|game| game.info().id).collect();
    InvalidField::new(format!("must have a game: {}", ids.join(", ")))
}
