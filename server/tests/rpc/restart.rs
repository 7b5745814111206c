//! A server that goes down and comes up on the same store: nothing that was acknowledged is lost, nobody is charged for
//! the time, and games go on.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parlor_engine::GameId;
use parlor_proto::v1::{self, AnswerStatus as Status, DecidedBy, ErrorReason as Reason, TableState as State};
use parlor_server::log::{Log, LogError, Options, SqliteLog};
use tempfile::TempDir;

use crate::client::why;
use crate::players::{Choose, dealt_again, whim};
use crate::streams::{Line, after, attaching, index, rail, seat};
use crate::table_requests::{
    Seated, act, cancel, clock, fresh, gap, get, join, reissue, rematch, table, timed,
};
use crate::test_server::{Scene, ms, until};

fn file(folder: &Path) -> PathBuf {
    folder.join("parlor.db")
}

fn open(folder: &Path) -> Arc<dyn Log> {
    Arc::new(SqliteLog::open(&file(folder), Options::default()).expect("a store"))
}

/// A server on a store in a folder.
pub(crate) async fn stored(folder: &Path) -> Scene {
    Scene::on(open(folder), |_| {}).await
}

/// Stops the server, and starts another one on the same file, so much later.
pub(crate) async fn restart(scene: Scene, folder: &Path, down_for: Duration) -> Scene {
    let reopen = async |log: Arc<dyn Log>| {
        drop(log);
        // The tasks of the old server let go of the file in their own time.
        let mut opened = None;
        until("the store to be free", async || match SqliteLog::open(&file(folder), Options::default()) {
            Ok(log) => {
                opened = Some(log);
                true
            }
            Err(LogError::InUse { .. }) => false,
            Err(other) => panic!("{other}"),
        })
        .await;
        Arc::new(opened.expect("it was opened")) as Arc<dyn Log>
    };
    scene.restart(down_for, reopen).await
}

/// Pulls the plug: starts a server on a copy of the file as it is while the first one runs, so much later.
pub(crate) async fn crash(scene: Scene, down_for: Duration) -> (Scene, TempDir) {
    let copy = tempfile::tempdir().expect("a folder");
    let from = scene.folder.clone().expect("a store in a folder");
    for entry in std::fs::read_dir(&from).expect("a folder") {
        let entry = entry.expect("a file");
        // What locks the store is not a part of it.
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("a copy");
    }
    let folder = copy.path().to_owned();
    let scene = scene.restart(down_for, async |_| open(&folder)).await;
    (scene, copy)
}

const A_WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Both seats over one stream, each on the channel of its number, from these numbers on.
async fn both(scene: &Scene, seated: &Seated, numbers: Option<[u32; 2]>) -> Line {
    let mut line = Line::open(&scene.anyone()).await;
    for (channel, token) in (0..).zip(&seated.tokens) {
        let attach = match numbers {
            Some(numbers) => after(numbers[channel as usize], seat(token)),
            None => seat(token),
        };
        line.say(vec![attaching(channel, attach)]).await;
    }
    line
}

#[tokio::test]
async fn a_game_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = stored(folder.path()).await;
    let seated = scene.seat_all(timed(clock(60_000, 90_000, 60_000, 1), gap(2))).await;
    let mut numbers = None;
    let (mut made, mut whim) = (Vec::new(), whim(2));
    // Comes up anew before every single decision.
    loop {
        let mut line = both(&scene, &seated, numbers).await;
        let (channel, decision) = loop {
            match line.heard.next().await {
                (channel, v1::stream_item::Item::Decision(decision)) => break (channel, Some(decision)),
                (channel, v1::stream_item::Item::Closed(_)) => break (channel, None),
                _ => {}
            }
        };
        let Some(decision) = decision else { break };
        // Nobody was charged: neither for the minutes before the server went down, nor for the week after.
        assert_eq!((decision.time_left_ms, decision.bank_left_ms), (Some(60_000), Some(90_000)));
        scene.advance(ms(50_000));
        drop(line);
        scene = restart(scene, folder.path(), A_WEEK).await;
        let mut line = both(&scene, &seated, numbers).await;
        let again = line.heard.decision(channel).await;
        assert_eq!(again, decision, "asked again, with the full time");
        let choice = whim.choose(&again);
        scene.advance(ms(10_000));
        let answered = line.answer(channel, index(again.id, choice)).await;
        assert_eq!(answered.status(), Status::Accepted);
        made.push((channel, again.id, choice, answered.number));
        let mut last = [0, 0];
        last[channel as usize] = answered.number;
        numbers = Some(
            numbers.map_or(last, |numbers: [u32; 2]| [numbers[0].max(last[0]), numbers[1].max(last[1])]),
        );
        if made.len() == 6 {
            break;
        }
    }
    // Answers of long ago come again without harm, and every number can be resumed from.
    for (channel, id, choice, number) in &made {
        let token = &seated.tokens[*channel as usize];
        let again = scene.anyone().act(act(token, index(*id, *choice))).await.unwrap().answered.unwrap();
        assert_eq!((again.status(), again.number), (Status::Repeated, *number));
    }
    let players = scene.play_seats(&seated).await;
    let table = scene.anyone().look(&seated.id).await;
    assert_eq!(table.state(), State::Finished);
    let result = table.result.clone().unwrap();
    assert!(result.seats.iter().all(|seat| seat.finish() == v1::SeatFinish::PlayedOut), "{result:?}");
    assert_eq!(result.seats.iter().map(|seat| seat.think_ms).sum::<u64>(), 60_000, "ten seconds each");
    // What the players saw before is in the record.
    let scene = restart(scene, folder.path(), A_WEEK).await;
    let mut line = Line::attached(&scene.anyone(), 1, after(0, seat(&seated.tokens[0]))).await;
    let seen = players[0].updates().last().unwrap().number;
    for number in 1..=seen {
        let update = line.heard.update(1).await;
        assert_eq!(update.number, number);
        if let Some(decided) = update.decided {
            assert_eq!(decided.by(), DecidedBy::Player);
        }
    }
    assert_eq!(line.heard.closed(1).await.number, seen);
}

#[tokio::test]
async fn a_crash_loses_nothing_that_was_acknowledged() {
    for game in GameId::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut scene = stored(folder.path()).await;
        scene.folder = Some(folder.path().to_owned());
        let seated = scene.seat_all(fresh(table(*game, 2))).await;
        let mut line = both(&scene, &seated, None).await;
        let mut made: Vec<(u32, u32, u32, u32)> = Vec::new();
        while made.len() < 5 {
            if let (channel, v1::stream_item::Item::Decision(decision)) = line.heard.next().await {
                let number = line.answer(channel, index(decision.id, 0)).await.number;
                made.push((channel, decision.id, 0, number));
            }
        }
        drop(line);
        let (scene, _copy) = crash(scene, A_WEEK).await;
        for (channel, id, choice, number) in &made {
            let answer = act(&seated.tokens[*channel as usize], index(*id, *choice));
            let again = scene.anyone().act(answer).await.unwrap().answered.unwrap();
            assert_eq!((again.status(), again.number), (Status::Repeated, *number), "{game:?}");
        }
        let line = Line::attached(&scene.anyone(), 1, after(0, rail(&seated.id))).await;
        drop(line);
        scene.play_seats(&seated).await;
        let table = scene.anyone().look(&seated.id).await;
        assert_eq!(table.state(), State::Finished);
        // All that was decided before and after makes one fair game.
        let mut players = Vec::new();
        for token in &seated.tokens {
            let attach = after(0, seat(token));
            players.push(crate::players::play(&scene.anyone(), attach, |_: &v1::Decision| 0).await);
        }
        check_decisions(&table, &players);
    }
}

/// The game of the seed with the decisions of the record comes to the result of the record.
fn check_decisions(table: &v1::Table, players: &[crate::players::Seen]) {
    let outcome = dealt_again(table, players).outcome().expect("an outcome");
    let points: Vec<i32> = outcome.standings().map(|standing| standing.points).collect();
    let shown: Vec<i32> =
        table.result.as_ref().expect("a result").seats.iter().map(|seat| seat.points).collect();
    assert_eq!(points, shown);
}

#[tokio::test]
async fn tables_tokens_requests_and_news_are_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let scene = stored(folder.path()).await;
    let caller = scene.anyone();
    let request = v1::CreateTableRequest { request_id: "one".to_owned(), ..fresh(gap(2)) };
    let open = caller.make(request.clone()).await;
    let joining = v1::JoinTableRequest { request_id: "sit".to_owned(), ..join(&open) };
    let joined = caller.join_table(joining.clone()).await.unwrap();
    let old = joined.seat_token.clone();
    let seated = caller.seat_all(fresh(gap(2))).await;
    let new = caller.reissue_seat_token(reissue(&seated.id, 0)).await.unwrap().seat_token;
    let over = caller.seat_all(fresh(gap(2))).await;
    caller.cancel_table(cancel(&over.id)).await.unwrap();
    let again = caller.rematch(rematch(&over.id)).await.unwrap().table.unwrap().table_id;
    let mut tables = Vec::new();
    for id in [&open, &seated.id, &over.id, &again] {
        tables.push(caller.look(id).await);
    }
    let mut news = caller.follow_tables(Some(0)).await.unwrap();
    let mut all = vec![news.next().await];
    while all.last().is_none_or(|news| news.table_id != again) {
        all.push(news.next().await);
    }
    drop((news, caller));

    let scene = restart(scene, folder.path(), Duration::from_secs(600)).await;
    let caller = scene.anyone();
    for table in &tables {
        assert_eq!(caller.look(&table.table_id).await, *table);
    }
    assert_eq!(caller.make(request.clone()).await, open, "a request that comes again makes nothing new");
    let different = v1::CreateTableRequest { fill_ms: Some(1_000), ..request };
    assert_eq!(why(caller.create_table(different).await), Reason::RequestIdReused);
    let sat = caller.join_table(joining).await.unwrap();
    assert_eq!((sat.seat, sat.seat_token), (joined.seat, old));
    assert_eq!(why(caller.act(act(&seated.tokens[0], index(1, 0))).await), Reason::TokenExpired);
    let acted = caller.act(act(&new, index(1, 0))).await.unwrap().answered.unwrap();
    assert_eq!(acted.status(), Status::Accepted);
    assert_eq!(caller.rematch(rematch(&over.id)).await.unwrap().table.unwrap().table_id, again);
    let mut news = caller.follow_tables(Some(0)).await.unwrap();
    for expected in &all {
        assert_eq!(news.next().await, *expected);
    }
    let made = caller.make(gap(2)).await;
    let next = news.next().await;
    assert_eq!((next.number, next.table_id), (all.len() as u64 + 1, made));
    let listed = caller.list_tables(v1::ListTablesRequest::default()).await.unwrap();
    assert_eq!(listed.tables.len(), tables.len() + 1);
}

#[tokio::test]
async fn a_table_that_should_have_expired_expires_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let scene = stored(folder.path()).await;
    let soon = scene.anyone().make(v1::CreateTableRequest { fill_ms: Some(60_000), ..gap(2) }).await;
    let later = scene.anyone().make(v1::CreateTableRequest { fill_ms: Some(700_000), ..gap(2) }).await;
    let scene = restart(scene, folder.path(), Duration::from_secs(600)).await;
    let caller = scene.anyone();
    until("expiry", async || caller.look(&soon).await.state() == State::Expired).await;
    assert_eq!(caller.look(&later).await.state(), State::Open);
    scene.sleeps_until(ms(100_000)).await;
    scene.advance_to(ms(100_000));
    until("expiry", async || caller.look(&later).await.state() == State::Expired).await;
    assert_eq!(caller.get_table(get(&later)).await.unwrap().table.unwrap().state(), State::Expired);
}

#[tokio::test]
async fn house_bots_think_on() {
    let folder = tempfile::tempdir().unwrap();
    let scene = stored(folder.path()).await;
    let setup = vec![crate::table_requests::open(), crate::table_requests::house("random")];
    let seated = scene.seat_all(v1::CreateTableRequest { seats: setup, ..gap(2) }).await;
    let mut line = Line::attached(&scene.anyone(), 0, seat(&seated.tokens[0])).await;
    let decision = line.heard.decision(0).await;
    // The bot is asked while the server goes down: whether it decided before or not, it has to in the end.
    line.answer(0, index(decision.id, 0)).await;
    drop(line);
    let scene = restart(scene, folder.path(), A_WEEK).await;
    let mut line = Line::attached(&scene.anyone(), 0, seat(&seated.tokens[0])).await;
    assert_eq!(line.heard.decision(0).await.id, decision.id + 1);
}

#[tokio::test]
async fn whoever_is_connected_is_told_to_come_back() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let caller = scene.anyone();
    let mut line = Line::attached(&caller, 1, seat(&seated.tokens[0])).await;
    let mut heard = crate::streams::follow(&caller, vec![(1, rail(&seated.id))]).await.unwrap();
    let mut news = caller.follow_tables(None).await.unwrap();
    line.heard.decision(1).await;
    heard.snapshot(1).await;
    news.read().await.unwrap();
    let stopped = scene.stopping();
    for ending in [line.heard.ending().await, heard.ending().await] {
        let ending = ending.expect("an end in good order").expect("a word before the end");
        assert_eq!(ending.reason(), Reason::ServerStopping);
        assert!(ending.retry_ms > 0 && !ending.message.is_empty());
    }
    assert_eq!(news.refused().await.reason, Reason::ServerStopping);
    crate::test_server::soon(stopped).await.unwrap();
}
