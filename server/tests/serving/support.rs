//! Shared helpers: `TestServer` (in this process) and `Program` (the real binary).

use std::{net::SocketAddr, path::PathBuf, process::Command, sync::Arc};

use parlor_host::clock::{Clock, ManualClock};
use parlor_server::{
    config::Settings,
    identity::{ApiKeys, KeySet, NewKey, Owner, Scope, ServerKey, SigningKeys},
    transport::{RunningServer, Server, ServerDependencies},
};
use parlor_store::MemoryLog;
use parlor_testkit::{ServerProcess, server_command, with_timeout};
use tempfile::TempDir;
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt;

/// The machine-readable reason of an error; empty without one.
pub(crate) fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    details.error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

/// Settings of a server on free ports.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.listen.set_port(0);
    settings.metrics.as_mut().expect("a metrics port").set_port(0);
    settings
}

/// Listens on a loopback address that no other test uses, so that no other test takes a released port there.
pub(crate) fn use_own_ip(settings: &mut Settings, last: u8) {
    let address = std::net::IpAddr::from([127, 0, 77, last]);
    settings.listen.set_ip(address);
    settings.metrics.as_mut().expect("a metrics port").set_ip(address);
}

/// Generates an API key with the scopes tables and play.
pub(crate) fn api_key(owner: &str) -> NewKey {
    let owner: Owner = owner.parse().expect("a valid owner name");
    NewKey::generate(owner, vec![Scope::Tables, Scope::Play], None, None).expect("randomness")
}

/// A server in this process, on a clock that only the test advances.
pub(crate) struct TestServer {
    pub(crate) running: RunningServer,
    pub(crate) clock: ManualClock,
}

impl TestServer {
    pub(crate) async fn start(settings: &Settings) -> TestServer {
        let clock = ManualClock::new();
        let parts = parts(settings, Arc::new(clock.clone()));
        let running = Server::start(settings, parts).await.expect("a server");
        TestServer { running, clock }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.address().expect("an address")
    }

    pub(crate) async fn channel(&self) -> Channel {
        channel(&format!("http://{}", self.address())).await
    }
}

pub(crate) fn parts(settings: &Settings, clock: Arc<dyn Clock>) -> ServerDependencies {
    ServerDependencies {
        clock,
        log: Arc::new(MemoryLog::new()),
        keys: Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone()).expect("keys"))),
        server_key: ServerKey::from_bytes([7; 32]),
        signing_keys: Arc::new(SigningKeys::from_bytes([8; 32])),
    }
}

pub(crate) async fn channel(url: &str) -> Channel {
    let endpoint = Endpoint::from_shared(url.to_owned()).expect("a URL");
    with_timeout(endpoint.connect()).await.expect("a connection")
}

/// The real `parlor-server` binary, with a temporary working folder.
pub(crate) struct Program {
    pub(crate) folder: TempDir,
}

impl Program {
    pub(crate) fn new() -> Program {
        Program { folder: tempfile::tempdir().expect("a folder") }
    }

    /// The path of a file in its working folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// A command with these arguments, without the environment variables that the program reads.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = server_command(env!("CARGO_BIN_EXE_parlor-server"));
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    /// Runs the program to its exit: exit code, standard output, standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("the program");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Starts the server on free ports with these further arguments, and waits until it listens.
    pub(crate) fn start(&self, arguments: &[&str]) -> ServerProcess {
        self.start_with(arguments, &[])
    }

    pub(crate) fn start_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> ServerProcess {
        let mut command = self.command(arguments);
        // Flags take precedence over the environment.
        command.env("PARLOR_LISTEN", "127.0.0.1:0").env("PARLOR_METRICS", "127.0.0.1:0");
        command.envs(environment.iter().copied());
        ServerProcess::start(&mut command)
    }
}
