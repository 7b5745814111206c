//! Limits over the wire: request rate, streams per connection, message size, and their errors.

use std::time::Duration;

use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_server::config::{Count, Size};
use parlor_testkit::{wait_until, with_timeout};
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_types::StatusExt;

use crate::support::{TestServer, reason, settings};

#[tokio::test]
async fn rate_limit_error_has_a_retry_delay() {
    let mut settings = settings();
    settings.limits.requests_per_second = Count::new(1);
    settings.limits.request_burst = Count::new(2);
    let server = TestServer::start(&settings).await;
    let mut catalogue = CatalogueServiceClient::new(server.channel().await);
    for _ in 0..2 {
        with_timeout(catalogue.list_games(v1::ListGamesRequest {})).await.unwrap();
    }
    let refused = with_timeout(catalogue.list_games(v1::ListGamesRequest {})).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "RATE_LIMITED"));
    let after = refused.get_error_details().retry_info().unwrap().retry_delay;
    assert_eq!(after, Some(Duration::from_secs(1)));
    server.clock.advance(Duration::from_secs(1));
    with_timeout(catalogue.list_games(v1::ListGamesRequest {})).await.unwrap();
}

#[tokio::test]
async fn streams_per_connection_are_limited() {
    let mut settings = settings();
    settings.limits.streams_per_connection = Count::new(2);
    // The clock stands still, so the requests of the polling below use up the burst.
    settings.limits.request_burst = Count::new(1_000_000);
    let server = TestServer::start(&settings).await;
    let mut health = HealthClient::new(server.channel().await);
    let about = || HealthCheckRequest { service: String::new() };
    let one = with_timeout(health.watch(about())).await.unwrap();
    let two = with_timeout(health.watch(about())).await.unwrap();
    let refused = with_timeout(health.watch(about())).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_STREAMS"));
    let mut other = HealthClient::new(server.channel().await);
    with_timeout(other.watch(about())).await.unwrap();

    // The server notices the end of a stream asynchronously.
    drop(one);
    wait_until("a stream can be opened again", async || health.check(about()).await.is_ok()).await;
    drop(two);
}

#[tokio::test]
async fn oversized_message_is_refused() {
    let mut settings = settings();
    settings.limits.message_bytes = Size::from_kib(64);
    settings.limits.batch_bytes = Size::from_kib(64);
    let server = TestServer::start(&settings).await;
    let mut catalogue = CatalogueServiceClient::new(server.channel().await);
    let asked = v1::GetRulesRequest { game: "x".repeat(65 * 1024), language: 0 };
    let refused = with_timeout(catalogue.get_rules(asked)).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));
    let asked = v1::GetRulesRequest { game: "x".repeat(63 * 1024), language: 0 };
    let answered = with_timeout(catalogue.get_rules(asked)).await.unwrap_err();
    assert_eq!(reason(&answered), "GAME_NOT_FOUND", "a smaller message is decoded");
}
