//! The end of a server: in good order, by force, and by signals to the real program; and keys that are read again.

use std::{net::SocketAddr, time::Duration};

use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_server::config::Span;
use tokio_stream::pending;
use tonic::{Code, Request, Streaming, transport::Channel};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, ServerReflectionResponse, server_reflection_client::ServerReflectionClient,
};

use crate::support::{Program, Served, apart, channel, key, settings, soon};

async fn list_games(channel: Channel, key: &str) -> Result<usize, Code> {
    let mut request = Request::new(v1::ListGamesRequest {});
    request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("text"));
    let listed = soon(CatalogueServiceClient::new(channel).list_games(request)).await;
    listed.map(|listed| listed.into_inner().games.len()).map_err(|status| status.code())
}

/// A stream that its client never ends.
async fn endless(channel: Channel) -> Streaming<ServerReflectionResponse> {
    let asked = pending::<ServerReflectionRequest>();
    let opened = soon(ServerReflectionClient::new(channel).server_reflection_info(asked)).await;
    opened.expect("a stream").into_inner()
}

/// Waits until nobody listens there. A test that just starts a program has copies of all sockets for a moment.
async fn nobody_listens(address: SocketAddr) {
    soon(async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn connections_without_calls_hold_nobody_up() {
    let mut settings = settings();
    // Longer than a test may take: it has to end by itself.
    settings.shutdown_grace = Span::of_ms(600_000);
    apart(&mut settings, 1);
    let served = Served::start(&settings).await;
    let channel = served.channel().await;
    list_games(channel.clone(), "").await.unwrap();
    let address = served.address();
    soon(served.running.stop()).await;
    nobody_listens(address).await;
    drop(channel);
}

#[tokio::test]
async fn whoever_does_not_end_is_cut_off_after_the_grace() {
    let mut settings = settings();
    settings.shutdown_grace = Span::of_ms(50);
    let served = Served::start(&settings).await;
    let mut stream = endless(served.channel().await).await;
    soon(served.running.stop()).await;
    assert!(soon(stream.message()).await.is_err(), "the connection is gone");
}

#[tokio::test]
async fn a_server_that_is_dropped_stops_too() {
    let mut settings = settings();
    apart(&mut settings, 2);
    let served = Served::start(&settings).await;
    let (address, metrics) = (served.address(), served.running.metrics_address().unwrap());
    drop(served);
    nobody_listens(address).await;
    nobody_listens(metrics).await;
}

#[tokio::test]
async fn a_signal_stops_the_program_in_good_order() {
    for signal in ["TERM", "INT"] {
        let up = Program::new().start(&[]);
        let mut health = tonic_health::pb::health_client::HealthClient::new(
            channel(&format!("http://{}", up.address())).await,
        );
        let about = tonic_health::pb::HealthCheckRequest { service: String::new() };
        let mut watched = soon(health.watch(about)).await.unwrap().into_inner();
        soon(watched.message()).await.unwrap().expect("serving");
        up.signal(signal);
        soon(watched.message()).await.unwrap().expect("not serving");
        let (status, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0), "{signal}: {log}");
    }
}

#[tokio::test]
async fn a_second_signal_stops_at_once() {
    let up = Program::new().start(&["--set", "shutdown_grace=10m"]);
    let stream = endless(channel(&format!("http://{}", up.address())).await).await;
    up.signal("TERM");
    up.log.wait_for("a second signal stops at once");
    up.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("stopping at once"), "{log}");
    drop(stream);
}

#[tokio::test]
async fn the_grace_is_all_that_a_client_gets() {
    let up = Program::new().start(&["--set", "shutdown_grace=100ms"]);
    let stream = endless(channel(&format!("http://{}", up.address())).await).await;
    up.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("cut off"), "{log}");
    drop(stream);
}

#[tokio::test]
async fn keys_are_read_again_when_the_program_is_told_to() {
    let (anna, ben) = (key("anna"), key("ben"));
    let program = Program::new();
    let file = program.write("parlor.toml", &anna.settings_lines());
    let up = program.start(&["--config", file.to_str().unwrap()]);
    let channel = channel(&format!("http://{}", up.address())).await;
    let calls =
        async |key: &parlor_server::identity::NewKey| list_games(channel.clone(), key.text.reveal()).await;
    assert_eq!((calls(&anna).await, calls(&ben).await), (Ok(4), Err(Code::Unauthenticated)));

    program.write("parlor.toml", &ben.settings_lines());
    up.signal("HUP");
    up.log.wait_for("the API keys were read again");
    assert_eq!((calls(&anna).await, calls(&ben).await), (Err(Code::Unauthenticated), Ok(4)));

    // A file that is wrong, and one that would let everyone in, change nothing.
    let wrong = ["[[keys]]\nowner = \"\"\n", "nonsense", "", "[limits]\nmessage_bytes = \"1\"\n"];
    for (count, text) in (1..).zip(wrong) {
        program.write("parlor.toml", text);
        up.signal("HUP");
        up.log.wait_for_nth("the API keys stay as they were", count);
        assert_eq!((calls(&anna).await, calls(&ben).await), (Err(Code::Unauthenticated), Ok(4)), "{text:?}");
    }

    program.write("parlor.toml", &format!("{}\n{}", anna.settings_lines(), ben.settings_lines()));
    up.signal("HUP");
    up.log.wait_for_nth("the API keys were read again", 2);
    assert_eq!((calls(&anna).await, calls(&ben).await), (Ok(4), Ok(4)));
    up.signal("TERM");
    let (_, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
    for secret in [anna.text.reveal(), ben.text.reveal()] {
        assert!(!log.contains(secret.as_str()), "a key stands in the log");
    }
}

/// Nothing that was acknowledged is lost, and a second start finds the same server key and the store.
#[test]
fn the_program_can_be_started_again_on_its_data() {
    let program = Program::new();
    let key_file = program.path("data/server.key");
    let mut keys = Vec::new();
    for _ in 0..2 {
        let up = program.start(&[]);
        let second = program.run(&["--listen", "127.0.0.1:0", "--metrics", ""]);
        assert_eq!(second.0, Some(1), "{second:?}");
        assert!(second.2.contains("is in use by another process"), "{second:?}");
        up.signal("TERM");
        let (status, log) = up.wait();
        assert_eq!(status.code(), Some(0), "{log}");
        keys.push(std::fs::read(&key_file).unwrap());
    }
    assert_eq!(keys[0], keys[1]);
    assert_eq!(keys[0].len(), 32);
}
