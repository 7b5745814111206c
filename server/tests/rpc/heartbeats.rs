//! Heartbeats of Follow.

use parlor_proto::v1::{self, ErrorReason as Reason};
use tonic::Streaming;

use crate::client::RpcError;
use crate::streams::spectate;
use crate::table_requests::{gap, join};
use crate::test_server::{TestServer, ms, with_timeout};

async fn follow(
    server: &TestServer,
    table: &str,
    heartbeat_ms: Option<u32>,
) -> Result<Streaming<v1::FollowResponse>, RpcError> {
    let channels = vec![v1::FollowChannel { channel: 1, attach: Some(spectate(table)) }];
    let request = v1::FollowRequest { channels, heartbeat_ms };
    let response = with_timeout(server.client().play().follow(request)).await;
    response.map(tonic::Response::into_inner).map_err(|status| RpcError::from_status(&status))
}

async fn next(stream: &mut Streaming<v1::FollowResponse>) -> v1::FollowResponse {
    with_timeout(stream.message()).await.expect("a message").expect("an open stream")
}

#[tokio::test]
async fn heartbeat_is_an_empty_message_after_silence() {
    let server = TestServer::new().await;
    let id =
        server.client().new_table(v1::CreateTableRequest { fill_ms: Some(2_592_000_000), ..gap(2) }).await;
    let mut stream = follow(&server, &id, Some(5_000)).await.expect("a stream");
    assert_eq!(next(&mut stream).await.items.len(), 1, "the snapshot");
    for beat in 1..=3 {
        server.advance_to_deadline(ms(beat * 5_000)).await;
        server.advance_to(ms(beat * 5_000));
        assert_eq!(next(&mut stream).await, v1::FollowResponse::default());
    }
    server.client().join_table(join(&id)).await.expect("a seat");
    assert!(!next(&mut stream).await.items.is_empty(), "what happens is told as ever");
}

#[tokio::test]
async fn heartbeat_interval_is_1_second_to_10_minutes() {
    let server = TestServer::new().await;
    let id = server.client().new_table(gap(2)).await;
    for wrong in [0, 999, 600_001] {
        let refused = follow(&server, &id, Some(wrong)).await.expect_err("a wrong interval");
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["heartbeat_ms".to_owned()]));
    }
    for right in [None, Some(1_000), Some(600_000)] {
        follow(&server, &id, right).await.expect("a stream");
    }
}
