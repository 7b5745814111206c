//! Every game at every number of players, from creation to result, each viewer over a stream of its own.

use std::sync::Arc;

use parlor_engine::{GameId, Viewer};
use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item, table_event::Event};
use parlor_store::{SqliteLog, SqliteOptions};

use crate::agent_client::{AgentClient, hello};
use crate::client::error_reason;
use crate::players::{ChooseAction, PlayedTable, Transcript, engine_view, random_choice, replay_from_seed};
use crate::streams::{PlayStream, answer_index, answer_item, attach_item, play_seat};
use crate::table_requests::{house, open, table};
use crate::test_server::TestServer;
use crate::tournament_requests::{create, round_robin, setup};

/// Plays a game at every number of players.
async fn play_every_player_count(game: GameId) {
    let server = TestServer::new().await;
    let info = game.info();
    for players in info.min_players..=info.max_players {
        let played = server.play_to_end(table(game, players.into())).await;
        assert_eq!(played.players.len(), usize::from(players));
        check_played_table(&server.client().table(&played.id).await, &played);
    }
}

/// Checks every transcript against the table, and against a replay from its seed.
fn check_played_table(table: &v1::Table, played: &PlayedTable) {
    assert_eq!(table.state(), v1::TableState::Finished);
    let result = table.result.clone().expect("a result");
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    let again = replay_from_seed(table, &played.players);
    let outcome = again.outcome().expect("an outcome");
    for (standing, seat) in outcome.standings().zip(&result.seats) {
        assert_eq!(standing.seat.index(), seat.seat as usize);
        assert_eq!((standing.points, u32::from(standing.place)), (seat.points, seat.place));
        assert_eq!((seat.finish(), seat.clocks_run_out), (v1::SeatFinish::PlayedOut, 0));
    }
    assert_eq!(result.seats.len(), played.players.len());
    let viewers = Viewer::all(again.players());
    for (viewer, seen) in viewers.zip(played.players.iter().chain([&played.spectator])) {
        seen.check();
        let over = seen.over();
        assert_eq!((over.result.as_ref(), over.shuffle.as_ref()), (Some(&result), table.shuffle.as_ref()));
        assert_eq!(seen.snapshot().viewer, Some(viewer.into()));
        let last = last_view(seen);
        assert!(last.seed_given, "every view marks the given seed");
        assert_eq!(engine_view(last), again.view(viewer), "{viewer:?} at the end");
    }
    check_spectator(&played.spectator, played.players.len());
    assert!(played.players.iter().all(|seen| seen.decisions().count() == seen.decided().count()));
}

fn last_view(seen: &Transcript) -> &v1::GameView {
    seen.updates().last().and_then(|update| update.view.as_deref()).expect("a view in every update")
}

/// Checks a spectator that attached before the first join: it sees every join, the start and the end, and no
/// decisions.
fn check_spectator(seen: &Transcript, players: usize) {
    assert_eq!((seen.snapshot().number, seen.decisions().count()), (0, 0));
    let events = seen.events();
    assert!(events[..players].iter().all(|event| matches!(event, Event::SeatJoined(_))));
    assert!(matches!(&events[players..], [Event::Started(_), Event::Over(_)]), "{events:?}");
    assert_eq!(seen.decided().count(), 0);
}

/// One test for each game of the catalogue.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            #[tokio::test]
            async fn plays_at_every_player_count() {
                super::play_every_player_count(parlor_engine::GameId::$variant).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

/// Tables of every game at once, all seats over one stream, on a SQLite store and a multi-threaded runtime.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_plays_many_tables() {
    let folder = tempfile::tempdir().unwrap();
    let log = SqliteLog::open(&folder.path().join("parlor.db"), SqliteOptions::default()).unwrap();
    let server = TestServer::with_log(Arc::new(log), |_| {}).await;
    let mut tables = Vec::new();
    for _ in 0..3 {
        for game in GameId::ALL {
            let seats = vec![open(), house("random"), open()];
            tables.push(server.new_seated_table(v1::CreateTableRequest { seats, ..table(*game, 3) }).await);
        }
    }
    let mut stream = PlayStream::open(&server.client()).await;
    let tokens: Vec<&String> = tables.iter().flat_map(|table| &table.tokens).collect();
    stream
        .send((0..).zip(&tokens).map(|(channel, token)| attach_item(channel, play_seat(token))).collect())
        .await;
    let mut seen = vec![Transcript::default(); tokens.len()];
    let (mut choice, mut open) = (random_choice(9), tokens.len());
    while open > 0 {
        let (channel, item) = stream.reader.next().await;
        if let Item::Decision(decision) = &item {
            stream.send(vec![answer_item(channel, answer_index(decision.id, choice.choose(decision)))]).await;
        }
        open -= usize::from(matches!(item, Item::Closed(_)));
        seen[channel as usize].items.push(item);
    }
    seen.iter().for_each(Transcript::check);
    for table in &tables {
        assert_eq!(server.client().table(&table.id).await.state(), v1::TableState::Finished);
    }
}

/// Without the setting, a game for tests is refused like an unknown one.
#[tokio::test]
async fn test_games_need_a_setting() {
    let server = TestServer::with_settings(|settings| settings.testing.games = false).await;
    let client = server.client();
    let game = GameId::HighCard.info().id.to_owned();
    let cup = create(setup(GameId::HighCard, &["random", "greedy"], round_robin(1)));
    let tables = v1::ListTablesRequest { game: game.clone(), ..Default::default() };
    let records = v1::ListRecordsRequest { game: game.clone(), ..Default::default() };
    let agents = v1::ListAgentsRequest { game: game.clone(), ..Default::default() };
    let all_games = AgentClient::try_connect(&client, hello("ann")).await;
    let reasons = [
        error_reason(client.create_table(table(GameId::HighCard, 2)).await),
        error_reason(client.create_tournament(cup).await),
        error_reason(client.list_tables(tables).await),
        error_reason(client.list_records(records).await),
        error_reason(client.list_agents(agents).await),
        error_reason(client.get_rules(v1::GetRulesRequest { game, language: 0 }).await),
        error_reason(all_games),
    ];
    assert!(reasons.iter().all(|reason| *reason == Reason::GameNotFound), "{reasons:?}");
    let listed = client.list_games(v1::ListGamesRequest {}).await.expect("games").games;
    assert_eq!(listed.len(), GameId::published().count());
    let published = GameId::published().map(|game| game.info().id.to_owned()).collect();
    AgentClient::connect(&client, v1::AgentHello { games: published, ..hello("ann") }).await;
}
