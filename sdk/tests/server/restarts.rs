//! A thousand tables over one stream, while the server is stopped, killed and started again.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream::{self, TryStreamExt};
use parlor_sdk::{Bot, BotError, Choice, Client, End, Joined, NewTable, Question, Update, wire};
use tokio::sync::watch;
use wire::game_options::Game;

use super::house::House;
use super::within;

const TABLES: usize = 1000;

/// One round of GAP against a house bot, with one seat to take and all the time in the world.
fn short_game() -> NewTable {
    let length = Some(wire::gap_options::Length::Rounds(1));
    let options = wire::GameOptions { game: Some(Game::Gap(wire::GapOptions { length })) };
    NewTable::with_options(options).house_bot("random").open_seat().without_clock()
}

async fn sit_down(client: &Client) -> Joined {
    let table = client.create_table(short_game()).await.unwrap();
    client.join_table(&table).await.unwrap()
}

/// Checks that everything comes once and in order, and that what it chose is what was decided.
pub(crate) struct Strict {
    last: Option<u32>,
    asked: u32,
    chosen: HashMap<u32, usize>,
    decisions: Arc<watch::Sender<usize>>,
}

impl Strict {
    pub(crate) fn new(decisions: &Arc<watch::Sender<usize>>) -> Strict {
        Strict { last: None, asked: 0, chosen: HashMap::new(), decisions: Arc::clone(decisions) }
    }
}

impl Bot for Strict {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        assert_eq!(question.id(), self.asked + 1, "each decision is asked once, in order");
        assert!(self.last.is_none_or(|last| last == question.after()), "all that led to it was told");
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

    fn end(&mut self, end: &End<'_>) {
        assert_eq!(end.result.map(wire::TableResult::reason), Some(wire::EndReason::PlayedOut));
        assert_eq!(self.chosen.len(), self.asked as usize);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tables_over_one_stream_through_restarts() {
    let mut house = House::open().await;
    let client = house.client().await;
    let joined = stream::iter(0..TABLES).map(|_| sit_down(&client)).buffer_unordered(32);
    let joined: Vec<Joined> = within(joined.collect()).await;
    assert_eq!(joined.len(), TABLES);
    let tokens: Vec<_> = joined.iter().map(|joined| joined.token.clone()).collect();

    let decisions = Arc::new(watch::channel(0).0);
    let mut decided = decisions.subscribe();
    let session = client.session();
    let playing = tokio::spawn(async move {
        session.play_all(tokens, TABLES, move || Strict::new(&decisions)).collect::<Vec<_>>().await
    });
    // Each at a moment when tables are in full swing.
    within(decided.wait_for(|decisions| *decisions >= 1000)).await.unwrap();
    within(house.restart()).await;
    within(decided.wait_for(|decisions| *decisions >= 2500)).await.unwrap();
    within(house.kill()).await;
    within(decided.wait_for(|decisions| *decisions >= 4000)).await.unwrap();
    house.network.cut();

    let played = within(playing).await.unwrap();
    assert_eq!(played.len(), TABLES);
    let mut results = HashMap::new();
    for played in played {
        let finished = played.outcome.unwrap();
        results.insert(finished.table.table_id.clone(), finished.table);
    }
    assert_eq!(results.len(), TABLES);
    // What the players were told is what the server has.
    let asked = stream::iter(joined).map(|joined| client.table(joined.table.table_id)).buffer_unordered(32);
    let asked: Vec<wire::Table> = within(asked.try_collect()).await.unwrap();
    for table in asked {
        assert_eq!(table.state(), wire::TableState::Finished);
        assert_eq!(results[&table.table_id].result, table.result);
        assert_eq!(results[&table.table_id].state(), table.state());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_life_of_tables_is_followed_through_restarts() {
    const TABLES: usize = 30;
    let mut house = House::open().await;
    let client = house.client().await;
    let mut news = within(client.follow_tables(None)).await.unwrap();
    let start = news.number();
    let made = Arc::new(AtomicUsize::new(0));
    for number in 0..TABLES {
        // Between house bots alone: it plays by itself.
        let length = Some(wire::gap_options::Length::Rounds(1));
        let options = wire::GameOptions { game: Some(Game::Gap(wire::GapOptions { length })) };
        let table = NewTable::with_options(options).house_bot("random").house_bot("greedy");
        within(client.create_table(table)).await.unwrap();
        made.fetch_add(1, Ordering::Relaxed);
        match number {
            9 => within(house.restart()).await,
            19 => within(house.kill()).await,
            _ => {}
        }
    }
    let (mut number, mut over) = (start, HashMap::new());
    while over.len() < TABLES {
        let item = within(news.next()).await.unwrap();
        number += 1;
        assert_eq!((item.number, news.number()), (number, number), "none is left out or told twice");
        if let Some(wire::table_news::News::Over(ended)) = item.news {
            assert_eq!(ended.state(), wire::TableState::Finished);
            assert!(over.insert(item.table_id, ended).is_none(), "a table ends once");
        }
    }
    // Somebody who follows from the beginning is told the same.
    let mut again = within(client.follow_tables(Some(start))).await.unwrap();
    for expected in start + 1..=number {
        assert_eq!(within(again.next()).await.unwrap().number, expected);
    }
}
