//! Links between nodes: versions, keys, certificates, and readers that are too slow.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, table_service_client::TableServiceClient};
use parlor_server::cluster::{LINK_VERSION, LinkTls};
use parlor_server::config::Count;
use parlor_server::identity::ServerKey;
use parlor_testkit::Authority;
use tonic::{Code, Request, Status, metadata::MetadataValue};

use crate::client::error_reason;
use crate::cluster::{TestCluster, TestNode};
use crate::players::{WANT_VIEWS, play, random_choice};
use crate::streams::{PlayStream, attach_item, play_seat, spectate, with_wants};
use crate::table_requests::{gap, get, house, open, replace, table};
use crate::test_server::{connect, with_timeout};

/// Calls the port for links itself.
async fn call_link(node: &TestNode, version: Option<&str>, to: &str, token: Option<&str>) -> Status {
    let mut tables = TableServiceClient::new(connect(&format!("http://{}", node.link_address)).await);
    let mut request = Request::new(get(&crate::table_requests::unknown_table_id()));
    let mut insert = |name: &'static str, value: &str| {
        let value: MetadataValue<_> = value.parse().expect("text");
        request.metadata_mut().insert(name, value);
    };
    insert("parlor-link-from", "old-node");
    insert("parlor-link-to", to);
    if let Some(version) = version {
        insert("parlor-link-version", version);
    }
    if let Some(token) = token {
        insert("parlor-link-token", token);
    }
    with_timeout(tables.get_table(request)).await.expect_err("a refused call")
}

#[tokio::test]
async fn unknown_versions_of_the_link_are_refused_with_both_named() {
    let (_cluster, a, b) = TestCluster::two().await;
    let refused = call_link(&b, Some("77"), "b", None).await;
    assert_eq!(refused.code(), Code::FailedPrecondition);
    for part in ["old-node speaks version 77", &format!("b speaks version {LINK_VERSION}")] {
        assert!(refused.message().contains(part), "{}", refused.message());
    }
    // A client that has found the wrong port.
    assert_eq!(call_link(&b, None, "b", None).await.code(), Code::FailedPrecondition);
    let version = LINK_VERSION.to_string();
    for token in [None, Some("guess")] {
        let refused = call_link(&b, Some(&version), "b", token).await;
        assert_eq!(refused.code(), Code::Unauthenticated);
        assert!(refused.message().contains("server keys"), "{}", refused.message());
    }
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn nodes_with_another_server_key_are_not_linked() {
    let cluster = TestCluster::new(|_| {});
    let a = cluster.start("a").await;
    let b = cluster.start_with_key("b", ServerKey::from_bytes([9; 32])).await;
    let id = cluster.new_table(&b, &b.client(), gap(2)).await;
    let mut call = tokio::spawn({
        let (client, id) = (a.client(), id.clone());
        async move { client.get_table(get(&id)).await }
    });
    parlor_testkit::wait_until("the call waits", async || cluster.clock.next_deadline().is_some()).await;
    assert!(!call.is_finished());
    let patience = cluster.let_time_pass();
    assert_eq!(error_reason(with_timeout(&mut call).await.expect("a task")), Reason::ServerStopping);
    drop(patience);
    a.stop().await;
    b.stop().await;
}

fn link_tls(own: &Authority, trusted: &Authority) -> LinkTls {
    let issued = own.issue("localhost");
    LinkTls { certificate: issued.certificate, key: issued.key, authority: trusted.pem() }
}

#[tokio::test]
async fn links_use_the_certificates_of_both_nodes() {
    let authority = Authority::new("the cluster");
    let mut cluster = TestCluster::new(|_| {});
    cluster.tls = Some(link_tls(&authority, &authority));
    let (a, b) = (cluster.start("a").await, cluster.start("b").await);
    let id = cluster.new_table(&b, &b.client(), gap(2)).await;
    assert_eq!(a.client().table(&id).await.table_id, id);
    // Neither plain text nor a certificate of another authority is let in.
    let address = b.link_address;
    let plain = tonic::transport::Endpoint::from_shared(format!("http://{address}")).expect("a URL");
    if let Ok(channel) = with_timeout(plain.connect()).await {
        let refused = with_timeout(TableServiceClient::new(channel).get_table(get(&id))).await;
        assert!(refused.is_err(), "a connection without TLS");
    }
    let stranger = Authority::new("a stranger");
    cluster.tls = Some(link_tls(&stranger, &authority));
    let c = cluster.start("c").await;
    let mut call = tokio::spawn({
        let (client, id) = (c.client(), id.clone());
        async move { client.get_table(get(&id)).await }
    });
    let patience = cluster.let_time_pass();
    assert_eq!(error_reason(with_timeout(&mut call).await.expect("a task")), Reason::ServerStopping);
    drop(patience);
    a.stop().await;
    b.stop().await;
    c.stop().await;
}

/// A client that does not read is cut off at the node of its table, and takes nothing from others on the same link.
#[tokio::test]
async fn slow_readers_of_other_nodes_are_cut_off_alone() {
    let cluster = TestCluster::new(|settings| settings.limits.reader_queue = Count::new(16));
    let (a, b) = (cluster.start("a").await, cluster.start("b").await);
    let (at_a, at_b) = (a.client(), b.client());
    let seats = vec![open(), house("random"), house("random"), house("random")];
    let noisy = v1::CreateTableRequest { seats, ..table(GameId::HabeFertig, 4) };
    let id = cluster.new_table(&b, &at_b, noisy).await;
    let mut slow = PlayStream::open(&a.client_with_small_windows().await).await;
    let watch = |channel| attach_item(channel, with_wants(WANT_VIEWS, spectate(&id)));
    slow.send((1..=16).map(watch).collect()).await;
    for channel in 1..=16 {
        slow.reader.snapshot(channel).await;
    }
    at_b.replace_seat(replace(&id, 0, "random")).await.expect("a bot");
    parlor_testkit::wait_until("the end", async || at_b.table(&id).await.result.is_some()).await;
    // Another client plays over the same link meanwhile.
    let seated = cluster.new_seated_table(&b, table(GameId::HighCard, 2)).await;
    let players = seated.tokens.iter().zip(0..).map(|(token, seed)| {
        let (client, attach) = (at_a.clone(), play_seat(token));
        tokio::spawn(async move { play(&client, attach, random_choice(seed)).await })
    });
    for player in players.collect::<Vec<_>>() {
        with_timeout(player).await.expect("a player").check();
    }
    let ending = slow.reader.ending().await.expect("a graceful end").expect("a reason");
    assert_eq!(ending.reason(), Reason::TooSlow);
    a.stop().await;
    b.stop().await;
}
