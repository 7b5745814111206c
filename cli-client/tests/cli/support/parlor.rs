//! The program: started, given nothing to read, and looked at when it has ended.

use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use super::LIMIT;

/// How to start the program: in an environment of its own, with a home of its own.
pub(crate) struct Parlor {
    home: TempDir,
    variables: Vec<(String, String)>,
}

impl Parlor {
    /// A program that knows of no server.
    pub(crate) fn alone() -> Parlor {
        Parlor { home: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// A program that knows this server.
    pub(crate) fn of(url: &str) -> Parlor {
        Parlor::alone().with("PARLOR_CLI_SERVER", url)
    }

    /// The same with a variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Parlor {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Its home.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// Its environment.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let own = [
            ("HOME", self.home.path().to_str().unwrap()),
            // A machine that is busy with other tests is slow, and not away.
            ("PARLOR_CLI_TIMEOUT", "60s"),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.into_iter().chain(self.variables.iter().cloned()).collect()
    }

    /// The command, with nothing else in its environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(args).env_clear().envs(self.variables());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Done {
        let mut command = self.command(args);
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let id = child.id();
        let (done, waits) = mpsc::sync_channel(1);
        thread::spawn(move || done.send(child.wait_with_output()));
        let output = waits.recv_timeout(LIMIT).unwrap_or_else(|_| {
            kill(id, "KILL");
            panic!("parlor {args:?} does not end")
        });
        Done::new(args, output.unwrap())
    }

    /// Runs it, and it must succeed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{done:?}");
        done.stdout
    }

    /// Runs it with --json, and it must succeed with one document.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[&["--json"], args].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error} in {text}"))
    }
}

/// Sends a signal to a process that this test started.
pub(crate) fn kill(id: u32, signal: &str) {
    // The shell's own: the program of that name is not on every machine.
    let sent =
        Command::new("sh").args(["-c", r#"kill -s "$0" "$1""#, signal, &id.to_string()]).status().unwrap();
    assert!(sent.success(), "kill -s {signal} {id}");
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Done {
    /// With what it was started, for whoever reads why a test failed.
    #[allow(dead_code, reason = "it is printed")]
    args: Vec<String>,
    /// The code that it ended with; -1 if a signal ended it.
    pub(crate) code: i32,
    /// What it printed.
    pub(crate) stdout: String,
    /// What it told beside that.
    pub(crate) stderr: String,
}

impl Done {
    fn new(args: &[&str], output: Output) -> Done {
        Done {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
