//! A server in a process of its own, which can be killed: this test program, started again with [`SERVE`]
//! set.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::{env, fs, process, thread};

use clap::Parser;
use parlor_server::config::Cli;
use parlor_server::identity::{NewKey, Owner, Scope};
use tempfile::TempDir;

use super::WAIT_LIMIT;

/// Environment variable that turns this test program into a server: its flags, one per line.
const SERVE: &str = "PARLOR_TEST_SERVE";

/// A running server with a store of its own. Killed on drop.
pub(crate) struct Server {
    folder: TempDir,
    config: PathBuf,
    process: Process,
}

/// API keys of a server.
pub(crate) struct Keys {
    /// All table scopes.
    pub(crate) owner: String,
    /// May join public tables, but not create any.
    pub(crate) player: String,
    /// Key of a different owner.
    pub(crate) other: String,
}

impl Server {
    /// Starts a server without keys: all scopes for everyone.
    pub(crate) fn start() -> Server {
        Server::with_settings("")
    }

    /// Starts a server with keys.
    pub(crate) fn with_keys() -> (Server, Keys) {
        let key = |owner: &str, scopes: &[Scope]| {
            let owner: Owner = owner.parse().unwrap();
            let key = NewKey::generate(owner, scopes.to_vec(), None, None).unwrap();
            (key.text.reveal().to_owned(), key.settings_lines())
        };
        let (owner, first) = key("owner", &[Scope::Tables, Scope::Play, Scope::Agents, Scope::SeededTables]);
        let (player, second) = key("player", &[Scope::Play]);
        let (other, third) = key("other", &[Scope::Tables, Scope::Play, Scope::Agents]);
        (Server::with_settings(&[first, second, third].join("\n")), Keys { owner, player, other })
    }

    /// Starts a server with the given settings file.
    pub(crate) fn with_settings(settings: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("parlor.toml");
        fs::write(&config, settings).unwrap();
        let process = Process::start(&config, &folder.path().join("data"));
        Server { folder, config, process }
    }

    /// Listening address.
    pub(crate) fn address(&self) -> &str {
        &self.process.address
    }

    /// URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Kills the server (SIGKILL), as a crash.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Restarts the server on the same store, on another port.
    pub(crate) fn restart(&mut self) {
        self.process = Process::start(&self.config, &self.folder.path().join("data"));
    }
}

struct Process {
    child: Child,
    address: String,
}

impl Process {
    fn start(config: &Path, data: &Path) -> Process {
        let flags = [
            "parlor-server",
            "--config",
            config.to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
            "--metrics",
            "",
            "--data",
            data.to_str().unwrap(),
            "--log-level",
            "warn",
        ];
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "support::server::serves_if_it_is_told_to", "--nocapture", "--test-threads=1"])
            .env(SERVE, flags.join("\n"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        // From here on the child is killed on drop.
        let mut process = Process { child, address: String::new() };
        let (sender, lines_read) = mpsc::sync_channel(64);
        let lines = BufReader::new(stdout).lines();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // Drains the pipe even if the receiver is gone.
                let _ = sender.try_send(line);
            }
        });
        let mut skipped = Vec::new();
        loop {
            let line = lines_read
                .recv_timeout(WAIT_LIMIT)
                .unwrap_or_else(|_| panic!("the server did not print its address: {skipped:?}"));
            if let Some((_, rest)) = line.split_once(" listens on ") {
                rest.split_whitespace().next().unwrap().clone_into(&mut process.address);
                return process;
            }
            skipped.push(line);
        }
    }

    fn kill(&mut self) {
        // It may have exited by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Entry point of the server process; not a test. Does nothing unless [`SERVE`] is set.
#[test]
fn serves_if_it_is_told_to() {
    if let Ok(flags) = env::var(SERVE) {
        // The parent holds the other end of standard input: its close means that the parent has ended.
        thread::spawn(|| {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            process::abort();
        });
        parlor_server::program::main(&Cli::parse_from(flags.lines()));
    }
}
