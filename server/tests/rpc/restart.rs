//! Restarts and crashes on the same store: nothing acknowledged is lost, downtime is not charged, and games
//! continue.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parlor_engine::GameId;
use parlor_proto::v1::{self, AnswerStatus as Status, DecidedBy, ErrorReason as Reason, TableState as State};
use parlor_store::{Log, LogError, SqliteLog, SqliteOptions};
use tempfile::TempDir;

use crate::client::error_reason;
use crate::players::{ChooseAction, random_choice, replay_from_seed};
use crate::streams::{PlayStream, answer_index, attach_item, play_seat, resume_after, spectate};
use crate::table_requests::{
    SeatedTable, act, cancel, clock, fresh, gap, get, join, reissue, rematch, table, timed,
};
use crate::test_server::{TestServer, ms, wait_until};

fn file(folder: &Path) -> PathBuf {
    folder.join("parlor.db")
}

fn open(folder: &Path) -> Arc<dyn Log> {
    Arc::new(SqliteLog::open(&file(folder), SqliteOptions::default()).expect("a store"))
}

/// Starts a server on a store in this folder.
pub(crate) async fn server_on_disk(folder: &Path) -> TestServer {
    TestServer::with_log(open(folder), |_| {}).await
}

/// Stops the server, and starts another one on the same file, with the wall clock `down_for` later.
pub(crate) async fn restart(server: TestServer, folder: &Path, down_for: Duration) -> TestServer {
    let reopen = async |log: Arc<dyn Log>| {
        drop(log);
        // The tasks of the old server release the file asynchronously.
        let mut opened = None;
        wait_until("the store to be free", async || {
            match SqliteLog::open(&file(folder), SqliteOptions::default()) {
                Ok(log) => {
                    opened = Some(log);
                    true
                }
                Err(LogError::InUse { .. }) => false,
                Err(other) => panic!("{other}"),
            }
        })
        .await;
        Arc::new(opened.expect("an opened store")) as Arc<dyn Log>
    };
    server.restart(down_for, reopen).await
}

/// Simulates a crash: starts a server on a copy of the files taken while the first one runs, with the wall
/// clock `down_for` later.
pub(crate) async fn crash(server: TestServer, down_for: Duration) -> (TestServer, TempDir) {
    let copy = tempfile::tempdir().expect("a folder");
    let from = server.folder.clone().expect("a store in a folder");
    for entry in std::fs::read_dir(&from).expect("a folder") {
        let entry = entry.expect("a file");
        // The copied lock file does not lock the copy.
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("a copy");
    }
    let folder = copy.path().to_owned();
    let server = server.restart(down_for, async |_| open(&folder)).await;
    (server, copy)
}

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Attaches both seats over one stream, each on the channel of its number, resuming after these numbers.
async fn attach_both(server: &TestServer, seated: &SeatedTable, numbers: Option<[u32; 2]>) -> PlayStream {
    let mut stream = PlayStream::open(&server.client()).await;
    for (channel, token) in (0..).zip(&seated.tokens) {
        let attach = match numbers {
            Some(numbers) => resume_after(numbers[channel as usize], play_seat(token)),
            None => play_seat(token),
        };
        stream.send(vec![attach_item(channel, attach)]).await;
    }
    stream
}

#[tokio::test]
async fn game_continues_over_restarts_without_charging_downtime() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = server_on_disk(folder.path()).await;
    let seated = server.new_seated_table(timed(clock(60_000, 90_000, 60_000, 1), gap(2))).await;
    let mut numbers = None;
    let (mut made, mut choice) = (Vec::new(), random_choice(2));
    // Restarts before every decision.
    loop {
        let mut stream = attach_both(&server, &seated, numbers).await;
        let (channel, decision) = loop {
            match stream.reader.next().await {
                (channel, v1::stream_item::Item::Decision(decision)) => break (channel, Some(decision)),
                (channel, v1::stream_item::Item::Closed(_)) => break (channel, None),
                _ => {}
            }
        };
        let Some(decision) = decision else { break };
        // Neither the time before the restart nor the week of downtime is charged.
        assert_eq!((decision.time_left_ms, decision.bank_left_ms), (Some(60_000), Some(90_000)));
        server.advance(ms(50_000));
        drop(stream);
        server = restart(server, folder.path(), WEEK).await;
        let mut stream = attach_both(&server, &seated, numbers).await;
        let again = stream.reader.decision(channel).await;
        assert_eq!(again, decision, "the same decision with its full time");
        let choice = choice.choose(&again);
        server.advance(ms(10_000));
        let answered = stream.answer(channel, answer_index(again.id, choice)).await;
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
    // Old answers are repeats.
    for (channel, id, choice, number) in &made {
        let token = &seated.tokens[*channel as usize];
        let again =
            server.client().act(act(token, answer_index(*id, *choice))).await.unwrap().answered.unwrap();
        assert_eq!((again.status(), again.number), (Status::Repeated, *number));
    }
    let players = server.play_seats(&seated).await;
    let table = server.client().table(&seated.id).await;
    assert_eq!(table.state(), State::Finished);
    let result = table.result.clone().unwrap();
    assert!(result.seats.iter().all(|seat| seat.finish() == v1::SeatFinish::PlayedOut), "{result:?}");
    assert_eq!(
        result.seats.iter().map(|seat| seat.think_ms).sum::<u32>(),
        60_000,
        "10 s for each of the 6 decisions"
    );
    // The finished game replays from its first update.
    let server = restart(server, folder.path(), WEEK).await;
    let mut stream =
        PlayStream::open_attached(&server.client(), 1, resume_after(0, play_seat(&seated.tokens[0]))).await;
    let seen = players[0].updates().last().unwrap().number;
    for number in 1..=seen {
        let update = stream.reader.update(1).await;
        assert_eq!(update.number, number);
        if let Some(decided) = update.decided {
            assert_eq!(decided.by(), DecidedBy::Player);
        }
    }
    assert_eq!(stream.reader.closed(1).await.number, seen);
}

#[tokio::test]
async fn crash_loses_nothing_acknowledged() {
    for game in GameId::published() {
        let folder = tempfile::tempdir().unwrap();
        let mut server = server_on_disk(folder.path()).await;
        server.folder = Some(folder.path().to_owned());
        let seated = server.new_seated_table(fresh(table(game, 2))).await;
        let mut stream = attach_both(&server, &seated, None).await;
        let mut made: Vec<(u32, u32, u32, u32)> = Vec::new();
        while made.len() < 5 {
            if let (channel, v1::stream_item::Item::Decision(decision)) = stream.reader.next().await {
                let number = stream.answer(channel, answer_index(decision.id, 0)).await.number;
                made.push((channel, decision.id, 0, number));
            }
        }
        drop(stream);
        let (server, _copy) = crash(server, WEEK).await;
        for (channel, id, choice, number) in &made {
            let answer = act(&seated.tokens[*channel as usize], answer_index(*id, *choice));
            let again = server.client().act(answer).await.unwrap().answered.unwrap();
            assert_eq!((again.status(), again.number), (Status::Repeated, *number), "{game:?}");
        }
        let stream =
            PlayStream::open_attached(&server.client(), 1, resume_after(0, spectate(&seated.id))).await;
        drop(stream);
        server.play_seats(&seated).await;
        let table = server.client().table(&seated.id).await;
        assert_eq!(table.state(), State::Finished);
        // The decisions before and after the crash make one verifiable game.
        let mut players = Vec::new();
        for token in &seated.tokens {
            let attach = resume_after(0, play_seat(token));
            players.push(crate::players::play(&server.client(), attach, |_: &v1::Decision| 0).await);
        }
        check_decisions(&table, &players);
    }
}

/// Replays the game from its seed with the decisions of the record, and compares the result.
fn check_decisions(table: &v1::Table, players: &[crate::players::Transcript]) {
    let outcome = replay_from_seed(table, players).outcome().expect("an outcome");
    let points: Vec<i32> = outcome.standings().map(|standing| standing.points).collect();
    let shown: Vec<i32> =
        table.result.as_ref().expect("a result").seats.iter().map(|seat| seat.points).collect();
    assert_eq!(points, shown);
}

#[tokio::test]
async fn tables_tokens_request_ids_and_news_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_on_disk(folder.path()).await;
    let client = server.client();
    let request = v1::CreateTableRequest { request_id: "one".to_owned(), ..fresh(gap(2)) };
    let open = client.new_table(request.clone()).await;
    let joining =
        v1::JoinTableRequest { request_id: "sit down, and keep it secret".to_owned(), ..join(&open) };
    let joined = client.join_table(joining.clone()).await.unwrap();
    let old = joined.seat_token.clone();
    let seated = client.new_seated_table(fresh(gap(2))).await;
    let new = client.reissue_seat_token(reissue(&seated.id, 0)).await.unwrap().seat_token;
    let over = client.new_seated_table(fresh(gap(2))).await;
    client.cancel_table(cancel(&over.id)).await.unwrap();
    let again = client.rematch(rematch(&over.id)).await.unwrap().table.unwrap().table_id;
    let mut tables = Vec::new();
    for id in [&open, &seated.id, &over.id, &again] {
        tables.push(client.table(id).await);
    }
    let mut news = client.follow_tables(Some(0)).await.unwrap();
    let mut all = vec![news.next().await];
    while all.last().is_none_or(|news| news.table_id != again) {
        all.push(news.next().await);
    }
    drop((news, client));

    let server = restart(server, folder.path(), Duration::from_secs(600)).await;
    let client = server.client();
    for table in &tables {
        assert_eq!(client.table(&table.table_id).await, *table);
    }
    assert_eq!(client.new_table(request.clone()).await, open, "a request that comes again makes nothing new");
    let different = v1::CreateTableRequest { fill_ms: Some(1_000), ..request };
    assert_eq!(error_reason(client.create_table(different).await), Reason::RequestIdReused);
    let sat = client.join_table(joining).await.unwrap();
    assert_eq!((sat.seat, sat.seat_token), (joined.seat, old));
    assert_eq!(
        error_reason(client.act(act(&seated.tokens[0], answer_index(1, 0))).await),
        Reason::TokenExpired
    );
    let acted = client.act(act(&new, answer_index(1, 0))).await.unwrap().answered.unwrap();
    assert_eq!(acted.status(), Status::Accepted);
    assert_eq!(client.rematch(rematch(&over.id)).await.unwrap().table.unwrap().table_id, again);
    let mut news = client.follow_tables(Some(0)).await.unwrap();
    for expected in &all {
        assert_eq!(news.next().await, *expected);
    }
    let made = client.new_table(gap(2)).await;
    let next = news.next().await;
    assert_eq!((next.number, next.table_id), (all.len() as u64 + 1, made));
    let listed = client.list_tables(v1::ListTablesRequest::default()).await.unwrap();
    assert_eq!(listed.tables.len(), tables.len() + 1);
}

#[tokio::test]
async fn table_that_expired_during_downtime_expires_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_on_disk(folder.path()).await;
    let first = server.client().new_table(v1::CreateTableRequest { fill_ms: Some(60_000), ..gap(2) }).await;
    let later = server.client().new_table(v1::CreateTableRequest { fill_ms: Some(700_000), ..gap(2) }).await;
    let server = restart(server, folder.path(), Duration::from_secs(600)).await;
    let client = server.client();
    wait_until("expiry", async || client.table(&first).await.state() == State::Expired).await;
    assert_eq!(client.table(&later).await.state(), State::Open);
    server.advance_to_deadline(ms(100_000)).await;
    server.advance_to(ms(100_000));
    wait_until("expiry", async || client.table(&later).await.state() == State::Expired).await;
    assert_eq!(client.get_table(get(&later)).await.unwrap().table.unwrap().state(), State::Expired);
}

#[tokio::test]
async fn house_bot_decision_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_on_disk(folder.path()).await;
    let setup = vec![crate::table_requests::open(), crate::table_requests::house("random")];
    let seated = server.new_seated_table(v1::CreateTableRequest { seats: setup, ..gap(2) }).await;
    let mut stream = PlayStream::open_attached(&server.client(), 0, play_seat(&seated.tokens[0])).await;
    let decision = stream.reader.decision(0).await;
    // The server stops while the bot decides; the decision must be made before or after the restart.
    stream.answer(0, answer_index(decision.id, 0)).await;
    drop(stream);
    let server = restart(server, folder.path(), WEEK).await;
    let mut stream = PlayStream::open_attached(&server.client(), 0, play_seat(&seated.tokens[0])).await;
    assert_eq!(stream.reader.decision(0).await.id, decision.id + 1);
}

#[tokio::test]
async fn shutdown_ends_streams_with_server_stopping_and_a_retry_delay() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let client = server.client();
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[0])).await;
    let mut reader = crate::streams::open_follow(&client, vec![(1, spectate(&seated.id))]).await.unwrap();
    let mut news = client.follow_tables(None).await.unwrap();
    stream.reader.decision(1).await;
    reader.snapshot(1).await;
    news.read().await.unwrap();
    let shutdown = server.begin_shutdown();
    for ending in [stream.reader.ending().await, reader.ending().await] {
        let ending = ending.expect("a graceful end").expect("an ending message");
        assert_eq!(ending.reason(), Reason::ServerStopping);
        assert!(ending.retry_ms > 0 && !ending.message.is_empty());
    }
    assert_eq!(news.error().await.reason, Reason::ServerStopping);
    crate::test_server::with_timeout(shutdown).await.unwrap();
}
