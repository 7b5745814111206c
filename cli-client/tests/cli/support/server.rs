//! A server in a process of its own, which can be killed: a program of `tests/programs`.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use parlor_server::identity::{NewKey, Owner, Scope};
use parlor_testkit::{ServerProcess, example_program, server_command};
use tempfile::TempDir;

/// A running server with a store of its own. Killed on drop.
pub(crate) struct Server {
    process: ServerProcess,
    program: &'static str,
    folder: TempDir,
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
        Server::with_program("test_server", settings)
    }

    /// Starts a server that chooses its seeds when it knows the players' entropy.
    pub(crate) fn grinding() -> Server {
        Server::with_program("grinding_server", "")
    }

    fn with_program(program: &'static str, settings: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("parlor.toml"), settings).unwrap();
        Server { process: start_process(program, folder.path()), program, folder }
    }

    /// Listening address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.process.address()
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
        self.process = start_process(self.program, self.folder.path());
    }
}

/// Starts a server program on a free port, with its configuration and its data in `folder`.
fn start_process(program: &str, folder: &Path) -> ServerProcess {
    let mut command = server_command(example_program("parlor-cli", program));
    command.args(["--listen", "127.0.0.1:0", "--metrics", "", "--log-level", "warn"]);
    command.arg("--config").arg(folder.join("parlor.toml")).arg("--data").arg(folder.join("data"));
    // The server ends when this process does, which closes the pipe.
    ServerProcess::start(command.stdin(Stdio::piped()))
}
