//! What goes wrong in a tournament and is not the players' fault: tables that cannot be read, groups that are voided, and
//! entrants that leave.

use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::GameId;
use parlor_proto::v1::{
    self, ErrorReason as Reason, TournamentState as State, stream_item::Item, tournament_setup::Format,
};
use parlor_server::log::{Append, Log, Millis};

use crate::agent_client::{Agent, hello, listed};
use crate::client::{Refused, why};
use crate::streams::{answering, index};
use crate::test_server::{Scene, ms, soon, until};
use crate::tournament_requests::{
    agent, cancel, create, get, house, knockout, pause, round_robin, setup, slow, start, void, withdraw,
};

fn cup(entrants: Vec<v1::EntrantSetup>, format: Format) -> v1::TournamentSetup {
    v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], format) }
}

/// Writes an entry that makes no sense into the log of a table, behind the server's back.
async fn spoil(log: &Arc<dyn Log>, table: &str) {
    let table = table.parse().expect("an id");
    let length = log.read(table, 0).await.expect("a log").len() as u64;
    let append = Append::new(table, length, Millis(1), vec![Bytes::from_static(b"\xff no entry")]);
    log.append(append).await.expect("an entry");
}

/// Plays every decision with its first action, until so many tables were played to their end.
async fn play(agent: &mut Agent, tables: usize) {
    let mut over = 0;
    while over < tables {
        match agent.heard.next().await {
            (channel, Item::Decision(decision)) => {
                agent.say(vec![answering(channel, index(decision.id, 0))]).await;
            }
            (_, Item::Closed(end)) if end.reason() == Reason::Unspecified => over += 1,
            (_, Item::Closed(end)) => {
                // The table is lost: it is given again once, and cannot be.
                assert!(matches!(end.reason(), Reason::TableDamaged | Reason::RateLimited), "{end:?}");
            }
            _ => {}
        }
    }
}

/// A table that cannot be read any more, while everything else goes on: its group is void, a fresh deal replaces it, and
/// whoever sat there has room again.
#[tokio::test]
async fn a_fault_voids_the_group_and_nothing_else() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let entrants = vec![agent("ann"), house("random"), house("greedy")];
    let id = caller.begin(cup(entrants, round_robin(3))).await;
    let (channel, given) = ann.given().await;
    let decision = ann.heard.decision(channel).await;
    spoil(&scene.log, &given.table_id).await;
    // Only now the server learns of it.
    ann.say(vec![answering(channel, index(decision.id, 0))]).await;
    let playing = tokio::spawn(async move {
        play(&mut ann, 12).await;
        ann
    });
    until("the end", async || {
        scene.advance(ms(1000));
        caller.tournament(&id).await.state() == State::Finished
    })
    .await;
    let ann = playing.await.expect("all others were played");
    let standings = caller.standings(&id).await;
    assert_eq!((standings.groups_voided, standings.groups_counted, standings.tables_over), (1, 9, 18));
    assert!(standings.cells.iter().all(|cell| cell.groups == 3), "all meet as often as they were to");
    assert!(standings.rows.iter().all(|row| row.games == 12 && row.finishes.len() == 1));
    let tables = caller.tables_of(&id).await;
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
    assert_eq!(listed(&caller, "ann").await.playing, 0);
    drop(ann);
}

/// A table is found to be damaged when the server starts: the rest goes on, and nothing waits for it.
#[tokio::test]
async fn a_table_that_cannot_be_read_after_a_restart() {
    let scene = Scene::new().await;
    let ann = Agent::connect(&scene.anyone(), hello("ann")).await;
    let setup = cup(vec![agent("ann"), house("random")], round_robin(3));
    let id = scene.anyone().begin(setup).await;
    until("three tables", async || scene.anyone().tables_of(&id).await.len() == 3).await;
    let lost = scene.anyone().tables_of(&id).await[1].table_id.clone();
    drop(ann);
    let spoilt = lost.clone();
    let scene = scene
        .restart(ms(10), async |log| {
            spoil(&log, &spoilt).await;
            log
        })
        .await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    assert_eq!(ann.welcome.seats, 2);
    ann.play(6).await;
    let (tournament, standings) = caller.to_the_end(&id).await;
    assert_eq!(tournament.state(), State::Finished);
    assert_eq!((standings.groups_voided, standings.groups_counted, standings.tables_over), (1, 3, 6));
    let tables = caller.tables_of(&id).await;
    assert!(tables.iter().all(|table| table.table_id != lost || !table.void_reason.is_empty()));
    assert!(tables.iter().filter(|table| table.void_reason.is_empty()).all(|table| table.has_record));
}

/// A group that has counted is voided by hand: the reason stays in the log, and a fresh deal replaces it.
#[tokio::test]
async fn a_group_is_voided_by_hand() {
    let scene = Scene::new().await;
    let mut ann = Agent::connect(&scene.anyone(), v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let caller = scene.anyone();
    let id = caller.made(slow(&["random"], 6)).await;
    assert_eq!(why(caller.void_group(void(&id, 0, "early")).await), Reason::TournamentState);
    caller.start_tournament(start(&id)).await.expect("a start");
    ann.play(3).await;
    until("three that count", async || caller.standings(&id).await.groups_counted == 3).await;
    let after = caller.void_group(void(&id, 1, "a card was seen")).await.expect("void");
    let after = after.standings.expect("standings");
    assert_eq!((after.groups_voided, after.groups_counted), (1, 2));
    assert_eq!((after.groups_expected, after.tables_over), (6, 2));
    drop(ann);
    let scene = scene.restart(ms(10), async |log| log).await;
    let caller = scene.anyone();
    assert_eq!(caller.standings(&id).await.groups_voided, 1);
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    ann.play(4).await;
    let (_, standings) = caller.to_the_end(&id).await;
    assert_eq!((standings.groups_voided, standings.groups_counted, standings.tables_over), (1, 6, 6));
    let tables = caller.tables_of(&id).await;
    for table in &tables {
        let reason = if table.group == 1 { "a card was seen" } else { "" };
        assert_eq!((table.void_reason.as_str(), table.results.len()), (reason, 2));
    }
    assert!(tables.iter().map(|table| table.group).eq(0..=6), "one deal more");
    assert_eq!(why(caller.void_group(void(&id, 0, "late")).await), Reason::TournamentState);
}

#[tokio::test]
async fn whoever_leaves_before_the_start_plays_nothing() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let bots = ["greedy", "random", "search:2"];
    let id = caller.made(setup(GameId::Gap, &bots, round_robin(2))).await;
    let out = caller.withdraw_entrant(withdraw(&id, 1)).await.expect("out").standings.expect("standings");
    assert_eq!((out.groups_expected, out.state()), (2, State::Created));
    caller.start_tournament(start(&id)).await.expect("a start");
    let (_, standings) = caller.to_the_end(&id).await;
    let games: Vec<(u32, u32, bool)> =
        standings.rows.iter().map(|row| (row.entrant, row.games, row.withdrawn)).collect();
    assert_eq!(games[2], (1, 0, true), "{games:?}");
    assert_eq!((games[0].1, games[1].1), (4, 4));
    // Of two, nobody can leave.
    let id = caller.made(setup(GameId::Gap, &bots[..2], round_robin(2))).await;
    caller.withdraw_entrant(withdraw(&id, 0)).await.expect("out");
    assert_eq!(why(caller.start_tournament(start(&id)).await), Reason::TournamentState);
}

/// Whoever leaves a knockout in the middle of a round leaves it to the other.
#[tokio::test]
async fn whoever_leaves_a_knockout_is_out() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mute = Agent::connect(&caller, hello("mute")).await;
    let entrants = vec![agent("mute"), house("random"), house("greedy"), house("search:2")];
    let asked = create(cup(entrants, knockout(1)));
    let id = caller.create_tournament(asked).await.expect("one").tournament.expect("one").tournament_id;
    caller.start_tournament(start(&id)).await.expect("a start");
    until("the others to have played", async || caller.standings(&id).await.tables_over == 2).await;
    caller.withdraw_entrant(withdraw(&id, 0)).await.expect("out");
    let (tournament, standings) = caller.to_the_end(&id).await;
    assert_eq!(tournament.state(), State::Finished);
    let row = |entrant: u32| standings.rows.iter().find(|row| row.entrant == entrant).expect("a row");
    assert!(row(0).withdrawn && row(0).games == 0 && row(0).rank > 2, "{:?}", row(0));
    let winner = &standings.rows[0];
    assert!(winner.rank == 1 && winner.entrant != 0 && winner.out_in_round.is_none(), "{winner:?}");
    drop(mute);
}

/// What is stored of the tournament itself makes no sense any more: whoever follows it is told, whoever asks is refused, and
/// nobody waits for ever.
#[tokio::test]
async fn a_tournament_that_is_damaged_says_so() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let (id, other) = (caller.begin(slow(&["random"], 3)).await, caller.made(slow(&["random"], 1)).await);
    let mut stream = caller.follow(&id).await;
    soon(stream.message()).await.expect("a message");
    spoil(&scene.log, &id).await;
    ann.play(1).await;
    let status = loop {
        match soon(stream.message()).await {
            Ok(told) => assert!(told.is_some(), "it is not over"),
            Err(status) => break status,
        }
    };
    assert_eq!(Refused::of(&status).reason, Reason::ServerFault);
    for refused in [
        caller.get_tournament(get(&id)).await.map(|_| ()),
        caller.pause_tournament(pause(&id)).await.map(|_| ()),
        caller.cancel_tournament(cancel(&id, "")).await.map(|_| ()),
    ] {
        assert_eq!(why(refused), Reason::TableDamaged);
    }
    let listed = caller.list_tournaments(v1::ListTournamentsRequest::default()).await.expect("a page");
    assert!(listed.tournaments.iter().map(|one| &one.tournament_id).eq([&other]), "the others are there");
}
