//! Open streams of API keys that are removed, or lose rights, while the server runs.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::{KeyEntry, KeySet, NewKey, Scope};
use tonic::Streaming;

use crate::agent_client::{AgentClient, hello};
use crate::client::{Client, RpcError, TableNewsStream};
use crate::streams::{PlayStream, answer_index, play_seat};
use crate::table_requests::gap;
use crate::test_server::{TestServer, api_key, with_timeout};
use crate::tournament_requests::{round_robin, setup};

const ALL: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables, Scope::Agents];

/// One open stream of each kind that needs a key.
struct KeyStreams {
    news: TableNewsStream,
    agent: AgentClient,
    tournament: Streaming<v1::FollowTournamentResponse>,
}

impl KeyStreams {
    async fn open(client: &Client, agent: &str) -> KeyStreams {
        let mut news = client.follow_tables(None).await.expect("news");
        news.read().await.expect("a first message");
        let agent = AgentClient::connect(client, hello(agent)).await;
        let id = client.new_tournament(setup(GameId::Gap, &["greedy", "random"], round_robin(3))).await;
        let mut tournament = client.follow_tournament(&id).await;
        with_timeout(tournament.message()).await.expect("an open stream").expect("a first message");
        KeyStreams { news, agent, tournament }
    }

    /// The reason and the message with which each of the streams ends.
    async fn ends(mut self) -> Vec<(Reason, String)> {
        let of_tournament = with_timeout(self.tournament.message()).await.expect_err("the end of a stream");
        let ends = [
            self.news.error().await,
            self.agent.reader.ending().await.expect_err("the end of a stream"),
            RpcError::from_status(&of_tournament),
        ];
        ends.into_iter().map(|error| (error.reason, error.message)).collect()
    }
}

fn replace_keys(server: &TestServer, keys: &[&KeyEntry]) {
    let entries = keys.iter().map(|key| (*key).clone()).collect();
    server.keys.replace(KeySet::new(entries).expect("valid keys")).expect("a key");
}

/// Asserts that the streams of a key go on: a new table is news.
async fn assert_open(server: &TestServer, key: &NewKey, streams: &mut KeyStreams) {
    server.client_with_key(key).new_table(gap(2)).await;
    streams.news.next().await;
    assert!(futures_util::FutureExt::now_or_never(streams.tournament.message()).is_none());
    assert!(futures_util::FutureExt::now_or_never(streams.agent.reader.wait()).is_none());
}

#[tokio::test]
async fn streams_of_a_removed_key_end_with_a_reason_and_those_of_others_go_on() {
    let (anna, ben, kim) = (api_key("anna", ALL), api_key("ben", ALL), api_key("anna", ALL));
    let server = TestServer::with_keys([&anna, &ben, &kim]).await;
    let gone = KeyStreams::open(&server.client_with_key(&anna), "anna-agent").await;
    let mut of_ben = KeyStreams::open(&server.client_with_key(&ben), "ben-agent").await;
    let mut of_kim = KeyStreams::open(&server.client_with_key(&kim), "kim-agent").await;
    let seated = server.client_with_key(&anna).new_seated_table(gap(2)).await;
    let mut seat = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    of_kim.news.next().await;

    replace_keys(&server, &[&ben.entry, &kim.entry]);
    for (reason, message) in gone.ends().await {
        assert_eq!(reason, Reason::KeyInvalid);
        assert!(message.contains("removed"), "{message}");
    }
    let decision = seat.reader.decision(1).await;
    assert!(
        seat.answer(1, answer_index(decision.id, 0)).await.refusal.is_none(),
        "a seat token needs no key"
    );
    for _ in 0..3 {
        of_kim.news.next().await;
    }
    assert_open(&server, &ben, &mut of_ben).await;
    assert_open(&server, &kim, &mut of_kim).await;
}

#[tokio::test]
async fn streams_end_when_their_key_loses_a_scope_or_changes_its_owner() {
    let (anna, ben) = (api_key("anna", ALL), api_key("ben", ALL));
    let more = |key: &NewKey| KeyEntry { scopes: [ALL, &[Scope::Admin]].concat(), ..key.entry.clone() };
    let changes: [(&str, KeyEntry); 2] = [
        ("scope", KeyEntry { scopes: vec![Scope::Agents, Scope::Play], ..anna.entry.clone() }),
        ("owner", KeyEntry { owner: "other".parse().unwrap(), ..anna.entry.clone() }),
    ];
    for (what, changed) in changes {
        let server = TestServer::with_keys([&anna, &ben]).await;
        let gone = KeyStreams::open(&server.client_with_key(&anna), "anna-agent").await;
        let mut stays = KeyStreams::open(&server.client_with_key(&ben), "ben-agent").await;
        replace_keys(&server, &[&changed, &more(&ben)]);
        assert!(gone.ends().await.iter().all(|(reason, _)| *reason == Reason::KeyInvalid), "{what}");
        assert_open(&server, &ben, &mut stays).await;
        // What one reload kept, the next one can end.
        replace_keys(&server, &[&anna.entry]);
        assert!(stays.ends().await.iter().all(|(reason, _)| *reason == Reason::KeyInvalid), "{what}");
    }
}

#[tokio::test]
async fn streams_without_a_key_end_when_the_server_gets_keys() {
    let server = TestServer::new().await;
    let streams = KeyStreams::open(&server.client(), "anyone-agent").await;
    replace_keys(&server, &[&api_key("anna", ALL).entry]);
    for (reason, _) in streams.ends().await {
        assert_eq!(reason, Reason::CredentialsMissing);
    }
}
