//! Shutdown: graceful, forced, and by signals to the real program; reloading of API keys; restart on the same
//! data.

use std::net::SocketAddr;

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, catalogue_service_client::CatalogueServiceClient, table_service_client::TableServiceClient,
};
use parlor_server::config::Span;
use parlor_testkit::{wait_until, with_timeout};
use tokio_stream::pending;
use tonic::{Code, Request, Streaming, transport::Channel};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, ServerReflectionResponse, server_reflection_client::ServerReflectionClient,
};

use crate::support::{Program, TestServer, api_key, channel, reason, settings, use_own_ip};

async fn list_games(channel: Channel, key: &str) -> Result<usize, Code> {
    let mut request = Request::new(v1::ListGamesRequest {});
    request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("text"));
    let listed = with_timeout(CatalogueServiceClient::new(channel).list_games(request)).await;
    listed.map(|listed| listed.into_inner().games.len()).map_err(|status| status.code())
}

/// Opens a stream that its client never ends.
async fn open_endless_stream(channel: Channel) -> Streaming<ServerReflectionResponse> {
    let asked = pending::<ServerReflectionRequest>();
    let opened = with_timeout(ServerReflectionClient::new(channel).server_reflection_info(asked)).await;
    opened.expect("a stream").into_inner()
}

/// Waits until connections are refused. A test that spawns a program at the same time holds copies of all
/// sockets for a moment.
async fn wait_until_port_closes(address: SocketAddr) {
    wait_until("the port is closed", async || tokio::net::TcpStream::connect(address).await.is_err()).await;
}

#[tokio::test]
async fn idle_connections_do_not_delay_shutdown() {
    let mut settings = settings();
    // Longer than the timeout of the test: shutdown must not wait for the grace.
    settings.shutdown_grace = Span::from_ms(600_000);
    use_own_ip(&mut settings, 1);
    let server = TestServer::start(&settings).await;
    let channel = server.channel().await;
    list_games(channel.clone(), "").await.unwrap();
    let address = server.address();
    with_timeout(server.running.stop()).await;
    wait_until_port_closes(address).await;
    drop(channel);
}

#[tokio::test]
async fn open_streams_are_cut_off_after_the_shutdown_grace() {
    let mut settings = settings();
    settings.shutdown_grace = Span::from_ms(50);
    let server = TestServer::start(&settings).await;
    let mut stream = open_endless_stream(server.channel().await).await;
    with_timeout(server.running.stop()).await;
    assert!(with_timeout(stream.message()).await.is_err(), "the connection is closed");
}

#[tokio::test]
async fn dropping_the_server_stops_it() {
    let mut settings = settings();
    use_own_ip(&mut settings, 2);
    let server = TestServer::start(&settings).await;
    let (address, metrics) = (server.address(), server.running.metrics_address().unwrap());
    drop(server);
    wait_until_port_closes(address).await;
    wait_until_port_closes(metrics).await;
}

#[tokio::test]
async fn sigterm_and_sigint_shut_down_gracefully() {
    for signal in ["TERM", "INT"] {
        let running = Program::new().start(&[]);
        let mut health = tonic_health::pb::health_client::HealthClient::new(
            channel(&format!("http://{}", running.address())).await,
        );
        let about = tonic_health::pb::HealthCheckRequest { service: String::new() };
        let mut watched = with_timeout(health.watch(about)).await.unwrap().into_inner();
        with_timeout(watched.message()).await.unwrap().expect("serving");
        running.signal(signal);
        with_timeout(watched.message()).await.unwrap().expect("not serving");
        let (status, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0), "{signal}: {log}");
    }
}

#[tokio::test]
async fn second_signal_stops_immediately() {
    let running = Program::new().start(&["--set", "shutdown_grace=10m"]);
    let stream = open_endless_stream(channel(&format!("http://{}", running.address())).await).await;
    running.signal("TERM");
    running.log.wait_for("a second signal stops at once");
    running.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("second stop signal: exiting at once"), "{log}");
    drop(stream);
}

#[tokio::test]
async fn sigterm_cuts_off_streams_after_the_grace() {
    let running = Program::new().start(&["--set", "shutdown_grace=100ms"]);
    let stream = open_endless_stream(channel(&format!("http://{}", running.address())).await).await;
    running.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("cut off"), "{log}");
    drop(stream);
}

#[tokio::test]
async fn sighup_reloads_the_api_keys() {
    let (anna, ben) = (api_key("anna"), api_key("ben"));
    let program = Program::new();
    let file = program.write("parlor.toml", &anna.settings_lines());
    let running = program.start(&["--config", file.to_str().unwrap()]);
    let channel = channel(&format!("http://{}", running.address())).await;
    let calls =
        async |key: &parlor_server::identity::NewKey| list_games(channel.clone(), key.text.reveal()).await;
    let all = GameId::published().count();
    assert_eq!((calls(&anna).await, calls(&ben).await), (Ok(all), Err(Code::Unauthenticated)));
    let mut follow = Request::new(v1::FollowTablesRequest::default());
    let authorization = format!("Bearer {}", anna.text.reveal()).parse().expect("text");
    follow.metadata_mut().insert("authorization", authorization);
    let mut tables = TableServiceClient::new(channel.clone());
    let mut news = with_timeout(tables.follow_tables(follow)).await.expect("a stream").into_inner();
    with_timeout(news.message()).await.expect("an open stream").expect("a first message");

    program.write("parlor.toml", &ben.settings_lines());
    running.signal("HUP");
    running.log.wait_for("the API keys were read again");
    assert_eq!((calls(&anna).await, calls(&ben).await), (Err(Code::Unauthenticated), Ok(all)));
    let ended = with_timeout(news.message()).await.expect_err("the stream of a removed key");
    assert_eq!((ended.code(), reason(&ended).as_str()), (Code::Unauthenticated, "KEY_INVALID"));

    // An invalid file, and one without keys, which would let everyone in, change nothing.
    let invalid = ["[[keys]]\nowner = \"\"\n", "nonsense", "", "[limits]\nmessage_bytes = \"1\"\n"];
    for (count, text) in (1..).zip(invalid) {
        program.write("parlor.toml", text);
        running.signal("HUP");
        running.log.wait_for_nth("the API keys stay as they were", count);
        assert_eq!(
            (calls(&anna).await, calls(&ben).await),
            (Err(Code::Unauthenticated), Ok(all)),
            "{text:?}"
        );
    }

    program.write("parlor.toml", &format!("{}\n{}", anna.settings_lines(), ben.settings_lines()));
    running.signal("HUP");
    running.log.wait_for_nth("the API keys were read again", 2);
    assert_eq!((calls(&anna).await, calls(&ben).await), (Ok(all), Ok(all)));
    running.signal("TERM");
    let (_, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
    for secret in [anna.text.reveal(), ben.text.reveal()] {
        assert!(!log.contains(secret.as_str()), "an API key in the log");
    }
}

/// A second start uses the same server key and store; meanwhile the store is locked.
#[test]
fn program_restarts_on_its_data_folder() {
    let program = Program::new();
    let key_file = program.path("data/server.key");
    let mut keys = Vec::new();
    for _ in 0..2 {
        let running = program.start(&[]);
        let second = program.run(&["--listen", "127.0.0.1:0", "--metrics", ""]);
        assert_eq!(second.0, Some(1), "{second:?}");
        assert!(second.2.contains("is in use by another process"), "{second:?}");
        running.signal("TERM");
        let (status, log) = running.wait();
        assert_eq!(status.code(), Some(0), "{log}");
        keys.push(std::fs::read(&key_file).unwrap());
    }
    assert_eq!(keys[0], keys[1]);
    assert_eq!(keys[0].len(), 32);
}
