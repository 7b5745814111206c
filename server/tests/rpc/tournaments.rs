//! Tournaments of house bots: every format and game, the organiser's calls, and a restart in the middle.

use parlor_engine::GameId;
use parlor_fair::ServerSeed;
use parlor_proto::v1::{self, ErrorReason as Reason, TournamentState as State, tournament_setup::Format};
use parlor_server::TableId;
use parlor_server::identity::Scope;

use crate::agent_client::{Agent, hello};
use crate::client::why;
use crate::standings_check::check_sums;
use crate::test_server::{Scene, key, ms, until};
use crate::tournament_requests::{
    agent, cancel, create, gauntlet, get, house, knockout, pause, resume, round_robin, setup, start, swiss,
    void, withdraw,
};

const FOUR: [&str; 4] = ["greedy", "random", "search:2", "search:3"];

/// Every format with this game, by bots of the house.
async fn every_format(game: GameId) {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let formats: [(Format, u32); 5] = [
        (round_robin(1), 2),
        (gauntlet(1, 1), 2),
        (swiss(2, 1), 2),
        (knockout(1), 2),
        // Line-ups of three, each pair once or twice.
        (round_robin(1), 3),
    ];
    for (format, players) in formats {
        let setup = v1::TournamentSetup { players, ..setup(game, &FOUR, format) };
        let id = caller.begin(setup).await;
        let (tournament, standings) = caller.to_the_end(&id).await;
        assert_eq!((tournament.state(), standings.state()), (State::Finished, State::Finished));
        let shuffle = tournament.shuffle.expect("a shuffle");
        assert!(shuffle.seed_given && shuffle.commitment.is_empty() && shuffle.server_seed == [9; 32]);
        assert!(tournament.owned && tournament.start_time.is_some() && tournament.end_time.is_some());
        check_sums(&standings, &caller.tables_of(&id).await, players);
        assert_eq!(caller.standings(&id).await, standings, "from the record");
        assert_eq!(standings.rows.len(), 4);
    }
}

#[tokio::test]
async fn every_format_with_habe_fertig() {
    every_format(GameId::HabeFertig).await;
}

#[tokio::test]
async fn every_format_with_gap() {
    every_format(GameId::Gap).await;
}

#[tokio::test]
async fn every_format_with_flush() {
    every_format(GameId::Flush).await;
}

#[tokio::test]
async fn every_format_with_no_dice() {
    every_format(GameId::NoDice).await;
}

/// Without a given seed: what was committed to is what was dealt from.
#[tokio::test]
async fn the_commitments_are_kept() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let setup =
        v1::TournamentSetup { given_seed: Vec::new(), ..setup(GameId::Gap, &FOUR[..2], round_robin(2)) };
    let asked = v1::CreateTournamentRequest { entropy: b"mine".to_vec(), ..create(setup) };
    let made = caller.create_tournament(asked).await.expect("one").tournament.expect("one");
    let before = made.shuffle.expect("a shuffle");
    assert!(!before.seed_given && before.server_seed.is_empty() && before.entropy.is_empty());
    let id = made.tournament_id;
    caller.start_tournament(start(&id)).await.expect("a start");
    let (tournament, _) = caller.to_the_end(&id).await;
    let after = tournament.shuffle.expect("a shuffle");
    assert_eq!(after.commitment, before.commitment);
    assert_eq!(after.entropy, [b"mine".to_vec(), Vec::new(), Vec::new()]);
    let tournament: TableId = id.parse().expect("an id");
    let seed = ServerSeed::from_bytes(after.server_seed.try_into().expect("32 bytes"));
    assert_eq!(seed.tournament_commitment(tournament).as_bytes().as_slice(), before.commitment);
    for table in caller.tables_of(&id).await {
        let shuffle = caller.look(&table.table_id).await.shuffle.expect("a shuffle");
        let deal = seed.deal(tournament, table.group);
        assert_eq!(shuffle.commitment, deal.commitment().as_bytes());
        assert_eq!(shuffle.server_seed, deal.reveal());
        let group = shuffle.deal_group.expect("a deal");
        assert_eq!((group.number, group.rotation), (Some(table.group), Some(table.rotation)));
        assert!(group.recoloured);
        assert_eq!((group.tournament_id, group.entropy), (id.clone(), after.entropy.clone()));
    }
}

/// Stopped and started again in the middle, a tournament comes to the same end, and nothing is played twice.
#[tokio::test]
async fn a_restart_changes_nothing() {
    let long = || v1::TournamentSetup {
        max_tables: 3,
        ..setup(GameId::Gap, &["greedy", "random", "search:20"], round_robin(12))
    };
    let calm = Scene::new().await;
    let id = calm.anyone().begin(long()).await;
    let (_, expected) = calm.anyone().to_the_end(&id).await;

    let mut scene = Scene::new().await;
    let id = scene.anyone().begin(long()).await;
    for restarts in 0..3 {
        let caller = scene.anyone();
        until("some tables", async || caller.standings(&id).await.tables_over > 8 * restarts).await;
        scene = scene.restart(ms(1000), async |log| log).await;
    }
    let caller = scene.anyone();
    let (tournament, standings) = caller.to_the_end(&id).await;
    assert_eq!(tournament.state(), State::Finished);
    assert_eq!(standings, expected);
    let tables = caller.tables_of(&id).await;
    check_sums(&standings, &tables, 2);
    let mut ids: Vec<&String> = tables.iter().map(|table| &table.table_id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), tables.len());
    let request = v1::ListTablesRequest { page_size: 100, ..v1::ListTablesRequest::default() };
    let all = caller.list_tables(request).await.expect("a page");
    assert_eq!(
        (all.tables.len(), all.next_page_token.as_str()),
        (tables.len(), ""),
        "none was played beside"
    );
}

#[tokio::test]
async fn pausing_and_resuming_and_cancelling() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let long = v1::TournamentSetup { max_tables: 2, ..setup(GameId::Gap, &FOUR, round_robin(200)) };
    let id = caller.made(long).await;
    for refused in [
        caller.pause_tournament(pause(&id)).await.map(|_| ()),
        caller.resume_tournament(resume(&id)).await.map(|_| ()),
    ] {
        assert_eq!(why(refused), Reason::TournamentState, "it is not started");
    }
    for _ in 0..2 {
        let started = caller.start_tournament(start(&id)).await.expect("a start, or a repeat");
        assert_eq!(started.tournament.expect("one").state(), State::Running);
    }
    until("a table", async || caller.standings(&id).await.tables_over > 0).await;
    for _ in 0..2 {
        let paused = caller.pause_tournament(pause(&id)).await.expect("a pause, or a repeat");
        assert_eq!(paused.tournament.expect("one").state(), State::Paused);
    }
    until("the running tables to end", async || caller.standings(&id).await.tables_running == 0).await;
    let over = caller.standings(&id).await.tables_over;
    // It stays paused over a restart.
    let scene = scene.restart(ms(0), async |log| log).await;
    let caller = scene.anyone();
    assert_eq!(caller.tournament(&id).await.state(), State::Paused);
    let standings = caller.standings(&id).await;
    assert_eq!((standings.tables_over, standings.tables_running, standings.time_left_ms), (over, 0, None));
    caller.resume_tournament(resume(&id)).await.expect("it goes on");
    until("more tables", async || caller.standings(&id).await.tables_over > over).await;
    for _ in 0..2 {
        let cancelled = caller.cancel_tournament(cancel(&id, "enough")).await.expect("an end, or a repeat");
        let cancelled = cancelled.tournament.expect("one");
        assert_eq!((cancelled.state(), cancelled.note.as_str()), (State::Cancelled, "enough"));
        assert_eq!(cancelled.shuffle.expect("a shuffle").server_seed, [9; 32], "all is shown");
    }
    let (tournament, standings) = caller.to_the_end(&id).await;
    assert_eq!((tournament.state(), standings.tables_running), (State::Cancelled, 0));
    assert!(standings.tables_over > over, "what was counted stays");
    assert_eq!(why(caller.resume_tournament(resume(&id)).await), Reason::TournamentState);
    assert_eq!(why(caller.void_group(void(&id, 0, "late")).await), Reason::TournamentState);
}

/// With an agent that does not answer, so that nothing is over before it is to be.
#[tokio::test]
async fn withdrawing_and_voiding() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let _mute = Agent::connect(&caller, hello("mute")).await;
    let entrants = vec![house("greedy"), house("random"), agent("mute")];
    let id = caller.begin(v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], round_robin(4)) }).await;
    until("a table", async || caller.tables_of(&id).await.iter().any(|table| table.group == 0)).await;
    for _ in 0..2 {
        let voided = caller.void_group(void(&id, 0, "a spilt drink")).await.expect("void, or a repeat");
        assert_eq!(voided.standings.expect("standings").groups_voided, 1);
    }
    for _ in 0..2 {
        let out = caller.withdraw_entrant(withdraw(&id, 2)).await.expect("out, or a repeat");
        let rows = out.standings.expect("standings").rows;
        assert!(rows.iter().all(|row| row.withdrawn == (row.entrant == 2)));
    }
    assert_eq!(why(caller.withdraw_entrant(withdraw(&id, 3)).await), Reason::EntrantNotFound);
    assert_eq!(why(caller.withdraw_entrant(withdraw(&id, u32::MAX)).await), Reason::EntrantNotFound);
    assert_eq!(why(caller.void_group(void(&id, 5000, "x")).await), Reason::GroupNotFound);
    let (_, standings) = caller.to_the_end(&id).await;
    let pair = standings.cells.iter().find(|cell| (cell.entrant, cell.opponent) == (0, 1));
    assert_eq!(pair.expect("they met").groups, 4, "those who are left meet as often as they were to");
    let tables = caller.tables_of(&id).await;
    let first: Vec<_> = tables.iter().filter(|table| table.group == 0).collect();
    assert!(!first.is_empty() && first.iter().all(|table| table.void_reason == "a spilt drink"));
    assert_eq!(tables.iter().filter(|table| !table.over).count(), 0);
}

#[tokio::test]
async fn whoever_follows_hears_of_the_end_and_of_a_stop() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.made(setup(GameId::Gap, &FOUR, round_robin(3))).await;
    let mut stream = caller.follow(&id).await;
    let first = crate::test_server::soon(stream.message()).await.expect("a message").expect("a first one");
    assert_eq!(first.tournament.expect("in the first").state(), State::Created);
    caller.start_tournament(start(&id)).await.expect("a start");
    let mut last = None;
    while let Some(told) = crate::test_server::soon(stream.message()).await.expect("a stream that goes on") {
        let standings = told.standings.expect("in each");
        assert!(last.is_none_or(|over| over <= standings.tables_over), "it never goes back");
        last = Some(standings.tables_over);
    }
    assert_eq!(last, Some(36));
    let long = caller.begin(setup(GameId::Gap, &FOUR, round_robin(5000))).await;
    let mut stream = caller.follow(&long).await;
    crate::test_server::soon(stream.message()).await.expect("a message");
    let stopped = scene.stopping();
    let status = loop {
        match crate::test_server::soon(stream.message()).await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it is not over"),
            Err(status) => break status,
        }
    };
    assert_eq!(crate::client::Refused::of(&status).reason, Reason::ServerStopping);
    stopped.await.expect("an end");
}

#[tokio::test]
async fn who_may_do_what() {
    let all = [Scope::Tables, Scope::Agents, Scope::SeededTables];
    let (anna, ben) = (key("anna", &all), key("ben", &all));
    let (poor, plain) = (key("poor", &[Scope::Tables]), key("plain", &[Scope::Tables, Scope::Agents]));
    let admin = key("root", &[Scope::Admin, Scope::Tables]);
    let scene = Scene::with_keys([&anna, &ben, &poor, &plain, &admin]).await;
    let cup = || setup(GameId::Gap, &FOUR[..2], round_robin(1));
    assert_eq!(why(scene.anyone().create_tournament(create(cup())).await), Reason::CredentialsMissing);
    assert_eq!(why(scene.holder(&poor).create_tournament(create(cup())).await), Reason::ScopeMissing);
    assert_eq!(why(scene.holder(&plain).create_tournament(create(cup())).await), Reason::ScopeMissing);
    let (anna, ben, admin) = (scene.holder(&anna), scene.holder(&ben), scene.holder(&admin));
    let open = anna.made(cup()).await;
    // The order of ids that were made at the same time says nothing.
    scene.advance(ms(1));
    let hidden = anna.made(v1::TournamentSetup { visibility: v1::Visibility::Private.into(), ..cup() }).await;
    assert!(!ben.tournament(&open).await.owned && anna.tournament(&open).await.owned);
    assert_eq!(why(ben.get_tournament(get(&hidden)).await), Reason::TournamentNotFound);
    assert_eq!(why(ben.start_tournament(start(&open)).await), Reason::NotOwner);
    assert_eq!(why(ben.start_tournament(start(&hidden)).await), Reason::TournamentNotFound);
    let list = |owned| v1::ListTournamentsRequest { owned, ..v1::ListTournamentsRequest::default() };
    for (caller, owned, count) in [(&anna, true, 2), (&anna, false, 2), (&ben, false, 1), (&ben, true, 0)] {
        let page = caller.list_tournaments(list(owned)).await.expect("a page");
        assert_eq!((page.tournaments.len(), page.next_page_token.as_str()), (count, ""));
    }
    let first = v1::ListTournamentsRequest { page_size: 1, ..list(true) };
    let page = anna.list_tournaments(first.clone()).await.expect("a page");
    assert_eq!(page.tournaments[0].tournament_id, hidden, "the newest first");
    let next = v1::ListTournamentsRequest { page_token: page.next_page_token, ..first };
    assert_eq!(anna.list_tournaments(next).await.expect("a page").tournaments[0].tournament_id, open);
    admin.start_tournament(start(&hidden)).await.expect("an administrator may");
    anna.to_the_end(&hidden).await;
    assert_eq!(why(ben.get_tournament(get(&hidden)).await), Reason::TournamentNotFound);
    // The same request makes one tournament.
    let asked = v1::CreateTournamentRequest { request_id: "cup 1".to_owned(), ..create(cup()) };
    let [one, again] = [
        anna.create_tournament(asked.clone()).await.expect("one").tournament.expect("one").tournament_id,
        anna.create_tournament(asked.clone()).await.expect("it").tournament.expect("it").tournament_id,
    ];
    assert_eq!(one, again);
    let other = v1::CreateTournamentRequest { entropy: vec![1], ..asked };
    assert_eq!(why(anna.create_tournament(other).await), Reason::RequestIdReused);
    let table = v1::CreateTableRequest { request_id: "cup 1".to_owned(), ..crate::table_requests::gap(2) };
    assert_eq!(why(anna.create_table(table).await), Reason::RequestIdReused);
}
