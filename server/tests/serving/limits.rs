//! Limits over the wire: how fast, how many at once, how large; and how a client is told.

use std::time::Duration;

use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_server::config::{Count, Size};
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_types::StatusExt;

use crate::support::{Served, reason, settings, soon};

#[tokio::test]
async fn whoever_asks_too_fast_is_told_when_to_come_back() {
    let mut settings = settings();
    settings.limits.requests_per_second = Count::of(1);
    settings.limits.request_burst = Count::of(2);
    let served = Served::start(&settings).await;
    let mut catalogue = CatalogueServiceClient::new(served.channel().await);
    for _ in 0..2 {
        soon(catalogue.list_games(v1::ListGamesRequest {})).await.unwrap();
    }
    let refused = soon(catalogue.list_games(v1::ListGamesRequest {})).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "RATE_LIMITED"));
    let after = refused.get_error_details().retry_info().unwrap().retry_delay;
    assert_eq!(after, Some(Duration::from_secs(1)));
    served.clock.advance(Duration::from_secs(1));
    soon(catalogue.list_games(v1::ListGamesRequest {})).await.unwrap();
}

#[tokio::test]
async fn a_connection_has_so_many_streams_and_the_next_is_told_so() {
    let mut settings = settings();
    settings.limits.streams_per_connection = Count::of(2);
    // The clock stands still: whatever is asked while waiting comes out of the burst.
    settings.limits.request_burst = Count::of(1_000_000);
    let served = Served::start(&settings).await;
    let mut health = HealthClient::new(served.channel().await);
    let about = || HealthCheckRequest { service: String::new() };
    let one = soon(health.watch(about())).await.unwrap();
    let two = soon(health.watch(about())).await.unwrap();
    let refused = soon(health.watch(about())).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_STREAMS"));
    let mut other = HealthClient::new(served.channel().await);
    soon(other.watch(about())).await.unwrap();

    // The server learns in its own time that a stream has ended.
    drop(one);
    soon(async {
        while health.check(about()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    drop(two);
}

#[tokio::test]
async fn a_message_that_is_too_large_is_refused_as_such() {
    let mut settings = settings();
    settings.limits.message_bytes = Size::of_kib(64);
    settings.limits.batch_bytes = Size::of_kib(64);
    let served = Served::start(&settings).await;
    let mut catalogue = CatalogueServiceClient::new(served.channel().await);
    let asked = v1::GetRulesRequest { game: "x".repeat(65 * 1024), language: 0 };
    let refused = soon(catalogue.get_rules(asked)).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));
    let asked = v1::GetRulesRequest { game: "x".repeat(63 * 1024), language: 0 };
    let answered = soon(catalogue.get_rules(asked)).await.unwrap_err();
    assert_eq!(reason(&answered), "GAME_NOT_FOUND", "what is small enough is read");
}
