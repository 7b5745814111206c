//! FollowTables: the news of all tables of an owner, over one resumable stream.

use parlor_proto::v1::{self, ErrorReason as Reason, table_news::News as Kind};
use parlor_server::{
    config::{RetentionPeriod, Span},
    identity::Scope,
};

use crate::client::{Client, error_reason};
use crate::table_requests::{
    cancel, clock, delete, gap, get, house, join, private, rematch, replace, resign, timed,
};
use crate::test_server::{TestServer, api_key, ms, wait_until};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Reads `count` news after a number.
async fn read(client: &Client, after: Option<u64>, count: usize) -> Vec<v1::TableNews> {
    let mut news = client.follow_tables(after).await.expect("news");
    let mut read = Vec::new();
    for _ in 0..count {
        read.push(news.next().await);
    }
    read
}

fn kinds(news: &[v1::TableNews]) -> Vec<&'static str> {
    let kind = |news: &v1::TableNews| match news.news.as_ref().expect("a known kind") {
        Kind::Created(_) => "created",
        Kind::Joined(_) => "joined",
        Kind::Started(_) => "started",
        Kind::Forfeited(_) => "forfeited",
        Kind::Replaced(_) => "replaced",
        Kind::Over(_) => "over",
        Kind::Deleted(_) => "deleted",
    };
    news.iter().map(kind).collect()
}

/// Takes one table through every kind of news, and cancels and deletes a second one; returns both ids.
async fn create_all_news(server: &TestServer, owner: &Client) -> [String; 2] {
    let request = v1::CreateTableRequest { seats: vec![crate::table_requests::open(); 3], ..private(gap(3)) };
    let seated = owner.new_seated_table(request).await;
    owner.replace_seat(replace(&seated.id, 2, "random")).await.expect("an accepted request");
    owner.resign_seat(resign(&seated.tokens[0])).await.expect("an accepted request");
    owner.resign_seat(resign(&seated.tokens[1])).await.expect("an accepted request");
    wait_until("the end", async || owner.table(&seated.id).await.result.is_some()).await;
    server.advance(ms(5));
    let cancelled = owner.new_table(gap(2)).await;
    owner
        .cancel_table(v1::CancelTableRequest { note: "rain".to_owned(), ..cancel(&cancelled) })
        .await
        .expect("an accepted request");
    owner.delete_table(delete(&cancelled)).await.expect("an accepted request");
    [seated.id, cancelled]
}

const ALL_NEWS: [&str; 12] = [
    "created",
    "joined",
    "joined",
    "joined",
    "started",
    "replaced",
    "forfeited",
    "forfeited",
    "over",
    "created",
    "over",
    "deleted",
];

#[tokio::test]
async fn news_can_be_resumed_from_every_number() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let (owner, other) = (server.client_with_key(&anna), server.client_with_key(&ben));
    let mut live = owner.follow_tables(None).await.unwrap();
    live.read().await.unwrap();
    assert_eq!(live.number, 0, "the first message is immediate");
    other.new_table(gap(2)).await;
    let [played, cancelled] = create_all_news(&server, &owner).await;

    let all = read(&owner, Some(0), ALL_NEWS.len()).await;
    assert_eq!(kinds(&all), ALL_NEWS);
    assert!(all.iter().map(|news| news.number).eq(1..=ALL_NEWS.len() as u64), "numbers have no gaps");
    assert!(all[..9].iter().all(|news| news.table_id == played));
    assert!(all[9..].iter().all(|news| news.table_id == cancelled));
    for expected in &all {
        assert_eq!(live.next().await, *expected, "live news equal replayed news");
    }
    for after in 0..=all.len() as u64 {
        let rest = &all[after as usize..];
        assert_eq!(read(&owner, Some(after), rest.len()).await, rest, "after {after}");
        let mut news = owner.follow_tables(Some(after)).await.unwrap();
        news.read().await.unwrap();
        assert_eq!(news.number, after, "the first message is immediate");
        for expected in rest {
            assert_eq!(news.next().await, *expected);
        }
        assert_eq!(news.number, all.len() as u64);
    }
    assert_eq!(kinds(&read(&other, Some(0), 1).await), ["created"], "news are per owner");
    check_contents(&owner, &all).await;
}

async fn check_contents(owner: &Client, all: &[v1::TableNews]) {
    let Some(Kind::Created(created)) = &all[0].news else { panic!("{:?}", all[0]) };
    let then = created.table.as_ref().expect("a table");
    assert_eq!((then.state(), then.owned, then.seats.len()), (v1::TableState::Open, true, 3));
    let now = owner.table(&all[0].table_id).await;
    assert_eq!(all[0].time, now.create_time);
    let Some(Kind::Joined(joined)) = &all[2].news else { panic!("{:?}", all[2]) };
    assert_eq!(joined.seat.as_ref().map(|seat| seat.seat), Some(1));
    let Some(Kind::Replaced(replaced)) = &all[5].news else { panic!("{:?}", all[5]) };
    let occupant = replaced.seat.as_ref().and_then(|seat| seat.occupant.clone());
    assert!(matches!(occupant, Some(v1::table_seat::Occupant::HouseBot(bot)) if bot.name == "random"));
    let Some(Kind::Forfeited(forfeited)) = &all[6].news else { panic!("{:?}", all[6]) };
    assert_eq!((forfeited.seat, forfeited.why()), (0, v1::SeatFinish::Resigned));
    let Some(Kind::Over(over)) = &all[8].news else { panic!("{:?}", all[8]) };
    assert_eq!(
        (over.state(), &over.result, &over.shuffle),
        (v1::TableState::Finished, &now.result, &now.shuffle)
    );
    let Some(Kind::Over(over)) = &all[10].news else { panic!("{:?}", all[10]) };
    let result = over.result.as_ref().expect("a result");
    assert_eq!((over.state(), result.note.as_str()), (v1::TableState::Cancelled, "rain"));
}

#[tokio::test]
async fn follow_tables_without_a_number_starts_at_the_present() {
    let server = TestServer::new().await;
    let client = server.client();
    client.new_table(gap(2)).await;
    let mut news = client.follow_tables(None).await.unwrap();
    news.read().await.unwrap();
    assert_eq!(news.number, 1);
    let id = client.new_table(gap(2)).await;
    let next = news.next().await;
    assert_eq!((next.number, next.table_id), (2, id));
}

#[tokio::test]
async fn bots_expiry_and_forfeits_make_news() {
    let server = TestServer::new().await;
    server.advance(ms(30_000));
    let client = server.client();
    let bots = v1::CreateTableRequest { seats: vec![house("random"), house("greedy")], ..gap(2) };
    client.new_table(bots).await;
    assert_eq!(kinds(&read(&client, Some(0), 3).await), ["created", "started", "over"]);

    let mut news = client.follow_tables(None).await.unwrap();
    news.read().await.unwrap();
    client.new_table(v1::CreateTableRequest { fill_ms: Some(2_000), ..gap(2) }).await;
    server.advance(ms(2_000));
    assert_eq!(kinds(&[news.next().await]), ["created"]);
    let expired = news.next().await;
    let Some(Kind::Over(over)) = &expired.news else { panic!("{expired:?}") };
    assert_eq!(over.state(), v1::TableState::Expired);

    let seated = client.new_seated_table(timed(clock(1_000, 0, 0, 1), gap(2))).await;
    server.advance(ms(1_000));
    let mut seen = Vec::new();
    while kinds(&seen).last() != Some(&"forfeited") {
        seen.push(news.next().await);
    }
    assert_eq!(kinds(&seen), ["created", "joined", "joined", "started", "forfeited"]);
    client.cancel_table(cancel(&seated.id)).await.unwrap();
    assert_eq!(kinds(&[news.next().await]), ["over"]);
    client.rematch(rematch(&seated.id)).await.unwrap();
    assert_eq!(kinds(&[news.next().await]), ["created"]);
}

#[tokio::test]
async fn cursor_ahead_of_all_news_is_refused() {
    let server = TestServer::new().await;
    let client = server.client();
    client.new_table(gap(2)).await;
    for ahead in [2, 1_000_000, u64::MAX] {
        let refused = match client.follow_tables(Some(ahead)).await {
            Err(refused) => refused,
            Ok(mut news) => news.error().await,
        };
        assert_eq!(refused.reason, Reason::CursorAhead, "{ahead}");
    }
}

#[tokio::test]
async fn cursor_before_the_retained_news_is_refused() {
    let server = TestServer::with_settings(|settings| {
        settings.retention.finished = RetentionPeriod::For(Span::from_ms(60_000));
    })
    .await;
    let client = server.client();
    let [_, _] = create_all_news(&server, &client).await;
    let old = client.new_table(gap(2)).await;
    client.cancel_table(cancel(&old)).await.unwrap();
    let open = client.new_table(v1::CreateTableRequest { fill_ms: Some(3_600_000), ..gap(2) }).await;
    server.advance_to_deadline(ms(600_000)).await;
    server.advance_to(ms(600_000));
    wait_until("retention", async || client.get_table(get(&old)).await.is_err()).await;
    assert_eq!(error_reason(client.get_table(get(&old)).await), Reason::TableNotFound);
    assert_eq!(client.table(&open).await.state(), v1::TableState::Open, "retention keeps unfinished tables");
    let refused = match client.follow_tables(Some(1)).await {
        Err(refused) => refused,
        Ok(mut news) => news.error().await,
    };
    assert_eq!(refused.reason, Reason::CursorTooOld);
    // 0 starts at the oldest retained news, and numbering continues.
    let mut news = client.follow_tables(Some(0)).await.unwrap();
    client.join_table(join(&open)).await.unwrap();
    let next = news.next().await;
    assert_eq!((next.number, next.table_id), (ALL_NEWS.len() as u64 + 4, open));
}
