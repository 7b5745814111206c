//! The server as a process of its own: started on a folder, asked for its memory, killed.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};

use crate::dial::soon;

/// How many lines of a server's log are kept.
const LINES: usize = 5;

/// What is started.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The binary and its first arguments.
    command: Vec<PathBuf>,
}

impl Program {
    /// The server that is at this path.
    pub(crate) fn at(path: &Path) -> Program {
        Program { command: vec![path.to_owned()] }
    }

    /// This binary, as a server: the real one, or the one that acknowledges too early.
    pub(crate) fn of_this_binary(early: bool) -> Result<Program> {
        let this = std::env::current_exe().context("the path of this program")?;
        let mode = if early { "serve-early" } else { "serve" };
        Ok(Program { command: vec![this, mode.into()] })
    }

    /// The same, started by another program with these arguments.
    pub(crate) fn under(&self, by: impl IntoIterator<Item = PathBuf>) -> Program {
        Program { command: by.into_iter().chain(self.command.clone()).collect() }
    }

    /// Starts it on a folder, on any port, with these settings more.
    pub(crate) fn start(&self, data: &Path, settings: &[&str]) -> Result<Process> {
        let (program, arguments) = self.command.split_first().context("a program")?;
        let mut command = Command::new(program);
        command.args(arguments).args(["--listen", "127.0.0.1:0", "--metrics", "", "--log-level", "error"]);
        command.arg("--data").arg(data);
        // The clients of a run come from one address, and nobody here is to wait for a limit.
        for setting in ["limits.requests_per_second=1000000", "limits.request_burst=1000000"] {
            command.args(["--set", setting]);
        }
        for setting in settings {
            command.args(["--set", setting]);
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PARLOR_") {
                command.env_remove(&name);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // Of its own group, so that Ctrl-C reaches this program alone, which then ends what it has started.
        command.process_group(0);
        let spawned = command.spawn();
        let mut child = spawned.with_context(|| format!("{} cannot be started", program.display()))?;
        let log = Lines::of(child.stderr.take().context("the server's log")?);
        Ok(Process { child, log })
    }

    /// Starts it and waits until it takes calls.
    pub(crate) async fn up(&self, data: &Path, settings: &[&str]) -> Result<(Process, SocketAddr)> {
        let mut process = self.start(data, settings)?;
        let address = process.address().await?;
        Ok((process, address))
    }

    /// Lets it read the whole store of a folder, where no server runs, and say that it is undamaged.
    pub(crate) async fn check_store(&self, data: &Path) -> Result<()> {
        let (program, arguments) = self.command.split_first().context("a program")?;
        let mut command = Command::new(program);
        command.args(arguments).arg("--data").arg(data).arg("check-store").kill_on_drop(true);
        let output = soon("check-store ends", command.output()).await??;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stdout);
            bail!("check-store finds damage: {}", said.trim());
        }
        Ok(())
    }
}

/// The last lines that a server has said in its log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<VecDeque<String>>>);

impl Lines {
    fn of(log: impl AsyncRead + Unpin + Send + 'static) -> Lines {
        let lines = Lines::default();
        let kept = lines.clone();
        tokio::spawn(async move {
            let mut log = BufReader::new(log).lines();
            while let Ok(Some(line)) = log.next_line().await {
                let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_back(line);
                if kept.len() > LINES {
                    kept.pop_front();
                }
            }
        });
        lines
    }

    fn said(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|line| format!("\n  {line}")).collect()
    }
}

/// A server that runs. Dropping it kills it.
pub(crate) struct Process {
    child: Child,
    log: Lines,
}

impl Process {
    /// Where it listens, as it says when it is up.
    async fn address(&mut self) -> Result<SocketAddr> {
        let output = self.child.stdout.take().context("the server's output")?;
        let mut lines = BufReader::new(output).lines();
        let reading = async {
            while let Some(line) = lines.next_line().await? {
                let after = line.split_once(" listens on ").map(|(_, after)| after);
                if let Some(address) = after.and_then(|after| after.split(' ').next()) {
                    return Ok(address.parse()?);
                }
            }
            bail!("the server ended before it was up");
        };
        let address = match soon("the server comes up", reading).await {
            Ok(Ok(address)) => address,
            Ok(Err(error)) | Err(error) => bail!("{error:#}; it said:{}", self.log.said()),
        };
        // It says a little more, and must not wait for a reader.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(address)
    }

    /// Its process id.
    pub(crate) fn id(&self) -> Result<u32> {
        self.child.id().context("the server has ended")
    }

    /// Kill -9, and waits until it is dead.
    pub(crate) async fn kill(mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the server ended by itself ({status}); it said:{}", self.log.said());
        }
        self.child.kill().await.context("kill -9")
    }

    /// Waits until it has ended, however.
    pub(crate) async fn ended(mut self) -> Result<()> {
        self.child.wait().await?;
        Ok(())
    }

    /// Tells it to stop, and waits until it has, in good order.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let told = Command::new("kill").args(["-TERM", &self.id()?.to_string()]).status().await?;
        let status = soon("the server stops", self.child.wait()).await??;
        if !told.success() || !status.success() {
            bail!("the server was told to stop, and ended with {status}");
        }
        Ok(())
    }

    /// How much memory it has, in KiB.
    pub(crate) fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()?))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}
