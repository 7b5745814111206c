//! Misbehaving agents: set aside with the reason, assigned seats again after the time is over, without effect
//! on others.

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, AgentState, AnswerStatus, ErrorReason as Reason, SetAsideReason as Why, TableState,
};
use parlor_server::config::{Agents, Count, Span};
use parlor_store::{LogFilter, LogKind, PageRequest};

use crate::agent_client::{AgentClient, agent_seat, find_agent, hello, with_seats};
use crate::agents::for_agents;
use crate::client::{Client, error_reason};
use crate::players::{WANT_VIEWS, play};
use crate::restart::{crash, restart, server_on_disk};
use crate::streams::{answer_index, answer_item};
use crate::table_requests::{clock, gap, house, table, timed};
use crate::test_server::{TestServer, ms, wait_until};

const HOUR_MS: u64 = 3_600_000;

/// A server with low thresholds for setting agents aside, for at least an hour.
async fn strict_server(change: impl FnOnce(&mut Agents)) -> TestServer {
    TestServer::with_settings(|settings| {
        settings.agents = Agents {
            time_outs: Count::new(2),
            refused: Count::new(3),
            breaks: Count::new(3),
            slow: Count::new(2),
            aside_first: Span::from_ms(HOUR_MS),
            aside_longest: Span::from_ms(2 * HOUR_MS),
            ..Agents::default()
        };
        change(&mut settings.agents);
    })
    .await
}

/// Waits until the agent is set aside, and checks the reason.
async fn wait_for_set_aside(client: &Client, name: &str, reason: Why) -> v1::SetAside {
    wait_until("the agent to be set aside", async || {
        find_agent(client, name).await.state() == AgentState::SetAside
    })
    .await;
    let set_aside = find_agent(client, name).await.set_aside.expect("a reason");
    assert_eq!(set_aside.reason(), reason);
    assert!(!set_aside.message.is_empty());
    set_aside
}

/// The length of a set-aside.
fn seconds(set_aside: &v1::SetAside) -> i64 {
    let seconds = |time: &Option<prost_types::Timestamp>| time.as_ref().expect("a time").seconds;
    seconds(&set_aside.until_time) - seconds(&set_aside.since_time)
}

/// Checks that the agent gets no seats now, and gets them again when the set-aside is over.
async fn check_reinstated(server: &TestServer, name: &str) {
    let client = server.client();
    let request = || for_agents(&[name, name]);
    assert_eq!(error_reason(client.create_table(request()).await), Reason::AgentUnavailable);
    server.advance(ms(2 * HOUR_MS));
    let mut agent = AgentClient::connect(&client, hello(name)).await;
    assert_eq!(agent.welcome.set_aside, None);
    assert_eq!(find_agent(&client, name).await.state(), AgentState::Here);
    let had = agent.welcome.seats;
    for _ in 0..had {
        agent.next_seat().await;
    }
    let id = client.new_table(request()).await;
    assert_eq!(agent.next_seat().await.1.table_id, id);
}

#[tokio::test]
async fn clock_timeouts_set_an_agent_aside() {
    let server = strict_server(|_| {}).await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let request = with_seats(vec![agent_seat("ann"), house("random")], gap(2));
    let id = client.new_table(timed(clock(1_000, 0, 0, 100), request)).await;
    let (channel, _) = ann.next_seat().await;
    for times in 1..=2 {
        ann.reader.decision(channel).await;
        server.advance(ms(1_000));
        let ran_out = ann.reader.event(channel, |event| match event {
            v1::table_event::Event::ClockRanOut(ran_out) => Some(ran_out.times),
            _ => None,
        });
        assert_eq!(ran_out.await, times);
    }
    let set_aside = wait_for_set_aside(&client, "ann", Why::TimedOut).await;
    assert_eq!(seconds(&set_aside), 3_600);
    assert_eq!(find_agent(&client, "ann").await.times.expect("times").clocks_run_out, 2);
    // It may still play the seats that it has.
    let decision = ann.reader.decision(channel).await;
    let answered = ann.answer(channel, answer_index(decision.id, 0)).await;
    assert_eq!(answered.status(), AnswerStatus::Accepted);
    assert_eq!(client.table(&id).await.state(), TableState::Playing);
    check_reinstated(&server, "ann").await;
}

#[tokio::test]
async fn refused_answers_set_an_agent_aside() {
    let server = strict_server(|_| {}).await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    client.new_table(with_seats(vec![agent_seat("ann"), house("random")], gap(2))).await;
    let (channel, _) = ann.next_seat().await;
    let decision = ann.reader.decision(channel).await;
    for _ in 0..2 {
        let refused = ann.answer(channel, answer_index(decision.id, 1_000)).await;
        assert_eq!(refused.refusal.expect("a reason").reason(), Reason::IllegalAction);
    }
    let refused = ann.answer(channel, answer_index(decision.id + 1, 0)).await;
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::DecisionNotFound);
    wait_for_set_aside(&client, "ann", Why::BrokeRules).await;
    assert_eq!(ann.answer(channel, answer_index(decision.id, 0)).await.status(), AnswerStatus::Accepted);
    let times = find_agent(&client, "ann").await.times.expect("times");
    assert_eq!((times.answers, times.refused), (1, 3));
    check_reinstated(&server, "ann").await;
}

/// A connected agent receives the set-aside on its stream, not only in its next welcome.
#[tokio::test]
async fn set_aside_is_sent_on_the_open_stream() {
    let server = strict_server(|_| {}).await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    assert_eq!(ann.welcome.set_aside, None);
    for times in 1..=2 {
        for _ in 0..3 {
            ann.answer(9, answer_index(1, 0)).await;
        }
        let received = ann.next_set_aside().await;
        assert_eq!(received.reason(), Why::BrokeRules);
        assert_eq!(
            (Some(&received), seconds(&received)),
            (find_agent(&client, "ann").await.set_aside.as_ref(), times * 3_600)
        );
        assert_eq!(ann.set_asides.lock().expect("an unpoisoned lock").len(), 0, "sent once");
        server.advance(ms(HOUR_MS * times as u64));
    }
    assert_eq!(find_agent(&client, "ann").await.state(), AgentState::Here);
}

#[tokio::test]
async fn answers_on_unknown_channels_are_refused_and_too_many_end_the_stream() {
    let server = strict_server(|_| {}).await;
    let client = server.client();
    let mut good = AgentClient::connect(&client, hello("good")).await;
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    client.new_table(for_agents(&["good", "good"])).await;
    let (channel, _) = good.next_seat().await;
    for _ in 0..3 {
        // Channel numbers are per stream: this is the other agent's channel.
        let refused = ann.answer(channel, answer_index(1, 0)).await;
        assert_eq!(refused.refusal.expect("a reason").reason(), Reason::Protocol);
    }
    wait_for_set_aside(&client, "ann", Why::BrokeRules).await;
    ann.send(vec![answer_item(channel, v1::Answer::default()); 27]).await;
    let ending = ann.reader.ending().await.expect("a graceful end").expect("a reason");
    assert_eq!(ending.reason(), Reason::Protocol);
    good.play(2).await;
}

#[tokio::test]
async fn disconnects_during_play_set_an_agent_aside() {
    let server = strict_server(|_| {}).await;
    let client = server.client();
    let gone = async || {
        wait_until("the agent to be gone", async || {
            find_agent(&client, "ann").await.last_seen_time.is_some()
        })
        .await;
    };
    for _ in 0..5 {
        // Not counted: the agent has no seats.
        drop(AgentClient::connect(&client, hello("ann")).await);
        gone().await;
    }
    let ann = AgentClient::connect(&client, hello("ann")).await;
    client.new_table(for_agents(&["ann", "ann"])).await;
    drop(ann);
    gone().await;
    for _ in 0..2 {
        assert_eq!(find_agent(&client, "ann").await.state(), AgentState::Gone);
        // Ending the request side counts as a disconnect, too.
        let mut ann = AgentClient::connect(&client, hello("ann")).await;
        ann.end_requests();
        ann.reader.ending().await.expect("an end");
        gone().await;
    }
    wait_for_set_aside(&client, "ann", Why::BrokeOff).await;
    let ann = AgentClient::connect(&client, hello("ann")).await;
    assert_eq!(ann.welcome.set_aside.as_ref().expect("a reason").reason(), Why::BrokeOff);
    assert_eq!(ann.welcome.seats, 2, "it keeps the seats that it has");
    check_reinstated(&server, "ann").await;
}

#[tokio::test]
async fn slow_readers_are_cut_off_and_set_aside() {
    let agents = Agents {
        slow: Count::new(2),
        refused: Count::new(10_000),
        aside_first: Span::from_ms(HOUR_MS),
        ..Agents::default()
    };
    let server = TestServer::with_settings(|settings| {
        settings.agents = agents;
        settings.limits.reader_queue = Count::new(16);
    })
    .await;
    let client = server.client();
    for _ in 0..2 {
        let mut ann = AgentClient::connect(&client, hello("ann")).await;
        ann.send(vec![answer_item(9, answer_index(1, 0)); 1024]).await;
        let ending = ann.reader.ending().await.expect("a graceful end").expect("a reason");
        assert_eq!(ending.reason(), Reason::TooSlow);
        wait_until("it to be gone", async || find_agent(&client, "ann").await.last_seen_time.is_some()).await;
    }
    wait_for_set_aside(&client, "ann", Why::TooSlow).await;
    check_reinstated(&server, "ann").await;
}

/// Each set-aside is twice as long as the one before; names, versions and set-asides are durable.
#[tokio::test]
async fn set_aside_doubles_and_survives_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server_on_disk(folder.path()).await;
    let wait_for_entries = async |server: &TestServer, length: usize| {
        wait_until("the entries to be stored", async || {
            let filter = LogFilter { kind: LogKind::Agent, ..LogFilter::default() };
            let page =
                server.log.list_tables(filter, PageRequest { after: None, size: 2 }).await.expect("a page");
            let read = server.log.read(page.tables[0].id, 0).await.expect("a log");
            page.tables.len() == 1 && read.len() == length
        })
        .await;
    };
    let misbehave = async |server: &TestServer| {
        let mut ann = AgentClient::connect(&server.client(), hello("ann")).await;
        for _ in 0..20 {
            ann.answer(9, answer_index(1, 0)).await;
        }
        wait_for_set_aside(&server.client(), "ann", Why::BrokeRules).await
    };
    let first = misbehave(&server).await;
    assert_eq!(seconds(&first), 10);
    wait_for_entries(&server, 3).await;
    let server = restart(server, folder.path(), ms(0)).await;
    assert_eq!(find_agent(&server.client(), "ann").await.set_aside, Some(first));
    server.advance(ms(10_000));
    let gone = find_agent(&server.client(), "ann").await;
    assert_eq!(
        (gone.state(), gone.version.as_str(), gone.games.len()),
        (AgentState::Gone, "1", GameId::ALL.len())
    );
    assert_eq!(seconds(&misbehave(&server).await), 20);
    wait_for_entries(&server, 4).await;
    let other = v1::AgentHello { agent_key: vec![8; 32], ..hello("ann") };
    let taken = AgentClient::try_connect(&server.client(), other).await.map(drop);
    assert_eq!(error_reason(taken), Reason::AgentNameTaken, "names survive a restart, too");
    let server = restart(server, folder.path(), ms(700_000)).await;
    assert_eq!(seconds(&misbehave(&server).await), 10, "an agent that behaves long enough starts over");
}

#[tokio::test]
async fn agent_seats_are_assigned_again_after_a_restart_and_a_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server_on_disk(folder.path()).await;
    server.folder = Some(folder.path().to_owned());
    let client = server.client();
    let ann = AgentClient::connect(&client, hello("ann")).await;
    let mut ids = Vec::new();
    for game in GameId::ALL {
        let agents = with_seats(vec![agent_seat("ann"), agent_seat("ann")], table(*game, 2));
        ids.push(client.new_table(timed(clock(60_000, 0, 60_000, 1), agents)).await);
    }
    drop((ann, client));
    let server = restart(server, folder.path(), ms(1_000_000)).await;
    let mut server = server;
    server.folder = Some(folder.path().to_owned());
    let mut ann = AgentClient::connect(&server.client(), hello("ann")).await;
    assert_eq!(ann.welcome.seats as usize, 2 * ids.len());
    let (channel, given) = ann.next_seat().await;
    assert!(ids.contains(&given.table_id));
    ann.reader.snapshot(channel).await;
    drop(ann);
    let (server, _copy) = crash(server, ms(1_000_000)).await;
    let mut ann = AgentClient::connect(&server.client(), hello("ann")).await;
    assert_eq!(ann.welcome.seats as usize, 2 * ids.len());
    ann.play(2 * ids.len()).await;
    for id in &ids {
        let over = server.client().table(id).await;
        let result = over.result.expect("a result");
        assert!(result.seats.iter().all(|seat| seat.finish() == v1::SeatFinish::PlayedOut), "{result:?}");
    }
}

/// Flooding and silent agents beside two that play.
#[tokio::test]
async fn misbehaving_agents_do_not_affect_others() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let mut ben = AgentClient::connect(&client, hello("ben")).await;
    let mut silent = AgentClient::connect(&client, hello("silent")).await;
    let flood = async {
        for _ in 0..20 {
            let stranger = server.client_on_new_connection().await;
            let mut bad = AgentClient::connect(&stranger, hello("bad")).await;
            bad.send(vec![answer_item(3, answer_index(7, 7)); 1024]).await;
            drop(bad);
        }
    };
    let games = async {
        for _ in 0..5 {
            client.new_table(for_agents(&["ann", "ben"])).await;
            client.new_table(for_agents(&["silent", "silent"])).await;
        }
    };
    tokio::join!(flood, games, ann.play(5), ben.play(5));
    for name in ["ann", "ben", "silent"] {
        assert_eq!(find_agent(&client, name).await.state(), AgentState::Here, "{name}");
    }
    assert_eq!(silent.next_seat().await.1.seat, 0);
    let good = find_agent(&client, "ann").await.times.expect("times");
    assert_eq!((good.refused, good.clocks_run_out), (0, 0));
}

/// The items of an agent are those of a player, and its listing does not count hidden decisions.
#[tokio::test]
async fn agent_items_equal_player_items_and_hidden_answers_are_not_counted() {
    let server = TestServer::new().await;
    let client = server.client();
    for game in GameId::ALL {
        let name = format!("ann.{}", game.info().id);
        let mut ann =
            AgentClient::connect(&client, v1::AgentHello { wants: Some(WANT_VIEWS), ..hello(&name) }).await;
        let opponent = house("random");
        client.new_table(with_seats(vec![agent_seat(&name), opponent.clone()], table(*game, 2))).await;
        let (channel, _) = ann.next_seat().await;
        let mut seen = Vec::new();
        loop {
            match ann.reader.next_on(channel).await {
                v1::stream_item::Item::Decision(decision) => {
                    let think_ms = Some(2);
                    let answer = v1::Answer { think_ms, ..answer_index(decision.id, 0) };
                    seen.push(v1::stream_item::Item::Decision(decision));
                    ann.send(vec![answer_item(channel, answer)]).await;
                }
                v1::stream_item::Item::Closed(_) => break,
                item => seen.push(item),
            }
        }
        // With simultaneous decisions the order of the answers is not deterministic. GAP has one decision at
        // a time.
        if *game == GameId::Gap {
            let id = client
                .new_table(with_seats(vec![crate::table_requests::open(), opponent], table(*game, 2)))
                .await;
            let token = client.join_table(crate::table_requests::join(&id)).await.expect("a seat").seat_token;
            let attach = crate::streams::with_wants(WANT_VIEWS, crate::streams::play_seat(&token));
            let player = play(&client, attach, |_: &v1::Decision| 0).await;
            let (agent, player) = (without_numbers(&seen), without_numbers(&player.items));
            let differs = agent.iter().zip(&player).find(|(agent, player)| agent != player);
            assert!(agent.len() > 10 && agent.len() == player.len() && differs.is_none(), "{differs:?}");
        }
        let hidden = |item: &v1::stream_item::Item| match item {
            v1::stream_item::Item::Decision(decision) => Some(decision.hidden),
            _ => None,
        };
        let asked: Vec<bool> = seen.iter().filter_map(hidden).collect();
        let times = find_agent(&client, &name).await.times.expect("times");
        let public = asked.iter().filter(|hidden| !**hidden).count();
        assert_eq!(times.answers as usize, public, "{game:?}: hidden answers are not counted");
        assert_eq!(times.reported_mean_us, Some(2_000));
    }
}

/// Game events and decisions without their numbers: a player's numbers include the update of its join.
fn without_numbers(items: &[v1::stream_item::Item]) -> Vec<v1::stream_item::Item> {
    use v1::stream_item::Item;
    let bare = |item: &Item| match item {
        Item::Update(update) if !update.events.is_empty() || update.decided.is_some() => {
            let (table_events, number) = (Vec::new(), 0);
            Some(Item::Update(v1::Update { table_events, number, ..update.clone() }))
        }
        Item::Decision(decision) => Some(Item::Decision(v1::Decision { after: 0, ..decision.clone() })),
        _ => None,
    };
    items.iter().filter_map(bare).collect()
}
