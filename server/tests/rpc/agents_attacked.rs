//! Rivals that abuse a public agent: tables with clocks that nobody can keep, and tables that hold its capacity. Neither
//! keeps it from the tournament of another organiser.

use parlor_proto::v1::{self, AgentState, ErrorReason as Reason, SeatFinish};
use parlor_server::config::Agents;
use parlor_server::identity::{NewKey, Scope};

use crate::agent_client::{AgentClient, agent_seat, find_agent, hello, with_seats};
use crate::client::{Client, RpcError, error_reason};
use crate::streams::answer_index;
use crate::table_requests::{clock, fresh, gap, house, join, open, private, replace, timed};
use crate::test_server::{TestServer, api_key, ms, wait_until};
use crate::tournament_requests::{self, agent, round_robin, setup};

/// For 30 s after the start of the server no seat counts as disconnected.
const START: u64 = 30_000;

/// A server with keys of the agents' owner, of an honest organiser and of rivals, and the connected agent `ann`.
struct Arena {
    server: TestServer,
    organiser: Client,
    rivals: Vec<Client>,
    ann: AgentClient,
}

impl Arena {
    async fn new(rivals: usize, hello: v1::AgentHello, change: impl FnOnce(&mut Agents)) -> Arena {
        let scopes = [Scope::Tables, Scope::SeededTables];
        let team = api_key("team", &[Scope::Agents]);
        let club = api_key("club", &[scopes[0], scopes[1], Scope::Agents]);
        let keys: Vec<NewKey> =
            (0..rivals).map(|rival| api_key(&format!("rival-{rival}"), &scopes)).collect();
        let server = TestServer::with_settings(|settings| {
            settings.keys = keys.iter().chain([&team, &club]).map(|key| key.entry.clone()).collect();
            change(&mut settings.agents);
        })
        .await;
        server.advance_to(ms(START));
        let ann = AgentClient::connect(&server.client_with_key(&team), hello).await;
        let rivals = keys.iter().map(|key| server.client_with_key(key)).collect();
        Arena { organiser: server.client_with_key(&club), rivals, ann, server }
    }

    /// Creates private tables of ann and a house bot, and lets her clock run out at each of them.
    async fn time_out(&mut self, rival: usize, tables: usize, decision_ms: u32) {
        for _ in 0..tables {
            let request = timed(clock(decision_ms, 0, 0, 1), private(fresh(full_table())));
            let id = self.rivals[rival].new_table(request).await;
            self.ann.next_decision().await;
            self.server.advance(ms(decision_ms.into()));
            wait_until("the table to be over", async || {
                self.rivals[rival].table(&id).await.state() == v1::TableState::Finished
            })
            .await;
        }
    }
}

/// A table of ann and a house bot, which starts at once.
fn full_table() -> v1::CreateTableRequest {
    with_seats(vec![agent_seat("ann"), house("random")], gap(2))
}

/// A tournament of two games of ann against a house bot.
fn cup() -> v1::TournamentSetup {
    let entrants = vec![agent("ann"), tournament_requests::house("random")];
    v1::TournamentSetup { entrants, ..setup(parlor_engine::GameId::Gap, &[], round_robin(1)) }
}

/// The finishes of ann in the tournament.
async fn finishes(client: &Client, id: &str) -> Vec<SeatFinish> {
    let (_, standings) = client.follow_to_end(id).await;
    let row = standings.rows.into_iter().find(|row| row.entrant == 0).expect("a row");
    let counted = row.finishes.iter().map(|count| vec![count.finish(); count.games as usize]);
    counted.flatten().collect()
}

#[tokio::test]
async fn clocks_of_a_millisecond_do_not_suspend_an_agent() {
    let mut arena = Arena::new(1, hello("ann"), |_| {}).await;
    arena.time_out(0, 8, 1).await;
    assert_eq!(find_agent(&arena.organiser, "ann").await.state(), AgentState::Here);
    assert_eq!(find_agent(&arena.rivals[0], "ann").await.state(), AgentState::Here, "no clock to keep");
    let id = arena.organiser.start_new_tournament(cup()).await;
    arena.ann.play(8 + 2).await;
    assert_eq!(finishes(&arena.organiser, &id).await, [SeatFinish::PlayedOut; 2]);
}

#[tokio::test]
async fn suspension_at_tables_of_one_organiser_reaches_no_other() {
    let mut arena = Arena::new(1, hello("ann"), |_| {}).await;
    let id = arena.organiser.start_new_tournament(cup()).await;
    let (channel, decision) = arena.ann.next_decision().await;
    arena.time_out(0, 6, 5_000).await;
    let refused = arena.rivals[0].create_table(fresh(full_table())).await;
    assert_eq!(error_reason(refused), Reason::AgentUnavailable, "set aside for the rival's own tables");
    assert_eq!(find_agent(&arena.rivals[0], "ann").await.state(), AgentState::SetAside);
    assert_eq!(find_agent(&arena.organiser, "ann").await.state(), AgentState::Here);
    arena.organiser.new_table(full_table()).await;
    let other = arena.organiser.start_new_tournament(cup()).await;
    arena.ann.answer(channel, answer_index(decision, 0)).await;
    arena.ann.play(6 + 1 + 2 * 2).await;
    for id in [id, other] {
        assert_eq!(finishes(&arena.organiser, &id).await, [SeatFinish::PlayedOut; 2]);
    }
}

#[tokio::test]
async fn tables_that_never_start_do_not_fill_an_agent() {
    let few = v1::AgentHello { max_tables: 4, ..hello("ann") };
    let mut arena = Arena::new(2, few, |_| {}).await;
    for rival in &arena.rivals {
        // As many as the server lets them have.
        let waiting = || fresh(with_seats(vec![agent_seat("ann"), open()], gap(2)));
        while rival.create_table(waiting()).await.is_ok() {}
    }
    let id = arena.organiser.start_new_tournament(cup()).await;
    arena.ann.play(2).await;
    assert_eq!(finishes(&arena.organiser, &id).await, [SeatFinish::PlayedOut; 2]);
}

#[tokio::test]
async fn tournament_of_a_full_agent_goes_on_after_its_patience() {
    let few = v1::AgentHello { max_tables: 4, ..hello("ann") };
    let arena = Arena::new(4, few, |_| {}).await;
    let mut held = Vec::new();
    for rival in &arena.rivals {
        let before = held.len();
        while let Ok(made) = rival.create_table(fresh(full_table())).await {
            held.push(made.table.expect("a table").table_id);
        }
        assert!(held.len() - before <= 2, "one owner holds no more than its share");
    }
    assert_eq!(held.len(), 4, "ann plays at four tables");
    let setup = v1::TournamentSetup { patience_ms: Some(5_000), ..cup() };
    let id = arena.organiser.start_new_tournament(setup).await;
    arena.server.advance_to_deadline(ms(START + 5_000)).await;
    arena.server.advance_to(ms(START + 5_000));
    assert_eq!(finishes(&arena.organiser, &id).await, [SeatFinish::SetAside; 2]);
}

/// An agent that takes seats of its owner, or in tournaments, alone.
#[tokio::test]
async fn agent_says_who_may_seat_it() {
    for (seated_by, may_seat, may_run) in [
        (v1::SeatedBy::Anyone, true, true),
        (v1::SeatedBy::Owner, false, false),
        (v1::SeatedBy::Tournaments, false, true),
    ] {
        let chosen = v1::AgentHello { seated_by: seated_by.into(), ..hello("ann") };
        let arena = Arena::new(1, chosen, |_| {}).await;
        assert_eq!(find_agent(&arena.organiser, "ann").await.seated_by(), seated_by);
        let seated = arena.rivals[0].create_table(fresh(full_table())).await;
        check_declined(may_seat, seated, seated_by);
        let id = arena.organiser.new_tournament(cup()).await;
        let started = arena.organiser.start_tournament(tournament_requests::start(&id)).await;
        check_declined(may_run, started, seated_by);
    }
}

#[tokio::test]
async fn owner_seats_an_agent_that_takes_only_its_seats() {
    let server = TestServer::new().await;
    let client = server.client();
    let own = v1::AgentHello { seated_by: v1::SeatedBy::Owner.into(), ..hello("ann") };
    let mut ann = AgentClient::connect(&client, own).await;
    client.new_table(full_table()).await;
    let id = client.start_new_tournament(cup()).await;
    ann.play(1 + 2).await;
    client.follow_to_end(&id).await;
}

#[tokio::test]
async fn agent_says_the_shortest_clock_at_which_it_plays() {
    let patient = v1::AgentHello { min_decision_ms: 500, ..hello("ann") };
    let arena = Arena::new(1, patient, |_| {}).await;
    assert_eq!(find_agent(&arena.organiser, "ann").await.min_decision_ms, 500);
    for (decision_ms, is_enough) in [(499, false), (500, true), (0, true)] {
        let clock = clock(decision_ms, 0, 0, 1);
        let seated = arena.rivals[0].create_table(timed(clock, fresh(full_table()))).await;
        check_declined(is_enough, seated, decision_ms);
        let id = arena.organiser.new_tournament(v1::TournamentSetup { clock: Some(clock), ..cup() }).await;
        let started = arena.organiser.start_tournament(tournament_requests::start(&id)).await;
        check_declined(is_enough, started, decision_ms);
    }
    let far = v1::AgentHello { min_decision_ms: 604_800_001, ..hello("ben") };
    let refused = AgentClient::try_connect(&arena.organiser, far).await.map(drop).unwrap_err();
    assert_eq!(refused.fields, ["hello.min_decision_ms"]);
}

/// Checks that a call succeeded, or was refused because the agent declines.
fn check_declined<T: std::fmt::Debug>(
    is_accepted: bool,
    result: Result<T, RpcError>,
    what: impl std::fmt::Debug,
) {
    match result {
        Ok(_) => assert!(is_accepted, "{what:?}"),
        Err(refused) => {
            assert!(!is_accepted, "{what:?}: {refused:?}");
            let cause = refused.metadata.get("cause").map(String::as_str);
            assert_eq!((refused.reason, cause), (Reason::AgentUnavailable, Some("DECLINED")));
        }
    }
}

/// The game of a table that fills begins only if its agents have room.
#[tokio::test]
async fn last_seat_stays_open_while_the_agent_is_full() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = client.new_table(with_seats(vec![agent_seat("ann"), open()], gap(2))).await;
    assert_eq!(find_agent(&client, "ann").await.playing, 0);
    client.new_table(full_table()).await;
    assert_eq!(find_agent(&client, "ann").await.playing, 1);
    assert_eq!(error_reason(client.join_table(join(&id)).await), Reason::AgentUnavailable);
    assert_eq!(error_reason(client.replace_seat(replace(&id, 1, "random")).await), Reason::AgentUnavailable);
    ann.play(1).await;
    wait_until("the agent to be free", async || find_agent(&client, "ann").await.playing == 0).await;
    client.replace_seat(replace(&id, 1, "random")).await.expect("an open seat");
    ann.play(1).await;
    assert_eq!(client.table(&id).await.state(), v1::TableState::Finished);
}
