//! A running program: its process, and tasks that write its standard input and read its outputs.
//!
//! Input and outputs have tasks of their own, so that a program that writes much before it reads cannot
//! deadlock with its supervisor.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::notice::{Notice, NoticeSink};
use crate::output_tail::OutputTail;

/// Maximum length of a line of the program, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024;
/// Lines that wait to be written, in addition to what the pipe takes.
const INPUT_CAPACITY: usize = 16;
/// Lines that were read and not yet handled.
const OUTPUT_CAPACITY: usize = 64;
/// Time for the rest of the outputs once the process has ended.
pub(super) const DRAIN_TIME: Duration = Duration::from_secs(1);
/// Prefix of the variables of this program, which may hold secrets.
const OWN_VARIABLES: &str = "PARLOR_CLI_";

/// A line of the program's standard output.
pub(super) enum OutputLine {
    /// A line, without the newline.
    Text(String),
    /// A line that is not UTF-8, or longer than [`MAX_LINE_BYTES`]; its beginning.
    Unreadable(String),
}

/// A running program. Dropping it kills the process and all those that it has started.
pub(super) struct ProgramProcess {
    pub(super) child: Child,
    /// Lines to be written; `None` once standard input is closed.
    pub(super) input: Option<mpsc::Sender<Arc<str>>>,
    /// Lines of standard output; ends when it is closed.
    pub(super) output: mpsc::Receiver<OutputLine>,
    errors: OutputTail,
    error_reader: JoinHandle<()>,
}

impl ProgramProcess {
    /// Starts a command in a shell. It does not get the variables of this program, which may hold secrets.
    pub(super) fn start(command: &str, notices: &NoticeSink) -> io::Result<ProgramProcess> {
        let mut shell = shell(command);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with(OWN_VARIABLES)) {
                shell.env_remove(name);
            }
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = shell.spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let (input, lines) = mpsc::channel(INPUT_CAPACITY);
        let (output_lines, output) = mpsc::channel(OUTPUT_CAPACITY);
        let errors = OutputTail::default();
        tokio::spawn(write_input(stdin, lines));
        tokio::spawn(read_output(stdout, output_lines));
        let error_reader = tokio::spawn({
            let notices = notices.clone();
            errors.clone().follow(stderr, move |line| notices.send(Notice::ErrorOutput(line)))
        });
        Ok(ProgramProcess { child, input: Some(input), output, errors, error_reader })
    }

    /// Closes standard input, waits a while for the program to end by itself, and kills what is left of it.
    pub(super) async fn close(mut self, within: Duration) {
        self.input = None;
        // Its last output is of no use, but must not block it.
        let end = async {
            tokio::join!(self.child.wait(), async { while self.output.recv().await.is_some() {} }).0
        };
        // A program that does not end is killed.
        let _ = timeout(within, end).await;
        self.kill();
    }

    /// Kills the process and all those that it has started, and returns the last lines of standard error.
    pub(super) async fn end(mut self) -> Vec<String> {
        self.kill();
        // A process that has left the group can hold the pipe open.
        let _ = timeout(DRAIN_TIME, &mut self.error_reader).await;
        self.errors.lines()
    }

    fn kill(&mut self) {
        kill_group(&self.child);
        // It may have ended by itself.
        let _ = self.child.start_kill();
    }
}

impl Drop for ProgramProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The command in a process group of its own, so that Ctrl-C in a terminal reaches this program alone.
#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).process_group(0);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command);
    shell
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // The id is that of the group. It is `None` once the process was waited for: the group may still have members, but
    // its number may have been given away.
    if let Some(group) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
        // There may be no process left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// Writes lines until the channel or the pipe is closed.
async fn write_input(mut stdin: ChildStdin, mut lines: mpsc::Receiver<Arc<str>>) {
    while let Some(line) = lines.recv().await {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        // The end of the process is noticed by the supervisor.
        if stdin.write_all(&bytes).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// Reads standard output line by line. Nothing after an unreadable line is read.
async fn read_output(stdout: ChildStdout, lines: mpsc::Sender<OutputLine>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        let read = (&mut stdout).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut bytes).await;
        if !read.is_ok_and(|count| count > 0) {
            return;
        }
        let too_long = bytes.len() > MAX_LINE_BYTES;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        let line = match String::from_utf8(bytes) {
            Ok(text) if !too_long => OutputLine::Text(text),
            Ok(text) => OutputLine::Unreadable(text),
            Err(error) => OutputLine::Unreadable(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        };
        if lines.send(line).await.is_err() {
            return;
        }
    }
}
