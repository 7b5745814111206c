//! FollowTables: the life of all tables of an owner, over one stream that can be resumed.

use parlor_proto::v1::{self, ErrorReason as Reason, table_news::News as Kind};
use parlor_server::{
    config::{Keep, Span},
    identity::Scope,
};

use crate::client::{Caller, why};
use crate::table_requests::{
    cancel, clock, delete, gap, get, house, join, private, rematch, replace, resign, timed,
};
use crate::test_server::{Scene, key, ms, until};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Reads so many news.
async fn read(caller: &Caller, after: Option<u64>, count: usize) -> Vec<v1::TableNews> {
    let mut news = caller.follow_tables(after).await.expect("news");
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

/// A table that goes through everything that there are news of, and one that is called off.
async fn two_lives(scene: &Scene, owner: &Caller) -> [String; 2] {
    let request = v1::CreateTableRequest { seats: vec![crate::table_requests::open(); 3], ..private(gap(3)) };
    let seated = owner.seat_all(request).await;
    owner.replace_seat(replace(&seated.id, 2, "random")).await.expect("it can be done");
    owner.resign_seat(resign(&seated.tokens[0])).await.expect("it can be done");
    owner.resign_seat(resign(&seated.tokens[1])).await.expect("it can be done");
    until("the end", async || owner.look(&seated.id).await.result.is_some()).await;
    scene.advance(ms(5));
    let called_off = owner.make(gap(2)).await;
    owner
        .cancel_table(v1::CancelTableRequest { note: "rain".to_owned(), ..cancel(&called_off) })
        .await
        .expect("it can be done");
    owner.delete_table(delete(&called_off)).await.expect("it can be done");
    [seated.id, called_off]
}

const TWO_LIVES: [&str; 12] = [
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
async fn news_tell_a_whole_life_from_every_number() {
    let (anna, ben) = (key("anna", OWNER), key("ben", OWNER));
    let scene = Scene::with_keys([&anna, &ben]).await;
    let (owner, other) = (scene.holder(&anna), scene.holder(&ben));
    let mut live = owner.follow_tables(None).await.unwrap();
    live.read().await.unwrap();
    assert_eq!(live.number, 0, "the first message comes at once");
    other.make(gap(2)).await;
    let [played, called_off] = two_lives(&scene, &owner).await;

    let all = read(&owner, Some(0), TWO_LIVES.len()).await;
    assert_eq!(kinds(&all), TWO_LIVES);
    assert!(all.iter().map(|news| news.number).eq(1..=TWO_LIVES.len() as u64), "numbered without holes");
    assert!(all[..9].iter().all(|news| news.table_id == played));
    assert!(all[9..].iter().all(|news| news.table_id == called_off));
    for expected in &all {
        assert_eq!(live.next().await, *expected, "as it happens, and afterwards");
    }
    for after in 0..=all.len() as u64 {
        let rest = &all[after as usize..];
        assert_eq!(read(&owner, Some(after), rest.len()).await, rest, "after {after}");
        // And then on.
        let mut news = owner.follow_tables(Some(after)).await.unwrap();
        news.read().await.unwrap();
        assert_eq!(news.number, after, "the first message comes at once");
        for expected in rest {
            assert_eq!(news.next().await, *expected);
        }
        assert_eq!(news.number, all.len() as u64);
    }
    assert_eq!(kinds(&read(&other, Some(0), 1).await), ["created"], "everyone has their own");
    check_contents(&owner, &all).await;
}

async fn check_contents(owner: &Caller, all: &[v1::TableNews]) {
    let Some(Kind::Created(created)) = &all[0].news else { panic!("{:?}", all[0]) };
    let then = created.table.as_ref().expect("a table");
    assert_eq!((then.state(), then.owned, then.seats.len()), (v1::TableState::Open, true, 3));
    let now = owner.look(&all[0].table_id).await;
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
async fn without_a_number_news_begin_now() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    caller.make(gap(2)).await;
    let mut news = caller.follow_tables(None).await.unwrap();
    news.read().await.unwrap();
    assert_eq!(news.number, 1);
    let id = caller.make(gap(2)).await;
    let next = news.next().await;
    assert_eq!((next.number, next.table_id), (2, id));
}

#[tokio::test]
async fn bots_clocks_and_time_make_news_too() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let bots = v1::CreateTableRequest { seats: vec![house("random"), house("greedy")], ..gap(2) };
    caller.make(bots).await;
    assert_eq!(kinds(&read(&caller, Some(0), 3).await), ["created", "started", "over"]);

    let mut news = caller.follow_tables(None).await.unwrap();
    news.read().await.unwrap();
    caller.make(v1::CreateTableRequest { fill_ms: Some(2_000), ..gap(2) }).await;
    scene.advance(ms(2_000));
    assert_eq!(kinds(&[news.next().await]), ["created"]);
    let expired = news.next().await;
    let Some(Kind::Over(over)) = &expired.news else { panic!("{expired:?}") };
    assert_eq!(over.state(), v1::TableState::Expired);

    let seated = caller.seat_all(timed(clock(1_000, 0, 0, 1), gap(2))).await;
    scene.advance(ms(1_000));
    let mut seen = Vec::new();
    while kinds(&seen).last() != Some(&"forfeited") {
        seen.push(news.next().await);
    }
    assert_eq!(kinds(&seen), ["created", "joined", "joined", "started", "forfeited"]);
    caller.cancel_table(cancel(&seated.id)).await.unwrap();
    assert_eq!(kinds(&[news.next().await]), ["over"]);
    caller.rematch(rematch(&seated.id)).await.unwrap();
    assert_eq!(kinds(&[news.next().await]), ["created"]);
}

#[tokio::test]
async fn a_number_ahead_of_all_news_is_a_loss_of_data() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    caller.make(gap(2)).await;
    for ahead in [2, 1_000_000, u64::MAX] {
        let refused = match caller.follow_tables(Some(ahead)).await {
            Err(refused) => refused,
            Ok(mut news) => news.refused().await,
        };
        assert_eq!(refused.reason, Reason::CursorAhead, "{ahead}");
    }
}

#[tokio::test]
async fn what_is_too_old_is_gone_and_the_follower_is_told() {
    let scene = Scene::with(|settings| settings.retention.finished = Keep::For(Span::of_ms(60_000))).await;
    let caller = scene.anyone();
    let [_, _] = two_lives(&scene, &caller).await;
    let old = caller.make(gap(2)).await;
    caller.cancel_table(cancel(&old)).await.unwrap();
    let open = caller.make(v1::CreateTableRequest { fill_ms: Some(3_600_000), ..gap(2) }).await;
    scene.sleeps_until(ms(600_000)).await;
    scene.advance_to(ms(600_000));
    until("retention", async || caller.get_table(get(&old)).await.is_err()).await;
    assert_eq!(why(caller.get_table(get(&old)).await), Reason::TableNotFound);
    assert_eq!(caller.look(&open).await.state(), v1::TableState::Open, "what is not over stays");
    let refused = match caller.follow_tables(Some(1)).await {
        Err(refused) => refused,
        Ok(mut news) => news.refused().await,
    };
    assert_eq!(refused.reason, Reason::CursorTooOld);
    // With 0 there is all that the server still has, and the numbers go on where they were.
    let mut news = caller.follow_tables(Some(0)).await.unwrap();
    caller.join_table(join(&open)).await.unwrap();
    let next = news.next().await;
    assert_eq!((next.number, next.table_id), (TWO_LIVES.len() as u64 + 4, open));
}
