//! Repeated kill -9: the server hosts many tables, is killed at random times and restarted on the same store,
//! and the clients resume.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use crate::audit::audit;
use crate::counts::Counts;
use crate::load::{Load, LoadSize};
use crate::process::{ServerProcess, ServerProgram};
use crate::run::{Run, rng_for};

/// Settings of a run with kills.
pub(crate) struct KillRun {
    pub(crate) program: ServerProgram,
    pub(crate) seed: u64,
    pub(crate) kills: u32,
    pub(crate) size: LoadSize,
    /// End the run with the first loss, which is all that a control has to show.
    pub(crate) stop_at_loss: bool,
}

/// Result of a run with kills.
pub(crate) struct KillResult {
    pub(crate) kills: u32,
    /// Kills while answers were sent and not acknowledged.
    pub(crate) in_flight: u32,
    pub(crate) seats: usize,
    pub(crate) counts: Counts,
}

impl KillRun {
    pub(crate) async fn run(&self, data: &Path) -> Result<KillResult> {
        let mut rng = rng_for(self.seed, "kills", 0);
        let load = Load::start(self.seed, self.size);
        let (mut kills, mut in_flight) = (0, 0);
        while kills < self.kills {
            in_flight += u32::from(self.kill_once(&load.run, data, &mut rng).await? > 0);
            kills += 1;
            if self.stop_at_loss && load.run.state().counts.lost > 0 {
                break;
            }
        }
        let (server, address) = self.program.start_and_wait(data, &[]).await?;
        load.run.server.set(Some(address));
        load.run.until_more(self.size.tables as u64).await?;
        let run = stop_load_and_server(load, server).await?;
        if !self.stop_at_loss {
            self.program.check_store(data).await?;
            let (server, address) = self.program.start_and_wait(data, &[]).await?;
            run.server.set(Some(address));
            audit(&run).await?;
            server.kill().await?;
        }
        let state = run.state();
        Ok(KillResult { kills, in_flight, seats: state.seats.len(), counts: state.counts.clone() })
    }

    /// Starts the server and kills it at a random time. Returns the number of answers in flight.
    async fn kill_once(&self, run: &Run, data: &Path, rng: &mut ChaCha8Rng) -> Result<usize> {
        // One in ten kills strikes before the server is up: while it reads or recovers its store.
        if rng.next_u32().is_multiple_of(10) {
            let server = self.program.start(data, &[])?;
            random_sleep(rng, 60).await;
            server.kill().await?;
            return Ok(0);
        }
        let (server, address) = self.program.start_and_wait(data, &[]).await?;
        run.server.set(Some(address));
        // One in eight strikes while the clients reconnect; most strike during play.
        if !rng.next_u32().is_multiple_of(8) {
            run.until_more(u64::from(1 + rng.next_u32() % (4 * self.size.tables as u32))).await?;
        }
        random_sleep(rng, 150).await;
        kill(run, server).await
    }
}

/// Kills the server and waits until every client has noticed. Returns the number of answers in flight: sent
/// before the kill, and not acknowledged by messages that were still in transit.
pub(crate) async fn kill(run: &Run, server: ServerProcess) -> Result<usize> {
    run.server.set(None);
    let sent = run.state().in_flight();
    server.kill().await?;
    run.until("all clients notice that the server is gone", |state| state.open_streams == 0).await?;
    let unacknowledged = run.state().in_flight();
    Ok(sent.intersection(&unacknowledged).count())
}

/// Stops the load and then the server, gracefully.
pub(crate) async fn stop_load_and_server(load: Load, server: ServerProcess) -> Result<std::sync::Arc<Run>> {
    let run = load.stop();
    run.server.set(None);
    server.stop().await?;
    Ok(run)
}

/// Sleeps for a random time below this many milliseconds.
pub(crate) async fn random_sleep(rng: &mut ChaCha8Rng, below_ms: u32) {
    tokio::time::sleep(Duration::from_millis(u64::from(rng.next_u32() % below_ms))).await;
}

/// Runs kills against the real server, which must lose nothing.
pub(crate) async fn report(kills: &KillRun, data: &Path) -> Result<()> {
    let KillResult { kills: count, in_flight, seats, counts } = kills.run(data).await?;
    println!(
        "faults kills={count} in_flight={in_flight} acknowledged={} lost={} doubled={} seed={}",
        counts.acknowledged, counts.lost, counts.doubled, kills.seed
    );
    println!(
        "  {seats} seats in all; answers resent after a kill: {}, of which {} were already decided",
        counts.resent, counts.resent_after_commit
    );
    require_clean(&counts)?;
    // A run with few kills is only a smoke test.
    if counts.acknowledged == 0 || (count >= 10 && in_flight * 2 < count) {
        bail!("too few kills while answers were in flight: the run is not conclusive");
    }
    Ok(())
}

/// Runs kills against the control server, which acknowledges too early and must be detected.
pub(crate) async fn report_control(kills: &KillRun, data: &Path) -> Result<()> {
    let KillResult { kills, counts, .. } = kills.run(data).await?;
    let caught = u8::from(counts.lost > 0);
    println!(
        "faults control kills={kills} acknowledged={} lost={} doubled={} caught={caught}",
        counts.acknowledged, counts.lost, counts.doubled
    );
    if caught == 0 {
        bail!("a server that acknowledges before it commits was not detected: the run cannot detect losses");
    }
    Ok(())
}

/// Prints all violations, and fails if there are any.
pub(crate) fn require_clean(counts: &Counts) -> Result<()> {
    for violation in &counts.violations {
        eprintln!("  {violation}");
    }
    if counts.is_clean() {
        Ok(())
    } else {
        bail!("an acknowledged answer was lost, or something was duplicated")
    }
}
