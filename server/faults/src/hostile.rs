//! Hostile clients beside honest ones: honest players hardly wait longer than without them, and the memory of the server
//! is bounded.
//!
//! Rounds with hostile clients and rounds without follow one another, and the median of their ratios counts, so that a
//! machine that is busy for a while does not decide.

pub(crate) mod attack;

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::kills::{require_clean, stop_load_and_server};
use crate::latency::{median, p99};
use crate::load::{Load, LoadSize};
use crate::process::{ServerProcess, ServerProgram};
use crate::server_address::within_timeout;

/// Honest tables. Their players answer at leisure, so that the latency is that of the server and not of a queue that the
/// load itself keeps full.
const HONEST: LoadSize = LoadSize { tables: 12, streams: 12, one_at_a_time: true, at_leisure: true };
/// Limits of one address, a fifth to a hundredth of the defaults: so much longer does a server in the dev profile take for
/// calls, and for the texts and boards of snapshots. The honest clients come from one address, too.
const SETTINGS: [&str; 5] = [
    "limits.requests_per_second=50",
    "limits.request_burst=100",
    "limits.attaches_per_second=10",
    "limits.attach_burst=50",
    "limits.spectators_per_caller=20",
];
/// Length of a round.
const ROUND: Duration = Duration::from_secs(10);
/// Maximum latency of the honest players beside hostile clients, in units of that without.
const MAX_P99_RATIO: f64 = 2.0;
/// Maximum memory of the server.
const MAX_MEMORY_MIB: u64 = 256;

/// Runs the rounds and prints the median ratio of their latencies, and the most memory that the server had.
pub(crate) async fn report(program: &ServerProgram, data: &Path, seed: u64, rounds: usize) -> Result<()> {
    let (server, address) = program.start_and_wait(data, &SETTINGS).await?;
    let load = Load::start(seed, HONEST);
    load.run.server.set(Some(address));
    load.run.until_more(100).await?;
    let (mut ratios, mut shown, mut memory) = (Vec::new(), Vec::new(), server.memory()?);
    for _ in 0..rounds {
        let quiet = round(&load, &server, &mut memory).await?;
        let attackers = start_attack(address).await?;
        let disturbed = round(&load, &server, &mut memory).await;
        end_attack(attackers).await?;
        let disturbed = disturbed?;
        ratios.push(disturbed.as_secs_f64() / quiet.as_secs_f64());
        shown.push(format!("{}/{}", disturbed.as_millis(), quiet.as_millis()));
    }
    let run = stop_load_and_server(load, server).await?;
    let ratio = median(ratios).context("at least one round")?;
    let memory = memory / 1024;
    println!("faults hostile p99_ratio={ratio:.2} rss_mib={memory} p99_ms={} seed={seed}", shown.join(","));
    require_clean(&run.state().counts)?;
    if ratio > MAX_P99_RATIO {
        bail!("hostile clients make honest players wait {ratio:.1} times as long");
    }
    if memory > MAX_MEMORY_MIB {
        bail!("hostile clients make the server use {memory} MiB");
    }
    Ok(())
}

/// Lets the honest clients play for one round. Returns the p99 of their answers.
async fn round(load: &Load, server: &ServerProcess, memory: &mut u64) -> Result<Duration> {
    let take = || load.run.state().latencies.as_mut().map(super::latency::AnswerLatencies::take);
    // Answers from before the round.
    let _earlier = take();
    let end = tokio::time::sleep(ROUND);
    let mut end = std::pin::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => break,
            () = tokio::time::sleep(Duration::from_millis(50)) => *memory = server.memory()?.max(*memory),
        }
    }
    take().and_then(p99).context("no honest answer was acknowledged in a round")
}

/// Starts the hostile clients in a process of the lowest priority, so that they do not simply take the processors from the
/// server, and waits until all kinds of them are at work.
async fn start_attack(address: SocketAddr) -> Result<Child> {
    let this = std::env::current_exe().context("the path of this program")?;
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(this).args(["attack", &address.to_string()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).process_group(0);
    let mut child = command.spawn().context("the hostile clients (nice)")?;
    let mut lines = BufReader::new(child.stdout.take().context("the output of the hostile clients")?).lines();
    let line = within_timeout("the hostile clients are at work", lines.next_line()).await??;
    if line.as_deref() != Some(attack::AT_WORK) {
        bail!("the hostile clients ended");
    }
    Ok(child)
}

/// Ends the hostile clients, which must not have ended by themselves.
async fn end_attack(mut attackers: Child) -> Result<()> {
    if let Some(status) = attackers.try_wait()? {
        bail!("the hostile clients ended by themselves: {status}");
    }
    attackers.kill().await.context("the end of the hostile clients")
}
