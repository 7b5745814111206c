//! Calls to one node about tables of another.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, record_service_client::RecordServiceClient};
use parlor_server::config::{Count, Size};
use parlor_server::identity::Scope;
use tonic::{Request, metadata::MetadataValue};

use crate::agent_client::{AgentClient, agent_seat, hello, with_seats};
use crate::client::error_reason;
use crate::cluster::TestCluster;
use crate::players::{play, random_choice};
use crate::streams::{answer_index, open_follow, play_seat, spectate};
use crate::table_requests::{
    accept, act, cancel, gap, get, join, new_invite, open, private, replace, resign, spectator_token, table,
};
use crate::test_server::{api_key, with_timeout};

#[tokio::test]
async fn calls_reach_the_table_of_another_node() {
    let (cluster, a, b) = TestCluster::two().await;
    let (at_a, at_b) = (a.client(), b.client());
    let id = cluster.new_table(&b, &at_b, gap(2)).await;

    let joined = at_a.join_table(join(&id)).await.expect("a seat");
    assert_eq!((joined.seat, at_b.table(&id).await), (0, joined.table.expect("the table")));
    let invite = at_a.create_invite(new_invite(&id)).await.expect("an invite");
    let second = at_a.join_table(accept(&invite.secret)).await.expect("a seat by its invite alone");
    assert_eq!(second.seat, 1);
    assert_eq!(at_a.table(&id).await, at_b.table(&id).await);

    // Act, by the token alone.
    let mut watching = open_follow(&at_b, vec![(1, play_seat(&joined.seat_token))]).await.expect("a stream");
    let decision = watching.decision(1).await;
    let answered = at_a.act(act(&joined.seat_token, answer_index(decision.id, 0))).await.expect("an outcome");
    assert_eq!(answered.answered.expect("an outcome").status(), v1::AnswerStatus::Accepted);

    // Errors pass with their details.
    let full = at_a.join_table(join(&id)).await.expect_err("a full table");
    let direct = at_b.join_table(join(&id)).await.expect_err("a full table");
    assert_eq!(
        (full.reason, &full.message, &full.metadata),
        (direct.reason, &direct.message, &direct.metadata)
    );
    let seat = at_a.replace_seat(replace(&id, 3, "greedy")).await.expect_err("no such seat");
    assert_eq!((seat.reason, seat.fields), (Reason::SeatNotFound, Vec::<String>::new()));
    let long = v1::CancelTableRequest { note: "x".repeat(10_000), ..cancel(&id) };
    let wrong = at_a.cancel_table(long).await.expect_err("a note that is too long");
    assert_eq!((wrong.reason, wrong.fields), (Reason::InvalidField, vec!["note".to_owned()]));

    at_a.replace_seat(replace(&id, 1, "greedy")).await.expect("a replaced seat");
    at_a.resign_seat(resign(&joined.seat_token)).await.expect("a resigned seat");
    // Another one, since bots may have ended the first.
    let id = cluster.new_table(&b, &at_b, gap(2)).await;
    at_a.cancel_table(cancel(&id)).await.expect("a cancelled table");
    assert!(at_b.table(&id).await.result.is_some());
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn records_and_replays_come_from_another_node() {
    let (cluster, a, b) = TestCluster::two().await;
    let seated = cluster.new_seated_table(&b, table(GameId::HighCard, 2)).await;
    let players = seated.tokens.iter().zip(0..).map(|(token, seed)| {
        let client = a.client();
        let attach = play_seat(token);
        tokio::spawn(async move { play(&client, attach, random_choice(seed)).await })
    });
    for player in players.collect::<Vec<_>>() {
        with_timeout(player).await.expect("a player").check();
    }
    let asked = v1::GetRecordRequest { table_id: seated.id.clone(), ..Default::default() };
    let record = a.client().get_record(asked.clone()).await.expect("a record");
    assert_eq!(record.record, b.client().get_record(asked).await.expect("a record").record);
    let mut records = RecordServiceClient::new(a.channel());
    let replay = v1::ReplayRequest { table_id: seated.id, ..Default::default() };
    let mut replay = with_timeout(records.replay(replay)).await.expect("a stream").into_inner();
    let mut messages = 0;
    while with_timeout(replay.message()).await.expect("an open stream").is_some() {
        messages += 1;
    }
    assert!(messages > 0);
    a.stop().await;
    b.stop().await;
}

/// The caller is what the first node has verified, and nothing that a client says of itself.
#[tokio::test]
async fn callers_are_who_the_first_node_says_they_are() {
    let anna = api_key("anna", &[Scope::Tables, Scope::Play]);
    let ben = api_key("ben", &[Scope::Tables, Scope::Play]);
    let player = api_key("carl", &[Scope::Play]);
    let keys = [&anna, &ben, &player].map(|key| key.entry.clone());
    let cluster = TestCluster::new(|settings| settings.keys = keys.to_vec());
    let (a, b) = (cluster.start("a").await, cluster.start("b").await);
    let request = private(v1::CreateTableRequest { chance: None, ..gap(2) });
    let id = cluster.new_table(&b, &b.client_with_key(&anna), request).await;

    let table = a.client_with_key(&anna).table(&id).await;
    assert_eq!(table.table_id, id);
    assert_eq!(error_reason(a.client_with_key(&ben).get_table(get(&id)).await), Reason::TableNotFound);
    let watched = a.client_with_key(&anna).create_spectator_token(spectator_token(&id, false)).await;
    let token = watched.expect("a token").spectator_token;
    let by_token = v1::GetTableRequest { token, ..get(&id) };
    assert_eq!(
        a.client().get_table(by_token).await.expect("the table").table.expect("the table").table_id,
        id
    );
    assert_eq!(error_reason(a.client().cancel_table(cancel(&id)).await), Reason::CredentialsMissing);
    assert_eq!(
        error_reason(a.client_with_key(&player).cancel_table(cancel(&id)).await),
        Reason::ScopeMissing
    );
    // The streams know the caller, too.
    let mut own = open_follow(&a.client_with_key(&anna), vec![(1, spectate(&id))]).await.expect("a stream");
    own.snapshot(1).await;
    let mut other = open_follow(&a.client_with_key(&ben), vec![(1, spectate(&id))]).await.expect("a stream");
    assert_eq!(other.closed(1).await.reason(), Reason::TableNotFound);

    // A client that pretends to be a node.
    for port in [a.channel(), b.channel()] {
        let mut request = Request::new(get(&id));
        let forged = "CgsKBGFubmESA2FiYw"; // the beginning of a caller named anna
        let headers = request.metadata_mut();
        headers.insert("parlor-link-version", MetadataValue::from_static("1"));
        headers.insert("parlor-link-from", MetadataValue::from_static("b"));
        headers.insert("parlor-link-to", MetadataValue::from_static("a"));
        headers.insert_bin("parlor-link-call-bin", MetadataValue::from_bytes(forged.as_bytes()));
        let mut tables = v1::table_service_client::TableServiceClient::new(port);
        let refused = with_timeout(tables.get_table(request)).await.expect_err("a table of anna's");
        assert_eq!(refused.code(), tonic::Code::NotFound);
    }
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn limits_count_where_the_client_is() {
    let cluster = TestCluster::new(|settings| {
        settings.limits.requests_per_second = Count::new(1);
        settings.limits.request_burst = Count::new(12);
        settings.limits.message_bytes = Size::from_kib(64);
    });
    let (a, b) = (cluster.start("a").await, cluster.start("b").await);
    let id = cluster.new_table(&b, &b.client(), gap(2)).await;
    let large = v1::CancelTableRequest { note: "x".repeat(70_000), ..cancel(&id) };
    assert_eq!(error_reason(a.client().cancel_table(large).await), Reason::MessageTooLarge);
    let mut refused = None;
    for _ in 0..12 {
        if let Err(error) = a.client().get_table(get(&id)).await {
            refused.get_or_insert(error.reason);
        }
    }
    assert_eq!(refused, Some(Reason::RateLimited));
    b.client().get_table(get(&id)).await.expect("the other node has counted none of these");
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn calls_wait_for_an_owner_and_give_up() {
    let (cluster, a, b) = TestCluster::two().await;
    let id = cluster.new_table(&b, &b.client(), gap(2)).await;
    cluster.move_table(&id, None);
    let waiting = tokio::spawn({
        let (client, id) = (a.client(), id.clone());
        async move { client.get_table(get(&id)).await }
    });
    parlor_testkit::wait_until("the call waits", async || cluster.clock.next_deadline().is_some()).await;
    cluster.move_table(&id, Some(&b));
    with_timeout(waiting).await.expect("a task").expect("the table, once it has an owner");

    cluster.move_table(&id, None);
    let waiting = tokio::spawn({
        let (client, id) = (a.client(), id.clone());
        async move { client.get_table(get(&id)).await }
    });
    let patience = cluster.let_time_pass();
    let error = with_timeout(waiting).await.expect("a task").expect_err("no owner");
    drop(patience);
    assert_eq!(error.reason, Reason::ServerStopping);
    assert!(error.retry.is_some());
    a.stop().await;
    b.stop().await;
}

/// An agent plays through any node: its stream goes to the home of its name.
#[tokio::test]
async fn agents_connect_through_any_node() {
    let (cluster, a, b) = TestCluster::two().await;
    // The home of the name is the other node.
    let home = TestCluster::agent_home("deep-thought");
    cluster.move_partition(home, Some(&b));
    let mut agent = AgentClient::connect(&a.client(), hello("deep-thought")).await;
    let request = with_seats(vec![agent_seat("deep-thought"), open()], gap(2));
    let id = b.client().new_table(request).await;
    let given = loop {
        if let (channel, v1::stream_item::Item::SeatGiven(given)) = agent.reader.next().await {
            break (channel, given);
        }
    };
    assert_eq!((given.0, given.1.table_id), (1, id));
    a.stop().await;
    b.stop().await;
}
