//! Cut connections: the server lives, and the clients lose it again and again.

use std::path::Path;

use anyhow::{Result, bail};

use crate::audit::audit;
use crate::kills::{clean, end_play, pause};
use crate::load::{Load, Size};
use crate::process::Program;
use crate::proxy::Proxy;
use crate::world::generator;

/// How many connections are cut, and prints what came of it.
pub(crate) async fn report(program: &Program, data: &Path, seed: u64, size: Size, cuts: u32) -> Result<()> {
    let (server, address) = program.up(data, &[]).await?;
    let proxy = Proxy::start(seed).await?;
    proxy.set(Some(address));
    let load = Load::start(seed, size);
    load.world.dial.set(Some(proxy.address));
    let mut rng = generator(seed, "cuts", 0);
    let (mut done, mut in_flight) = (0, 0);
    while done < cuts {
        // Something is played between two cuts, however slow the machine is.
        load.world.until_more(20).await?;
        pause(&mut rng, 40).await;
        let waiting = !load.world.state().in_flight().is_empty();
        if proxy.cut(&mut rng) {
            done += 1;
            in_flight += u32::from(waiting);
        }
    }
    load.world.until_more(size.tables as u64).await?;
    let world = end_play(load, server).await?;
    let (server, address) = program.up(data, &[]).await?;
    world.dial.set(Some(address));
    audit(&world).await?;
    server.kill().await?;
    let tally = world.state().tally.clone();
    println!(
        "faults cuts={done} in_flight={in_flight} acknowledged={} resent={} lost={} doubled={} seed={seed}",
        tally.acknowledged, tally.resent, tally.lost, tally.doubled
    );
    clean(&tally)?;
    // A few cuts are a trial.
    if done >= 50 && tally.resent == 0 {
        bail!("no answer was ever cut off: the run shows nothing");
    }
    Ok(())
}
