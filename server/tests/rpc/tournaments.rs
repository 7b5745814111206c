//! Tournaments of house bots: every format with every game, the organiser's calls, restarts, and access
//! control.

use parlor_engine::GameId;
use parlor_fair::ServerSeed;
use parlor_proto::v1::{self, ErrorReason as Reason, TournamentState as State, tournament_setup::Format};
use parlor_server::TournamentId;
use parlor_server::identity::Scope;
use parlor_testkit::check_standings;

use crate::agent_client::{AgentClient, hello};
use crate::client::error_reason;
use crate::test_server::{TestServer, api_key, ms, wait_until, with_timeout};
use crate::tournament_requests::{
    agent, agent_paced, cancel, create, gauntlet, get, house, knockout, organiser_entropy, pause, resume,
    round_robin, setup, start, swiss, void, withdraw,
};

/// Four house bots.
const FOUR: [&str; 4] = ["greedy", "random", "search:2", "search:3"];

/// Plays a tournament of house bots in every format with this game.
async fn play_every_format(game: GameId) {
    let server = TestServer::new().await;
    let client = server.client();
    let formats: [(Format, u32); 5] = [
        (round_robin(1), 2),
        (gauntlet(1, 1), 2),
        (swiss(2, 1), 2),
        (knockout(1), 2),
        // Tables of three: each pair meets once or twice.
        (round_robin(1), 3),
    ];
    for (format, players) in formats {
        let setup = v1::TournamentSetup { players, ..setup(game, &FOUR, format) };
        let id = client.start_new_tournament(setup).await;
        let (tournament, standings) = client.follow_to_end(&id).await;
        assert_eq!((tournament.state(), standings.state()), (State::Finished, State::Finished));
        let shuffle = tournament.shuffle.expect("a shuffle");
        assert!(shuffle.seed_given && shuffle.commitment.is_empty() && shuffle.server_seed == [9; 32]);
        assert!(tournament.owned && tournament.start_time.is_some() && tournament.end_time.is_some());
        check_standings(&standings, &client.tournament_tables(&id).await, players);
        assert_eq!(client.standings(&id).await, standings, "standings from the record");
        assert_eq!(standings.rows.len(), 4);
    }
}

/// One test for each game of the catalogue.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            #[tokio::test]
            async fn every_tournament_format() {
                super::play_every_format(parlor_engine::GameId::$variant).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

/// Without a given seed the tables are dealt from the committed seed.
#[tokio::test]
async fn tournament_deals_match_the_commitment() {
    let server = TestServer::new().await;
    let client = server.client();
    let setup = v1::TournamentSetup {
        given_seed: Vec::new(),
        // The game by its id.
        game: "gap".to_owned(),
        options: None,
        ..setup(GameId::Gap, &FOUR[..2], round_robin(2))
    };
    let made =
        client.create_tournament(create(setup)).await.expect("a response").tournament.expect("a tournament");
    let shown = made.setup.expect("a setup");
    assert_eq!((shown.game.as_str(), shown.options), ("gap", Some(GameId::Gap.default_options().into())));
    let before = made.shuffle.expect("a shuffle");
    assert!(!before.seed_given && before.server_seed.is_empty() && before.entropy.is_empty());
    let id = made.tournament_id;
    let (entropy, commitment) = organiser_entropy(&id);
    let started = v1::StartTournamentRequest { entropy_commitment: commitment.clone(), ..start(&id) };
    client.start_tournament(started).await.expect("a start");
    client.reveal_tournament(&id, &entropy).await;
    let (tournament, _) = client.follow_to_end(&id).await;
    let after = tournament.shuffle.expect("a shuffle");
    assert_eq!(after.commitment, before.commitment);
    assert_eq!(after.entropy, [entropy, Vec::new(), Vec::new()]);
    assert_eq!(after.entropy_commitments, [commitment, Vec::new(), Vec::new()]);
    let tournament: TournamentId = id.parse().expect("an id");
    let seed = ServerSeed::from_bytes(after.server_seed.try_into().expect("32 bytes"));
    assert_eq!(seed.tournament_commitment(tournament).as_bytes().as_slice(), before.commitment);
    for table in client.tournament_tables(&id).await {
        let shuffle = client.table(&table.table_id).await.shuffle.expect("a shuffle");
        let deal = seed.deal_seed(tournament, table.group);
        assert_eq!(shuffle.commitment, deal.commitment().as_bytes());
        assert_eq!(shuffle.server_seed, deal.reveal());
        let group = shuffle.deal_group.expect("a deal");
        assert_eq!((group.number, group.rotation), (Some(table.group), Some(table.rotation)));
        assert!(group.recoloured);
        assert_eq!((group.tournament_id, group.entropy), (id.clone(), after.entropy.clone()));
        assert_eq!(group.entropy_commitments, after.entropy_commitments);
    }
}

/// A tournament with restarts has the same standings as one without, and no table is played twice.
#[tokio::test]
async fn restarts_do_not_change_the_standings() {
    let long = || v1::TournamentSetup {
        max_tables: 3,
        ..setup(GameId::Gap, &["greedy", "random", "search:20"], round_robin(12))
    };
    let undisturbed = TestServer::new().await;
    let id = undisturbed.client().start_new_tournament(long()).await;
    let (_, expected) = undisturbed.client().follow_to_end(&id).await;

    let mut server = TestServer::new().await;
    let id = server.client().start_new_tournament(long()).await;
    for restarts in 0..3 {
        let client = server.client();
        wait_until("some tables", async || client.standings(&id).await.tables_over > 8 * restarts).await;
        server = server.restart(ms(1000), async |log| log).await;
    }
    let client = server.client();
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!(tournament.state(), State::Finished);
    assert_eq!(standings, expected);
    let tables = client.tournament_tables(&id).await;
    check_standings(&standings, &tables, 2);
    let mut ids: Vec<&String> = tables.iter().map(|table| &table.table_id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), tables.len());
    let request = v1::ListTablesRequest { page_size: 100, ..v1::ListTablesRequest::default() };
    let all = client.list_tables(request).await.expect("a page");
    assert_eq!(
        (all.tables.len(), all.next_page_token.as_str()),
        (tables.len(), ""),
        "no table outside the tournament's list"
    );
}

#[tokio::test]
async fn pause_resume_and_cancel_are_idempotent_and_durable() {
    let server = TestServer::new().await;
    let client = server.client();
    let long = v1::TournamentSetup { max_tables: 2, ..setup(GameId::Gap, &FOUR, round_robin(200)) };
    let id = client.new_tournament(long).await;
    for refused in [
        client.pause_tournament(pause(&id)).await.map(|_| ()),
        client.resume_tournament(resume(&id)).await.map(|_| ()),
    ] {
        assert_eq!(error_reason(refused), Reason::TournamentState, "not started");
    }
    for _ in 0..2 {
        let started = client.start_tournament(start(&id)).await.expect("starting is idempotent");
        assert_eq!(started.tournament.expect("a tournament").state(), State::Running);
    }
    wait_until("a table", async || client.standings(&id).await.tables_over > 0).await;
    for _ in 0..2 {
        let paused = client.pause_tournament(pause(&id)).await.expect("pausing is idempotent");
        assert_eq!(paused.tournament.expect("a tournament").state(), State::Paused);
    }
    wait_until("the running tables to end", async || client.standings(&id).await.tables_running == 0).await;
    let over = client.standings(&id).await.tables_over;
    // The pause survives a restart.
    let server = server.restart(ms(0), async |log| log).await;
    let client = server.client();
    assert_eq!(client.tournament(&id).await.state(), State::Paused);
    let standings = client.standings(&id).await;
    assert_eq!((standings.tables_over, standings.tables_running, standings.time_left_ms), (over, 0, None));
    client.resume_tournament(resume(&id)).await.expect("a resumed tournament");
    wait_until("more tables", async || client.standings(&id).await.tables_over > over).await;
    for _ in 0..2 {
        let cancelled =
            client.cancel_tournament(cancel(&id, "enough")).await.expect("cancelling is idempotent");
        let cancelled = cancelled.tournament.expect("a tournament");
        assert_eq!((cancelled.state(), cancelled.note.as_str()), (State::Cancelled, "enough"));
        assert_eq!(cancelled.shuffle.expect("a shuffle").server_seed, [9; 32], "the seed is revealed");
    }
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!((tournament.state(), standings.tables_running), (State::Cancelled, 0));
    assert!(standings.tables_over > over, "counted tables stay counted");
    assert_eq!(error_reason(client.resume_tournament(resume(&id)).await), Reason::TournamentState);
    assert_eq!(error_reason(client.void_group(void(&id, 0, "late")).await), Reason::TournamentState);
}

/// One entrant is an agent that does not answer, so that its tables stay unfinished.
#[tokio::test]
async fn withdraw_entrant_and_void_group_are_idempotent() {
    let server = TestServer::new().await;
    let client = server.client();
    let _mute = AgentClient::connect(&client, hello("mute")).await;
    let entrants = vec![house("greedy"), house("random"), agent("mute")];
    let id = client
        .start_new_tournament(v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], round_robin(4)) })
        .await;
    wait_until("a table", async || client.tournament_tables(&id).await.iter().any(|table| table.group == 0))
        .await;
    for _ in 0..2 {
        let voided = client.void_group(void(&id, 0, "a spilt drink")).await.expect("voiding is idempotent");
        assert_eq!(voided.standings.expect("standings").groups_voided, 1);
    }
    for _ in 0..2 {
        let withdrawn = client.withdraw_entrant(withdraw(&id, 2)).await.expect("withdrawing is idempotent");
        let rows = withdrawn.standings.expect("standings").rows;
        assert!(rows.iter().all(|row| row.withdrawn == (row.entrant == 2)));
    }
    assert_eq!(error_reason(client.withdraw_entrant(withdraw(&id, 3)).await), Reason::EntrantNotFound);
    assert_eq!(error_reason(client.withdraw_entrant(withdraw(&id, u32::MAX)).await), Reason::EntrantNotFound);
    assert_eq!(error_reason(client.void_group(void(&id, 5000, "x")).await), Reason::GroupNotFound);
    let (_, standings) = client.follow_to_end(&id).await;
    let pair = standings.cells.iter().find(|cell| (cell.entrant, cell.opponent) == (0, 1));
    assert_eq!(pair.expect("the cell of the pair").groups, 4, "the remaining pair plays all of its groups");
    let tables = client.tournament_tables(&id).await;
    let first: Vec<_> = tables.iter().filter(|table| table.group == 0).collect();
    assert!(!first.is_empty() && first.iter().all(|table| table.void_reason == "a spilt drink"));
    assert_eq!(tables.iter().filter(|table| !table.over).count(), 0);
}

#[tokio::test]
async fn follow_tournament_ends_with_the_tournament_or_the_server() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_tournament(setup(GameId::Gap, &FOUR, round_robin(3))).await;
    let mut stream = client.follow_tournament(&id).await;
    let first = with_timeout(stream.message()).await.expect("a message").expect("a first message");
    assert_eq!(first.tournament.expect("a tournament in the first message").state(), State::Created);
    client.start_tournament(start(&id)).await.expect("a start");
    let mut last = None;
    while let Some(message) = with_timeout(stream.message()).await.expect("an open stream") {
        let standings = message.standings.expect("standings in every message");
        assert!(last.is_none_or(|over| over <= standings.tables_over), "standings never go back");
        last = Some(standings.tables_over);
    }
    assert_eq!(last, Some(36));
    let long = client.start_new_tournament(setup(GameId::Gap, &FOUR, round_robin(5000))).await;
    let mut stream = client.follow_tournament(&long).await;
    with_timeout(stream.message()).await.expect("a message");
    let shutdown = server.begin_shutdown();
    let status = loop {
        match with_timeout(stream.message()).await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("ended before the tournament"),
            Err(status) => break status,
        }
    };
    assert_eq!(crate::client::RpcError::from_status(&status).reason, Reason::ServerStopping);
    shutdown.await.expect("the shutdown task");
}

/// A refused start brings the tournament into memory, which is no change for its followers.
#[tokio::test]
async fn refused_start_sends_nothing_to_followers() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_tournament(agent_paced(&["random"], 3)).await;
    let mut stream = client.follow_tournament(&id).await;
    let first = with_timeout(stream.message()).await.expect("an open stream").expect("a message");
    assert_eq!(first.tournament.expect("a tournament").state(), State::Created);
    assert_eq!(error_reason(client.start_tournament(start(&id)).await), Reason::AgentUnavailable);
    client.cancel_tournament(cancel(&id, "")).await.expect("cancelled");
    // Before the end is stored, followers may be sent standings, but no tournament that has not changed.
    let next = loop {
        let next = with_timeout(stream.message()).await.expect("an open stream").expect("a message");
        if let Some(tournament) = next.tournament {
            break tournament;
        }
    };
    assert_eq!(next.state(), State::Cancelled);
}

#[tokio::test]
async fn tournament_calls_check_scopes_ownership_and_visibility() {
    let all = [Scope::Tables, Scope::Agents, Scope::SeededTables];
    let (anna, ben) = (api_key("anna", &all), api_key("ben", &all));
    let (poor, plain) =
        (api_key("poor", &[Scope::Tables]), api_key("plain", &[Scope::Tables, Scope::Agents]));
    let admin = api_key("root", &[Scope::Admin, Scope::Tables]);
    let server = TestServer::with_keys([&anna, &ben, &poor, &plain, &admin]).await;
    let two_bots = || setup(GameId::Gap, &FOUR[..2], round_robin(1));
    assert_eq!(
        error_reason(server.client().create_tournament(create(two_bots())).await),
        Reason::CredentialsMissing
    );
    assert_eq!(
        error_reason(server.client_with_key(&poor).create_tournament(create(two_bots())).await),
        Reason::ScopeMissing
    );
    assert_eq!(
        error_reason(server.client_with_key(&plain).create_tournament(create(two_bots())).await),
        Reason::ScopeMissing
    );
    let (anna, ben, admin) =
        (server.client_with_key(&anna), server.client_with_key(&ben), server.client_with_key(&admin));
    let open = anna.new_tournament(two_bots()).await;
    // Ids of the same millisecond have no defined order.
    server.advance(ms(1));
    let hidden = anna
        .new_tournament(v1::TournamentSetup { visibility: v1::Visibility::Private.into(), ..two_bots() })
        .await;
    assert!(!ben.tournament(&open).await.owned && anna.tournament(&open).await.owned);
    assert_eq!(error_reason(ben.get_tournament(get(&hidden)).await), Reason::TournamentNotFound);
    assert_eq!(error_reason(ben.start_tournament(start(&open)).await), Reason::NotOwner);
    assert_eq!(error_reason(ben.start_tournament(start(&hidden)).await), Reason::TournamentNotFound);
    let list = |owned| v1::ListTournamentsRequest { owned, ..v1::ListTournamentsRequest::default() };
    for (client, owned, count) in [(&anna, true, 2), (&anna, false, 2), (&ben, false, 1), (&ben, true, 0)] {
        let page = client.list_tournaments(list(owned)).await.expect("a page");
        assert_eq!((page.tournaments.len(), page.next_page_token.as_str()), (count, ""));
    }
    let first = v1::ListTournamentsRequest { page_size: 1, ..list(true) };
    let page = anna.list_tournaments(first.clone()).await.expect("a page");
    assert_eq!(page.tournaments[0].tournament_id, hidden, "newest first");
    let next = v1::ListTournamentsRequest { page_token: page.next_page_token, ..first };
    assert_eq!(anna.list_tournaments(next).await.expect("a page").tournaments[0].tournament_id, open);
    admin.start_tournament(start(&hidden)).await.expect("the admin scope");
    anna.follow_to_end(&hidden).await;
    assert_eq!(error_reason(ben.get_tournament(get(&hidden)).await), Reason::TournamentNotFound);
    // CreateTournament is idempotent by request id.
    let asked = v1::CreateTournamentRequest { request_id: "cup 1".to_owned(), ..create(two_bots()) };
    let [one, again] = [
        anna.create_tournament(asked.clone())
            .await
            .expect("a response")
            .tournament
            .expect("a tournament")
            .tournament_id,
        anna.create_tournament(asked.clone())
            .await
            .expect("a response")
            .tournament
            .expect("a tournament")
            .tournament_id,
    ];
    assert_eq!(one, again);
    let of_ben = ben.create_tournament(asked.clone()).await.expect("a response").tournament;
    assert_ne!(of_ben.expect("a tournament").tournament_id, one, "an id of another owner");
    let mut other = asked;
    other.setup.as_mut().expect("a setup").name = "another".to_owned();
    assert_eq!(error_reason(anna.create_tournament(other).await), Reason::RequestIdReused);
    let table = v1::CreateTableRequest { request_id: "cup 1".to_owned(), ..crate::table_requests::gap(2) };
    assert_eq!(error_reason(anna.create_table(table).await), Reason::RequestIdReused);
}
