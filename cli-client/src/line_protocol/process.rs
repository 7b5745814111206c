//! A running program: its process, and tasks that write its standard input and read its outputs.
//!
//! Input and outputs have tasks of their own, so that a program that writes much before it reads cannot
//! deadlock with its supervisor.

use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::notice::{Notice, NoticeSink};

/// Maximum length of a line of the program, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024;
/// Maximum length of a line of its standard error; the rest of the line is dropped.
const MAX_ERROR_LINE_BYTES: usize = 4 * 1024;
/// Number of lines of standard error that are kept for the report of a failure.
const KEPT_ERROR_LINES: usize = 5;
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
    errors: ErrorTail,
    error_reader: JoinHandle<()>,
}

/// Last lines of standard error.
#[derive(Clone, Default)]
struct ErrorTail(Arc<Mutex<VecDeque<String>>>);

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
        let errors = ErrorTail::default();
        tokio::spawn(write_input(stdin, lines));
        tokio::spawn(read_output(stdout, output_lines));
        let error_reader = tokio::spawn(read_errors(stderr, errors.clone(), notices.clone()));
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

async fn read_errors(stderr: ChildStderr, tail: ErrorTail, notices: NoticeSink) {
    let mut stderr = BufReader::new(stderr);
    while let Some(line) = read_error_line(&mut stderr).await {
        tail.push(line.clone());
        notices.send(Notice::ErrorOutput(line));
    }
}

/// Reads a line, and drops what is longer than [`MAX_ERROR_LINE_BYTES`].
async fn read_error_line(stderr: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = Vec::new();
    loop {
        let buffer = stderr.fill_buf().await.ok()?;
        if buffer.is_empty() {
            return (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned());
        }
        let newline = buffer.iter().position(|byte| *byte == b'\n');
        let part = newline.map_or(buffer, |end| &buffer[..end]);
        let room = MAX_ERROR_LINE_BYTES - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let consumed = part.len() + usize::from(newline.is_some());
        stderr.consume(consumed);
        if newline.is_some() {
            return Some(String::from_utf8_lossy(&line).into_owned());
        }
    }
}

impl ErrorTail {
    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_ERROR_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
