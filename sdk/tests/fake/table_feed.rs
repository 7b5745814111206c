//! Following tables: all news once and in order, through reconnects.

use futures_util::TryStreamExt;
use parlor_sdk::Reason;
use parlor_testkit::with_timeout;
use tonic::{Code, Status};

use super::calls::status_with_reason;
use super::fake_server::{CallFault, FakeServer};

#[tokio::test]
async fn table_feed_delivers_each_news_once_through_reconnects() {
    let fake = FakeServer::start().await;
    {
        let mut state = fake.tables.state();
        state.news = 40;
        state.stream_lengths.extend([1, 0, 3, 2, 5]);
        state.call_faults.push_back(CallFault::BeforeExecution(Status::unavailable("not yet")));
    }
    let mut followed = with_timeout(fake.client().await.follow_tables(Some(0))).await.unwrap();
    for number in 1..=40 {
        let news = with_timeout(followed.next()).await.unwrap();
        assert_eq!((news.number, followed.number()), (number, number));
    }
    let after = fake.tables.state().followed_after.clone();
    assert_eq!(after.len(), 6, "{after:?}");
    assert!(after.is_sorted(), "{after:?}");
}

#[tokio::test]
async fn table_feed_without_a_cursor_starts_at_the_current_number() {
    let fake = FakeServer::start().await;
    fake.tables.state().news = 8;
    let followed = with_timeout(fake.client().await.follow_tables(None)).await.unwrap();
    assert_eq!(followed.number(), 5);
    let numbers: Vec<u64> = with_timeout(
        futures_util::StreamExt::take(followed.into_stream(), 3).map_ok(|news| news.number).try_collect(),
    )
    .await
    .unwrap();
    assert_eq!(numbers, [6, 7, 8]);
}

#[tokio::test]
async fn table_feed_ends_if_the_cursor_is_too_old() {
    let fake = FakeServer::start().await;
    fake.tables.state().stream_lengths.push_back(1);
    let mut followed = with_timeout(fake.client().await.follow_tables(Some(3))).await.unwrap();
    let too_old = || CallFault::BeforeExecution(status_with_reason(Code::OutOfRange, "CURSOR_TOO_OLD"));
    fake.tables.state().call_faults.push_back(too_old());
    assert_eq!(with_timeout(followed.next()).await.unwrap_err().reason(), Reason::CursorTooOld);

    fake.tables.state().call_faults.push_back(too_old());
    let error = with_timeout(fake.client().await.follow_tables(Some(3))).await.unwrap_err();
    assert_eq!(error.reason(), Reason::CursorTooOld);
}
