//! Validation of TournamentService requests: every invalid field is named by its path.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, tournament_setup::Format};

use crate::client::{RpcError, error_reason};
use crate::table_requests::unknown_table_id;
use crate::test_server::TestServer;
use crate::tournament_requests::{
    agent, cancel, create, gauntlet, get, house, knockout, round_robin, setup, start, swiss, void,
};

fn valid_setup() -> v1::TournamentSetup {
    setup(GameId::Gap, &["random", "greedy"], round_robin(1))
}

/// The invalid field of a changed setup.
async fn invalid_setup_field(server: &TestServer, change: impl FnOnce(&mut v1::TournamentSetup)) -> String {
    let mut setup = valid_setup();
    change(&mut setup);
    invalid_field(server.client().create_tournament(create(setup)).await)
}

fn invalid_field<T>(result: Result<T, RpcError>) -> String {
    let Err(refused) = result else { panic!("the call should have failed") };
    assert_eq!(refused.reason, Reason::InvalidField, "{refused:?}");
    refused.fields.into_iter().next().expect("a field")
}

#[tokio::test]
async fn every_field_of_a_tournament_setup_is_validated() {
    let server = TestServer::new().await;
    let formats = |format: Format| move |setup: &mut v1::TournamentSetup| setup.format = Some(format);
    let entrants = |count: usize| {
        let agents = (0..count).map(|number| agent(&format!("a{number}"))).collect();
        move |setup: &mut v1::TournamentSetup| setup.entrants = agents
    };
    let entrant =
        |entrant: v1::EntrantSetup| move |setup: &mut v1::TournamentSetup| setup.entrants[1] = entrant;
    let test = |change: fn(&mut v1::SequentialTest)| {
        move |setup: &mut v1::TournamentSetup| {
            let mut test = v1::SequentialTest { lower: -1.0, upper: 1.0, ..v1::SequentialTest::default() };
            change(&mut test);
            setup.test = Some(test);
        }
    };
    macro_rules! check {
        ($($path:literal: $change:expr;)*) => {
            $(assert_eq!(invalid_setup_field(&server, $change).await, concat!("setup", $path));)*
        };
    }
    check! {
        ".name": |setup| setup.name = "x".repeat(129);
        ".name": |setup| setup.name = "a\u{1b}b".to_owned();
        ".game": |setup| setup.options = None;
        ".options": |setup| setup.options = Some(v1::GameOptions { game: None });
        ".options.gap": |setup| setup.game = "no_dice".to_owned();
        ".players": |setup| setup.players = 7;
        ".players": |setup| setup.players = 1;
        ".entrants": entrants(0);
        ".entrants": entrants(1);
        ".entrants": entrants(257);
        ".entrants": |setup| setup.players = 3;
        ".entrants[1]": entrant(house("random"));
        ".entrants[1]": entrant(v1::EntrantSetup::default());
        ".entrants[1].agent.name": entrant(agent(""));
        ".entrants[1].agent.name": entrant(agent(&"x".repeat(65)));
        "": |setup| setup.format = None;
        ".round_robin.groups": formats(round_robin(0));
        ".round_robin.groups": formats(round_robin(100_001));
        ".gauntlet.champion": formats(gauntlet(2, 1));
        ".gauntlet.champion": formats(gauntlet(u32::MAX, 1));
        ".gauntlet.groups": formats(gauntlet(0, 0));
        ".swiss.rounds": formats(swiss(0, 1));
        ".swiss.rounds": formats(swiss(101, 1));
        ".swiss.groups": formats(swiss(1, 10_001));
        ".knockout.groups": formats(knockout(0));
        ".knockout.tie_groups": formats(Format::Knockout(v1::KnockoutFormat { groups: 1, tie_groups: Some(1001) }));
        ".deals": |setup| setup.deals = 9;
        ".clock.forfeit_after": |setup| setup.clock = Some(crate::table_requests::clock(1, 1, 1, 0));
        ".max_tables": |setup| setup.max_tables = 100_001;
        ".visibility": |setup| setup.visibility = 9;
        ".patience_ms": |setup| setup.patience_ms = Some(86_400_001);
        ".given_seed": |setup| setup.given_seed = vec![1; 31];
        ".test.entrant": test(|test| test.entrant = 2);
        ".test.entrant": test(|test| test.entrant = u32::MAX);
        ".test.upper": test(|test| test.upper = -1.0);
        ".test.lower": test(|test| test.lower = f64::NAN);
        ".test.alpha": test(|test| test.alpha = 0.6);
        ".test.beta": test(|test| test.beta = -0.1);
        ".test.min_groups": test(|test| test.min_groups = 1);
        ".test": |setup| {
            test(|_| {})(setup);
            setup.format = Some(knockout(1));
        };
        ".round_robin": |setup| {
            entrants(256)(setup);
            setup.format = Some(round_robin(100_000));
        };
    }
    let mut unknown = valid_setup();
    unknown.entrants[1] = house("nobody");
    let refused = server.client().create_tournament(create(unknown)).await;
    assert_eq!(error_reason(refused), Reason::HouseBotNotFound);
}

#[tokio::test]
async fn other_tournament_requests_are_validated() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_tournament(valid_setup()).await;
    assert_eq!(
        invalid_field(client.create_tournament(v1::CreateTournamentRequest::default()).await),
        "setup"
    );
    let asked = v1::StartTournamentRequest { entropy_commitment: vec![0; 31], ..start(&id) };
    assert_eq!(invalid_field(client.start_tournament(asked).await), "entropy_commitment");
    let asked = v1::RevealTournamentEntropyRequest { tournament_id: id.clone(), entropy: vec![0; 15] };
    assert_eq!(invalid_field(client.reveal_tournament_entropy(asked).await), "entropy");
    let asked = v1::CreateTournamentRequest { request_id: "ä".to_owned(), ..create(valid_setup()) };
    assert_eq!(invalid_field(client.create_tournament(asked).await), "request_id");
    assert_eq!(invalid_field(client.get_tournament(get("x")).await), "tournament_id");
    assert_eq!(
        error_reason(client.get_tournament(get(&unknown_table_id())).await),
        Reason::TournamentNotFound
    );
    let table = client.new_table(crate::table_requests::gap(2)).await;
    assert_eq!(
        error_reason(client.get_tournament(get(&table)).await),
        Reason::TournamentNotFound,
        "a table is not a tournament"
    );
    assert_eq!(
        error_reason(client.get_table(crate::table_requests::get(&id)).await),
        Reason::TableNotFound,
        "a tournament is not a table"
    );
    assert_eq!(invalid_field(client.cancel_tournament(cancel(&id, &"x".repeat(257))).await), "reason");
    assert_eq!(invalid_field(client.cancel_tournament(cancel(&id, "a\nb")).await), "reason");
    assert_eq!(invalid_field(client.void_group(void(&id, 0, "")).await), "reason");
    let list = v1::ListTournamentsRequest { page_size: 1001, ..v1::ListTournamentsRequest::default() };
    assert_eq!(invalid_field(client.list_tournaments(list).await), "page_size");
    let list =
        v1::ListTournamentsRequest { page_token: "?".to_owned(), ..v1::ListTournamentsRequest::default() };
    assert_eq!(invalid_field(client.list_tournaments(list).await), "page_token");
    let tables = |page_size, page_token: &str| v1::ListTournamentTablesRequest {
        tournament_id: id.clone(),
        page_size,
        page_token: page_token.to_owned(),
    };
    assert_eq!(invalid_field(client.list_tournament_tables(tables(1001, "")).await), "page_size");
    for token in ["?", "1", "1.", "1.x", "1.256", "4294967296.0"] {
        assert_eq!(invalid_field(client.list_tournament_tables(tables(1, token)).await), "page_token");
    }
    let standings = v1::GetStandingsRequest { tournament_id: String::new(), history: true };
    assert_eq!(invalid_field(client.get_standings(standings).await), "tournament_id");
}
