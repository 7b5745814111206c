//! CatalogueService: the games that the server offers, their rules, the house bots, and the keys that sign records. Calls
//! need no API key.

use std::sync::Arc;

use parlor_bots::HouseBot;
use parlor_engine::{GameId, Text};
use parlor_proto::enum_text::enum_texts;
use parlor_proto::v1::{self, catalogue_service_server::CatalogueService};
use tonic::{Request, Response, Status, async_trait};

use super::Failure;
use super::convert::enums::language;
use super::convert::signing_keys;
use crate::identity::SigningKeys;

/// Implementation of CatalogueService.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// The games.
    pub games: OfferedGames,
    /// The keys that sign records.
    pub keys: Arc<SigningKeys>,
}

/// The games that a server offers. Any other game is answered like an unknown one.
#[derive(Clone, Copy, Debug)]
pub struct OfferedGames {
    /// Includes the games that are only for tests.
    pub test_games: bool,
}

impl OfferedGames {
    /// The offered games, in catalogue order.
    pub fn iter(self) -> impl Iterator<Item = GameId> {
        GameId::ALL.iter().copied().filter(move |game| self.check(*game).is_ok())
    }

    /// Refuses a game that is not offered.
    pub(super) fn check(self, game: GameId) -> Result<(), Failure> {
        if self.test_games || !game.info().test_only { Ok(()) } else { Err(Failure::NoSuchGame) }
    }

    /// Finds an offered game by its id.
    fn find(self, id: &str) -> Result<GameId, Failure> {
        let game = GameId::from_id(id).ok_or(Failure::NoSuchGame)?;
        self.check(game).map(|()| game)
    }
}

/// Descriptions of the house bots, weakest first.
const BOT_SUMMARIES: [(&str, Text); 3] = [
    (
        "random",
        Text {
            en: "Chooses evenly among all that it can do.",
            de: "Wählt gleichmäßig unter allem, was es tun kann.",
        },
    ),
    (
        "greedy",
        Text {
            en: "Takes what looks best at once, and does not think ahead.",
            de: "Nimmt, was im Augenblick am besten aussieht, und denkt nicht voraus.",
        },
    ),
    (
        "search",
        Text {
            en: "Plays many possible games to their end in its head. search:N does so N times for each decision.",
            de: "Spielt im Kopf viele mögliche Partien zu Ende. search:N tut das je Entscheidung N-mal.",
        },
    ),
];

#[async_trait]
impl CatalogueService for Catalogue {
    async fn list_games(
        &self,
        _: Request<v1::ListGamesRequest>,
    ) -> Result<Response<v1::ListGamesResponse>, Status> {
        let games = self.games.iter().map(v1::GameInfo::from).collect();
        Ok(Response::new(v1::ListGamesResponse { games }))
    }

    async fn get_rules(
        &self,
        request: Request<v1::GetRulesRequest>,
    ) -> Result<Response<v1::GetRulesResponse>, Status> {
        let v1::GetRulesRequest { game: id, language: number } = request.into_inner();
        let info = self.games.find(&id)?.info();
        let language = language(number, "language").map_err(Failure::from)?;
        Ok(Response::new(v1::GetRulesResponse {
            markdown: info.rules.get(language).to_owned(),
            rules_version: info.rules_version,
            language: v1::Language::from(language).into(),
        }))
    }

    async fn list_house_bots(
        &self,
        request: Request<v1::ListHouseBotsRequest>,
    ) -> Result<Response<v1::ListHouseBotsResponse>, Status> {
        let v1::ListHouseBotsRequest { game: id } = request.into_inner();
        if !id.is_empty() {
            // Every bot plays every game, so the filter only validates the game.
            self.games.find(&id)?;
        }
        let games: Vec<String> = self.games.iter().map(|game| game.info().id.to_owned()).collect();
        let bots = HouseBot::names().iter().map(|name| {
            let summary =
                BOT_SUMMARIES.iter().find(|(bot, _)| bot == name).map(|(_, summary)| (*summary).into());
            v1::HouseBotInfo { name: (*name).to_owned(), summary, games: games.clone() }
        });
        Ok(Response::new(v1::ListHouseBotsResponse { bots: bots.collect() }))
    }

    async fn list_enum_texts(
        &self,
        _: Request<v1::ListEnumTextsRequest>,
    ) -> Result<Response<v1::ListEnumTextsResponse>, Status> {
        Ok(Response::new(v1::ListEnumTextsResponse { enums: enum_texts() }))
    }

    async fn list_signing_keys(
        &self,
        _: Request<v1::ListSigningKeysRequest>,
    ) -> Result<Response<v1::ListSigningKeysResponse>, Status> {
        Ok(Response::new(v1::ListSigningKeysResponse { keys: signing_keys(&self.keys) }))
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;
    use tonic_types::StatusExt;

    use super::*;

    fn catalogue(test_games: bool) -> Catalogue {
        Catalogue { games: OfferedGames { test_games }, keys: Arc::new(SigningKeys::from_bytes([1; 32])) }
    }

    #[tokio::test]
    async fn test_games_are_listed_only_with_the_setting() {
        for test_games in [false, true] {
            let catalogue = catalogue(test_games);
            let listed =
                catalogue.list_games(Request::new(v1::ListGamesRequest {})).await.unwrap().into_inner();
            let count = if test_games { GameId::ALL.len() } else { GameId::published().count() };
            assert_eq!(listed.games.len(), count);
            let asked = v1::GetRulesRequest { game: "high_card".to_owned(), language: 0 };
            let rules = catalogue.get_rules(Request::new(asked)).await;
            assert_eq!(rules.map_err(|status| status.code()).err(), (!test_games).then_some(Code::NotFound));
        }
    }

    async fn rules(game: &str, language: i32) -> Result<v1::GetRulesResponse, Status> {
        let request = v1::GetRulesRequest { game: game.to_owned(), language };
        catalogue(false).get_rules(Request::new(request)).await.map(Response::into_inner)
    }

    #[tokio::test]
    async fn every_game_is_listed_and_has_its_rules() {
        let listed =
            catalogue(false).list_games(Request::new(v1::ListGamesRequest {})).await.unwrap().into_inner();
        let ids: Vec<&str> = listed.games.iter().map(|info| info.game.as_str()).collect();
        assert_eq!(ids, GameId::published().map(|game| game.info().id).collect::<Vec<_>>());
        for info in &listed.games {
            let english = rules(&info.game, v1::Language::Unspecified.into()).await.unwrap();
            assert_eq!(english.language(), v1::Language::English);
            assert_eq!(english.rules_version, info.rules_version);
            let german = rules(&info.game, v1::Language::German.into()).await.unwrap();
            assert_eq!(german.language(), v1::Language::German);
            assert!(english.markdown.starts_with('#') && german.markdown.starts_with('#'));
            assert_ne!(english.markdown, german.markdown);
        }
    }

    #[tokio::test]
    async fn unknown_game_and_language_are_errors() {
        let unknown = rules("chess", 0).await.unwrap_err();
        assert_eq!(unknown.code(), Code::NotFound);
        assert_eq!(unknown.get_error_details().error_info().unwrap().reason, "GAME_NOT_FOUND");
        let wrong = rules("gap", 77).await.unwrap_err();
        assert_eq!(wrong.code(), Code::InvalidArgument);
        assert_eq!(wrong.message(), "language: has no value 77");
        let bots = v1::ListHouseBotsRequest { game: "chess".to_owned() };
        assert_eq!(
            catalogue(false).list_house_bots(Request::new(bots)).await.unwrap_err().code(),
            Code::NotFound
        );
    }

    #[tokio::test]
    async fn every_house_bot_is_listed_with_a_summary() {
        for game in ["", "gap"] {
            let request = v1::ListHouseBotsRequest { game: game.to_owned() };
            let listed = catalogue(false).list_house_bots(Request::new(request)).await.unwrap().into_inner();
            let names: Vec<&str> = listed.bots.iter().map(|bot| bot.name.as_str()).collect();
            assert_eq!(names, HouseBot::names());
            for bot in &listed.bots {
                assert!(bot.summary.is_some(), "{} has no summary", bot.name);
                assert_eq!(bot.games.len(), GameId::published().count());
                HouseBot::by_name(&bot.name).unwrap();
            }
        }
    }

    #[tokio::test]
    async fn retired_signing_keys_stay_listed() {
        let folder = tempfile::tempdir().unwrap();
        let old = SigningKeys::load_or_create(folder.path()).unwrap().current();
        let new = SigningKeys::rotate(folder.path()).unwrap().current;
        let keys = Arc::new(SigningKeys::load_or_create(folder.path()).unwrap());
        let catalogue = Catalogue { keys, ..catalogue(false) };
        let listed = catalogue.list_signing_keys(Request::new(v1::ListSigningKeysRequest {})).await.unwrap();
        let message = |key: parlor_fair::PublicKey, retired| v1::SigningKey {
            key_id: key.id().to_string(),
            public_key: key.as_bytes().to_vec(),
            retired,
        };
        assert_eq!(listed.into_inner().keys, [message(new, false), message(old, true)]);
    }

    #[tokio::test]
    async fn texts_of_enums_are_listed() {
        let listed =
            catalogue(false).list_enum_texts(Request::new(v1::ListEnumTextsRequest {})).await.unwrap();
        let enums = listed.into_inner().enums;
        let finish = enums.iter().find(|one| one.name == "SeatFinish").expect("the enum");
        let resigned = v1::EnumValueText {
            name: "SEAT_FINISH_RESIGNED".to_owned(),
            number: v1::SeatFinish::Resigned.into(),
            text: Some(v1::Text { en: "resigned".to_owned(), de: "aufgegeben".to_owned() }),
        };
        assert!(finish.values.contains(&resigned), "{finish:?}");
    }
}
