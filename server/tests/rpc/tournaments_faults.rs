//! Faults in tournaments: damaged tables and tournaments, voided groups, and withdrawn entrants.

use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::GameId;
use parlor_proto::v1::{
    self, ErrorReason as Reason, TournamentState as State, stream_item::Item, tournament_setup::Format,
};
use parlor_store::{Append, Log, Millis};

use crate::agent_client::{AgentClient, find_agent, hello};
use crate::client::{RpcError, error_reason};
use crate::streams::{answer_index, answer_item};
use crate::test_server::{TestServer, ms, wait_until, with_timeout};
use crate::tournament_requests::{
    agent, agent_paced, cancel, create, get, house, knockout, pause, round_robin, setup, start, void,
    withdraw,
};

fn tournament(entrants: Vec<v1::EntrantSetup>, format: Format) -> v1::TournamentSetup {
    v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], format) }
}

/// Appends an undecodable entry to the log of a table or tournament, bypassing the server.
async fn corrupt(log: &Arc<dyn Log>, table: &str) {
    let table = table.parse().expect("an id");
    let length = log.read(table, 0).await.expect("a log").len() as u64;
    let append = Append::new(table, length, Millis(1), vec![Bytes::from_static(b"\xff no entry")]);
    log.append(append).await.expect("an entry");
}

/// Plays the first action of every decision until `tables` tables are played to their end; damaged tables do
/// not count.
async fn play_despite_damage(agent: &mut AgentClient, tables: usize) {
    let mut over = 0;
    while over < tables {
        match agent.reader.next().await {
            (channel, Item::Decision(decision)) => {
                agent.send(vec![answer_item(channel, answer_index(decision.id, 0))]).await;
            }
            (_, Item::Closed(end)) if end.reason() == Reason::Unspecified => over += 1,
            (_, Item::Closed(end)) => {
                // The damaged table is assigned once more, which fails.
                assert!(matches!(end.reason(), Reason::TableDamaged | Reason::RateLimited), "{end:?}");
            }
            _ => {}
        }
    }
}

/// A table becomes unreadable during play: its group is void, a fresh deal replaces it, and its agent's
/// capacity is released.
#[tokio::test]
async fn damaged_table_voids_its_group_only() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let entrants = vec![agent("ann"), house("random"), house("greedy")];
    let id = client.start_new_tournament(tournament(entrants, round_robin(3))).await;
    let (channel, given) = ann.next_seat().await;
    let decision = ann.reader.decision(channel).await;
    corrupt(&server.log, &given.table_id).await;
    // The next append makes the server notice.
    ann.send(vec![answer_item(channel, answer_index(decision.id, 0))]).await;
    let playing = tokio::spawn(async move {
        play_despite_damage(&mut ann, 12).await;
        ann
    });
    wait_until("the end", async || {
        server.advance(ms(1000));
        client.tournament(&id).await.state() == State::Finished
    })
    .await;
    let ann = playing.await.expect("all other tables played");
    let standings = client.standings(&id).await;
    assert_eq!((standings.groups_voided, standings.groups_counted, standings.tables_over), (1, 9, 18));
    assert!(standings.cells.iter().all(|cell| cell.groups == 3), "every pair plays all of its groups");
    assert!(standings.rows.iter().all(|row| row.games == 12 && row.finishes.len() == 1));
    let tables = client.tournament_tables(&id).await;
    let void: Vec<_> = tables.iter().filter(|table| !table.void_reason.is_empty()).collect();
    assert_eq!(void.len(), 1, "{void:?}");
    assert_eq!(void[0].table_id, given.table_id);
    assert_eq!(void[0].void_reason, "a fault of the server: its table cannot be read");
    assert!(void[0].results.is_empty());
    let fresh = tables.iter().filter(|table| table.group == 9).collect::<Vec<_>>();
    assert_eq!(fresh.len(), 2, "a fresh deal for the same pair");
    let pair = |table: &v1::TournamentTable| {
        let mut pair = table.entrants.clone();
        pair.sort_unstable();
        pair
    };
    assert!(fresh.iter().all(|table| pair(table) == pair(void[0])));
    assert_eq!(find_agent(&client, "ann").await.playing, 0);
    drop(ann);
}

/// A table is found damaged at the start of the server: its group is void, and the tournament continues.
#[tokio::test]
async fn table_damaged_during_downtime_voids_its_group() {
    let server = TestServer::new().await;
    let ann = AgentClient::connect(&server.client(), hello("ann")).await;
    let setup = tournament(vec![agent("ann"), house("random")], round_robin(3));
    let id = server.client().start_new_tournament(setup).await;
    wait_until("three tables", async || server.client().tournament_tables(&id).await.len() == 3).await;
    let lost = server.client().tournament_tables(&id).await[1].table_id.clone();
    drop(ann);
    let damaged = lost.clone();
    let server = server
        .restart(ms(10), async |log| {
            corrupt(&log, &damaged).await;
            log
        })
        .await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    assert_eq!(ann.welcome.seats, 2);
    ann.play(6).await;
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!(tournament.state(), State::Finished);
    assert_eq!((standings.groups_voided, standings.groups_counted, standings.tables_over), (1, 3, 6));
    let tables = client.tournament_tables(&id).await;
    assert!(tables.iter().all(|table| table.table_id != lost || !table.void_reason.is_empty()));
    assert!(tables.iter().filter(|table| table.void_reason.is_empty()).all(|table| table.has_record));
}

/// The organiser voids a counted group: the reason is durable, and a fresh deal replaces the group.
#[tokio::test]
async fn void_group_removes_a_counted_group_and_is_durable() {
    let server = TestServer::new().await;
    let mut ann =
        AgentClient::connect(&server.client(), v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let client = server.client();
    let id = client.new_tournament(agent_paced(&["random"], 6)).await;
    assert_eq!(error_reason(client.void_group(void(&id, 0, "early")).await), Reason::TournamentState);
    client.start_tournament(start(&id)).await.expect("a start");
    ann.play(3).await;
    wait_until("three that count", async || client.standings(&id).await.groups_counted == 3).await;
    let after = client.void_group(void(&id, 1, "a card was seen")).await.expect("void");
    let after = after.standings.expect("standings");
    assert_eq!((after.groups_voided, after.groups_counted), (1, 2));
    assert_eq!((after.groups_expected, after.tables_over), (6, 2));
    drop(ann);
    let server = server.restart(ms(10), async |log| log).await;
    let client = server.client();
    assert_eq!(client.standings(&id).await.groups_voided, 1);
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    ann.play(4).await;
    let (_, standings) = client.follow_to_end(&id).await;
    assert_eq!((standings.groups_voided, standings.groups_counted, standings.tables_over), (1, 6, 6));
    let tables = client.tournament_tables(&id).await;
    for table in &tables {
        let reason = if table.group == 1 { "a card was seen" } else { "" };
        assert_eq!((table.void_reason.as_str(), table.results.len()), (reason, 2));
    }
    assert!(tables.iter().map(|table| table.group).eq(0..=6), "one replacement deal");
    assert_eq!(error_reason(client.void_group(void(&id, 0, "late")).await), Reason::TournamentState);
}

#[tokio::test]
async fn entrant_withdrawn_before_the_start_plays_nothing() {
    let server = TestServer::new().await;
    let client = server.client();
    let bots = ["greedy", "random", "search:2"];
    let id = client.new_tournament(setup(GameId::Gap, &bots, round_robin(2))).await;
    let withdrawn = client
        .withdraw_entrant(withdraw(&id, 1))
        .await
        .expect("a withdrawn entrant")
        .standings
        .expect("standings");
    assert_eq!((withdrawn.groups_expected, withdrawn.state()), (2, State::Created));
    client.start_tournament(start(&id)).await.expect("a start");
    let (_, standings) = client.follow_to_end(&id).await;
    let games: Vec<(u32, u32, bool)> =
        standings.rows.iter().map(|row| (row.entrant, row.games, row.withdrawn)).collect();
    assert_eq!(games[2], (1, 0, true), "{games:?}");
    assert_eq!((games[0].1, games[1].1), (4, 4));
    // A tournament of two cannot start after a withdrawal.
    let id = client.new_tournament(setup(GameId::Gap, &bots[..2], round_robin(2))).await;
    client.withdraw_entrant(withdraw(&id, 0)).await.expect("a withdrawn entrant");
    assert_eq!(error_reason(client.start_tournament(start(&id)).await), Reason::TournamentState);
}

/// Withdrawing during a knockout round forfeits the match.
#[tokio::test]
async fn entrant_withdrawn_from_a_knockout_loses_its_match() {
    let server = TestServer::new().await;
    let client = server.client();
    let mute = AgentClient::connect(&client, hello("mute")).await;
    let entrants = vec![agent("mute"), house("random"), house("greedy"), house("search:2")];
    let asked = create(tournament(entrants, knockout(1)));
    let id = client
        .create_tournament(asked)
        .await
        .expect("a response")
        .tournament
        .expect("a tournament")
        .tournament_id;
    client.start_tournament(start(&id)).await.expect("a start");
    wait_until("the others to have played", async || client.standings(&id).await.tables_over == 2).await;
    client.withdraw_entrant(withdraw(&id, 0)).await.expect("a withdrawn entrant");
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!(tournament.state(), State::Finished);
    let row = |entrant: u32| standings.rows.iter().find(|row| row.entrant == entrant).expect("a row");
    assert!(row(0).withdrawn && row(0).games == 0 && row(0).rank > 2, "{:?}", row(0));
    let winner = &standings.rows[0];
    assert!(winner.rank == 1 && winner.entrant != 0 && winner.out_in_round.is_none(), "{winner:?}");
    drop(mute);
}

/// The log of the tournament itself is damaged: followers get an error, calls are refused, and other
/// tournaments are listed.
#[tokio::test]
async fn damaged_tournament_is_refused_and_its_followers_get_an_error() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let (id, other) = (
        client.start_new_tournament(agent_paced(&["random"], 3)).await,
        client.new_tournament(agent_paced(&["random"], 1)).await,
    );
    let mut stream = client.follow_tournament(&id).await;
    with_timeout(stream.message()).await.expect("a message");
    corrupt(&server.log, &id).await;
    ann.play(1).await;
    let status = loop {
        match with_timeout(stream.message()).await {
            Ok(message) => assert!(message.is_some(), "ended before the tournament"),
            Err(status) => break status,
        }
    };
    assert_eq!(RpcError::from_status(&status).reason, Reason::ServerFault);
    for refused in [
        client.get_tournament(get(&id)).await.map(|_| ()),
        client.pause_tournament(pause(&id)).await.map(|_| ()),
        client.cancel_tournament(cancel(&id, "")).await.map(|_| ()),
    ] {
        assert_eq!(error_reason(refused), Reason::TableDamaged);
    }
    let listed = client.list_tournaments(v1::ListTournamentsRequest::default()).await.expect("a page");
    assert!(
        listed.tournaments.iter().map(|one| &one.tournament_id).eq([&other]),
        "other tournaments are listed"
    );
}
