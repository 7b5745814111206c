//! The program with pipes, for interaction while it runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use parlor_testkit::{TIMEOUT, send_signal};

use super::parlor::Parlor;

/// Lines read so far.
#[derive(Default)]
struct PipeOutput {
    out: Vec<String>,
    err: Vec<String>,
    /// Number of closed output streams, 0 to 2.
    ended: u8,
}

/// The running program.
pub(crate) struct PipedProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Number of prompts answered so far.
    pub(crate) answered: usize,
    output: Arc<(Mutex<PipeOutput>, Condvar)>,
}

impl PipedProcess {
    /// Starts the program.
    pub(crate) fn start(parlor: &Parlor, args: &[&str]) -> PipedProcess {
        let mut command = parlor.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output: Arc<(Mutex<PipeOutput>, Condvar)> = Arc::default();
        collect_lines(child.stdout.take().unwrap(), Arc::clone(&output), |output| &mut output.out);
        collect_lines(child.stderr.take().unwrap(), Arc::clone(&output), |output| &mut output.err);
        PipedProcess { stdin: child.stdin.take(), child, answered: 0, output }
    }

    /// Types a line. Ignored if the program has ended.
    pub(crate) fn type_line(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = writeln!(stdin, "{line}");
        }
    }

    /// Closes standard input.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: &str) {
        send_signal(self.child.id(), signal);
    }

    /// Waits until `look` finds something in standard output; `None` if the program ends first.
    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn(&[String]) -> Option<T>) -> Option<T> {
        let (output, changed) = &*self.output;
        let mut found = None;
        let waiting = |output: &mut PipeOutput| {
            found = look(&output.out);
            found.is_none() && output.ended < 2
        };
        let (output, timeout) = changed.wait_timeout_while(output.lock().unwrap(), TIMEOUT, waiting).unwrap();
        assert!(!timeout.timed_out(), "{what} does not come: {:#?} {:#?}", output.out, output.err);
        found
    }

    /// Waits for the end: exit code, standard output and standard error. It may take any time, as long as the program
    /// prints a line every [`TIMEOUT`].
    pub(crate) fn end(mut self) -> (i32, Vec<String>, Vec<String>) {
        {
            let (output, changed) = &*self.output;
            let mut output = output.lock().unwrap();
            while output.ended < 2 {
                let seen = output.out.len() + output.err.len();
                let idle =
                    |output: &mut PipeOutput| output.ended < 2 && output.out.len() + output.err.len() == seen;
                let (after, timeout) = changed.wait_timeout_while(output, TIMEOUT, idle).unwrap();
                assert!(!timeout.timed_out(), "its end does not come: {:#?} {:#?}", after.out, after.err);
                output = after;
            }
        }
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let output = &mut *self.output.0.lock().unwrap();
        (code, std::mem::take(&mut output.out), std::mem::take(&mut output.err))
    }
}

impl Drop for PipedProcess {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect_lines(
    stream: impl Read + Send + 'static,
    output: Arc<(Mutex<PipeOutput>, Condvar)>,
    lines: fn(&mut PipeOutput) -> &mut Vec<String>,
) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            lines(&mut output.0.lock().unwrap()).push(line);
            output.1.notify_all();
        }
        output.0.lock().unwrap().ended += 1;
        output.1.notify_all();
    });
}
