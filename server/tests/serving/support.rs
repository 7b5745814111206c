//! Shared helpers: `TestServer` (in this process), `Program` (the real binary), and waiting with a timeout.

use std::{
    future::Future,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

use parlor_host::clock::{Clock, ManualClock};
use parlor_server::{
    config::Settings,
    identity::{ApiKeys, KeySet, NewKey, Owner, Scope, ServerKey},
    transport::{RunningServer, Server, ServerDependencies},
};
use parlor_store::MemoryLog;
use tempfile::TempDir;
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt;

/// Upper bound for every wait, generous enough for a slow and busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Awaits a future for at most [`TIMEOUT`].
///
/// # Panics
/// If the future takes longer.
pub(crate) async fn with_timeout<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future).await.expect("no answer within a minute")
}

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
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor-server"));
        command.current_dir(self.folder.path()).args(arguments).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if ["PARLOR_", "OTEL_", "NOTIFY_"].iter().any(|prefix| name_text.starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Runs the program to its exit: exit code, standard output, standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("the program");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Starts the server on free ports with these further arguments, and waits until it listens.
    pub(crate) fn start(&self, arguments: &[&str]) -> RunningProgram {
        self.start_with(arguments, &[])
    }

    pub(crate) fn start_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> RunningProgram {
        let mut command = self.command(arguments);
        // Flags take precedence over the environment.
        command.env("PARLOR_LISTEN", "127.0.0.1:0").env("PARLOR_METRICS", "127.0.0.1:0");
        command.envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        let log = OutputLines::from_reader(child.stderr.take().expect("piped standard error"));
        let stdout = OutputLines::from_reader(child.stdout.take().expect("piped standard output"));
        let running = RunningProgram { child, log, stdout };
        if running.stdout.find("play ", 1).is_none() {
            panic!("the server did not start: {}", running.log.all());
        }
        running
    }
}

/// The running program. Dropping it kills the process.
pub(crate) struct RunningProgram {
    child: Child,
    /// Lines of standard error: the log.
    pub(crate) log: OutputLines,
    /// Lines of standard output.
    pub(crate) stdout: OutputLines,
}

impl RunningProgram {
    /// The address for clients.
    pub(crate) fn address(&self) -> SocketAddr {
        let line = self.stdout.wait_for("listens on ");
        let (_, rest) = line.split_once("listens on ").expect("an address");
        rest.split(' ').next().expect("an address").parse().expect("an address")
    }

    /// The address of the metrics.
    pub(crate) fn metrics(&self) -> SocketAddr {
        let line = self.stdout.wait_for("metrics ");
        let (_, rest) = line.split_once("http://").expect("an address");
        rest.split('/').next().expect("an address").parse().expect("an address")
    }

    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Sends a signal, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.id()]).status().expect("kill");
        assert!(sent.success(), "kill -{name}");
    }

    /// Waits for its exit, and returns the status and the log. Kills the process after [`TIMEOUT`].
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let (ended, wait) = std::sync::mpsc::sync_channel(1);
        let id = self.id();
        thread::spawn(move || {
            if wait.recv_timeout(TIMEOUT).is_err() {
                // Ends the wait below; the test then fails because of the status.
                let _killed = Command::new("kill").args(["-KILL", &id]).status();
            }
        });
        let status = self.child.wait().expect("an exit status");
        let _ended = ended.send(());
        (status, self.log.all())
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // Fails if the test has waited for the exit already.
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// The lines of an output of the program, read by a thread.
#[derive(Clone)]
pub(crate) struct OutputLines(Arc<(Mutex<ReadLines>, Condvar)>);

#[derive(Default)]
struct ReadLines {
    lines: Vec<String>,
    ended: bool,
}

impl OutputLines {
    fn from_reader(from: impl Read + Send + 'static) -> OutputLines {
        let lines = OutputLines(Arc::default());
        let reading = lines.clone();
        thread::spawn(move || {
            for line in BufReader::new(from).lines() {
                let Ok(line) = line else { break };
                reading.0.0.lock().expect("lines").lines.push(line);
                reading.0.1.notify_all();
            }
            reading.0.0.lock().expect("lines").ended = true;
            reading.0.1.notify_all();
        });
        lines
    }

    /// Waits for the first line that contains this text.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_for_nth(text, 1)
    }

    /// Waits for the `count`-th line that contains this text.
    pub(crate) fn wait_for_nth(&self, text: &str, count: usize) -> String {
        let all = || self.0.0.lock().expect("lines").lines.join("\n");
        self.find(text, count).unwrap_or_else(|| panic!("{text:?} was not printed {count} times: {}", all()))
    }

    /// The same; `None` if the program exits, or [`TIMEOUT`] passes, without that line.
    fn find(&self, text: &str, count: usize) -> Option<String> {
        let find =
            |read: &ReadLines| read.lines.iter().filter(|line| line.contains(text)).nth(count - 1).cloned();
        let read = self.0.0.lock().expect("lines");
        let waiting = |read: &mut ReadLines| find(read).is_none() && !read.ended;
        let (read, _) = self.0.1.wait_timeout_while(read, TIMEOUT, waiting).expect("lines");
        find(&read)
    }

    /// All lines, after the program has exited.
    fn all(&self) -> String {
        let read = self.0.0.lock().expect("lines");
        let (read, _) = self.0.1.wait_timeout_while(read, TIMEOUT, |read| !read.ended).expect("lines");
        read.lines.join("\n")
    }
}
