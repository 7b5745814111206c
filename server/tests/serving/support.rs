//! What the tests share: a server in this process, the real program, and waiting.

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

use parlor_server::{
    clock::{Clock, ManualClock},
    config::Settings,
    identity::{KeySet, Keys, NewKey, Owner, Scope, ServerKey},
    log::MemoryLog,
    serve::{Parts, Running, Server},
};
use tempfile::TempDir;
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt;

/// How long anything may take on a slow machine with other things to do.
pub(crate) const A_MINUTE: Duration = Duration::from_secs(60);

/// The answer, which comes within a minute.
pub(crate) async fn soon<T>(answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(A_MINUTE, answer).await.expect("an answer within a minute")
}

/// The reason of an error, as programs read it.
pub(crate) fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    details.error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

/// Settings of a server on any free ports.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.listen.set_port(0);
    settings.metrics.as_mut().expect("a metrics port").set_port(0);
    settings
}

/// An address of this machine that no other test listens on, so that nobody takes a port there that was given back.
pub(crate) fn apart(settings: &mut Settings, last: u8) {
    let address = std::net::IpAddr::from([127, 0, 77, last]);
    settings.listen.set_ip(address);
    settings.metrics.as_mut().expect("a metrics port").set_ip(address);
}

/// A key with its text.
pub(crate) fn key(owner: &str) -> NewKey {
    let owner: Owner = owner.parse().expect("a name");
    NewKey::generate(owner, vec![Scope::Tables, Scope::Play], None, None).expect("randomness")
}

/// A server in this process, whose clock stands still.
pub(crate) struct Served {
    pub(crate) running: Running,
    pub(crate) clock: ManualClock,
}

impl Served {
    pub(crate) async fn start(settings: &Settings) -> Served {
        let clock = ManualClock::new();
        let parts = parts(settings, Arc::new(clock.clone()));
        let running = Server::start(settings, parts).await.expect("a server");
        Served { running, clock }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.address().expect("an address")
    }

    pub(crate) async fn channel(&self) -> Channel {
        channel(&format!("http://{}", self.address())).await
    }
}

pub(crate) fn parts(settings: &Settings, clock: Arc<dyn Clock>) -> Parts {
    Parts {
        clock,
        log: Arc::new(MemoryLog::new()),
        keys: Arc::new(Keys::new(KeySet::new(settings.keys.clone()).expect("keys"))),
        server_key: ServerKey::from_bytes([7; 32]),
    }
}

pub(crate) async fn channel(url: &str) -> Channel {
    let endpoint = Endpoint::from_shared(url.to_owned()).expect("a URL");
    soon(endpoint.connect()).await.expect("a connection")
}

/// The real program, in a folder of its own.
pub(crate) struct Program {
    pub(crate) folder: TempDir,
}

impl Program {
    pub(crate) fn new() -> Program {
        Program { folder: tempfile::tempdir().expect("a folder") }
    }

    /// A file in its folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The program with these arguments, and nothing of this process's environment that it would read.
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

    /// Runs to its end: the exit code, standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("the program");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Starts the server on free ports, with these arguments more, and waits until it is up.
    pub(crate) fn start(&self, arguments: &[&str]) -> Up {
        self.start_with(arguments, &[])
    }

    pub(crate) fn start_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Up {
        let mut command = self.command(arguments);
        // What a flag says counts more.
        command.env("PARLOR_LISTEN", "127.0.0.1:0").env("PARLOR_METRICS", "127.0.0.1:0");
        command.envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        let log = Lines::of(child.stderr.take().expect("its standard error"));
        let printed = Lines::of(child.stdout.take().expect("its standard output"));
        let up = Up { child, log, printed };
        if up.printed.find("play ", 1).is_none() {
            panic!("it did not start: {}", up.log.all());
        }
        up
    }
}

/// The real program while it serves. Dropping it ends it at once.
pub(crate) struct Up {
    child: Child,
    /// What it says on standard error.
    pub(crate) log: Lines,
    /// What it says on standard output.
    pub(crate) printed: Lines,
}

impl Up {
    /// Where clients connect.
    pub(crate) fn address(&self) -> SocketAddr {
        let line = self.printed.wait_for("listens on ");
        let (_, rest) = line.split_once("listens on ").expect("an address");
        rest.split(' ').next().expect("an address").parse().expect("an address")
    }

    /// Where the metrics are.
    pub(crate) fn metrics(&self) -> SocketAddr {
        let line = self.printed.wait_for("metrics ");
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

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let (ended, wait) = std::sync::mpsc::sync_channel(1);
        let id = self.id();
        thread::spawn(move || {
            if wait.recv_timeout(A_MINUTE).is_err() {
                // The wait below then ends, and the test fails by the status.
                let _killed = Command::new("kill").args(["-KILL", &id]).status();
            }
        });
        let status = self.child.wait().expect("its end");
        let _ended = ended.send(());
        (status, self.log.all())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // Gone already, if the test has waited for it.
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// The lines that a program says, as they come.
#[derive(Clone)]
pub(crate) struct Lines(Arc<(Mutex<Said>, Condvar)>);

#[derive(Default)]
struct Said {
    lines: Vec<String>,
    ended: bool,
}

impl Lines {
    fn of(from: impl Read + Send + 'static) -> Lines {
        let lines = Lines(Arc::default());
        let heard = lines.clone();
        thread::spawn(move || {
            for line in BufReader::new(from).lines() {
                let Ok(line) = line else { break };
                heard.0.0.lock().expect("lines").lines.push(line);
                heard.0.1.notify_all();
            }
            heard.0.0.lock().expect("lines").ended = true;
            heard.0.1.notify_all();
        });
        lines
    }

    /// The first line with this text, as soon as it is there.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_for_nth(text, 1)
    }

    /// The line with which the text has been said so many times.
    pub(crate) fn wait_for_nth(&self, text: &str, count: usize) -> String {
        let said = || self.0.0.lock().expect("lines").lines.join("\n");
        self.find(text, count).unwrap_or_else(|| panic!("{text:?} was not said {count} times: {}", said()))
    }

    /// The same; none if the program ends, or a minute passes, without it.
    fn find(&self, text: &str, count: usize) -> Option<String> {
        let find = |said: &Said| said.lines.iter().filter(|line| line.contains(text)).nth(count - 1).cloned();
        let said = self.0.0.lock().expect("lines");
        let waiting = |said: &mut Said| find(said).is_none() && !said.ended;
        let (said, _) = self.0.1.wait_timeout_while(said, A_MINUTE, waiting).expect("lines");
        find(&said)
    }

    /// Everything that was said, after the program has ended.
    fn all(&self) -> String {
        let said = self.0.0.lock().expect("lines");
        let (said, _) = self.0.1.wait_timeout_while(said, A_MINUTE, |said| !said.ended).expect("lines");
        said.lines.join("\n")
    }
}
