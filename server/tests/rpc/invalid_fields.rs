//! Request validation: every invalid field is named by its path; and the catalogue, which describes the valid
//! values.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, game_options::Game, gap_options::Length};

use crate::client::RpcError;
use crate::streams::answer_index;
use crate::table_requests::{
    act, cancel, delete, gap, get, house, join, reissue, rematch, replace, reserved, resign_by_owner, reveal,
    spectator_token, table,
};
use crate::test_server::TestServer;

fn clock(set: impl FnOnce(&mut v1::ClockSettings)) -> v1::CreateTableRequest {
    let mut clock = v1::ClockSettings::default();
    set(&mut clock);
    v1::CreateTableRequest { clock: Some(clock), ..gap(2) }
}

fn seats(seats: Vec<v1::SeatSetup>) -> v1::CreateTableRequest {
    v1::CreateTableRequest { seats, ..gap(2) }
}

fn metadata(metadata: Vec<(String, String)>) -> v1::CreateTableRequest {
    v1::CreateTableRequest { metadata: metadata.into_iter().collect(), ..gap(2) }
}

fn rounds(rounds: u32) -> v1::CreateTableRequest {
    let length = Some(Length::Rounds(rounds));
    let options = v1::GameOptions { game: Some(Game::Gap(v1::GapOptions { length })) };
    v1::CreateTableRequest { options: Some(options), ..gap(2) }
}

#[tokio::test]
async fn create_table_names_every_invalid_field() {
    let server = TestServer::new().await;
    /// 30 days in milliseconds.
    const MAX_MS: u32 = 2_592_000_000;
    let text = |length: usize| "x".repeat(length);
    let invalid: Vec<(v1::CreateTableRequest, &str)> = vec![
        (v1::CreateTableRequest { options: None, ..gap(2) }, "game"),
        (v1::CreateTableRequest { game: "no_dice".to_owned(), ..gap(2) }, "options.gap"),
        (v1::CreateTableRequest { options: Some(v1::GameOptions { game: None }), ..gap(2) }, "options"),
        (rounds(0), "options.gap.rounds"),
        (seats(vec![]), "seats"),
        (gap(1), "seats"),
        (gap(7), "seats"),
        (table(GameId::HabeFertig, 5), "seats"),
        (gap(1000), "seats"),
        (seats(vec![reserved("", "Una"), house("random")]), "seats[0].reserved.user_id"),
        (seats(vec![house("random"), reserved(&text(129), "")]), "seats[1].reserved.user_id"),
        (seats(vec![house("random"), reserved("u", &text(65))]), "seats[1].reserved.display_name"),
        (seats(vec![house("random"), reserved("u", "a\nb")]), "seats[1].reserved.display_name"),
        (seats(vec![house("random"), house("search:1001")]), "seats[1].house_bot.name"),
        (clock(|clock| clock.decision_ms = Some(MAX_MS + 1)), "clock.decision_ms"),
        (clock(|clock| clock.bank_ms = Some(MAX_MS + 1)), "clock.bank_ms"),
        (clock(|clock| clock.grace_ms = Some(u32::MAX)), "clock.grace_ms"),
        (clock(|clock| clock.forfeit_after = Some(0)), "clock.forfeit_after"),
        (clock(|clock| clock.forfeit_after = Some(1001)), "clock.forfeit_after"),
        (clock(|clock| clock.hidden_window_ms = Some(99)), "clock.hidden_window_ms"),
        (clock(|clock| clock.hidden_window_ms = Some(600_001)), "clock.hidden_window_ms"),
        (v1::CreateTableRequest { visibility: 3, ..gap(2) }, "visibility"),
        (v1::CreateTableRequest { visibility: -1, ..gap(2) }, "visibility"),
        (v1::CreateTableRequest { fill_ms: Some(999), ..gap(2) }, "fill_ms"),
        (v1::CreateTableRequest { fill_ms: Some(MAX_MS + 1), ..gap(2) }, "fill_ms"),
        (metadata((0..17).map(|number| (number.to_string(), text(0))).collect()), "metadata"),
        (metadata(vec![(text(0), text(1))]), "metadata"),
        (metadata(vec![(text(65), text(1))]), "metadata"),
        (metadata(vec![(text(1), text(257))]), "metadata"),
    ];
    for (request, field) in invalid {
        let refused = server.client().create_table(request.clone()).await.expect_err(field);
        assert_eq!(
            (refused.reason, refused.fields),
            (Reason::InvalidField, vec![field.to_owned()]),
            "{request:?}"
        );
        assert!(refused.message.contains(field), "{field}: {}", refused.message);
    }
    let valid = vec![
        clock(|clock| clock.decision_ms = Some(MAX_MS)),
        clock(|clock| clock.hidden_window_ms = Some(100)),
        clock(|clock| clock.forfeit_after = Some(1000)),
        seats(vec![v1::SeatSetup { occupant: None }, reserved(&text(128), &text(64))]),
        seats(vec![reserved("u", "\u{1f0cf} Ünä"), house("search:10")]),
        metadata((0..16).map(|number| (number.to_string() + &text(62), text(256))).collect()),
        v1::CreateTableRequest { fill_ms: Some(1_000), visibility: 0, ..gap(6) },
    ];
    for request in valid {
        let made = server.client().create_table(request.clone()).await;
        assert!(made.is_ok(), "{request:?}: {made:?}");
    }
}

#[tokio::test]
async fn unknown_house_bot_is_not_found() {
    let server = TestServer::new().await;
    for name in ["", "deep blue", "search:", "search:0", "random "] {
        let request = seats(vec![house("random"), house(name)]);
        let refused = server.client().create_table(request).await.expect_err(name);
        assert!(
            matches!(refused.reason, Reason::HouseBotNotFound | Reason::InvalidField),
            "{name:?}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn every_call_validates_table_id() {
    let server = TestServer::new().await;
    let client = server.client();
    fn error<T>(result: Result<T, RpcError>) -> (Reason, Vec<String>) {
        let error = result.err().expect("an invalid id");
        (error.reason, error.fields)
    }
    for id in ["", "x", "\u{1f0cf}", &"a".repeat(1000)] {
        let errors = [
            error(client.join_table(join(id)).await),
            error(client.get_table(get(id)).await),
            error(client.replace_seat(replace(id, 0, "random")).await),
            error(client.rematch(rematch(id)).await),
            error(client.cancel_table(cancel(id)).await),
            error(client.delete_table(delete(id)).await),
            error(client.create_spectator_token(spectator_token(id, false)).await),
            error(client.reissue_seat_token(reissue(id, 0)).await),
        ];
        for error in errors {
            assert_eq!(error, (Reason::InvalidField, vec!["table_id".to_owned()]), "{id:?}");
        }
        let resigned = error(client.resign_seat(resign_by_owner(id, 0)).await);
        assert_eq!(resigned.1, ["seat_at_table.table_id"]);
        assert_eq!(error(client.act(act(id, answer_index(1, 0))).await).0, Reason::TokenInvalid);
    }
}

#[tokio::test]
async fn join_table_names_every_invalid_field() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(gap(6)).await;
    let text = |length: usize| "x".repeat(length);
    let cases = [
        (v1::JoinTableRequest { seat: Some(6), ..join(&id) }, "seat"),
        (v1::JoinTableRequest { user_id: text(129), ..join(&id) }, "user_id"),
        (v1::JoinTableRequest { display_name: text(65), ..join(&id) }, "display_name"),
        (v1::JoinTableRequest { display_name: "\u{7}".to_owned(), ..join(&id) }, "display_name"),
        (v1::JoinTableRequest { entropy_commitment: vec![0; 31], ..join(&id) }, "entropy_commitment"),
    ];
    for (request, field) in cases {
        let refused = client.join_table(request).await.expect_err(field);
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![field.to_owned()]));
    }
    let longest = v1::JoinTableRequest {
        user_id: text(128),
        display_name: "ü".repeat(64),
        entropy_commitment: vec![0; 32],
        ..join(&id)
    };
    let joined = client.join_table(longest).await.unwrap();
    assert_eq!(joined.seat, 0);
    for length in [0, 15, 65] {
        let refused = client.reveal_entropy(reveal(&joined.seat_token, &vec![1; length])).await;
        assert_eq!(refused.expect_err("a length out of bounds").fields, ["entropy"], "{length}");
    }
}

#[tokio::test]
async fn catalogue_lists_games_players_rules_and_bots() {
    let server = TestServer::new().await;
    let client = server.client();
    let games = client.list_games(v1::ListGamesRequest {}).await.unwrap().games;
    assert_eq!(games.len(), GameId::ALL.len());
    for game in &games {
        for players in [game.min_players, game.max_players] {
            let id = GameId::from_id(&game.game).expect("a game of the engine");
            let made = client.create_table(table(id, players as usize)).await.unwrap().table.unwrap();
            assert_eq!((made.game, made.rules_version), (game.game.clone(), game.rules_version));
            let shown = made.options.expect("options");
            assert!(parlor_engine::AnyOptions::try_from(shown).is_ok_and(|options| options.game() == id));
        }
        let mut texts = Vec::new();
        for language in [v1::Language::English, v1::Language::German] {
            let asked = v1::GetRulesRequest { game: game.game.clone(), language: language.into() };
            let rules = client.get_rules(asked).await.unwrap();
            assert_eq!((rules.language(), rules.rules_version), (language, game.rules_version));
            texts.push(rules.markdown);
        }
        assert_ne!(texts[0], texts[1]);
        let asked = v1::ListHouseBotsRequest { game: game.game.clone() };
        let bots = client.list_house_bots(asked).await.unwrap().bots;
        assert!(bots.iter().all(|bot| bot.games.contains(&game.game)));
        let names: Vec<&str> = bots.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, ["random", "greedy", "search"], "weakest first");
    }
    let asked = v1::ListHouseBotsRequest { game: "chess".to_owned() };
    assert_eq!(
        client.list_house_bots(asked).await.expect_err("an unknown game").reason,
        Reason::GameNotFound
    );
    let asked = v1::GetRulesRequest { game: "gap".to_owned(), language: 3 };
    assert_eq!(client.get_rules(asked).await.expect_err("an unknown language").fields, ["language"]);
}
