//! The simulations.

use std::sync::{Arc, Mutex};

use parlor_engine::GameId;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tokio::sync::watch;

use crate::disk::{Disk, Honesty};
use crate::network::{Trouble, world};
use crate::platform::{PLAYERS, Place, open_tables};
use crate::player::{Player, Tally};
use crate::seat_observer::Broken;

/// How many faults there are in a simulation.
const FAULTS: usize = 14;

/// The first seed: from `PARLOR_TEST_SEED`, or 1.
fn first_seed() -> u64 {
    std::env::var("PARLOR_TEST_SEED").map_or(1, |seed| seed.parse().expect("a whole number"))
}

/// What came of a simulation.
struct Came {
    broken: Vec<String>,
    tally: Tally,
    crashes: usize,
}

/// Plays a table of each game, one client for each seat number, with faults all the while.
fn simulate(seed: u64, honesty: Honesty) -> Came {
    let (disk, broken) = (Disk::new(honesty), Broken::default());
    let mut sim = world(seed, &disk);
    let (opened, places) = watch::channel(Vec::<Place>::new());
    let tallies = Arc::new(Mutex::new(Vec::new()));
    sim.client("platform", {
        let broken = broken.clone();
        async move {
            if let Some(places) = open_tables(GameId::ALL, seed, &broken).await {
                opened.send(places)?;
            }
            Ok(())
        }
    });
    let mut clients = vec!["platform".to_owned()];
    for number in 0..PLAYERS {
        let name = format!("player-{number}");
        let (mut places, broken, tallies) = (places.clone(), broken.clone(), tallies.clone());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(2 + u64::from(number));
        sim.client(name.as_str(), async move {
            // Without places a promise was broken, and noted.
            let Ok(all) = places.wait_for(|places| !places.is_empty()).await else { return Ok(()) };
            let mine = all.iter().skip(number as usize).step_by(PLAYERS as usize).cloned().collect();
            let tally = Player::new(mine, broken, rng).play().await;
            tallies.lock().expect("nobody panics with it").push(tally);
            Ok(())
        });
        clients.push(name);
    }
    let mut trouble = Trouble::new(seed, &disk, clients, FAULTS);
    loop {
        trouble.stir(&mut sim);
        match sim.step() {
            Ok(true) => break,
            Ok(false) if broken.is_empty() => {}
            Ok(false) => break,
            Err(error) => {
                broken.note(format!("the simulation did not end well: {error}"));
                break;
            }
        }
    }
    let tallies = tallies.lock().expect("nobody panics with it").clone();
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum();
    let tally = Tally {
        updates: sum(|tally| tally.updates),
        acknowledged: sum(|tally| tally.acknowledged),
        connections: sum(|tally| tally.connections),
    };
    Came { broken: broken.all(), tally, crashes: trouble.crashes }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_comes_twice() {
    let (mut crashes, mut comebacks) = (0, 0);
    for seed in (first_seed()..).take(3) {
        println!("PARLOR_TEST_SEED={seed}");
        let came = simulate(seed, Honesty::Honest);
        assert_eq!(came.broken, Vec::<String>::new(), "PARLOR_TEST_SEED={seed}");
        println!("{:?}, {} crashes", came.tally, came.crashes);
        assert!(came.tally.updates > 500 && came.tally.acknowledged > 200, "{:?}: hardly played", came.tally);
        crashes += came.crashes;
        comebacks += came.tally.connections - PLAYERS as usize;
    }
    assert!(crashes >= 6 && comebacks >= 12, "{crashes} crashes and {comebacks} comebacks test little");
}

/// The same checks find out a log that acknowledges before it is durable.
#[test]
fn a_log_that_acknowledges_early_is_found_out() {
    let found = (first_seed()..).take(3).filter(|seed| {
        println!("PARLOR_TEST_SEED={seed}");
        let Came { broken, crashes, .. } = simulate(*seed, Honesty::Early);
        println!("after {crashes} crashes: {broken:?}");
        !broken.is_empty()
    });
    assert!(found.count() > 0, "it went unnoticed");
}
