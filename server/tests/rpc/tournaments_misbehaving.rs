//! Tournaments with one misbehaving agent among two honest ones and a house bot. The games of the others have
//! the same results as without it and finish before any of its own, and the tournament ends.
//!
//! The clock stands still until the others have finished, and then advances only while the misbehaving agent
//! alone has open decisions.

use std::collections::BTreeMap;

use parlor_engine::GameId;
use parlor_proto::v1::{self, AgentState, ErrorReason as Reason, SeatFinish, stream_item::Item};
use parlor_server::config::{Agents, Count};
use parlor_testkit::check_standings;
use tokio::task::JoinHandle;

use crate::agent_client::{AgentClient, find_agent, hello};
use crate::client::Client;
use crate::streams::{answer_index, answer_item};
use crate::table_requests::clock;
use crate::test_server::{TestServer, ms, wait_until};
use crate::tournament_requests::{agent, house, round_robin, setup};

/// The entrant number of the misbehaving agent.
const BAD: u32 = 3;
/// Tables of the misbehaving agent in one rotation, and in both. The three others play as many among
/// themselves.
const TABLES_PER_ROTATION: usize = 6;
const TABLES: usize = 2 * TABLES_PER_ROTATION;
/// Start of the tournament in ms: for 30 s after the start of the server no seat counts as disconnected.
const START: u64 = 30_000;
const DECISION: u64 = 10_000;
const GRACE: u64 = 2_000;
const PATIENCE: u64 = 1_000;

/// By group and rotation: the entrants of a table, and the points, place and finish of each.
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

/// A started tournament in which the honest agents ann and ben play.
struct RunningTournament {
    server: TestServer,
    client: Client,
    id: String,
    honest: Vec<JoinHandle<AgentClient>>,
}

impl RunningTournament {
    /// Starts the tournament with the misbehaving agent connected.
    async fn start(change: impl FnOnce(&mut Agents)) -> (RunningTournament, AgentClient) {
        RunningTournament::start_with(hello("bad"), change).await
    }

    /// The same, with this hello of the misbehaving agent.
    async fn start_with(
        bad: v1::AgentHello,
        change: impl FnOnce(&mut Agents),
    ) -> (RunningTournament, AgentClient) {
        let server = TestServer::with_settings(|settings| {
            // Timeouts do not set an agent aside here: it must get every table.
            settings.agents.time_outs = Count::new(1_000);
            change(&mut settings.agents);
        })
        .await;
        server.advance_to(ms(START));
        let client = server.client();
        let mut honest = Vec::new();
        for name in ["ann", "ben"] {
            let mut agent = AgentClient::connect(&server.client_on_new_connection().await, hello(name)).await;
            honest.push(tokio::spawn(async move {
                agent.play(TABLES).await;
                agent
            }));
        }
        let bad = AgentClient::connect(&server.client_on_new_connection().await, bad).await;
        let setup = v1::TournamentSetup {
            entrants: vec![agent("ann"), agent("ben"), house("greedy"), agent("bad")],
            clock: Some(clock(DECISION as u32, 0, GRACE as u32, 1)),
            patience_ms: Some(PATIENCE as u32),
            ..setup(GameId::Gap, &[], round_robin(2))
        };
        let id = client.start_new_tournament(setup).await;
        (RunningTournament { server, client, id, honest }, bad)
    }

    /// The number of finished tables with the misbehaving agent, or without it.
    async fn tables_over(&self, bad: bool) -> usize {
        let tables = self.client.tournament_tables(&self.id).await;
        tables.iter().filter(|table| has_bad(table) == bad && table.over).count()
    }

    /// Waits until the others have finished all tables among themselves, and checks that none of the
    /// misbehaving agent's has.
    async fn wait_for_others(&self) {
        wait_until("the others' tables", async || self.tables_over(false).await == TABLES).await;
        assert_eq!(self.tables_over(true).await, 0, "the others did not wait for the misbehaving agent");
    }

    /// Follows the tournament to its end, compares the others' results with the undisturbed tournament, and
    /// returns the finishes of the misbehaving agent.
    async fn finish(self) -> BTreeMap<SeatFinish, usize> {
        let (_, standings) = self.client.follow_to_end(&self.id).await;
        let tables = self.client.tournament_tables(&self.id).await;
        check_standings(&standings, &tables, 2);
        assert_eq!(standings.groups_voided, 0);
        for honest in self.honest {
            crate::test_server::with_timeout(honest).await.expect("all tables played");
        }
        for name in ["ann", "ben"] {
            let times = find_agent(&self.client, name).await.times.expect("times");
            assert_eq!((times.refused, times.clocks_run_out), (0, 0), "{name}");
        }
        let expected = undisturbed_tables().await;
        let others = |table: &&v1::TournamentTable| !has_bad(table);
        assert_eq!(results(tables.iter().filter(others)), results(expected.iter().filter(others)));
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

/// The tables of the same tournament in which every agent plays.
async fn undisturbed_tables() -> Vec<v1::TournamentTable> {
    let (tournament, mut good) = RunningTournament::start(|_| {}).await;
    good.play(TABLES).await;
    tournament.client.follow_to_end(&tournament.id).await;
    tournament.client.tournament_tables(&tournament.id).await
}

#[tokio::test]
async fn agent_that_never_answers_times_out() {
    let (tournament, mut bad) = RunningTournament::start(|_| {}).await;
    tournament.wait_for_others().await;
    for _ in 0..2 {
        // First all first rotations, then all second ones.
        for _ in 0..TABLES_PER_ROTATION {
            bad.next_decision().await;
        }
        tournament.server.advance(ms(DECISION));
    }
    assert_eq!(tournament.finish().await, BTreeMap::from([(SeatFinish::TimedOut, TABLES)]));
}

/// The agent takes one table at a time, and no second rotation starts before all first ones have: it delays
/// the others until it is set aside for its timeouts. The remaining tables are then played without it.
#[tokio::test]
async fn silent_agent_with_one_table_is_set_aside() {
    let one = v1::AgentHello { max_tables: 1, ..hello("bad") };
    let (tournament, mut bad) = RunningTournament::start_with(one, |agents| {
        agents.time_outs = Count::new(TABLES_PER_ROTATION as u32);
    })
    .await;
    wait_until("the others' first tables", async || {
        tournament.tables_over(false).await == TABLES_PER_ROTATION
    })
    .await;
    for lost in 0..TABLES_PER_ROTATION {
        assert_eq!(tournament.tables_over(true).await, lost);
        bad.next_decision().await;
        if lost + 1 == TABLES_PER_ROTATION {
            // The last of its first tables has started; the others need not wait for its end.
            wait_until("the others' tables", async || tournament.tables_over(false).await == TABLES).await;
        }
        tournament.server.advance(ms(DECISION));
        wait_until("its table", async || tournament.tables_over(true).await == lost + 1).await;
    }
    assert_eq!(find_agent(&tournament.client, "bad").await.state(), AgentState::SetAside);
    let patience_end = START + DECISION * TABLES_PER_ROTATION as u64 + PATIENCE;
    tournament.server.advance_to_deadline(ms(patience_end)).await;
    tournament.server.advance_to(ms(patience_end));
    let finishes = [(SeatFinish::TimedOut, TABLES_PER_ROTATION), (SeatFinish::SetAside, TABLES_PER_ROTATION)];
    assert_eq!(tournament.finish().await, BTreeMap::from(finishes));
}

#[tokio::test]
async fn agent_with_illegal_answers_times_out() {
    let (tournament, mut bad) = RunningTournament::start(|agents| agents.refused = Count::new(1_000)).await;
    tournament.wait_for_others().await;
    for _ in 0..2 {
        for _ in 0..TABLES_PER_ROTATION {
            let (channel, decision) = bad.next_decision().await;
            for _ in 0..3 {
                let refused = bad.answer(channel, answer_index(decision, 1_000)).await;
                assert_eq!(refused.refusal.expect("a reason").reason(), Reason::IllegalAction);
            }
        }
        tournament.server.advance(ms(DECISION));
    }
    assert_eq!(find_agent(&tournament.client, "bad").await.times.expect("times").refused, 3 * TABLES as u32);
    assert_eq!(tournament.finish().await, BTreeMap::from([(SeatFinish::TimedOut, TABLES)]));
}

/// The agent plays, and also answers on unknown channels and for unknown decisions.
#[tokio::test]
async fn answers_for_unknown_channels_and_decisions_change_no_game() {
    let (tournament, mut bad) = RunningTournament::start(|agents| agents.refused = Count::new(1_000)).await;
    let (mut closed, mut wrong) = (0, 0);
    while closed < TABLES {
        match bad.reader.next().await {
            (channel, Item::Decision(decision)) => {
                wrong += 3;
                bad.send(vec![
                    answer_item(channel + 1_000, answer_index(decision.id, 0)),
                    answer_item(channel, answer_index(decision.id + 1, 0)),
                    answer_item(channel + 1_001, answer_index(1, 0)),
                    answer_item(channel, answer_index(decision.id, 0)),
                ])
                .await;
            }
            (_, Item::Closed(end)) if end.reason() == Reason::Unspecified => closed += 1,
            _ => {}
        }
    }
    let times = find_agent(&tournament.client, "bad").await.times.expect("times");
    assert_eq!((times.refused, times.clocks_run_out), (wrong, 0));
    let (_, standings) = tournament.client.follow_to_end(&tournament.id).await;
    let tables = tournament.client.tournament_tables(&tournament.id).await;
    check_standings(&standings, &tables, 2);
    assert_eq!(results(&tables), results(&undisturbed_tables().await), "its own games are unaffected, too");
}

/// The agent floods the server, does not read, and reconnects when it is cut off.
#[tokio::test]
async fn flooding_agent_is_set_aside() {
    let (tournament, bad) = RunningTournament::start(|_| {}).await;
    drop(bad);
    let url = tournament.server.url();
    let flood = tokio::spawn(async move {
        loop {
            let stranger = Client::new(crate::test_server::connect(&url).await, None);
            let mut bad = AgentClient::connect(&stranger, hello("bad")).await;
            for _ in 0..8 {
                bad.send(vec![answer_item(3, answer_index(7, 7)); 1_024]).await;
            }
        }
    });
    tournament.wait_for_others().await;
    let client = tournament.client.clone();
    wait_until("it to be set aside", async || {
        find_agent(&client, "bad").await.state() == AgentState::SetAside
    })
    .await;
    flood.abort();
    assert!(flood.await.is_err_and(|error| error.is_cancelled()), "the flood task ended early");
    // Its running tables still wait for it; its clocks run out there, and the set-aside is over by then.
    let mut bad =
        AgentClient::connect(&tournament.server.client_on_new_connection().await, hello("bad")).await;
    assert!(bad.welcome.set_aside.is_some());
    for _ in 0..2 {
        for _ in 0..TABLES_PER_ROTATION {
            bad.next_decision().await;
        }
        tournament.server.advance(ms(DECISION));
    }
    assert_eq!(tournament.finish().await, BTreeMap::from([(SeatFinish::TimedOut, TABLES)]));
}

#[tokio::test]
async fn agent_that_keeps_disconnecting_is_set_aside() {
    let (tournament, mut bad) = RunningTournament::start(|_| {}).await;
    let client = tournament.client.clone();
    bad.next_seat().await;
    loop {
        drop(bad);
        wait_until("it to be gone", async || find_agent(&client, "bad").await.last_seen_time.is_some()).await;
        if find_agent(&client, "bad").await.state() == AgentState::SetAside {
            break;
        }
        bad = AgentClient::connect(&tournament.server.client_on_new_connection().await, hello("bad")).await;
        bad.next_seat().await;
    }
    tournament.wait_for_others().await;
    // It connects once more until it has a decision at each of its tables, and then never again.
    bad = AgentClient::connect(&tournament.server.client_on_new_connection().await, hello("bad")).await;
    for _ in 0..TABLES_PER_ROTATION {
        bad.next_decision().await;
    }
    drop(bad);
    wait_until("it to be gone", async || find_agent(&client, "bad").await.last_seen_time.is_some()).await;
    let forfeit = START + GRACE + DECISION;
    tournament.server.advance_to(ms(forfeit));
    wait_until("its tables", async || {
        client.standings(&tournament.id).await.tables_over == (TABLES + TABLES_PER_ROTATION) as u32
    })
    .await;
    tournament.server.advance_to_deadline(ms(forfeit + PATIENCE)).await;
    tournament.server.advance_to(ms(forfeit + PATIENCE));
    let finishes =
        [(SeatFinish::Disconnected, TABLES_PER_ROTATION), (SeatFinish::SetAside, TABLES_PER_ROTATION)];
    assert_eq!(tournament.finish().await, BTreeMap::from(finishes));
}

/// Two programs under one name replace each other during their games: the results are those of one program.
#[tokio::test]
async fn agent_replaced_by_its_own_reconnects_plays_every_game() {
    let (tournament, mut bad) = RunningTournament::start(|_| {}).await;
    for _ in 0..8 {
        for _ in 0..5 {
            let (channel, decision) = bad.next_decision().await;
            bad.send(vec![answer_item(channel, answer_index(decision, 0))]).await;
        }
        let next =
            AgentClient::connect(&tournament.server.client_on_new_connection().await, hello("bad")).await;
        let ending = bad.reader.ending().await.expect("a graceful end").expect("a reason");
        assert_eq!(ending.reason(), Reason::AgentReplaced);
        bad = next;
    }
    let rest = async {
        loop {
            let (channel, decision) = bad.next_decision().await;
            bad.send(vec![answer_item(channel, answer_index(decision, 0))]).await;
        }
    };
    let (_, standings) = tokio::select! {
        end = tournament.client.follow_to_end(&tournament.id) => end,
        () = rest => unreachable!("the agent plays until the tournament ends"),
    };
    let tables = tournament.client.tournament_tables(&tournament.id).await;
    check_standings(&standings, &tables, 2);
    assert_eq!(results(&tables), results(&undisturbed_tables().await));
}
