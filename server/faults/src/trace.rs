//! Order of fsync and acknowledgement, from a trace of system calls. Kill -9 keeps the page cache, so kills
//! alone do not prove durability. The server runs under strace with one client that waits for each answer.
//!
//! An acknowledgement is correct if, after the answer was read from the socket, the store was written, then
//! synced, and the sync completed before the write to the socket with the acknowledgement started.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use parlor_proto::v1 as wire;
use prost::Message;
use tokio::process::Command;

use crate::grpc_frames::FrameDecoder;
use crate::load::{Load, LoadSize};
use crate::process::ServerProgram;
use crate::server_address::within_timeout;
use crate::strace::{Syscall, TraceEvent, parse_events};

/// Traced system calls.
const CALLS: &str = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg,read,readv,recvfrom,recvmsg";
/// Number of answers to play.
const ANSWERS: u64 = 150;

/// Result of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct TraceResult {
    pub(crate) acknowledgements: u64,
    /// Acknowledgements sent before their commit was synced.
    pub(crate) before_sync: u64,
}

/// Traces the real server and prints the counts.
pub(crate) async fn report(program: &ServerProgram, folder: &Path, seed: u64) -> Result<()> {
    let TraceResult { acknowledgements, before_sync } = run(program, folder, seed).await?;
    println!("faults trace acknowledgements={acknowledgements} before_sync={before_sync} seed={seed}");
    if before_sync > 0 {
        bail!("answers were acknowledged before they were on disk");
    }
    Ok(())
}

/// Traces the control server, which acknowledges too early and must be detected.
pub(crate) async fn report_control(program: &ServerProgram, folder: &Path, seed: u64) -> Result<()> {
    let TraceResult { acknowledgements, before_sync } = run(program, folder, seed).await?;
    let caught = u8::from(before_sync > 0);
    println!(
        "faults trace control acknowledgements={acknowledgements} before_sync={before_sync} caught={caught}"
    );
    if caught == 0 {
        bail!("a server that acknowledges before it commits was not detected: the trace cannot detect it");
    }
    Ok(())
}

async fn run(program: &ServerProgram, folder: &Path, seed: u64) -> Result<TraceResult> {
    let file = folder.join("trace");
    let flags =
        ["strace", "-f", "-qq", "-yy", "-xx", "-s", "1000000", "-e", CALLS, "-e", "signal=none", "-o"];
    let under = flags.into_iter().map(PathBuf::from).chain([file.clone()]);
    let started = program.under(under).start_and_wait(&folder.join("data"), &[]).await;
    let (server, address) = started.context("strace must be installed and allowed to trace")?;
    let traced = Traced::of(&file)?;
    let load = Load::start(seed, LoadSize { tables: 1, streams: 1, one_at_a_time: true, at_leisure: false });
    load.run.server.set(Some(address));
    load.run.until_more(ANSWERS).await?;
    // After the kill nothing more is written, and strace ends.
    traced.kill().await?;
    load.run.server.set(None);
    within_timeout("strace ends", server.ended()).await??;
    let acknowledged = load.run.state().counts.acknowledged;
    let shown = check_order(&parse_events(&std::fs::read_to_string(&file)?));
    // The last acknowledgements may have been in transit at the kill.
    if shown.acknowledgements < acknowledged {
        let seen = shown.acknowledgements;
        bail!("the trace shows {seen} of {acknowledged} acknowledgements: it was not parsed completely");
    }
    Ok(shown)
}

/// The traced server process, which outlives strace unless it is killed, too.
struct Traced {
    id: String,
}

impl Traced {
    /// Takes the first process of the trace.
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
        // Usually it has been killed already.
        let killing = std::process::Command::new("kill")
            .args(["-KILL", &self.id])
            .stderr(std::process::Stdio::null())
            .status();
        drop(killing);
    }
}

/// Stage of the commit of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommitStage {
    Asked,
    Written,
    Syncing,
    Synced,
}

/// An answer: channel and decision id.
type Answer = (u32, u32);

/// Checks the order of events in a trace.
fn check_order(events: &[TraceEvent]) -> TraceResult {
    let mut shown = TraceResult::default();
    let (mut from_server, mut from_client): (HashMap<&str, FrameDecoder>, HashMap<&str, FrameDecoder>) =
        Default::default();
    let mut commits: HashMap<Answer, CommitStage> = HashMap::new();
    let mut acknowledged: HashSet<Answer> = HashSet::new();
    for event in events {
        match event {
            TraceEvent::Completed(call) if reads(call) => {
                let messages = from_client.entry(&call.target).or_default().feed(&call.bytes);
                for answer in messages.iter().flat_map(|message| answers(message)) {
                    commits.entry(answer).or_insert(CommitStage::Asked);
                }
            }
            TraceEvent::Completed(call) if call.name == "pwrite64" && is_store(call) => {
                step(&mut commits, CommitStage::Asked, CommitStage::Written);
            }
            TraceEvent::Started(call) if syncs(call) => {
                step(&mut commits, CommitStage::Written, CommitStage::Syncing);
            }
            TraceEvent::Completed(call) if syncs(call) => {
                step(&mut commits, CommitStage::Syncing, CommitStage::Synced);
            }
            TraceEvent::Started(call) if is_connection(call) && !reads(call) => {
                let messages = from_server.entry(&call.target).or_default().feed(&call.bytes);
                for answer in messages.iter().flat_map(|message| acknowledgements(message)) {
                    if acknowledged.insert(answer) {
                        shown.acknowledgements += 1;
                        shown.before_sync += u64::from(commits.get(&answer) != Some(&CommitStage::Synced));
                    }
                }
            }
            _ => {}
        }
    }
    shown
}

fn step(commits: &mut HashMap<Answer, CommitStage>, from: CommitStage, to: CommitStage) {
    commits.values_mut().filter(|commit| **commit == from).for_each(|commit| *commit = to);
}

fn is_connection(call: &Syscall) -> bool {
    call.target.contains("->")
}

fn reads(call: &Syscall) -> bool {
    is_connection(call) && ["read", "readv", "recvfrom", "recvmsg"].contains(&call.name.as_str())
}

fn is_store(call: &Syscall) -> bool {
    call.target.ends_with("parlor.db-wal") || call.target.ends_with("parlor.db")
}

fn syncs(call: &Syscall) -> bool {
    is_store(call) && ["fsync", "fdatasync"].contains(&call.name.as_str())
}

/// Answers in a client message. Messages of other calls contain none.
fn answers(message: &[u8]) -> Vec<Answer> {
    let items = wire::PlayRequest::decode(message).map(|request| request.items).unwrap_or_default();
    let answer = |item: wire::PlayRequestItem| match item.item {
        Some(wire::play_request_item::Item::Answer(answer)) => Some((item.channel, answer.decision_id)),
        _ => None,
    };
    items.into_iter().filter_map(answer).collect()
}

/// Acknowledgements in a server message.
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
