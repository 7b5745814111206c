//! A thousand tables over one stream, while the server is stopped, killed and restarted.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream::{self, TryStreamExt};
use parlor_sdk::{Bot, BotError, Choice, Client, GameEnd, JoinedSeat, NewTable, Question, Update, wire};
use tokio::sync::watch;
use wire::game_options::Game;

use super::test_server::TestServer;
use super::with_timeout;

const TABLES: usize = 1000;

/// One round of GAP against a house bot, with one open seat and no clock.
fn short_game() -> NewTable {
    let length = Some(wire::gap_options::Length::Rounds(1));
    let options = wire::GameOptions { game: Some(Game::Gap(wire::GapOptions { length })) };
    NewTable::with_options(options).house_bot("random").open_seat().without_clock()
}

async fn sit_down(client: &Client) -> JoinedSeat {
    let table = client.create_table(short_game()).await.unwrap();
    client.join_table(&table).await.unwrap()
}

/// Checks that updates and decisions come once and in order, and that each decision is the one chosen.
pub(crate) struct OrderCheckingBot {
    last: Option<u32>,
    asked: u32,
    chosen: HashMap<u32, usize>,
    decisions: Arc<watch::Sender<usize>>,
}

impl OrderCheckingBot {
    pub(crate) fn new(decisions: &Arc<watch::Sender<usize>>) -> OrderCheckingBot {
        OrderCheckingBot { last: None, asked: 0, chosen: HashMap::new(), decisions: Arc::clone(decisions) }
    }
}

impl Bot for OrderCheckingBot {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        assert_eq!(question.id(), self.asked + 1, "each decision comes once, in order");
        assert!(self.last.is_none_or(|last| last == question.after()), "all earlier updates were delivered");
        assert_eq!(question.legal_actions().len(), question.legal_count());
        self.asked = question.id();
        let index = (self.asked as usize * 31) % question.legal_count();
        self.chosen.insert(self.asked, index);
        self.decisions.send_modify(|decisions| *decisions += 1);
        Ok(index.into())
    }

    fn observe(&mut self, update: &Update) {
        assert!(self.last.is_none_or(|last| update.number() == last + 1), "each update comes once, in order");
        self.last = Some(update.number());
        if let Some(decided) = update.decided() {
            assert_eq!(decided.by(), wire::DecidedBy::Player);
            assert_eq!(self.chosen.get(&decided.decision_id).copied(), Some(decided.index as usize));
        }
    }

    fn end(&mut self, end: &GameEnd<'_>) {
        assert_eq!(end.result.map(wire::TableResult::reason), Some(wire::EndReason::PlayedOut));
        assert_eq!(self.chosen.len(), self.asked as usize);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousand_tables_over_one_stream_survive_restarts() {
    let mut server = TestServer::start().await;
    let client = server.client().await;
    let joined = stream::iter(0..TABLES).map(|_| sit_down(&client)).buffer_unordered(32);
    let joined: Vec<JoinedSeat> = with_timeout(joined.collect()).await;
    assert_eq!(joined.len(), TABLES);
    let tokens: Vec<_> = joined.iter().map(|joined| joined.token.clone()).collect();

    let decisions = Arc::new(watch::channel(0).0);
    let mut decided = decisions.subscribe();
    let session = client.session();
    let playing = tokio::spawn(async move {
        session.play_all(tokens, TABLES, move || OrderCheckingBot::new(&decisions)).collect::<Vec<_>>().await
    });
    // Each while many tables are being played.
    with_timeout(decided.wait_for(|decisions| *decisions >= 1000)).await.unwrap();
    with_timeout(server.restart()).await;
    with_timeout(decided.wait_for(|decisions| *decisions >= 2500)).await.unwrap();
    with_timeout(server.kill()).await;
    with_timeout(decided.wait_for(|decisions| *decisions >= 4000)).await.unwrap();
    server.proxy.cut();

    let played = with_timeout(playing).await.unwrap();
    assert_eq!(played.len(), TABLES);
    let mut results = HashMap::new();
    for played in played {
        let finished = played.outcome.unwrap();
        results.insert(finished.table.table_id.clone(), finished.table);
    }
    assert_eq!(results.len(), TABLES);
    // The players' results equal the server's.
    let asked = stream::iter(joined).map(|joined| client.table(joined.table.table_id)).buffer_unordered(32);
    let asked: Vec<wire::Table> = with_timeout(asked.try_collect()).await.unwrap();
    for table in asked {
        assert_eq!(table.state(), wire::TableState::Finished);
        assert_eq!(results[&table.table_id].result, table.result);
        assert_eq!(results[&table.table_id].state(), table.state());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn table_feed_is_gapless_through_restarts() {
    const TABLES: usize = 30;
    let mut server = TestServer::start().await;
    let client = server.client().await;
    let mut news = with_timeout(client.follow_tables(None)).await.unwrap();
    let start = news.number();
    let made = Arc::new(AtomicUsize::new(0));
    for number in 0..TABLES {
        // House bots only: no client has to play.
        let length = Some(wire::gap_options::Length::Rounds(1));
        let options = wire::GameOptions { game: Some(Game::Gap(wire::GapOptions { length })) };
        let table = NewTable::with_options(options).house_bot("random").house_bot("greedy");
        with_timeout(client.create_table(table)).await.unwrap();
        made.fetch_add(1, Ordering::Relaxed);
        match number {
            9 => with_timeout(server.restart()).await,
            19 => with_timeout(server.kill()).await,
            _ => {}
        }
    }
    let (mut number, mut over) = (start, HashMap::new());
    while over.len() < TABLES {
        let item = with_timeout(news.next()).await.unwrap();
        number += 1;
        assert_eq!((item.number, news.number()), (number, number), "no news is skipped or repeated");
        if let Some(wire::table_news::News::Over(ended)) = item.news {
            assert_eq!(ended.state(), wire::TableState::Finished);
            assert!(over.insert(item.table_id, ended).is_none(), "a table ends once");
        }
    }
    // Following from the start gives the same news.
    let mut again = with_timeout(client.follow_tables(Some(start))).await.unwrap();
    for expected in start + 1..=number {
        assert_eq!(with_timeout(again.next()).await.unwrap().number, expected);
    }
}
