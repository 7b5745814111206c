//! Whether the acknowledgement waits for the disk. Kill -9 keeps the page cache, so kills alone cannot tell; strace can:
//! the server is run under it with one client that waits for each answer, and the order of the calls is looked at.
//!
//! An acknowledgement is in order if, after the answer was read from the socket, the store was written, then synced, and
//! the sync had ended before the write to the socket with the acknowledgement began.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use parlor_proto::v1 as wire;
use prost::Message;
use tokio::process::Command;

use crate::dial::soon;
use crate::frames::Frames;
use crate::load::{Load, Size};
use crate::process::Program;
use crate::strace::{Call, Event, events};

/// The calls that are looked at.
const CALLS: &str = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg,read,readv,recvfrom,recvmsg";
/// How many answers are played.
const ANSWERS: u64 = 150;

/// What a trace shows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Shown {
    /// Acknowledgements.
    pub(crate) acknowledgements: u64,
    /// Those that were sent before their commit was synced.
    pub(crate) before_sync: u64,
}

/// Runs the program under strace, and prints what the trace shows.
pub(crate) async fn report(program: &Program, folder: &Path, seed: u64) -> Result<()> {
    let Shown { acknowledgements, before_sync } = run(program, folder, seed).await?;
    println!("faults trace acknowledgements={acknowledgements} before_sync={before_sync} seed={seed}");
    if before_sync > 0 {
        bail!("answers were acknowledged before they were on disk");
    }
    Ok(())
}

/// The same with the server that acknowledges too early, which must be found out.
pub(crate) async fn report_control(program: &Program, folder: &Path, seed: u64) -> Result<()> {
    let Shown { acknowledgements, before_sync } = run(program, folder, seed).await?;
    let caught = u8::from(before_sync > 0);
    println!(
        "faults trace control acknowledgements={acknowledgements} before_sync={before_sync} caught={caught}"
    );
    if caught == 0 {
        bail!("a server that acknowledges before it commits was not found out: the trace can find nothing");
    }
    Ok(())
}

async fn run(program: &Program, folder: &Path, seed: u64) -> Result<Shown> {
    let file = folder.join("trace");
    let flags =
        ["strace", "-f", "-qq", "-yy", "-xx", "-s", "1000000", "-e", CALLS, "-e", "signal=none", "-o"];
    let under = flags.into_iter().map(PathBuf::from).chain([file.clone()]);
    let started = program.under(under).up(&folder.join("data"), &[]).await;
    let (server, address) = started.context("strace must be there and must be allowed to trace")?;
    let traced = Traced::of(&file)?;
    let load = Load::start(seed, Size { tables: 1, streams: 1, one_at_a_time: true });
    load.world.dial.set(Some(address));
    load.world.until_more(ANSWERS).await?;
    // Killed, so that nothing more is written; strace ends with it.
    traced.kill().await?;
    load.world.dial.set(None);
    soon("strace ends", server.ended()).await??;
    let acknowledged = load.world.state().tally.acknowledged;
    let shown = look_through(&events(&std::fs::read_to_string(&file)?));
    // The last ones may have been on their way when the server was killed.
    if shown.acknowledgements < acknowledged {
        let seen = shown.acknowledgements;
        bail!("the trace shows {seen} of {acknowledged} acknowledgements: it was not understood");
    }
    Ok(shown)
}

/// The server below strace, which outlives it unless it is killed too.
struct Traced {
    id: String,
}

impl Traced {
    /// The first process of the trace.
    fn of(file: &Path) -> Result<Traced> {
        let trace = std::fs::read_to_string(file)?;
        let id = trace.split(' ').next().filter(|id| id.parse::<u32>().is_ok());
        Ok(Traced { id: id.context("the trace begins with a process")?.to_owned() })
    }

    async fn kill(&self) -> Result<()> {
        Command::new("kill").args(["-KILL", &self.id]).status().await?;
        Ok(())
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        // It has mostly been killed already.
        let killing = std::process::Command::new("kill")
            .args(["-KILL", &self.id])
            .stderr(std::process::Stdio::null())
            .status();
        drop(killing);
    }
}

/// How far the commit of an answer has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commit {
    Asked,
    Written,
    Syncing,
    Synced,
}

/// An answer, by the channel and the decision.
type Answer = (u32, u32);

/// Looks through a trace.
fn look_through(events: &[Event]) -> Shown {
    let mut shown = Shown::default();
    let (mut from_server, mut from_client): (HashMap<&str, Frames>, HashMap<&str, Frames>) =
        Default::default();
    let mut commits: HashMap<Answer, Commit> = HashMap::new();
    let mut acknowledged: HashSet<Answer> = HashSet::new();
    for event in events {
        match event {
            Event::Ended(call) if reads(call) => {
                let messages = from_client.entry(&call.about).or_default().feed(&call.bytes);
                for answer in messages.iter().flat_map(|message| answers(message)) {
                    commits.entry(answer).or_insert(Commit::Asked);
                }
            }
            Event::Ended(call) if call.name == "pwrite64" && is_store(call) => {
                step(&mut commits, Commit::Asked, Commit::Written);
            }
            Event::Begins(call) if syncs(call) => step(&mut commits, Commit::Written, Commit::Syncing),
            Event::Ended(call) if syncs(call) => step(&mut commits, Commit::Syncing, Commit::Synced),
            Event::Begins(call) if is_connection(call) && !reads(call) => {
                let messages = from_server.entry(&call.about).or_default().feed(&call.bytes);
                for answer in messages.iter().flat_map(|message| acknowledgements(message)) {
                    if acknowledged.insert(answer) {
                        shown.acknowledgements += 1;
                        shown.before_sync += u64::from(commits.get(&answer) != Some(&Commit::Synced));
                    }
                }
            }
            _ => {}
        }
    }
    shown
}

fn step(commits: &mut HashMap<Answer, Commit>, from: Commit, to: Commit) {
    commits.values_mut().filter(|commit| **commit == from).for_each(|commit| *commit = to);
}

fn is_connection(call: &Call) -> bool {
    call.about.contains("->")
}

fn reads(call: &Call) -> bool {
    is_connection(call) && ["read", "readv", "recvfrom", "recvmsg"].contains(&call.name.as_str())
}

fn is_store(call: &Call) -> bool {
    call.about.ends_with("parlor.db-wal") || call.about.ends_with("parlor.db")
}

fn syncs(call: &Call) -> bool {
    is_store(call) && ["fsync", "fdatasync"].contains(&call.name.as_str())
}

/// The answers in a message of the client's. One of another call reads as nonsense, and has none.
fn answers(message: &[u8]) -> Vec<Answer> {
    let items = wire::PlayRequest::decode(message).map(|request| request.items).unwrap_or_default();
    let answer = |item: wire::PlayRequestItem| match item.item {
        Some(wire::play_request_item::Item::Answer(answer)) => Some((item.channel, answer.decision_id)),
        _ => None,
    };
    items.into_iter().filter_map(answer).collect()
}

/// The acknowledgements in a message of the server's.
fn acknowledgements(message: &[u8]) -> Vec<Answer> {
    let items = wire::PlayResponse::decode(message).map(|response| response.items).unwrap_or_default();
    let acknowledgement = |item: wire::StreamItem| match item.item {
        Some(wire::stream_item::Item::Answered(answered))
            if answered.status() == wire::AnswerStatus::Accepted =>
        {
            Some((item.channel, answered.decision_id))
        }
        _ => None,
    };
    items.into_iter().filter_map(acknowledgement).collect()
}
