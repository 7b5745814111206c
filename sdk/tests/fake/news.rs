//! Following tables: every news once and in order, through breaks.

use futures_util::TryStreamExt;
use parlor_sdk::Reason;
use tonic::{Code, Status};

use super::calls::reasoned;
use super::tables::{Fake, Mishap};
use super::within;

#[tokio::test]
async fn news_come_once_and_in_order_through_breaks() {
    let fake = Fake::start().await;
    {
        let mut state = fake.tables.state();
        state.news = 40;
        state.stretches.extend([1, 0, 3, 2, 5]);
        state.mishaps.push_back(Mishap::NotDone(Status::unavailable("not yet")));
    }
    let mut followed = within(fake.client().await.follow_tables(Some(0))).await.unwrap();
    for number in 1..=40 {
        let news = within(followed.next()).await.unwrap();
        assert_eq!((news.number, followed.number()), (number, number));
    }
    let after = fake.tables.state().followed_after.clone();
    assert_eq!(after.len(), 6, "{after:?}");
    assert!(after.is_sorted(), "{after:?}");
}

#[tokio::test]
async fn from_now_on_begins_where_the_server_says() {
    let fake = Fake::start().await;
    fake.tables.state().news = 8;
    let followed = within(fake.client().await.follow_tables(None)).await.unwrap();
    assert_eq!(followed.number(), 5);
    let numbers: Vec<u64> = within(
        futures_util::StreamExt::take(followed.into_stream(), 3).map_ok(|news| news.number).try_collect(),
    )
    .await
    .unwrap();
    assert_eq!(numbers, [6, 7, 8]);
}

#[tokio::test]
async fn a_cursor_that_is_too_old_ends_it() {
    let fake = Fake::start().await;
    fake.tables.state().stretches.push_back(1);
    let mut followed = within(fake.client().await.follow_tables(Some(3))).await.unwrap();
    let too_old = || Mishap::NotDone(reasoned(Code::OutOfRange, "CURSOR_TOO_OLD"));
    fake.tables.state().mishaps.push_back(too_old());
    assert_eq!(within(followed.next()).await.unwrap_err().reason(), Reason::CursorTooOld);

    fake.tables.state().mishaps.push_back(too_old());
    let error = within(fake.client().await.follow_tables(Some(3))).await.unwrap_err();
    assert_eq!(error.reason(), Reason::CursorTooOld);
}
