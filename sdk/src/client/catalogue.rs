//! The catalogue of games, house bots and texts of enums: the calls of the CatalogueService.

use super::Client;
use super::call::call;
use crate::{Error, wire};

impl Client {
    /// All games of the server, with their options.
    pub async fn games(&self) -> Result<Vec<wire::GameInfo>, Error> {
        Ok(call!(self, catalogue.list_games, wire::ListGamesRequest {})?.games)
    }

    /// Rules of a game as Markdown.
    pub async fn rules(&self, game: &str, language: wire::Language) -> Result<wire::GetRulesResponse, Error> {
        let request = wire::GetRulesRequest { game: game.into(), language: language.into() };
        call!(self, catalogue.get_rules, request)
    }

    /// House bots that play a game, weakest first.
    pub async fn house_bots(&self, game: &str) -> Result<Vec<wire::HouseBotInfo>, Error> {
        let request = wire::ListHouseBotsRequest { game: game.into() };
        Ok(call!(self, catalogue.list_house_bots, request)?.bots)
    }

    /// Texts of all enums that people see, in both languages, such as the ways in which a seat finishes.
    pub async fn enum_texts(&self) -> Result<Vec<wire::EnumTexts>, Error> {
        Ok(call!(self, catalogue.list_enum_texts, wire::ListEnumTextsRequest {})?.enums)
    }

    /// Public keys that check the signatures of the server's records: the one in use, then those of before.
    ///
    /// Keep the one in use when you first talk to a server, over TLS: records are worth as much as the key that checks them.
    pub async fn signing_keys(&self) -> Result<Vec<wire::SigningKey>, Error> {
        Ok(call!(self, catalogue.list_signing_keys, wire::ListSigningKeysRequest {})?.keys)
    }

    /// All house bots, weakest first.
    pub async fn all_house_bots(&self) -> Result<Vec<wire::HouseBotInfo>, Error> {
        self.house_bots("").await
    }
}
