//! Tournaments of the house's bots over the wire: every format with every game adds up, and the better ones come first.
//!
//! The seed is given, so that the results are the same every time: a bot of the house draws from the seed, and nothing
//! else. How many groups there are was chosen so that the difference between the bots is two standard errors or more.

use futures_util::TryStreamExt;
use parlor_sdk::{Client, options, wire};
use parlor_server::config::Count;
use wire::entrant_setup::Entrant;
use wire::tournament_setup::Format;

use super::house::House;
use super::sums::check_sums;
use super::within;

/// A tournament of four, the strongest one being `search`. In a knockout the first place meets the last one: the
/// seeding helps nobody.
fn cup(game: &str, search: &str, format: Format) -> wire::TournamentSetup {
    let house_bot = |name: &str| wire::EntrantSetup {
        entrant: Some(Entrant::HouseBot(wire::HouseBotSeat { name: name.to_owned() })),
    };
    wire::TournamentSetup {
        name: "house cup".to_owned(),
        options: Some(options::usual(game).unwrap()),
        players: 2,
        entrants: ["random", "search:1", search, "greedy"].map(house_bot).to_vec(),
        format: Some(format),
        clock: Some(wire::ClockSettings { decision_ms: Some(0), ..Default::default() }),
        given_seed: vec![3; 32],
        ..Default::default()
    }
}

/// Plays a tournament to its end; gives its standings and its tables.
async fn play(
    client: &Client,
    setup: wire::TournamentSetup,
) -> (wire::Standings, Vec<wire::TournamentTable>) {
    let made = within(client.create_tournament(setup)).await.unwrap();
    let id = made.tournament_id;
    within(client.start_tournament(&id)).await.unwrap();
    let mut followed = client.follow_tournament(&id);
    let mut last = None;
    while let Some(told) = within(followed.next()).await.unwrap() {
        last = told.standings;
    }
    let standings = last.unwrap();
    assert_eq!(standings.state(), wire::TournamentState::Finished);
    (standings, within(client.tournament_tables(&id).try_collect()).await.unwrap())
}

/// Every format with this game: what is counted adds up, and of those whose strength is known the better is first.
async fn every_format(game: &str, search: &str, groups: u32) {
    let house = House::open().await;
    let client = house.client().await;
    // In a gauntlet everyone meets the champion alone: it is the best, and the others are measured against it.
    let formats = [
        Format::RoundRobin(wire::RoundRobinFormat { groups }),
        Format::Gauntlet(wire::GauntletFormat { champion: 2, groups }),
        Format::Swiss(wire::SwissFormat { rounds: 3, groups }),
        Format::Knockout(wire::KnockoutFormat { groups, tie_groups: None }),
    ];
    for format in formats {
        let (standings, tables) = play(&client, cup(game, search, format)).await;
        check_sums(&standings, &tables, 2);
        let line = |row: &wire::StandingsRow| format!("{}. {} {:.2}", row.rank, row.name, row.mean);
        let lines: Vec<String> = standings.rows.iter().map(line).collect();
        println!("{game} {format:?}: {}", lines.join(", "));
        let rank = |name: &str| standings.rows.iter().find(|row| row.name == name).unwrap().rank;
        let ranks = [search, "greedy", "random"].map(rank);
        assert!(ranks[0] < ranks[1] && ranks[1] < ranks[2], "{game} {format:?}: {lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_with_habe_fertig() {
    every_format("habe_fertig", "search:4", 32).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_with_gap() {
    every_format("gap", "search:60", 24).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_with_flush() {
    every_format("flush", "search:60", 48).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_with_no_dice() {
    every_format("no_dice", "search:20", 16).await;
}

/// The same seed gives the same tournament, to the last digit, on another server with other threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_gives_the_same_tournament() {
    let one = House::open().await;
    let other = House::open_with(|settings, _| settings.bots.workers = Count::of(1)).await;
    for game in options::games() {
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
