//! A server in a process of its own, which can be killed: this very test program, asked to be a server.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::{env, fs, process, thread};

use clap::Parser;
use parlor_server::config::Cli;
use parlor_server::identity::{NewKey, Owner, Scope};
use tempfile::TempDir;

use super::LIMIT;

/// The variable that makes this test program a server: its flags, one a line.
const SERVE: &str = "PARLOR_TEST_SERVE";

/// A server that runs, with a store of its own. It ends with this value.
pub(crate) struct Server {
    folder: TempDir,
    config: PathBuf,
    process: Process,
}

/// API keys of a server.
pub(crate) struct Keys {
    /// May do everything with tables.
    pub(crate) owner: String,
    /// May join public tables, and make none.
    pub(crate) player: String,
    /// Another owner's.
    pub(crate) other: String,
}

impl Server {
    /// A server without keys: everyone may do everything.
    pub(crate) fn start() -> Server {
        Server::with_settings("")
    }

    /// A server with keys.
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

    /// A server with these settings, as its file has them.
    pub(crate) fn with_settings(settings: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("parlor.toml");
        fs::write(&config, settings).unwrap();
        let process = Process::start(&config, &folder.path().join("data"));
        Server { folder, config, process }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.process.address
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Ends it as a crash does (SIGKILL).
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again on the same store, on another port.
    pub(crate) fn start_again(&mut self) {
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
        // From here on it ends with this value, whatever goes wrong.
        let mut process = Process { child, address: String::new() };
        let (said, hears) = mpsc::sync_channel(64);
        let lines = BufReader::new(stdout).lines();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // Whoever waited has heard enough; the pipe is emptied all the same.
                let _ = said.try_send(line);
            }
        });
        let mut heard = Vec::new();
        loop {
            let line = hears
                .recv_timeout(LIMIT)
                .unwrap_or_else(|_| panic!("the server does not say where it listens: {heard:?}"));
            if let Some((_, rest)) = line.split_once(" listens on ") {
                rest.split_whitespace().next().unwrap().clone_into(&mut process.address);
                return process;
            }
            heard.push(line);
        }
    }

    fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Not a test of anything: a server, if the variable is set.
#[test]
fn serves_if_it_is_told_to() {
    if let Ok(flags) = env::var(SERVE) {
        // Whoever started it holds the other end. If that is gone, however it ended, nobody needs a server any more.
        thread::spawn(|| {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            process::abort();
        });
        parlor_server::program::main(&Cli::parse_from(flags.lines()));
    }
}
