//! Programs of the workspace as processes of their own: servers, and helpers of tests.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::SystemTime;
use std::{env, fs, thread};

use crate::wait::TIMEOUT;

/// A command of the server program without input and without the environment variables that it reads.
pub fn server_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    for name in server_variables() {
        command.env_remove(&name);
    }
    command
}

/// The environment variables of this process that a server would read.
pub fn server_variables() -> impl Iterator<Item = OsString> {
    env::vars_os().map(|(name, _)| name).filter(|name| {
        let text = name.to_string_lossy();
        ["PARLOR_", "OTEL_", "NOTIFY_"].iter().any(|prefix| text.starts_with(prefix))
    })
}

/// The address in the line of a server's startup message that names it; `None` for other lines.
pub fn listening_address(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once(" listens on ")?;
    rest.split(' ').next()?.parse().ok()
}

/// The program of an example target of `package`, for helper programs of its tests.
///
/// `cargo test` builds the examples of a package together with its tests. If it was told to build one test
/// target only (`--test`), the example may be missing or older than its sources: then it is built here.
///
/// # Panics
/// If the build fails.
pub fn example_program(package: &str, example: &str) -> PathBuf {
    let test = env::current_exe().expect("the path of this program");
    // <target>/<profile>/deps/<test>-<hash>, beside <target>/<profile>/examples/<example>.
    let folder = test.ancestors().nth(2).expect("the folder of the build profile");
    let program = folder.join("examples").join(example).with_extension(env::consts::EXE_EXTENSION);
    if !is_up_to_date(&program) {
        build_example(package, example, folder);
    }
    program
}

/// True if the program exists and none of the sources in its dependency file is newer.
fn is_up_to_date(program: &Path) -> bool {
    let modified = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    let Some(built) = modified(program) else { return false };
    let Ok(dependencies) = fs::read_to_string(program.with_extension("d")) else { return false };
    let Some((_, sources)) = dependencies.split_once(": ") else { return false };
    // Spaces within a path are escaped.
    let sources = sources.trim_end().replace("\\ ", "\0");
    sources.split(' ').all(|source| {
        modified(Path::new(&source.replace('\0', " "))).is_some_and(|modified| modified <= built)
    })
}

/// Builds an example in the profile and the target folder of this test program.
fn build_example(package: &str, example: &str, profile_folder: &Path) {
    let profile = match profile_folder.file_name().and_then(OsStr::to_str).expect("the name of a profile") {
        "debug" => "dev",
        other => other,
    };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", package, "--example", example, "--profile", profile]);
    command.arg("--target-dir").arg(profile_folder.parent().expect("the target folder"));
    let status = command.status().expect("cargo starts");
    assert!(status.success(), "cargo could not build the example {example} of {package}: {status}");
}

/// Sends a signal, such as `TERM`, to a process that the test has started.
///
/// # Panics
/// If the process does not exist.
pub fn send_signal(process: u32, signal: &str) {
    // The shell's builtin: a `kill` program is not installed everywhere.
    let mut command = Command::new("sh");
    let sent = command.args(["-c", r#"kill -s "$0" "$1""#, signal, &process.to_string()]).status();
    assert!(sent.expect("a shell").success(), "kill -s {signal} {process}");
}

/// A running server. Dropping it kills the process, and shows its log if the test has failed.
pub struct ServerProcess {
    child: Child,
    /// Lines of standard error: the log.
    pub log: OutputLines,
    /// Lines of standard output.
    pub stdout: OutputLines,
}

impl ServerProcess {
    /// Starts a server, and waits until it has printed its addresses.
    ///
    /// # Panics
    /// If it exits, or does not print them within [`TIMEOUT`].
    pub fn start(command: &mut Command) -> ServerProcess {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server program starts");
        let log = OutputLines::from_reader(child.stderr.take().expect("piped standard error"));
        let stdout = OutputLines::from_reader(child.stdout.take().expect("piped standard output"));
        let server = ServerProcess { child, log, stdout };
        // The last line of the startup message.
        assert!(server.stdout.find("  play ", 1).is_some(), "the server did not start");
        server
    }

    /// The address for clients.
    pub fn address(&self) -> SocketAddr {
        listening_address(&self.stdout.wait_for(" listens on ")).expect("an address")
    }

    /// The address of the metrics.
    pub fn metrics(&self) -> SocketAddr {
        let line = self.stdout.wait_for("metrics ");
        let (_, rest) = line.split_once("http://").expect("an address");
        rest.split('/').next().expect("an address").parse().expect("an address")
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        send_signal(self.child.id(), name);
    }

    /// Kills the process (SIGKILL) and waits for its end.
    pub fn kill(&mut self) {
        // Fails if it has exited by itself.
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }

    /// Waits for its exit, and returns the status and the log. Kills the process after [`TIMEOUT`].
    pub fn wait(mut self) -> (ExitStatus, String) {
        let (ended, wait) = mpsc::sync_channel(1);
        let id = self.child.id();
        thread::spawn(move || {
            if wait.recv_timeout(TIMEOUT).is_err() {
                // Ends the wait below; the test then fails because of the status.
                send_signal(id, "KILL");
            }
        });
        let status = self.child.wait().expect("an exit status");
        let _ended = ended.send(());
        (status, self.log.all())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            eprintln!("log of the server:\n{}", self.log.all());
        }
    }
}

/// The lines of an output of a process, read by a thread.
#[derive(Clone)]
pub struct OutputLines(Arc<(Mutex<ReadLines>, Condvar)>);

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
    ///
    /// # Panics
    /// If the process exits, or [`TIMEOUT`] passes, without that line.
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_for_nth(text, 1)
    }

    /// Waits for the `count`-th line that contains this text.
    ///
    /// # Panics
    /// If the process exits, or [`TIMEOUT`] passes, without that line.
    pub fn wait_for_nth(&self, text: &str, count: usize) -> String {
        let all = || self.0.0.lock().expect("lines").lines.join("\n");
        self.find(text, count).unwrap_or_else(|| panic!("{text:?} was not printed {count} times: {}", all()))
    }

    /// The same; `None` without that line.
    fn find(&self, text: &str, count: usize) -> Option<String> {
        let find =
            |read: &ReadLines| read.lines.iter().filter(|line| line.contains(text)).nth(count - 1).cloned();
        let read = self.0.0.lock().expect("lines");
        let waiting = |read: &mut ReadLines| find(read).is_none() && !read.ended;
        let (read, _) = self.0.1.wait_timeout_while(read, TIMEOUT, waiting).expect("lines");
        find(&read)
    }

    /// All lines, after the process has exited.
    pub fn all(&self) -> String {
        let read = self.0.0.lock().expect("lines");
        let (read, _) = self.0.1.wait_timeout_while(read, TIMEOUT, |read| !read.ended).expect("lines");
        read.lines.join("\n")
    }
}
