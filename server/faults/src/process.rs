//! Server processes: start on a data folder, memory usage, stop and kill.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use parlor_testkit::{listening_address, server_variables};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};

use crate::server_address::within_timeout;

/// Number of last lines of a server's log that are kept.
const KEPT_LOG_LINES: usize = 5;

/// Settings of every server: all clients of a run share an address, and rate limits must not slow them down. Later
/// settings override them.
const NO_RATE_LIMITS: [&str; 4] = [
    "limits.requests_per_second=1000000",
    "limits.request_burst=1000000",
    "limits.attaches_per_second=1000000",
    "limits.attach_burst=1000000",
];

/// A server program with its first arguments.
#[derive(Clone, Debug)]
pub(crate) struct ServerProgram {
    command: Vec<PathBuf>,
}

impl ServerProgram {
    /// The server binary at this path.
    pub(crate) fn at(path: &Path) -> ServerProgram {
        ServerProgram { command: vec![path.to_owned()] }
    }

    /// This binary as a server: the real one, or the control that acknowledges too early.
    pub(crate) fn of_this_binary(early: bool) -> Result<ServerProgram> {
        let this = std::env::current_exe().context("the path of this program")?;
        let mode = if early { "serve-early" } else { "serve" };
        Ok(ServerProgram { command: vec![this, mode.into()] })
    }

    /// The same program, wrapped in another command.
    pub(crate) fn under(&self, by: impl IntoIterator<Item = PathBuf>) -> ServerProgram {
        ServerProgram { command: by.into_iter().chain(self.command.clone()).collect() }
    }

    /// Starts the server on a data folder and a free port, with additional settings.
    pub(crate) fn start(&self, data: &Path, settings: &[&str]) -> Result<ServerProcess> {
        let (program, arguments) = self.command.split_first().context("a program")?;
        let mut command = Command::new(program);
        command.args(arguments).args(["--listen", "127.0.0.1:0", "--metrics", "", "--log-level", "error"]);
        command.arg("--data").arg(data);
        for setting in NO_RATE_LIMITS.iter().chain(settings) {
            command.args(["--set", setting]);
        }
        for name in server_variables() {
            command.env_remove(&name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // In a process group of its own, so that Ctrl-C reaches only this program, which then ends its
        // servers.
        command.process_group(0);
        let spawned = command.spawn();
        let mut child = spawned.with_context(|| format!("{} cannot be started", program.display()))?;
        let log = LogTail::of(child.stderr.take().context("the server's log")?);
        Ok(ServerProcess { child, log })
    }

    /// Starts the server and waits until it accepts calls.
    pub(crate) async fn start_and_wait(
        &self,
        data: &Path,
        settings: &[&str],
    ) -> Result<(ServerProcess, SocketAddr)> {
        let mut process = self.start(data, settings)?;
        let address = process.address().await?;
        Ok((process, address))
    }

    /// Runs `check-store` on a data folder without a running server. Fails if the store is damaged.
    pub(crate) async fn check_store(&self, data: &Path) -> Result<()> {
        let (program, arguments) = self.command.split_first().context("a program")?;
        let mut command = Command::new(program);
        command.args(arguments).arg("--data").arg(data).arg("check-store").kill_on_drop(true);
        let output = within_timeout("check-store ends", command.output()).await??;
        if !output.status.success() {
            let report = String::from_utf8_lossy(&output.stdout);
            bail!("check-store finds damage: {}", report.trim());
        }
        Ok(())
    }
}

/// The last lines of a server's log.
#[derive(Clone, Default)]
struct LogTail(Arc<Mutex<VecDeque<String>>>);

impl LogTail {
    fn of(log: impl AsyncRead + Unpin + Send + 'static) -> LogTail {
        let lines = LogTail::default();
        let kept = lines.clone();
        tokio::spawn(async move {
            let mut log = BufReader::new(log).lines();
            while let Ok(Some(line)) = log.next_line().await {
                let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_back(line);
                if kept.len() > KEPT_LOG_LINES {
                    kept.pop_front();
                }
            }
        });
        lines
    }

    fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|line| format!("\n  {line}")).collect()
    }
}

/// A running server. Dropping it kills it.
pub(crate) struct ServerProcess {
    child: Child,
    log: LogTail,
}

impl ServerProcess {
    /// The listening address, from the server's start-up message.
    async fn address(&mut self) -> Result<SocketAddr> {
        let output = self.child.stdout.take().context("the server's output")?;
        let mut lines = BufReader::new(output).lines();
        let reading = async {
            while let Some(line) = lines.next_line().await? {
                if let Some(address) = listening_address(&line) {
                    return Ok(address);
                }
            }
            bail!("the server ended before it was up");
        };
        let address = match within_timeout("the server comes up", reading).await {
            Ok(Ok(address)) => address,
            Ok(Err(error)) | Err(error) => bail!("{error:#}; last log lines:{}", self.log.text()),
        };
        // Drain further output, so that the server never blocks on the pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(address)
    }

    pub(crate) fn id(&self) -> Result<u32> {
        self.child.id().context("the server has ended")
    }

    /// Sends SIGKILL and waits for the end of the process. Fails if the server has ended by itself.
    pub(crate) async fn kill(mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the server ended by itself ({status}); last log lines:{}", self.log.text());
        }
        self.child.kill().await.context("kill -9")
    }

    /// Waits for the end of the process, with any exit status.
    pub(crate) async fn ended(mut self) -> Result<()> {
        self.child.wait().await?;
        Ok(())
    }

    /// Sends SIGTERM and waits for a graceful exit.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let signalled = Command::new("kill").args(["-TERM", &self.id()?.to_string()]).status().await?;
        let status = within_timeout("the server stops", self.child.wait()).await??;
        if !signalled.success() || !status.success() {
            bail!("the server was sent SIGTERM, and ended with {status}");
        }
        Ok(())
    }

    /// CPU time used so far, in clock ticks of the system, which are hundredths of a second.
    pub(crate) fn cpu_ticks(&self) -> Result<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id()?))?;
        // The name of the program is in parentheses, and may have spaces. User and system time are fields 14 and 15.
        let (_, fields) = stat.rsplit_once(')').context("/proc/PID/stat")?;
        let times = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
        Ok(times.sum::<Result<u64, _>>()?)
    }

    /// Resident memory in KiB.
    pub(crate) fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()?))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}
