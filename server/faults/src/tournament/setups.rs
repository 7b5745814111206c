//! Setups of the tournaments: one of each game, with the formats in turn, and one with a sequential test, all
//! played concurrently by the same agents.

use parlor_sdk::{options, wire};
use rand_core::Rng;
use wire::entrant_setup::Entrant;
use wire::tournament_setup::Format;

use super::agents::NAMES;
use crate::run::rng_for;

/// Clock times longer than any run.
const LONG_MS: u32 = 600_000;

/// Setups of the tournaments of a run, with numbers of deals in proportion to `size`.
pub(super) fn setups(seed: u64, size: u32) -> Vec<wire::TournamentSetup> {
    let [ann, bob, cid] = NAMES.map(agent);
    let round_robin = Format::RoundRobin(wire::RoundRobinFormat { groups: size });
    let gauntlet = Format::Gauntlet(wire::GauntletFormat { champion: 1, groups: size });
    let swiss = Format::Swiss(wire::SwissFormat { rounds: 2, groups: size });
    let knockout = Format::Knockout(wire::KnockoutFormat { groups: size, tie_groups: Some(1) });
    let of = |number: usize, game: &str, players, entrants: &[wire::EntrantSetup], format| {
        let mut given_seed = vec![0; 32];
        rng_for(seed, "tournament", number).fill_bytes(&mut given_seed);
        wire::TournamentSetup {
            name: game.to_owned(),
            game: game.to_owned(),
            players,
            entrants: entrants.to_vec(),
            format: Some(format),
            // No agent loses on time or is withdrawn, even with many restarts of the server.
            clock: Some(wire::ClockSettings {
                decision_ms: Some(LONG_MS),
                grace_ms: Some(LONG_MS),
                hidden_window_ms: Some(LONG_MS),
                ..wire::ClockSettings::default()
            }),
            patience_ms: Some(LONG_MS),
            given_seed,
            ..wire::TournamentSetup::default()
        }
    };
    // Greedy is far better than random, so the test is decided after some of the groups.
    let test = wire::SequentialTest {
        entrant: 0,
        upper: 5.0,
        min_groups: size + 1,
        ..wire::SequentialTest::default()
    };
    let many = Format::RoundRobin(wire::RoundRobinFormat { groups: 4 * size });
    // An odd number, so that one entrant has a bye.
    let odd = vec![bob.clone(), house("greedy"), ann.clone(), cid.clone(), house("random")];
    let formats = [
        (knockout, 2, vec![cid.clone(), house("search:20"), bob.clone(), ann.clone()]),
        (round_robin, 2, vec![ann.clone(), bob.clone(), cid, house("search:20")]),
        (gauntlet, 3, vec![house("greedy"), ann.clone(), bob.clone(), house("random")]),
        (swiss, 2, odd),
    ];
    let mut setups = Vec::new();
    for (game, (format, players, entrants)) in options::game_ids().iter().zip(formats.iter().cycle()) {
        setups.push(of(setups.len(), game, *players, entrants, *format));
    }
    let tested = of(setups.len(), "gap", 2, &[ann, bob], many);
    let name = "gap with a sequential test".to_owned();
    setups.push(wire::TournamentSetup { name, test: Some(test), ..tested });
    setups
}

fn agent(name: &str) -> wire::EntrantSetup {
    let seat = wire::AgentSeat { name: name.to_owned(), version: String::new() };
    wire::EntrantSetup { entrant: Some(Entrant::Agent(seat)) }
}

fn house(name: &str) -> wire::EntrantSetup {
    let seat = wire::HouseBotSeat { name: name.to_owned() };
    wire::EntrantSetup { entrant: Some(Entrant::HouseBot(seat)) }
}
