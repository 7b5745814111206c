//! Tournaments of agents: secrecy of running deals, silent and disconnected agents, and void groups.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, SeatFinish, TournamentState as State};
use parlor_server::identity::Scope;

use crate::agent_client::{AgentClient, agent_seat, find_agent, hello};
use crate::client::{Client, error_reason};
use crate::streams::{PlayStream, attach_item, spectate, spectate_with_token};
use crate::table_requests::{cancel as cancel_table, clock, gap, replace, resign_by_owner, spectator_token};
use crate::test_server::{TestServer, api_key, ms, wait_until};
use crate::tournament_requests::{agent, cancel, house, round_robin, setup, start, void};

/// A round robin of these entrants with `groups` groups for each pair.
fn agent_tournament(entrants: Vec<v1::EntrantSetup>, groups: u32) -> v1::TournamentSetup {
    v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], round_robin(groups)) }
}

/// The reason for which attaching is refused.
async fn attach_error(client: &Client, attach: v1::Attach) -> Reason {
    let mut stream = PlayStream::open(client).await;
    stream.send(vec![attach_item(1, attach)]).await;
    stream.reader.closed(1).await.reason()
}

#[tokio::test]
async fn deal_is_hidden_until_its_last_table_is_over() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let id = client.start_new_tournament(agent_tournament(vec![agent("ann"), house("random")], 1)).await;
    let (_, given) = ann.next_seat().await;
    assert_eq!(given.tournament_id, id);
    let first = given.table_id;
    let token = client.create_spectator_token(spectator_token(&first, false)).await.expect("a token");
    for attach in [spectate(&first), spectate_with_token(&token.spectator_token)] {
        assert_eq!(attach_error(&client, attach).await, Reason::DealNotOver, "while the table is played");
    }
    ann.play(1).await;
    let (_, given) = ann.next_seat().await;
    assert_ne!(given.table_id, first, "the second table of the deal");
    for attach in [spectate(&first), spectate_with_token(&token.spectator_token)] {
        assert_eq!(
            attach_error(&client, attach).await,
            Reason::DealNotOver,
            "while the other table of the deal is played"
        );
    }
    let look = client.table(&first).await;
    assert_eq!(look.state(), v1::TableState::Finished);
    let shuffle = look.shuffle.expect("a shuffle");
    assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty() && shuffle.seed_given);
    let deal = shuffle.deal_group.expect("a deal");
    assert!(deal.entropy.is_empty() && deal.number.is_none() && deal.rotation.is_none(), "{deal:?}");
    let tables = client.tournament_tables(&id).await;
    assert!(tables[0].over && !tables[0].has_record && !tables[0].results.is_empty());
    ann.play(1).await;
    client.follow_to_end(&id).await;
    let mut stream = PlayStream::open(&client).await;
    stream.send(vec![attach_item(1, spectate(&first))]).await;
    stream.reader.snapshot(1).await;
    let shuffle = client.table(&first).await.shuffle.expect("a shuffle");
    assert!(!shuffle.server_seed.is_empty() && !shuffle.game_seed.is_empty());
    assert!(client.tournament_tables(&id).await.iter().all(|table| table.has_record));
}

/// An agent that could tell which tables share a deal could remember its cards.
#[tokio::test]
async fn tables_of_one_deal_are_linked_only_for_the_organiser_until_it_is_over() {
    let (club, team) = (api_key("club", &[Scope::Agents, Scope::Tables]), api_key("team", &[Scope::Agents]));
    let server = TestServer::with_keys([&club, &team]).await;
    let (organiser, entrant) = (server.client_with_key(&club), server.client_with_key(&team));
    let mut ann = AgentClient::connect(&entrant, hello("ann")).await;
    let fresh = v1::TournamentSetup {
        visibility: v1::Visibility::Public.into(),
        given_seed: Vec::new(),
        ..agent_tournament(vec![agent("ann"), house("random")], 1)
    };
    let id = organiser.start_new_tournament(fresh).await;
    let mut tables = Vec::new();
    for rotation in 0..2 {
        let (_, given) = ann.next_seat().await;
        let shuffle = entrant.table(&given.table_id).await.shuffle.expect("a shuffle");
        let deal = shuffle.deal_group.expect("a deal");
        assert!(shuffle.commitment.is_empty() && deal.entropy.is_empty(), "{deal:?}");
        assert_eq!((deal.tournament_id, deal.number, deal.rotation), (id.clone(), None, None));
        assert_eq!(entrant.tournament_tables(&id).await, []);
        assert_eq!(organiser.tournament_tables(&id).await.len(), rotation + 1);
        tables.push(given.table_id);
        ann.play(1).await;
    }
    organiser.follow_to_end(&id).await;
    let shown = entrant.tournament_tables(&id).await;
    assert!(shown.iter().map(|table| &table.table_id).eq(&tables));
    let shuffle = entrant.table(&tables[1]).await.shuffle.expect("a shuffle");
    let deal = shuffle.deal_group.expect("a deal");
    assert_eq!((deal.number, deal.rotation), (Some(0), Some(1)));
}

/// The number of games of an entrant with this finish.
fn finish_count(standings: &v1::Standings, entrant: u32, finish: SeatFinish) -> u32 {
    let row = standings.rows.iter().find(|row| row.entrant == entrant).expect("a row");
    row.finishes.iter().filter(|count| count.finish() == finish).map(|count| count.games).sum()
}

#[tokio::test]
async fn silent_agent_times_out_in_every_game() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let mut mute = AgentClient::connect(&client, hello("mute")).await;
    let time = Some(clock(1000, 0, 1000, 1));
    let setup = v1::TournamentSetup { clock: time, ..agent_tournament(vec![agent("ann"), agent("mute")], 1) };
    let id = client.start_new_tournament(setup).await;
    let playing = tokio::spawn(async move { ann.play(2).await });
    for _ in 0..2 {
        // The clock advances only while the silent agent alone has open decisions.
        mute.next_decision().await;
        server.advance(ms(1000));
    }
    let (_, standings) = client.follow_to_end(&id).await;
    playing.await.expect("two tables");
    let finishes = (
        finish_count(&standings, 1, SeatFinish::TimedOut),
        finish_count(&standings, 0, SeatFinish::PlayedOut),
    );
    assert_eq!(finishes, (2, 2), "{standings:?}");
}

/// The tables of a disconnected agent wait while others can be played, then for the patience, and then start
/// without it.
#[tokio::test]
async fn disconnected_agent_is_set_aside_after_the_patience() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let mut gone = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("gone") }).await;
    // Another table uses up its capacity before the tournament starts; then it disconnects.
    let seats = vec![agent_seat("gone"), crate::table_requests::house("random")];
    client.new_table(v1::CreateTableRequest { seats, ..gap(2) }).await;
    let entrants = vec![agent("ann"), agent("gone"), house("random")];
    let setup = v1::TournamentSetup { patience_ms: Some(5000), ..agent_tournament(entrants, 2) };
    let id = client.start_new_tournament(setup).await;
    gone.end_requests();
    drop(gone);
    wait_until("it to be gone", async || find_agent(&client, "gone").await.state() == v1::AgentState::Gone)
        .await;
    // Only the two first tables of ann and the house can be played: second rotations follow all first ones.
    ann.play(2).await;
    wait_until("two tables", async || client.standings(&id).await.tables_over == 2).await;
    let standings = client.standings(&id).await;
    assert_eq!((standings.tables_running, standings.tables_expected), (0, 12));
    server.advance_to_deadline(ms(5000)).await;
    server.advance_to(ms(5000));
    ann.play(6).await;
    let (_, standings) = client.follow_to_end(&id).await;
    assert_eq!(finish_count(&standings, 1, SeatFinish::SetAside), 8, "{standings:?}");
    assert_eq!(finish_count(&standings, 0, SeatFinish::PlayedOut), 8);
    assert_eq!(finish_count(&standings, 2, SeatFinish::PlayedOut), 8);
}

#[tokio::test]
async fn tournament_start_needs_connected_agents() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_tournament(agent_tournament(vec![agent("ann"), house("random")], 1)).await;
    assert_eq!(error_reason(client.start_tournament(start(&id)).await), Reason::AgentUnavailable);
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let started =
        client.start_tournament(start(&id)).await.expect("a start").tournament.expect("a tournament");
    let shown = &started.setup.expect("a setup").entrants[0];
    let expected = v1::AgentSeat { name: "ann".into(), version: "1".into() };
    assert_eq!(
        shown.entrant,
        Some(v1::entrant_setup::Entrant::Agent(expected)),
        "the version is fixed at the start"
    );
    ann.play(2).await;
    client.follow_to_end(&id).await;
}

/// An organiser must not decide the games of its tournament. It may void a group, which a fresh deal replaces.
#[tokio::test]
async fn tables_of_a_tournament_are_resigned_and_cancelled_by_nobody_else() {
    let scopes = [Scope::Tables, Scope::SeededTables, Scope::Agents];
    let (organiser, admin) = (api_key("organiser", &scopes), api_key("operator", &[Scope::Admin]));
    let server = TestServer::with_keys([&organiser, &admin]).await;
    let (client, operator) = (server.client_with_key(&organiser), server.client_with_key(&admin));
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let id = client.start_new_tournament(agent_tournament(vec![house("random"), agent("ann")], 1)).await;
    let (_, given) = ann.next_seat().await;
    let table = client.tournament_tables(&id).await.remove(0);
    assert_eq!((&table.table_id, table.entrants[given.seat as usize]), (&given.table_id, 1));
    assert!(!table.over && !table.has_record && table.results.is_empty());
    let refused = client.replace_seat(replace(&given.table_id, given.seat, "random")).await;
    assert_eq!(error_reason(refused), Reason::SeatTaken, "seats of tournament tables cannot be replaced");
    for caller in [&client, &operator] {
        let resigned = caller.resign_seat(resign_by_owner(&given.table_id, given.seat)).await;
        assert_eq!(error_reason(resigned), Reason::NotOwner, "it would read as the agent's own doing");
        let cancelled = caller.cancel_table(cancel_table(&given.table_id)).await;
        assert_eq!(error_reason(cancelled), Reason::NotOwner);
    }
    let state = operator.table(&given.table_id).await;
    assert_eq!(state.seats[given.seat as usize].forfeited(), SeatFinish::Unspecified);
    client.void_group(void(&id, 0, "a draw of lots")).await.expect("a void group");
    let (_, fresh) = ann.next_seat().await;
    assert_ne!(fresh.table_id, given.table_id);
    let tables = client.tournament_tables(&id).await;
    let [void, fresh] =
        [0, 1].map(|group| tables.iter().find(|table| table.group == group).expect("a table"));
    assert_eq!(void.void_reason, "a draw of lots");
    assert!(void.over && void.results.is_empty() && !fresh.over && fresh.void_reason.is_empty());
    assert_eq!(client.standings(&id).await.groups_voided, 1);
    // The void deal is revealed, the fresh one is not.
    assert!(!client.table(&void.table_id).await.shuffle.expect("a shuffle").server_seed.is_empty());
    assert!(client.table(&fresh.table_id).await.shuffle.expect("a shuffle").server_seed.is_empty());
    let ended =
        client.cancel_tournament(cancel(&id, "")).await.expect("cancelled").tournament.expect("a tournament");
    assert_eq!(ended.state(), State::Cancelled);
    assert_eq!(client.table(&fresh.table_id).await.state(), v1::TableState::Cancelled);
}

/// Detaching gains no time to think: in tournaments the grace is 0 unless the organiser gives one.
#[tokio::test]
async fn tournament_clock_runs_while_an_agent_is_away() {
    let server = TestServer::new().await;
    server.advance(ms(30_000));
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let clock = v1::ClockSettings { grace_ms: None, ..clock(10_000, 0, 0, 1) };
    let setup = v1::TournamentSetup {
        clock: Some(clock),
        ..agent_tournament(vec![agent("ann"), house("random")], 1)
    };
    let id = client.start_new_tournament(setup).await;
    let shown = client.tournament(&id).await.setup.expect("a setup").clock.expect("a clock");
    assert_eq!(shown.grace_ms, Some(0));
    ann.next_decision().await;
    drop(ann);
    wait_until("it to be gone", async || find_agent(&client, "ann").await.state() == v1::AgentState::Gone)
        .await;
    server.advance(ms(10_000));
    wait_until("its table to be over", async || {
        client.tournament_tables(&id).await.iter().any(|table| table.over)
    })
    .await;
    let table = client.tournament_tables(&id).await.remove(0);
    let ann = table.entrants.iter().position(|entrant| *entrant == 0).expect("a seat");
    assert_eq!(table.results[ann].finish(), SeatFinish::Disconnected);
    client.cancel_tournament(cancel(&id, "")).await.expect("cancelled");
}
