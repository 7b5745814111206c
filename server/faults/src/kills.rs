//! Kill -9, again and again: the server plays many tables, is killed at random moments and started again on the same
//! store, and the clients go on.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use crate::audit::audit;
use crate::load::{Load, Size};
use crate::process::{Process, Program};
use crate::tally::Tally;
use crate::world::{World, generator};

/// A run of kills.
pub(crate) struct Kills {
    pub(crate) program: Program,
    pub(crate) seed: u64,
    pub(crate) kills: u32,
    pub(crate) size: Size,
    /// Whether the run ends as soon as something is lost: it is then known what it was to show.
    pub(crate) stop_at_loss: bool,
}

/// What came of a run.
pub(crate) struct Killed {
    pub(crate) kills: u32,
    /// Kills that struck while answers were sent and not acknowledged.
    pub(crate) in_flight: u32,
    pub(crate) seats: usize,
    pub(crate) tally: Tally,
}

impl Kills {
    pub(crate) async fn run(&self, data: &Path) -> Result<Killed> {
        let mut rng = generator(self.seed, "kills", 0);
        let load = Load::start(self.seed, self.size);
        let (mut kills, mut in_flight) = (0, 0);
        while kills < self.kills {
            in_flight += u32::from(self.kill_once(&load.world, data, &mut rng).await? > 0);
            kills += 1;
            if self.stop_at_loss && load.world.state().tally.lost > 0 {
                break;
            }
        }
        let (server, address) = self.program.up(data, &[]).await?;
        load.world.dial.set(Some(address));
        load.world.until_more(self.size.tables as u64).await?;
        let world = end_play(load, server).await?;
        if !self.stop_at_loss {
            self.program.check_store(data).await?;
            let (server, address) = self.program.up(data, &[]).await?;
            world.dial.set(Some(address));
            audit(&world).await?;
            server.kill().await?;
        }
        let state = world.state();
        Ok(Killed { kills, in_flight, seats: state.seats.len(), tally: state.tally.clone() })
    }

    /// Starts the server and kills it at some moment. Gives how many answers were in flight.
    async fn kill_once(&self, world: &World, data: &Path, rng: &mut ChaCha8Rng) -> Result<usize> {
        // Now and then it dies before it is up: while it reads its store, or puts it in order.
        if rng.next_u32().is_multiple_of(10) {
            let server = self.program.start(data, &[])?;
            pause(rng, 60).await;
            server.kill().await?;
            return Ok(0);
        }
        let (server, address) = self.program.up(data, &[]).await?;
        world.dial.set(Some(address));
        // Now and then while the clients come back; mostly in the middle of play.
        if !rng.next_u32().is_multiple_of(8) {
            world.until_more(u64::from(1 + rng.next_u32() % (4 * self.size.tables as u32))).await?;
        }
        pause(rng, 150).await;
        kill(world, server).await
    }
}

/// Kills the server, waits until every client has noticed, and gives how many answers were in flight: sent before the
/// kill, and not acknowledged by anything that was still on its way.
pub(crate) async fn kill(world: &World, server: Process) -> Result<usize> {
    world.dial.set(None);
    let sent = world.state().in_flight();
    server.kill().await?;
    world.until("all clients notice that the server is gone", |state| state.open_streams == 0).await?;
    let unacknowledged = world.state().in_flight();
    Ok(sent.intersection(&unacknowledged).count())
}

/// Ends the play and the server, in good order.
pub(crate) async fn end_play(load: Load, server: Process) -> Result<std::sync::Arc<World>> {
    let world = load.stop();
    world.dial.set(None);
    server.stop().await?;
    Ok(world)
}

/// Some time up to this many milliseconds.
pub(crate) async fn pause(rng: &mut ChaCha8Rng, most: u32) {
    tokio::time::sleep(Duration::from_millis(u64::from(rng.next_u32() % most))).await;
}

/// The run that must lose nothing.
pub(crate) async fn report(kills: &Kills, data: &Path) -> Result<()> {
    let Killed { kills: count, in_flight, seats, tally } = kills.run(data).await?;
    println!(
        "faults kills={count} in_flight={in_flight} acknowledged={} lost={} doubled={} seed={}",
        tally.acknowledged, tally.lost, tally.doubled, kills.seed
    );
    println!(
        "  {seats} seats in all; answers sent again after a kill: {}, of which the server had {} already",
        tally.resent, tally.decided_unheard
    );
    clean(&tally)?;
    // A few kills are a trial.
    if tally.acknowledged == 0 || (count >= 10 && in_flight * 2 < count) {
        bail!("too few kills struck while answers were in flight: the run shows nothing");
    }
    Ok(())
}

/// The run with a server that acknowledges too early, which must be found out.
pub(crate) async fn report_control(kills: &Kills, data: &Path) -> Result<()> {
    let Killed { kills, tally, .. } = kills.run(data).await?;
    let caught = u8::from(tally.lost > 0);
    println!(
        "faults control kills={kills} acknowledged={} lost={} doubled={} caught={caught}",
        tally.acknowledged, tally.lost, tally.doubled
    );
    if caught == 0 {
        bail!("a server that acknowledges before it commits was not found out: the run can find nothing");
    }
    Ok(())
}

/// Says what was wrong, if anything was.
pub(crate) fn clean(tally: &Tally) -> Result<()> {
    for sentence in &tally.sentences {
        eprintln!("  {sentence}");
    }
    if tally.is_clean() {
        Ok(())
    } else {
        bail!("something that was acknowledged is lost, or something doubled")
    }
}
