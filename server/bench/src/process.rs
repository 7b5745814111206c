//! Server processes, whose CPU time is measured, and the loads on them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use parlor_cli::load::now;
use parlor_testkit::{listening_address, server_variables};
use serde_json::Value;

use crate::baseline::Sizes;

/// Limits high enough not to slow the loads down. The baseline has the same where tonic has such limits.
const SETTINGS: [&str; 11] = [
    "limits.requests_per_second=1000000",
    "limits.request_burst=1000000",
    "limits.attaches_per_second=1000000",
    "limits.attach_burst=1000000",
    "limits.caller_bytes=2048MiB",
    "limits.tables_per_key=100000",
    "limits.streams_per_connection=2048",
    "limits.channels_per_stream=65536",
    "limits.commit_queue=65536",
    "connections.max_total=40000",
    "connections.max_per_address=40000",
];

/// A running server. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    metrics: Option<SocketAddr>,
    /// Time from the start of the process until it listened.
    pub(crate) started_in: Duration,
}

/// Path of a program in the folder of this one.
fn sibling_program(name: &str) -> Result<PathBuf> {
    let path = std::env::current_exe().context("the path of this program")?.with_file_name(name);
    if !path.exists() {
        bail!("{} is not there: build it first (make bench does)", path.display());
    }
    Ok(path)
}

impl Server {
    /// Parlor on a data folder.
    pub(crate) fn hosted(data: &Path) -> Result<Server> {
        Server::start(Server::command(data)?)
    }

    /// Parlor on a data folder, without huge pages: its memory grows by what is used, not by 2 MiB at a time.
    pub(crate) fn with_small_pages(data: &Path) -> Result<Server> {
        let mut command = Server::command(data)?;
        command.env("MIMALLOC_ALLOW_THP", "0");
        Server::start(command)
    }

    fn command(data: &Path) -> Result<Command> {
        let mut command = Command::new(sibling_program("parlor-server")?);
        command.args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log-level", "error"]);
        command.arg("--data").arg(data).args(SETTINGS.map(|setting| ["--set", setting]).concat());
        Ok(command)
    }

    /// The baseline, with a delay of updates in milliseconds or none.
    pub(crate) fn bare(tables: usize, sizes: Sizes, turn_ms: Option<u64>) -> Result<Server> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bare-serve", "--tables", &tables.to_string()]).args(sizes.arguments());
        command.args(turn_ms.map(|turn| format!("--turn-ms={turn}")));
        command.arg("--").args(SETTINGS.map(|setting| ["--set", setting]).concat());
        Server::start(command)
    }

    fn start(mut command: Command) -> Result<Server> {
        for name in server_variables() {
            command.env_remove(name);
        }
        let begun = now();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let mut server = Server { child, address: String::new(), metrics: None, started_in: Duration::ZERO };
        for line in lines.by_ref() {
            let line = line?;
            if let Some(address) = listening_address(&line) {
                server.started_in = now() - begun;
                server.address = address.to_string();
                // The last line of the baseline.
                if line.contains("baseline") {
                    return Ok(server);
                }
            }
            if let Some((_, after)) = line.split_once("metrics  http://") {
                server.metrics = after.split('/').next().and_then(|address| address.parse().ok());
                return Ok(server);
            }
        }
        bail!("a server ended before it was up");
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Quantile of the commit times, in milliseconds.
    pub(crate) fn commit_ms(&self, share: f64) -> Result<f64> {
        commit_ms(&self.metrics()?, share).context("no commits in the metrics")
    }

    /// Current metrics page.
    pub(crate) fn metrics(&self) -> Result<String> {
        let mut page = TcpStream::connect(self.metrics.context("a page with metrics")?)?;
        page.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut text = String::new();
        page.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Sends SIGTERM and waits for a graceful exit.
    pub(crate) fn stop(mut self) -> Result<()> {
        let told = Command::new("kill").args(["-TERM", &self.id().to_string()]).status()?;
        if !told.success() || !self.child.wait()?.success() {
            bail!("the server did not stop in good order");
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Quantile of the commit times: the upper bound of its histogram bucket, in milliseconds.
fn commit_ms(metrics: &str, share: f64) -> Option<f64> {
    let buckets = metrics.lines().filter_map(|line| {
        let (end, count) = line.strip_prefix("parlor_commit_seconds_bucket{le=\"")?.split_once("\"} ")?;
        Some((end.parse::<f64>().ok()?, count.trim().parse::<f64>().ok()?))
    });
    let buckets: Vec<(f64, f64)> = buckets.collect();
    let (_, all) = *buckets.last()?;
    let (end, _) = buckets.iter().find(|(_, count)| *count >= all * share)?;
    (all > 0.0).then_some(end * 1000.0)
}

/// A load on a server.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) tables: usize,
    pub(crate) connections: usize,
    /// One seat per stream, instead of all seats of a connection.
    pub(crate) stream_per_seat: bool,
    pub(crate) seconds: u64,
    pub(crate) rate: Option<f64>,
    /// Game options.
    pub(crate) options: &'static [&'static str],
}

/// Results of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadResult {
    pub(crate) per_second: f64,
    pub(crate) per_cpu_second: f64,
    pub(crate) p99_ms: f64,
    /// Memory of the server at the end; 0 for the baseline.
    pub(crate) memory_kib: f64,
}

impl Load {
    /// Runs the load on Parlor, with `parlor bench`.
    pub(crate) fn on_hosted(&self, server: &Server) -> Result<LoadResult> {
        let mut command = Command::new(sibling_program("parlor")?);
        command.args(["bench", "--json", "--server", &format!("http://{}", server.address)]);
        command.args(self.arguments(server));
        if self.stream_per_seat {
            command.args(["--seats-per-stream", "1"]);
        }
        for option in self.options {
            command.args(["--option", option]);
        }
        run_load(command)
    }

    /// Runs the load on the baseline.
    pub(crate) fn on_bare(&self, server: &Server, sizes: Sizes) -> Result<LoadResult> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bare-load", &server.address]).args(self.arguments(server)).args(sizes.arguments());
        run_load(command)
    }

    fn arguments(&self, server: &Server) -> Vec<String> {
        let mut arguments = vec![
            format!("--tables={}", self.tables),
            format!("--connections={}", self.connections),
            format!("--seconds={}", self.seconds),
            format!("--server-pid={}", server.id()),
        ];
        arguments.extend(self.rate.map(|rate| format!("--rate={rate:.0}")));
        arguments
    }
}

/// Runs a load process and parses its report.
fn run_load(mut command: Command) -> Result<LoadResult> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("a load failed: {command:?}");
    }
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let number = |path: &str| {
        let found = report.pointer(path).and_then(Value::as_f64);
        found.with_context(|| format!("the report of a load has no {path}"))
    };
    Ok(LoadResult {
        per_second: number("/moves_per_second")?,
        per_cpu_second: number("/server/moves_per_cpu_second")?,
        p99_ms: number("/latency_ms/p99")?,
        memory_kib: number("/server/memory_kib").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commit_quantiles_are_read_from_the_histogram() {
        let line = |end: &str, count: u32| format!("parlor_commit_seconds_bucket{{le=\"{end}\"}} {count}\n");
        let text = [line("0.001", 50), line("0.002", 98), line("0.004", 99), line("+Inf", 100)].concat();
        assert_eq!(commit_ms(&text, 0.99), Some(4.0));
        assert_eq!(commit_ms(&text, 1.0), Some(f64::INFINITY));
        assert_eq!(commit_ms("parlor_moves_total 3", 0.99), None);
    }
}
