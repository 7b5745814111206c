//! Runs of the program without input.

use std::io::Read;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use parlor_testkit::{TIMEOUT, send_signal};
use serde_json::Value;
use tempfile::TempDir;

/// Environment of the program: variables, and a home folder of its own.
pub(crate) struct Parlor {
    home: TempDir,
    variables: Vec<(String, String)>,
}

impl Parlor {
    /// Without a configured server.
    pub(crate) fn without_server() -> Parlor {
        Parlor { home: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// With the given server.
    pub(crate) fn with_server(url: &str) -> Parlor {
        Parlor::without_server().with_variable("PARLOR_CLI_SERVER", url)
    }

    /// Adds an environment variable.
    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Parlor {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Home folder.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// The client's data folder.
    pub(crate) fn data_folder(&self) -> std::path::PathBuf {
        self.home().join(".local/share/parlor")
    }

    /// Environment variables.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let own = [
            ("HOME", self.home.path().to_str().unwrap()),
            // A busy machine is slow, not unreachable.
            ("PARLOR_CLI_TIMEOUT", "60s"),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.into_iter().chain(self.variables.iter().cloned()).collect()
    }

    /// The command, with only these variables in its environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(args).env_clear().envs(self.variables());
        command
    }

    /// Runs the program to the end. It may take any time, as long as it prints something every [`TIMEOUT`].
    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let id = child.id();
        let (sender, received) = mpsc::sync_channel(16);
        collect(child.stdout.take().unwrap(), OutputPart::Stdout, sender.clone());
        collect(child.stderr.take().unwrap(), OutputPart::Stderr, sender.clone());
        // The status comes last, so that the channel ends with it.
        thread::spawn(move || sender.send(OutputPart::Status(child.wait().unwrap())));
        let (mut stdout, mut stderr, mut status) = (Vec::new(), Vec::new(), None);
        loop {
            match received.recv_timeout(TIMEOUT) {
                Ok(OutputPart::Stdout(bytes)) => stdout.extend(bytes),
                Ok(OutputPart::Stderr(bytes)) => stderr.extend(bytes),
                Ok(OutputPart::Status(ended)) => status = Some(ended),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    send_signal(id, "KILL");
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    panic!("parlor {args:?} does not end: {} {}", text(&stdout), text(&stderr))
                }
            }
        }
        CommandOutput::new(args, Output { status: status.expect("an exit status"), stdout, stderr })
    }

    /// Runs the program, asserts success, and returns its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{done:?}");
        done.stdout
    }

    /// Runs the program with --json, asserts success, and parses the document.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[&["--json"], args].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error} in {text}"))
    }
}

/// Output of a process, as it arrives.
enum OutputPart {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Status(ExitStatus),
}

/// Passes on what a stream has, until it ends.
fn collect(
    mut stream: impl Read + Send + 'static,
    part: fn(Vec<u8>) -> OutputPart,
    parts: mpsc::SyncSender<OutputPart>,
) {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            // The test may have failed already.
            if parts.send(part(buffer[..length].to_vec())).is_err() {
                break;
            }
        }
    });
}

/// Exit code and output of a run.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    /// Arguments, for failure messages.
    #[allow(dead_code, reason = "part of the Debug output")]
    args: Vec<String>,
    /// Exit code; -1 after a signal.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl CommandOutput {
    fn new(args: &[&str], output: Output) -> CommandOutput {
        CommandOutput {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
