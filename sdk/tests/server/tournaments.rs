//! Tournaments of house bots over the wire: every format with every game adds up, and stronger bots rank
//! higher.
//!
//! The seed is given, so results are deterministic: house bots draw from the seed only. The number of groups
//! makes the difference between the bots at least two standard errors.

use futures_util::TryStreamExt;
use parlor_engine::for_all_games;
use parlor_sdk::{Client, options, wire};
use parlor_server::config::Count;
use parlor_testkit::check_standings;
use wire::entrant_setup::Entrant;
use wire::tournament_setup::Format;

use super::test_server::TestServer;
use super::with_timeout;

/// A tournament of four, `search` being the strongest. In a knockout the first entrant meets the last one, so
/// the seeding favours nobody.
fn cup(game: &str, search: &str, format: Format) -> wire::TournamentSetup {
    let house_bot = |name: &str| wire::EntrantSetup {
        entrant: Some(Entrant::HouseBot(wire::HouseBotSeat { name: name.to_owned() })),
    };
    wire::TournamentSetup {
        name: "house cup".to_owned(),
        game: game.to_owned(),
        players: 2,
        entrants: ["random", "search:1", search, "greedy"].map(house_bot).to_vec(),
        format: Some(format),
        clock: Some(wire::ClockSettings { decision_ms: Some(0), ..Default::default() }),
        given_seed: vec![3; 32],
        ..Default::default()
    }
}

/// Plays a tournament to its end; returns its standings and tables.
async fn play(
    client: &Client,
    setup: wire::TournamentSetup,
) -> (wire::Standings, Vec<wire::TournamentTable>) {
    let made = with_timeout(client.create_tournament(setup)).await.unwrap();
    let id = made.tournament_id;
    with_timeout(client.start_tournament(&id)).await.unwrap();
    let mut followed = client.follow_tournament(&id);
    let mut last = None;
    while let Some(update) = with_timeout(followed.next()).await.unwrap() {
        last = update.standings;
    }
    let standings = last.unwrap();
    assert_eq!(standings.state(), wire::TournamentState::Finished);
    (standings, with_timeout(client.tournament_tables(&id).try_collect()).await.unwrap())
}

/// Every format with this game: sums add up, and bots of known strength rank in order.
async fn every_format(game: &str) {
    let Strength { search, groups } = *Strength::of(game);
    let server = TestServer::start().await;
    let client = server.client().await;
    // In a gauntlet everyone meets the champion only: the strongest, as the yardstick.
    let formats = [
        Format::RoundRobin(wire::RoundRobinFormat { groups }),
        Format::Gauntlet(wire::GauntletFormat { champion: 2, groups }),
        Format::Swiss(wire::SwissFormat { rounds: 3, groups }),
        Format::Knockout(wire::KnockoutFormat { groups, tie_groups: None }),
    ];
    for format in formats {
        let (standings, tables) = play(&client, cup(game, search, format)).await;
        check_standings(&standings, &tables, 2);
        let line = |row: &wire::StandingsRow| format!("{}. {} {:.2}", row.rank, row.name, row.mean);
        let lines: Vec<String> = standings.rows.iter().map(line).collect();
        println!("{game} {format:?}: {}", lines.join(", "));
        let rank = |name: &str| standings.rows.iter().find(|row| row.name == name).unwrap().rank;
        let ranks = [search, "greedy", "random"].map(rank);
        assert!(ranks[0] < ranks[1] && ranks[1] < ranks[2], "{game} {format:?}: {lines:?}");
    }
}

/// Budget of the search bot and number of groups with which a game's bots differ by two standard errors.
struct Strength {
    search: &'static str,
    groups: u32,
}

/// Cheaper settings found for some games, by id. Any other game gets [`Strength::SAFE`].
const TUNED: [(&str, Strength); 4] = [
    ("habe_fertig", Strength { search: "search:4", groups: 32 }),
    ("gap", Strength { search: "search:60", groups: 24 }),
    ("five_three_five", Strength { search: "search:60", groups: 48 }),
    ("no_dice", Strength { search: "search:20", groups: 16 }),
];

impl Strength {
    /// The most expensive settings that any game needed.
    const SAFE: Strength = Strength { search: "search:60", groups: 48 };

    fn of(game: &str) -> &'static Strength {
        TUNED.iter().find(|(id, _)| *id == game).map_or(&Strength::SAFE, |(_, strength)| strength)
    }
}

/// One test per game of the catalogue.
macro_rules! test_every_game {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn every_format_adds_up_and_ranks_stronger_bots_higher() {
                let info = parlor_engine::GameId::$variant.info();
                if info.test_only {
                    // Stronger bots need not be better in a game for tests, and the SDK does not offer it.
                    assert!(!super::options::game_ids().iter().any(|id| id == info.id));
                } else {
                    super::every_format(info.id).await;
                }
            }
        }
    )*};
}

for_all_games!(test_every_game);

/// The same seed gives the same tournament, digit for digit, on another server with another thread count.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn same_seed_gives_the_same_tournament() {
    let one = TestServer::start().await;
    let other = TestServer::start_with(|settings, _| settings.bots.workers = Count::new(1)).await;
    for game in options::game_ids() {
        let setup = cup(&game, "search:5", Format::RoundRobin(wire::RoundRobinFormat { groups: 2 }));
        let [(first, tables), (second, again)] =
            [play(&one.client().await, setup.clone()).await, play(&other.client().await, setup).await];
        assert_eq!(first, second, "{game}");
        let results = |tables: Vec<wire::TournamentTable>| -> Vec<_> {
            tables
                .into_iter()
                .map(|table| (table.group, table.rotation, table.entrants, table.results))
                .collect()
        };
        assert_eq!(results(tables), results(again), "{game}");
    }
}
