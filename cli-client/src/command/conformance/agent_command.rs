//! The command that starts the agent under test.

use std::io::Write;
use std::net::SocketAddr;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use parlor_cli::lang::BilingualText;
use parlor_cli::output_tail::OutputTail;
use parlor_cli::text::sanitise;
use tokio::process::{Child, Command};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::errors::Failure;

/// Time for the rest of the output once the process has ended.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// A running command, until [`stop`](AgentCommand::stop).
pub(super) struct AgentCommand {
    name: String,
    tails: Tails,
    status: watch::Receiver<Option<ExitStatus>>,
    stop: oneshot::Sender<()>,
    supervisor: JoinHandle<()>,
}

/// The last lines of both outputs.
#[derive(Clone, Default)]
struct Tails {
    stdout: OutputTail,
    stderr: OutputTail,
}

impl Tails {
    /// The last lines of standard error, where failures are explained, or those of standard output if it has none.
    fn lines(&self) -> Vec<String> {
        let errors = self.stderr.lines();
        if errors.is_empty() { self.stdout.lines() } else { errors }
    }
}

impl AgentCommand {
    /// Starts a command, and returns it with a signal of its end; `None` for an empty one.
    pub(super) fn start(
        command: &[String],
        address: SocketAddr,
    ) -> Result<Option<(AgentCommand, watch::Receiver<bool>)>, Failure> {
        let Some((name, args)) = command.split_first() else { return Ok(None) };
        let started = Command::new(name)
            .args(args)
            .env("PARLOR_ADDRESS", address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let child = started.map_err(|error| {
            Failure::usage(
                format!("{name} cannot be started ({error})"),
                format!("{name} lässt sich nicht starten ({error})"),
            )
        })?;
        let tails = Tails::default();
        let (status_sender, status) = watch::channel(None);
        let (ended_sender, ended) = watch::channel(false);
        let (stop, stopped) = oneshot::channel();
        let supervised = supervise(child, tails.clone(), stopped, status_sender, ended_sender);
        let supervisor = tokio::spawn(supervised);
        Ok(Some((AgentCommand { name: name.clone(), tails, status, stop, supervisor }, ended)))
    }

    /// Kills the process, if it has not ended, and waits for its end.
    pub(super) async fn stop(self) {
        // It fails if the process has ended.
        let _ = self.stop.send(());
        // It does not panic.
        let _ = self.supervisor.await;
    }

    /// Sentence about the end of the process, with its last lines; `None` while it runs.
    pub(super) fn end_text(&self) -> Option<BilingualText> {
        let status = (*self.status.borrow())?;
        let lines: String =
            self.tails.lines().iter().map(|line| format!("\n  {}| {}", self.name, sanitise(line))).collect();
        let (in_english, in_german) = match lines.is_empty() {
            true => (" without any output", ", ohne etwas auszugeben"),
            false => ("; its last lines:", "; seine letzten Zeilen:"),
        };
        Some(BilingualText::new(
            format!("{} has ended ({status}){in_english}{lines}", self.name),
            format!("{} hat sich beendet ({status}){in_german}{lines}", self.name),
        ))
    }
}

/// Shows the output of a process on standard error, waits for its end, and announces it with all of its output.
async fn supervise(
    mut child: Child,
    tails: Tails,
    stopped: oneshot::Receiver<()>,
    status: watch::Sender<Option<ExitStatus>>,
    ended: watch::Sender<bool>,
) {
    // Standard output is reserved for the report. If standard error is closed, nobody reads it.
    let show = |line: String| drop(writeln!(std::io::stderr(), "{}", sanitise(&line)));
    let mut outputs = JoinSet::new();
    if let Some(stdout) = child.stdout.take() {
        outputs.spawn(tails.stdout.follow(stdout, show));
    }
    if let Some(stderr) = child.stderr.take() {
        outputs.spawn(tails.stderr.follow(stderr, show));
    }
    let exit = tokio::select! {
        exit = child.wait() => exit,
        _ = stopped => {
            // It may have ended by itself.
            let _ = child.kill().await;
            return;
        }
    };
    // A process that it has started can hold the pipes open.
    let _ = timeout(DRAIN_TIME, async { while outputs.join_next().await.is_some() {} }).await;
    status.send_replace(exit.ok());
    ended.send_replace(true);
}
