//! The program with pipes on all sides, which can be talked to while it runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::LIMIT;
use super::parlor::{Parlor, kill};

/// All lines so far, and whether there will be more.
#[derive(Default)]
struct Heard {
    out: Vec<String>,
    err: Vec<String>,
    /// How many of the two streams have ended.
    ended: u8,
}

/// The program, running.
pub(crate) struct Pipes {
    child: Child,
    stdin: Option<ChildStdin>,
    /// How many questions whoever plays has answered.
    pub(crate) answered: usize,
    heard: Arc<(Mutex<Heard>, Condvar)>,
}

impl Pipes {
    /// Starts it.
    pub(crate) fn start(parlor: &Parlor, args: &[&str]) -> Pipes {
        let mut command = parlor.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let heard: Arc<(Mutex<Heard>, Condvar)> = Arc::default();
        listen(child.stdout.take().unwrap(), Arc::clone(&heard), |heard| &mut heard.out);
        listen(child.stderr.take().unwrap(), Arc::clone(&heard), |heard| &mut heard.err);
        Pipes { stdin: child.stdin.take(), child, answered: 0, heard }
    }

    /// Types a line. A program that has ended does not read it, which is no error here.
    pub(crate) fn type_line(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = writeln!(stdin, "{line}");
        }
    }

    /// Closes its input.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: &str) {
        kill(self.child.id(), signal);
    }

    /// Waits until what it printed so far says something, or it has printed everything and the answer is still none.
    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn(&[String]) -> Option<T>) -> Option<T> {
        let (heard, changed) = &*self.heard;
        let mut found = None;
        let waiting = |heard: &mut Heard| {
            found = look(&heard.out);
            found.is_none() && heard.ended < 2
        };
        let (heard, timeout) = changed.wait_timeout_while(heard.lock().unwrap(), LIMIT, waiting).unwrap();
        assert!(!timeout.timed_out(), "{what} does not come: {:#?} {:#?}", heard.out, heard.err);
        found
    }

    /// Waits for its end: the code, the lines that it printed, and those on standard error.
    pub(crate) fn end(mut self) -> (i32, Vec<String>, Vec<String>) {
        let never = self.wait("its end", |_| None::<()>);
        assert!(never.is_none());
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let heard = &mut *self.heard.0.lock().unwrap();
        (code, std::mem::take(&mut heard.out), std::mem::take(&mut heard.err))
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(
    stream: impl Read + Send + 'static,
    heard: Arc<(Mutex<Heard>, Condvar)>,
    lines: fn(&mut Heard) -> &mut Vec<String>,
) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            lines(&mut heard.0.lock().unwrap()).push(line);
            heard.1.notify_all();
        }
        heard.0.lock().unwrap().ended += 1;
        heard.1.notify_all();
    });
}
