//! The simulations: with a correct log, and with one that acknowledges early.

use std::sync::{Arc, Mutex};

use parlor_engine::GameId;
use parlor_testkit::test_seed;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tokio::sync::watch;

use crate::disk::{AckMode, Disk};
use crate::network::{FaultInjector, network};
use crate::platform::{ClaimedSeat, PLAYERS, open_tables};
use crate::player::{Player, PlayerStats};
use crate::seat_observer::Violations;

/// Faults per simulation.
const FAULTS: usize = 14;

/// The outcome of a simulation.
struct SimulationOutcome {
    violations: Vec<String>,
    stats: PlayerStats,
    crashes: usize,
}

/// Plays a table of each game with one client per seat number, while faults are injected.
fn simulate(seed: u64, ack_mode: AckMode) -> SimulationOutcome {
    let (disk, violations) = (Disk::new(ack_mode), Violations::default());
    let mut sim = network(seed, &disk);
    let (opened, seats) = watch::channel(Vec::<ClaimedSeat>::new());
    let all_stats = Arc::new(Mutex::new(Vec::new()));
    sim.client("platform", {
        let violations = violations.clone();
        async move {
            let games: Vec<GameId> = GameId::published().collect();
            if let Some(seats) = open_tables(&games, seed, &violations).await {
                opened.send(seats)?;
            }
            Ok(())
        }
    });
    let mut clients = vec!["platform".to_owned()];
    for number in 0..PLAYERS {
        let name = format!("player-{number}");
        let (mut seats, violations, all_stats) = (seats.clone(), violations.clone(), all_stats.clone());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(2 + u64::from(number));
        sim.client(name.as_str(), async move {
            // The channel closes without seats after a violation.
            let Ok(all) = seats.wait_for(|seats| !seats.is_empty()).await else { return Ok(()) };
            let mine = all.iter().skip(number as usize).step_by(PLAYERS as usize).cloned().collect();
            let stats = Player::new(mine, violations, rng).play().await;
            all_stats.lock().expect("an unpoisoned lock").push(stats);
            Ok(())
        });
        clients.push(name);
    }
    let mut faults = FaultInjector::new(seed, &disk, clients, FAULTS);
    loop {
        faults.step(&mut sim);
        match sim.step() {
            Ok(true) => break,
            Ok(false) if violations.is_empty() => {}
            Ok(false) => break,
            Err(error) => {
                violations.add(format!("the simulation failed: {error}"));
                break;
            }
        }
    }
    let all_stats = all_stats.lock().expect("an unpoisoned lock").clone();
    let sum = |of: fn(&PlayerStats) -> usize| all_stats.iter().map(of).sum();
    let stats = PlayerStats {
        updates: sum(|stats| stats.updates),
        acknowledged: sum(|stats| stats.acknowledged),
        connections: sum(|stats| stats.connections),
    };
    SimulationOutcome { violations: violations.all(), stats, crashes: faults.crashes }
}

#[test]
fn crashes_lose_nothing_acknowledged_and_repeat_no_update() {
    let (mut crashes, mut reconnects) = (0, 0);
    for seed in (test_seed(1)..).take(3) {
        println!("PARLOR_TEST_SEED={seed}");
        let outcome = simulate(seed, AckMode::AfterSync);
        assert_eq!(outcome.violations, Vec::<String>::new(), "PARLOR_TEST_SEED={seed}");
        println!("{:?}, {} crashes", outcome.stats, outcome.crashes);
        assert!(
            outcome.stats.updates > 500 && outcome.stats.acknowledged > 200,
            "{:?}: too few updates for a meaningful test",
            outcome.stats
        );
        crashes += outcome.crashes;
        reconnects += outcome.stats.connections - PLAYERS as usize;
    }
    assert!(crashes >= 6 && reconnects >= 12, "only {crashes} crashes and {reconnects} reconnects");
}

/// The control: the same checks detect a log that acknowledges before it syncs.
#[test]
fn early_acknowledgement_is_detected() {
    let detected = (test_seed(1)..).take(3).filter(|seed| {
        println!("PARLOR_TEST_SEED={seed}");
        let SimulationOutcome { violations, crashes, .. } = simulate(*seed, AckMode::BeforeSync);
        println!("after {crashes} crashes: {violations:?}");
        !violations.is_empty()
    });
    assert!(detected.count() > 0, "no violation detected");
}
