//! Bad input to the calls of tournaments: each field, and what is said of it.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, tournament_setup::Format};

use crate::client::{Refused, why};
use crate::table_requests::no_table;
use crate::test_server::Scene;
use crate::tournament_requests::{
    agent, cancel, create, gauntlet, get, house, knockout, round_robin, setup, swiss, void,
};

fn good() -> v1::TournamentSetup {
    setup(GameId::Gap, &["random", "greedy"], round_robin(1))
}

/// The field of the setup that is refused.
async fn field(scene: &Scene, change: impl FnOnce(&mut v1::TournamentSetup)) -> String {
    let mut setup = good();
    change(&mut setup);
    refused_field(scene.anyone().create_tournament(create(setup)).await)
}

fn refused_field<T>(answer: Result<T, Refused>) -> String {
    let Err(refused) = answer else { panic!("this should have been refused") };
    assert_eq!(refused.reason, Reason::InvalidField, "{refused:?}");
    refused.fields.into_iter().next().expect("a field")
}

#[tokio::test]
async fn every_field_of_a_setup_is_checked() {
    let scene = Scene::new().await;
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
            $(assert_eq!(field(&scene, $change).await, concat!("setup", $path));)*
        };
    }
    check! {
        ".name": |setup| setup.name = "x".repeat(129);
        ".name": |setup| setup.name = "a\u{1b}b".to_owned();
        ".options": |setup| setup.options = None;
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
    let mut unknown = good();
    unknown.entrants[1] = house("nobody");
    let refused = scene.anyone().create_tournament(create(unknown)).await;
    assert_eq!(why(refused), Reason::HouseBotNotFound);
}

#[tokio::test]
async fn the_other_requests_are_checked() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.made(good()).await;
    assert_eq!(
        refused_field(caller.create_tournament(v1::CreateTournamentRequest::default()).await),
        "setup"
    );
    let asked = v1::CreateTournamentRequest { entropy: vec![0; 65], ..create(good()) };
    assert_eq!(refused_field(caller.create_tournament(asked).await), "entropy");
    let asked = v1::CreateTournamentRequest { request_id: "ä".to_owned(), ..create(good()) };
    assert_eq!(refused_field(caller.create_tournament(asked).await), "request_id");
    assert_eq!(refused_field(caller.get_tournament(get("x")).await), "tournament_id");
    assert_eq!(why(caller.get_tournament(get(&no_table())).await), Reason::TournamentNotFound);
    let table = caller.make(crate::table_requests::gap(2)).await;
    assert_eq!(why(caller.get_tournament(get(&table)).await), Reason::TournamentNotFound, "a table is none");
    assert_eq!(
        why(caller.get_table(crate::table_requests::get(&id)).await),
        Reason::TableNotFound,
        "and none is a table"
    );
    assert_eq!(refused_field(caller.cancel_tournament(cancel(&id, &"x".repeat(257))).await), "reason");
    assert_eq!(refused_field(caller.cancel_tournament(cancel(&id, "a\nb")).await), "reason");
    assert_eq!(refused_field(caller.void_group(void(&id, 0, "")).await), "reason");
    let list = v1::ListTournamentsRequest { page_size: 1001, ..v1::ListTournamentsRequest::default() };
    assert_eq!(refused_field(caller.list_tournaments(list).await), "page_size");
    let list =
        v1::ListTournamentsRequest { page_token: "?".to_owned(), ..v1::ListTournamentsRequest::default() };
    assert_eq!(refused_field(caller.list_tournaments(list).await), "page_token");
    let tables = |page_size, page_token: &str| v1::ListTournamentTablesRequest {
        tournament_id: id.clone(),
        page_size,
        page_token: page_token.to_owned(),
    };
    assert_eq!(refused_field(caller.list_tournament_tables(tables(1001, "")).await), "page_size");
    for token in ["?", "1", "1.", "1.x", "1.256", "4294967296.0"] {
        assert_eq!(refused_field(caller.list_tournament_tables(tables(1, token)).await), "page_token");
    }
    let standings = v1::GetStandingsRequest { tournament_id: String::new(), history: true };
    assert_eq!(refused_field(caller.get_standings(standings).await), "tournament_id");
}
