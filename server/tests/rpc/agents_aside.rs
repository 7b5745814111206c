//! Agents that misbehave: they are set aside with the reason, come back when they are healthy, and hurt nobody else.

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, AgentState, AnswerStatus, ErrorReason as Reason, SetAsideReason as Why, TableState,
};
use parlor_server::config::{Agents, Count, Span};
use parlor_store::{LogFilter, LogKind, PageRequest};

use crate::agent::{Agent, agent_seat, hello, listed, seats};
use crate::agents::for_agents;
use crate::ask::{clock, gap, house, table, timed};
use crate::caller::{Caller, why};
use crate::line::{answering, index};
use crate::playing::{VIEWS, play};
use crate::restart::{crash, restart, stored};
use crate::scene::{Scene, ms, until};

const AN_HOUR: u64 = 3_600_000;

/// A server on which little is enough to be set aside, for a long time.
async fn strict(change: impl FnOnce(&mut Agents)) -> Scene {
    Scene::with(|settings| {
        settings.agents = Agents {
            time_outs: Count::new(2),
            refused: Count::new(3),
            breaks: Count::new(3),
            slow: Count::new(2),
            aside_first: Span::from_ms(AN_HOUR),
            aside_longest: Span::from_ms(2 * AN_HOUR),
            ..Agents::default()
        };
        change(&mut settings.agents);
    })
    .await
}

/// Waits until the agent is set aside, for this reason.
async fn set_aside(caller: &Caller, name: &str, reason: Why) -> v1::SetAside {
    until("the agent to be set aside", async || listed(caller, name).await.state() == AgentState::SetAside)
        .await;
    let aside = listed(caller, name).await.set_aside.expect("a reason");
    assert_eq!(aside.reason(), reason);
    assert!(!aside.message.is_empty());
    aside
}

fn seconds(aside: &v1::SetAside) -> i64 {
    let seconds = |time: &Option<prost_types::Timestamp>| time.as_ref().expect("a time").seconds;
    seconds(&aside.until_time) - seconds(&aside.since_time)
}

/// The agent gets no seats now, and gets them again when its time is over.
async fn comes_back(scene: &Scene, name: &str) {
    let caller = scene.anyone();
    let request = || for_agents(&[name, name]);
    assert_eq!(why(caller.create_table(request()).await), Reason::AgentUnavailable);
    scene.advance(ms(2 * AN_HOUR));
    let mut agent = Agent::connect(&caller, hello(name)).await;
    assert_eq!(agent.welcome.set_aside, None);
    assert_eq!(listed(&caller, name).await.state(), AgentState::Here);
    let had = agent.welcome.seats;
    for _ in 0..had {
        agent.given().await;
    }
    let id = caller.make(request()).await;
    assert_eq!(agent.given().await.1.table_id, id);
}

#[tokio::test]
async fn whoever_never_answers() {
    let scene = strict(|_| {}).await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let request = seats(vec![agent_seat("ann"), house("random")], gap(2));
    let id = caller.make(timed(clock(1_000, 0, 0, 100), request)).await;
    let (channel, _) = ann.given().await;
    for times in 1..=2 {
        ann.heard.decision(channel).await;
        scene.advance(ms(1_000));
        let ran_out = ann.heard.event(channel, |event| match event {
            v1::table_event::Event::ClockRanOut(ran_out) => Some(ran_out.times),
            _ => None,
        });
        assert_eq!(ran_out.await, times);
    }
    let aside = set_aside(&caller, "ann", Why::TimedOut).await;
    assert_eq!(seconds(&aside), 3_600);
    assert_eq!(listed(&caller, "ann").await.times.expect("times").clocks_run_out, 2);
    // It may still play the seat that it has.
    let decision = ann.heard.decision(channel).await;
    let answered = ann.answer(channel, index(decision.id, 0)).await;
    assert_eq!(answered.status(), AnswerStatus::Accepted);
    assert_eq!(caller.look(&id).await.state(), TableState::Playing);
    comes_back(&scene, "ann").await;
}

#[tokio::test]
async fn whoever_answers_against_the_rules() {
    let scene = strict(|_| {}).await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    caller.make(seats(vec![agent_seat("ann"), house("random")], gap(2))).await;
    let (channel, _) = ann.given().await;
    let decision = ann.heard.decision(channel).await;
    for _ in 0..2 {
        let refused = ann.answer(channel, index(decision.id, 1_000)).await;
        assert_eq!(refused.refusal.expect("a reason").reason(), Reason::IllegalAction);
    }
    let refused = ann.answer(channel, index(decision.id + 1, 0)).await;
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::DecisionNotFound);
    set_aside(&caller, "ann", Why::BrokeRules).await;
    assert_eq!(ann.answer(channel, index(decision.id, 0)).await.status(), AnswerStatus::Accepted);
    let times = listed(&caller, "ann").await.times.expect("times");
    assert_eq!((times.answers, times.refused), (1, 3));
    comes_back(&scene, "ann").await;
}

/// Whoever is connected learns at once that it is set aside, and why: not only when it comes back.
#[tokio::test]
async fn whoever_is_set_aside_is_told_at_once() {
    let scene = strict(|_| {}).await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    assert_eq!(ann.welcome.set_aside, None);
    for times in 1..=2 {
        for _ in 0..3 {
            ann.answer(9, index(1, 0)).await;
        }
        let told = ann.set_aside().await;
        assert_eq!(told.reason(), Why::BrokeRules);
        assert_eq!(
            (Some(&told), seconds(&told)),
            (listed(&caller, "ann").await.set_aside.as_ref(), times * 3_600)
        );
        assert_eq!(ann.asides.lock().expect("a lock").len(), 0, "once");
        scene.advance(ms(AN_HOUR * times as u64));
    }
    assert_eq!(listed(&caller, "ann").await.state(), AgentState::Here);
}

#[tokio::test]
async fn whoever_answers_for_other_tables_is_refused_and_at_last_sent_away() {
    let scene = strict(|_| {}).await;
    let caller = scene.anyone();
    let mut good = Agent::connect(&caller, hello("good")).await;
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    caller.make(for_agents(&["good", "good"])).await;
    let (channel, _) = good.given().await;
    for _ in 0..3 {
        // The number of somebody else's channel means nothing here.
        let refused = ann.answer(channel, index(1, 0)).await;
        assert_eq!(refused.refusal.expect("a reason").reason(), Reason::Protocol);
    }
    set_aside(&caller, "ann", Why::BrokeRules).await;
    ann.say(vec![answering(channel, v1::Answer::default()); 27]).await;
    let ending = ann.heard.ending().await.expect("an end in good order").expect("a reason");
    assert_eq!(ending.reason(), Reason::Protocol);
    good.play(2).await;
}

#[tokio::test]
async fn whoever_breaks_off_while_it_plays() {
    let scene = strict(|_| {}).await;
    let caller = scene.anyone();
    let gone = async || {
        until("the agent to be gone", async || listed(&caller, "ann").await.last_seen_time.is_some()).await;
    };
    for _ in 0..5 {
        // Nothing is lost by it: it was not playing.
        drop(Agent::connect(&caller, hello("ann")).await);
        gone().await;
    }
    let ann = Agent::connect(&caller, hello("ann")).await;
    caller.make(for_agents(&["ann", "ann"])).await;
    drop(ann);
    gone().await;
    for _ in 0..2 {
        assert_eq!(listed(&caller, "ann").await.state(), AgentState::Gone);
        // To end one's side is to be gone, too.
        let mut ann = Agent::connect(&caller, hello("ann")).await;
        ann.finish();
        ann.heard.ending().await.expect("an end");
        gone().await;
    }
    set_aside(&caller, "ann", Why::BrokeOff).await;
    let ann = Agent::connect(&caller, hello("ann")).await;
    assert_eq!(ann.welcome.set_aside.as_ref().expect("a reason").reason(), Why::BrokeOff);
    assert_eq!(ann.welcome.seats, 2, "it goes on with what it has");
    comes_back(&scene, "ann").await;
}

#[tokio::test]
async fn whoever_floods_and_does_not_read() {
    let agents = Agents {
        slow: Count::new(2),
        refused: Count::new(10_000),
        aside_first: Span::from_ms(AN_HOUR),
        ..Agents::default()
    };
    let scene = Scene::with(|settings| {
        settings.agents = agents;
        settings.limits.reader_queue = Count::new(16);
    })
    .await;
    let caller = scene.anyone();
    for _ in 0..2 {
        let mut ann = Agent::connect(&caller, hello("ann")).await;
        ann.say(vec![answering(9, index(1, 0)); 1024]).await;
        let ending = ann.heard.ending().await.expect("an end in good order").expect("a reason");
        assert_eq!(ending.reason(), Reason::TooSlow);
        until("it to be gone", async || listed(&caller, "ann").await.last_seen_time.is_some()).await;
    }
    set_aside(&caller, "ann", Why::TooSlow).await;
    comes_back(&scene, "ann").await;
}

/// Each time is twice as long as the one before, and all of it outlives the server.
#[tokio::test]
async fn being_set_aside_grows_and_outlives_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = stored(folder.path()).await;
    let entries = async |scene: &Scene, length: usize| {
        until("it to be stored", async || {
            let filter = LogFilter { kind: LogKind::Agent, ..LogFilter::default() };
            let page = scene.log.list_tables(filter, PageRequest { after: None, size: 2 }).await.expect("a page");
            let read = scene.log.read(page.tables[0].id, 0).await.expect("a log");
            page.tables.len() == 1 && read.len() == length
        })
        .await;
    };
    let misbehave = async |scene: &Scene| {
        let mut ann = Agent::connect(&scene.anyone(), hello("ann")).await;
        for _ in 0..20 {
            ann.answer(9, index(1, 0)).await;
        }
        set_aside(&scene.anyone(), "ann", Why::BrokeRules).await
    };
    let first = misbehave(&scene).await;
    assert_eq!(seconds(&first), 10);
    entries(&scene, 3).await;
    let scene = restart(scene, folder.path(), ms(0)).await;
    assert_eq!(listed(&scene.anyone(), "ann").await.set_aside, Some(first));
    scene.advance(ms(10_000));
    let gone = listed(&scene.anyone(), "ann").await;
    assert_eq!((gone.state(), gone.version.as_str(), gone.games.len()), (AgentState::Gone, "1", 4));
    assert_eq!(seconds(&misbehave(&scene).await), 20);
    entries(&scene, 4).await;
    let other = v1::AgentHello { agent_key: vec![8; 32], ..hello("ann") };
    let taken = Agent::try_connect(&scene.anyone(), other).await.map(drop);
    assert_eq!(why(taken), Reason::AgentNameTaken, "the name has outlived the server, too");
    let scene = restart(scene, folder.path(), ms(700_000)).await;
    assert_eq!(seconds(&misbehave(&scene).await), 10, "it has behaved for long enough");
}

#[tokio::test]
async fn seats_are_given_again_after_the_server_went_down_and_after_it_was_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut scene = stored(folder.path()).await;
    scene.folder = Some(folder.path().to_owned());
    let caller = scene.anyone();
    let ann = Agent::connect(&caller, hello("ann")).await;
    let mut ids = Vec::new();
    for game in GameId::ALL {
        let agents = seats(vec![agent_seat("ann"), agent_seat("ann")], table(*game, 2));
        ids.push(caller.make(timed(clock(60_000, 0, 60_000, 1), agents)).await);
    }
    drop((ann, caller));
    let scene = restart(scene, folder.path(), ms(1_000_000)).await;
    let mut scene = scene;
    scene.folder = Some(folder.path().to_owned());
    let mut ann = Agent::connect(&scene.anyone(), hello("ann")).await;
    assert_eq!(ann.welcome.seats as usize, 2 * ids.len());
    let (channel, given) = ann.given().await;
    assert!(ids.contains(&given.table_id));
    ann.heard.snapshot(channel).await;
    drop(ann);
    let (scene, _copy) = crash(scene, ms(1_000_000)).await;
    let mut ann = Agent::connect(&scene.anyone(), hello("ann")).await;
    assert_eq!(ann.welcome.seats as usize, 2 * ids.len());
    ann.play(2 * ids.len()).await;
    for id in &ids {
        let over = scene.anyone().look(id).await;
        let result = over.result.expect("a result");
        assert!(result.seats.iter().all(|seat| seat.finish() == v1::SeatFinish::PlayedOut), "{result:?}");
    }
}

/// Those who misbehave, all at once, beside two that play.
#[tokio::test]
async fn others_are_not_hurt() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let mut ben = Agent::connect(&caller, hello("ben")).await;
    let mut silent = Agent::connect(&caller, hello("silent")).await;
    let flood = async {
        for _ in 0..20 {
            let stranger = scene.stranger().await;
            let mut bad = Agent::connect(&stranger, hello("bad")).await;
            bad.say(vec![answering(3, index(7, 7)); 1024]).await;
            // Whether it was cut off already, or just goes, is its own affair.
            drop(bad);
        }
    };
    let games = async {
        for _ in 0..5 {
            caller.make(for_agents(&["ann", "ben"])).await;
            caller.make(for_agents(&["silent", "silent"])).await;
        }
    };
    tokio::join!(flood, games, ann.play(5), ben.play(5));
    for name in ["ann", "ben", "silent"] {
        assert_eq!(listed(&caller, name).await.state(), AgentState::Here, "{name}");
    }
    assert_eq!(silent.given().await.1.seat, 0);
    let good = listed(&caller, "ann").await.times.expect("times");
    assert_eq!((good.refused, good.clocks_run_out), (0, 0));
}

/// An agent is told what a player would be, and listing it tells nothing of decisions that are a secret.
#[tokio::test]
async fn an_agent_is_told_what_a_player_is_told() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    for game in GameId::ALL {
        let name = format!("ann.{}", game.info().id);
        let mut ann = Agent::connect(&caller, v1::AgentHello { wants: Some(VIEWS), ..hello(&name) }).await;
        let opponent = house("random");
        caller.make(seats(vec![agent_seat(&name), opponent.clone()], table(*game, 2))).await;
        let (channel, _) = ann.given().await;
        let mut seen = Vec::new();
        loop {
            match ann.heard.on(channel).await {
                v1::stream_item::Item::Decision(decision) => {
                    let think_ms = Some(2);
                    let answer = v1::Answer { think_ms, ..index(decision.id, 0) };
                    seen.push(v1::stream_item::Item::Decision(decision));
                    ann.say(vec![answering(channel, answer)]).await;
                }
                v1::stream_item::Item::Closed(_) => break,
                item => seen.push(item),
            }
        }
        // Where several seats are asked at once, the order of their answers is anybody's. In GAP one seat begins.
        if *game == GameId::Gap {
            let id = caller.make(seats(vec![crate::ask::open(), opponent], table(*game, 2))).await;
            let token = caller.join_table(crate::ask::join(&id)).await.expect("a seat").seat_token;
            let attach = crate::line::wanting(VIEWS, crate::line::seat(&token));
            let player = play(&caller, attach, |_: &v1::Decision| 0).await;
            let (agent, player) = (told(&seen), told(&player.items));
            let differs = agent.iter().zip(&player).find(|(agent, player)| agent != player);
            assert!(agent.len() > 10 && agent.len() == player.len() && differs.is_none(), "{differs:?}");
        }
        let hidden = |item: &v1::stream_item::Item| match item {
            v1::stream_item::Item::Decision(decision) => Some(decision.hidden),
            _ => None,
        };
        let asked: Vec<bool> = seen.iter().filter_map(hidden).collect();
        let times = listed(&caller, &name).await.times.expect("times");
        let public = asked.iter().filter(|hidden| !**hidden).count();
        assert_eq!(times.answers as usize, public, "{game:?}: secret answers are not counted");
        assert_eq!(times.reported_mean_us, Some(2_000));
    }
}

/// What happened in the game and what was asked, without numbers: a player has joined before, which is an update.
fn told(items: &[v1::stream_item::Item]) -> Vec<v1::stream_item::Item> {
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
