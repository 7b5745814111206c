//! Tournaments with an agent that misbehaves, each in its own way, among two that play, and the house. Nothing of it reaches the
//! others: their games end as they do without it, before its own have moved at all, and the tournament comes to its end.
//!
//! Time stands still until the others are done, and then moves only while nobody but the one who misbehaves is waited for.

use std::collections::BTreeMap;

use parlor_engine::GameId;
use parlor_proto::v1::{self, AgentState, ErrorReason as Reason, SeatFinish, stream_item::Item};
use parlor_server::config::{Agents, Count};
use tokio::task::JoinHandle;

use crate::agent_client::{Agent, hello, listed};
use crate::client::Caller;
use crate::standings_check::check_sums;
use crate::streams::{answering, index};
use crate::table_requests::clock;
use crate::test_server::{Scene, ms, until};
use crate::tournament_requests::{agent, house, round_robin, setup};

/// The place of the one who misbehaves among the entrants.
const BAD: u32 = 3;
/// How many tables of one rotation the bad one has a seat at, and how many in all; the three others play as many among
/// themselves.
const AT_ONCE: usize = 6;
const IN_ALL: usize = 2 * AT_ONCE;
/// When the tournament begins: for a while after the server has started, nobody counts as away.
const START: u64 = 30_000;
const DECISION: u64 = 10_000;
const GRACE: u64 = 2_000;
const PATIENCE: u64 = 1_000;

/// By group and rotation: who sat there, and the points, the place and the end of each.
type Results = BTreeMap<(u32, u32), (Vec<u32>, Vec<(i32, u32, SeatFinish)>)>;

fn results<'a>(tables: impl IntoIterator<Item = &'a v1::TournamentTable>) -> Results {
    let seat = |seat: &v1::SeatResult| (seat.points, seat.place, seat.finish());
    let row = |table: &v1::TournamentTable| {
        let place = (table.group, table.rotation);
        (place, (table.entrants.clone(), table.results.iter().map(seat).collect()))
    };
    tables.into_iter().map(row).collect()
}

fn has_bad(table: &v1::TournamentTable) -> bool {
    table.entrants.contains(&BAD)
}

/// A tournament that has begun, in which ann and ben play.
struct Field {
    scene: Scene,
    caller: Caller,
    id: String,
    honest: Vec<JoinHandle<Agent>>,
}

impl Field {
    /// Begins, with the bad agent connected.
    async fn begin(change: impl FnOnce(&mut Agents)) -> (Field, Agent) {
        Field::begin_with(hello("bad"), change).await
    }

    /// The same, with what the bad agent says of itself.
    async fn begin_with(bad: v1::AgentHello, change: impl FnOnce(&mut Agents)) -> (Field, Agent) {
        let scene = Scene::with(|settings| {
            // How often its clock runs out is no reason here to set an agent aside: it is to have every table.
            settings.agents.time_outs = Count::of(1_000);
            change(&mut settings.agents);
        })
        .await;
        scene.advance_to(ms(START));
        let caller = scene.anyone();
        let mut honest = Vec::new();
        for name in ["ann", "ben"] {
            let mut agent = Agent::connect(&scene.stranger().await, hello(name)).await;
            honest.push(tokio::spawn(async move {
                agent.play(IN_ALL).await;
                agent
            }));
        }
        let bad = Agent::connect(&scene.stranger().await, bad).await;
        let setup = v1::TournamentSetup {
            entrants: vec![agent("ann"), agent("ben"), house("greedy"), agent("bad")],
            clock: Some(clock(DECISION as u32, 0, GRACE as u32, 1)),
            patience_ms: Some(PATIENCE as u32),
            ..setup(GameId::Gap, &[], round_robin(2))
        };
        let id = caller.begin(setup).await;
        (Field { scene, caller, id, honest }, bad)
    }

    /// How many tables of the bad one are over, or of the others among themselves.
    async fn over(&self, bad: bool) -> usize {
        let tables = self.caller.tables_of(&self.id).await;
        tables.iter().filter(|table| has_bad(table) == bad && table.over).count()
    }

    /// Waits until those who play have played all tables among themselves. The bad one's stand where they stood.
    async fn others_are_done(&self) {
        until("the others' tables", async || self.over(false).await == IN_ALL).await;
        assert_eq!(self.over(true).await, 0, "nobody has waited for the one who misbehaves");
    }

    /// Plays on to the end, and compares with the tournament in which nobody misbehaves. Gives how the tables of the bad one
    /// ended for it.
    async fn ends(self) -> BTreeMap<SeatFinish, usize> {
        let (_, standings) = self.caller.to_the_end(&self.id).await;
        let tables = self.caller.tables_of(&self.id).await;
        check_sums(&standings, &tables, 2);
        assert_eq!(standings.groups_voided, 0);
        for honest in self.honest {
            crate::test_server::soon(honest).await.expect("all tables were played");
        }
        for name in ["ann", "ben"] {
            let times = listed(&self.caller, name).await.times.expect("times");
            assert_eq!((times.refused, times.clocks_run_out), (0, 0), "{name}");
        }
        let calm = undisturbed().await;
        let others = |table: &&v1::TournamentTable| !has_bad(table);
        assert_eq!(results(tables.iter().filter(others)), results(calm.iter().filter(others)));
        let mut finishes = BTreeMap::new();
        for table in tables.iter().filter(|table| has_bad(table)) {
            for (who, result) in table.entrants.iter().zip(&table.results) {
                if *who == BAD {
                    *finishes.entry(result.finish()).or_default() += 1;
                } else {
                    assert_eq!((result.finish(), result.place), (SeatFinish::PlayedOut, 1), "{table:?}");
                }
            }
        }
        finishes
    }
}

/// The tables of the same tournament, if nobody misbehaves.
async fn undisturbed() -> Vec<v1::TournamentTable> {
    let (field, mut good) = Field::begin(|_| {}).await;
    good.play(IN_ALL).await;
    field.caller.to_the_end(&field.id).await;
    field.caller.tables_of(&field.id).await
}

#[tokio::test]
async fn one_that_never_answers() {
    let (field, mut bad) = Field::begin(|_| {}).await;
    field.others_are_done().await;
    for _ in 0..2 {
        // All first rotations wait for it, and after those all second ones.
        for _ in 0..AT_ONCE {
            bad.asked().await;
        }
        field.scene.advance(ms(DECISION));
    }
    assert_eq!(field.ends().await, BTreeMap::from([(SeatFinish::TimedOut, IN_ALL)]));
}

/// It has room for one table, and nobody's second rotation begins before its first ones have: it holds the others up, but only
/// until its clock has run out so often that it is set aside. What is left is then played without it.
#[tokio::test]
async fn one_that_never_answers_and_takes_one_table_at_a_time() {
    let one = v1::AgentHello { max_tables: 1, ..hello("bad") };
    let (field, mut bad) =
        Field::begin_with(one, |agents| agents.time_outs = Count::of(AT_ONCE as u32)).await;
    until("the others' first tables", async || field.over(false).await == AT_ONCE).await;
    for lost in 0..AT_ONCE {
        assert_eq!(field.over(true).await, lost);
        bad.asked().await;
        if lost + 1 == AT_ONCE {
            // The last of its first tables has begun, and the others need not wait for its end.
            until("the others' tables", async || field.over(false).await == IN_ALL).await;
        }
        field.scene.advance(ms(DECISION));
        until("its table", async || field.over(true).await == lost + 1).await;
    }
    assert_eq!(listed(&field.caller, "bad").await.state(), AgentState::SetAside);
    let given_up = START + DECISION * AT_ONCE as u64 + PATIENCE;
    field.scene.sleeps_until(ms(given_up)).await;
    field.scene.advance_to(ms(given_up));
    let finishes = [(SeatFinish::TimedOut, AT_ONCE), (SeatFinish::SetAside, AT_ONCE)];
    assert_eq!(field.ends().await, BTreeMap::from(finishes));
}

#[tokio::test]
async fn one_that_answers_against_the_rules() {
    let (field, mut bad) = Field::begin(|agents| agents.refused = Count::of(1_000)).await;
    field.others_are_done().await;
    for _ in 0..2 {
        for _ in 0..AT_ONCE {
            let (channel, decision) = bad.asked().await;
            for _ in 0..3 {
                let refused = bad.answer(channel, index(decision, 1_000)).await;
                assert_eq!(refused.refusal.expect("a reason").reason(), Reason::IllegalAction);
            }
        }
        field.scene.advance(ms(DECISION));
    }
    assert_eq!(listed(&field.caller, "bad").await.times.expect("times").refused, 3 * IN_ALL as u64);
    assert_eq!(field.ends().await, BTreeMap::from([(SeatFinish::TimedOut, IN_ALL)]));
}

/// It plays, and besides says something for tables that are not its own, and for decisions that are not there.
#[tokio::test]
async fn one_that_answers_for_other_tables() {
    let (field, mut bad) = Field::begin(|agents| agents.refused = Count::of(1_000)).await;
    let (mut closed, mut wrong) = (0, 0);
    while closed < IN_ALL {
        match bad.heard.next().await {
            (channel, Item::Decision(decision)) => {
                wrong += 3;
                bad.say(vec![
                    answering(channel + 1_000, index(decision.id, 0)),
                    answering(channel, index(decision.id + 1, 0)),
                    answering(channel + 1_001, index(1, 0)),
                    answering(channel, index(decision.id, 0)),
                ])
                .await;
            }
            (_, Item::Closed(end)) if end.reason() == Reason::Unspecified => closed += 1,
            _ => {}
        }
    }
    let times = listed(&field.caller, "bad").await.times.expect("times");
    assert_eq!((times.refused, times.clocks_run_out), (wrong, 0));
    let (_, standings) = field.caller.to_the_end(&field.id).await;
    let tables = field.caller.tables_of(&field.id).await;
    check_sums(&standings, &tables, 2);
    assert_eq!(results(&tables), results(&undisturbed().await), "not even its own games are hurt");
}

/// It sends as much as it can, reads nothing, and comes again when it is cut off.
#[tokio::test]
async fn one_that_floods() {
    let (field, bad) = Field::begin(|_| {}).await;
    drop(bad);
    let url = field.scene.url();
    let flood = tokio::spawn(async move {
        loop {
            let stranger = Caller::new(crate::test_server::connect(&url).await, None);
            let mut bad = Agent::connect(&stranger, hello("bad")).await;
            for _ in 0..8 {
                bad.say(vec![answering(3, index(7, 7)); 1_024]).await;
            }
        }
    });
    field.others_are_done().await;
    let caller = field.caller.clone();
    until("it to be set aside", async || listed(&caller, "bad").await.state() == AgentState::SetAside).await;
    flood.abort();
    assert!(flood.await.is_err_and(|error| error.is_cancelled()), "it was let in every time");
    // It is still waited for where it sits; and it is healthy again when its clocks have run out there.
    let mut bad = Agent::connect(&field.scene.stranger().await, hello("bad")).await;
    assert!(bad.welcome.set_aside.is_some());
    for _ in 0..2 {
        for _ in 0..AT_ONCE {
            bad.asked().await;
        }
        field.scene.advance(ms(DECISION));
    }
    assert_eq!(field.ends().await, BTreeMap::from([(SeatFinish::TimedOut, IN_ALL)]));
}

#[tokio::test]
async fn one_that_dies_at_once_again_and_again() {
    let (field, mut bad) = Field::begin(|_| {}).await;
    let caller = field.caller.clone();
    bad.given().await;
    loop {
        drop(bad);
        until("it to be gone", async || listed(&caller, "bad").await.last_seen_time.is_some()).await;
        if listed(&caller, "bad").await.state() == AgentState::SetAside {
            break;
        }
        bad = Agent::connect(&field.scene.stranger().await, hello("bad")).await;
        bad.given().await;
    }
    field.others_are_done().await;
    // Once more, until it is asked at every table that it sits at; then never again.
    bad = Agent::connect(&field.scene.stranger().await, hello("bad")).await;
    for _ in 0..AT_ONCE {
        bad.asked().await;
    }
    drop(bad);
    until("it to be gone", async || listed(&caller, "bad").await.last_seen_time.is_some()).await;
    let lost = START + GRACE + DECISION;
    field.scene.advance_to(ms(lost));
    until("its tables", async || caller.standings(&field.id).await.tables_over == (IN_ALL + AT_ONCE) as u32)
        .await;
    field.scene.sleeps_until(ms(lost + PATIENCE)).await;
    field.scene.advance_to(ms(lost + PATIENCE));
    let finishes = [(SeatFinish::Disconnected, AT_ONCE), (SeatFinish::SetAside, AT_ONCE)];
    assert_eq!(field.ends().await, BTreeMap::from(finishes));
}

/// Two programs under one name, each taking the other's place in the middle of its games: every game is played as by one.
#[tokio::test]
async fn one_that_connects_twice_under_one_name() {
    let (field, mut bad) = Field::begin(|_| {}).await;
    for _ in 0..8 {
        for _ in 0..5 {
            let (channel, decision) = bad.asked().await;
            bad.say(vec![answering(channel, index(decision, 0))]).await;
        }
        let next = Agent::connect(&field.scene.stranger().await, hello("bad")).await;
        let ending = bad.heard.ending().await.expect("an end in good order").expect("a reason");
        assert_eq!(ending.reason(), Reason::AgentReplaced);
        bad = next;
    }
    let rest = async {
        loop {
            let (channel, decision) = bad.asked().await;
            bad.say(vec![answering(channel, index(decision, 0))]).await;
        }
    };
    let (_, standings) = tokio::select! {
        end = field.caller.to_the_end(&field.id) => end,
        () = rest => unreachable!("it plays for as long as it is asked"),
    };
    let tables = field.caller.tables_of(&field.id).await;
    check_sums(&standings, &tables, 2);
    assert_eq!(results(&tables), results(&undisturbed().await));
}
