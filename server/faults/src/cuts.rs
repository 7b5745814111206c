//! Cut connections: the server keeps running, and the clients lose their connections again and again.

use std::path::Path;

use anyhow::{Result, bail};

use crate::audit::audit;
use crate::kills::{random_sleep, require_clean, stop_load_and_server};
use crate::load::{Load, LoadSize};
use crate::process::ServerProgram;
use crate::proxy::Proxy;
use crate::run::rng_for;

/// Cuts connections under load and prints the counts.
pub(crate) async fn report(
    program: &ServerProgram,
    data: &Path,
    seed: u64,
    size: LoadSize,
    cuts: u32,
) -> Result<()> {
    let (server, address) = program.start_and_wait(data, &[]).await?;
    let proxy = Proxy::start(seed).await?;
    proxy.set(Some(address));
    let load = Load::start(seed, size);
    load.run.server.set(Some(proxy.address));
    let mut rng = rng_for(seed, "cuts", 0);
    let (mut done, mut in_flight) = (0, 0);
    while done < cuts {
        // Some answers are played between two cuts, even on a slow machine.
        load.run.until_more(20).await?;
        random_sleep(&mut rng, 40).await;
        let waiting = !load.run.state().in_flight().is_empty();
        if proxy.cut(&mut rng) {
            done += 1;
            in_flight += u32::from(waiting);
        }
    }
    load.run.until_more(size.tables as u64).await?;
    let run = stop_load_and_server(load, server).await?;
    let (server, address) = program.start_and_wait(data, &[]).await?;
    run.server.set(Some(address));
    audit(&run).await?;
    server.kill().await?;
    let counts = run.state().counts.clone();
    println!(
        "faults cuts={done} in_flight={in_flight} acknowledged={} resent={} lost={} doubled={} seed={seed}",
        counts.acknowledged, counts.resent, counts.lost, counts.doubled
    );
    require_clean(&counts)?;
    // A run with few cuts is only a smoke test.
    if done >= 50 && counts.resent == 0 {
        bail!("no answer was cut off: the run is not conclusive");
    }
    Ok(())
}
