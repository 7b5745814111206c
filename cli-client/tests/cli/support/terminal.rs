//! The program in a terminal: a pseudo-terminal whose screen is read all the time.
//!
//! A thread of its own reads whatever the program writes until it writes no more. It keeps every screen that was ever
//! shown, so that a test asks what was *seen*, not what happens to be there when it looks: a screen that came and went
//! between two looks, or with the end of the program right behind it, is seen all the same. That the program has ended
//! is one more thing that was seen.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use portable_pty::{ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::{LIMIT, Parlor};

const ROWS: u16 = 36;
const COLUMNS: u16 = 110;

/// A key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    Enter,
    CtrlC,
    Char(char),
    Left,
    Right,
    End,
    Home,
}

impl Key {
    fn bytes(self) -> String {
        match self {
            Key::Enter => "\r".into(),
            Key::CtrlC => "\u{3}".into(),
            Key::Char(c) => c.into(),
            Key::Left => "\u{1b}[D".into(),
            Key::Right => "\u{1b}[C".into(),
            Key::End => "\u{1b}[F".into(),
            Key::Home => "\u{1b}[H".into(),
        }
    }
}

/// Everything that was seen.
#[derive(Default)]
pub(crate) struct Seen {
    /// Every screen that was shown, in order, each different from the one before.
    pub(crate) screens: Vec<String>,
    /// The code that the program ended with, once it has, and once all that it wrote was read.
    pub(crate) ended: Option<u32>,
    /// Whether the screen that is drawn has been left, and the one with the prompt of the shell is back.
    pub(crate) restored: bool,
}

impl Seen {
    /// Whether a screen ever had this text.
    pub(crate) fn ever(&self, text: &str) -> bool {
        self.screens.iter().any(|screen| screen.contains(text))
    }

    /// What is on the screen now.
    pub(crate) fn now(&self) -> &str {
        self.screens.last().map_or("", String::as_str)
    }

    fn tell(&self) -> String {
        let mut text = format!("ended: {:?}, {} screens; the last ones:", self.ended, self.screens.len());
        for screen in self.screens.iter().rev().take(3).rev() {
            let _ = write!(text, "\n{}\n{screen}", "-".repeat(COLUMNS.into()));
        }
        text
    }
}

/// The program in a terminal.
pub(crate) struct Terminal {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    writer: Box<dyn Write + Send>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    id: u32,
    /// How many screens whoever plays has looked at.
    pub(crate) looked_at: usize,
    /// Closing it would take the terminal from the program.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts the program.
    pub(crate) fn start(parlor: &Parlor, args: &[&str]) -> Terminal {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for (name, value) in parlor.variables() {
            command.env(name, value);
        }
        let mut child = pty.slave.spawn_command(command).unwrap();
        // The end of what the program writes is only seen once nobody else could write.
        drop(pty.slave);
        let (killer, id) = (child.clone_killer(), child.process_id().unwrap());
        let mut reader = pty.master.try_clone_reader().unwrap();
        let writer = pty.master.take_writer().unwrap();
        let seen: Arc<(Mutex<Seen>, Condvar)> = Arc::default();
        let told = Arc::clone(&seen);
        thread::spawn(move || {
            let mut screen = Screen::new();
            let mut buffer = [0; 16 * 1024];
            // On Linux a terminal that its program has left gives an error and not an end.
            loop {
                match reader.read(&mut buffer) {
                    Ok(count @ 1..) => screen.take(&buffer[..count], &mut told.0.lock().unwrap()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                }
                told.1.notify_all();
            }
            let status = child.wait().unwrap();
            told.0.lock().unwrap().ended = Some(status.exit_code());
            told.1.notify_all();
        });
        Terminal { seen, writer, killer, id, looked_at: 0, _master: pty.master }
    }

    /// Presses a key. A program that has ended does not read it, which is no error here.
    pub(crate) fn press(&mut self, key: Key) {
        let _ = self.writer.write_all(key.bytes().as_bytes()).and_then(|()| self.writer.flush());
    }

    /// Sends the program a signal.
    pub(crate) fn signal(&self, signal: &str) {
        super::parlor::kill(self.id, signal);
    }

    /// Waits until what was seen says something. The end of the program is the last thing to be seen: if it says nothing
    /// then either, it never will.
    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        let (seen, changed) = &*self.seen;
        let mut found = None;
        let waiting = |seen: &mut Seen| {
            found = look(seen);
            found.is_none() && seen.ended.is_none()
        };
        let (seen, _) = changed.wait_timeout_while(seen.lock().unwrap(), LIMIT, waiting).unwrap();
        found.unwrap_or_else(|| panic!("{what} does not come; {}", seen.tell()))
    }

    /// Waits until a text was on the screen at any time.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |seen| seen.ever(text).then_some(()));
    }

    /// Waits for the end of the program: the code.
    pub(crate) fn end(&self) -> u32 {
        self.wait("its end", |seen| seen.ended)
    }

    /// Looks at everything that was seen.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.0.lock().unwrap())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.killer.kill();
    }
}

/// The screen, as it is drawn.
struct Screen {
    parser: vt100::Parser,
    /// The beginning of something that the last read cut in two.
    rest: Vec<u8>,
}

/// What begins every change of a mode: the cursor is hidden after each picture, and the other screen is left.
const MODE: &[u8] = b"\x1b[?";

impl Screen {
    fn new() -> Screen {
        let size = |count| NonZeroU16::new(count).unwrap();
        Screen { parser: vt100::Parser::new(size(ROWS), size(COLUMNS), 0), rest: Vec::new() }
    }

    /// Takes in what was written. One read may hold several pictures, so it is cut wherever one ends.
    fn take(&mut self, bytes: &[u8], seen: &mut Seen) {
        self.rest.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.rest);
        let mut from = 0;
        for at in 0..bytes.len() {
            if bytes[at..].starts_with(MODE) {
                self.parser.process(&bytes[from..at]);
                self.keep(seen);
                from = at;
            }
        }
        // Whether the last few bytes are the beginning of a mode shows with the next ones.
        let tail = (1..MODE.len()).rev().find(|count| bytes.ends_with(&MODE[..*count])).unwrap_or(0);
        let until = (bytes.len() - tail).max(from);
        self.parser.process(&bytes[from..until]);
        self.keep(seen);
        self.rest = bytes[until..].to_vec();
    }

    fn keep(&self, seen: &mut Seen) {
        let screen = self.parser.screen();
        seen.restored = !screen.alternate_screen() && !screen.hide_cursor();
        let contents = screen.contents();
        if seen.screens.last() != Some(&contents) {
            seen.screens.push(contents);
        }
    }
}

/// A picture that is overwritten in the same breath is seen, however the writes are cut.
#[test]
fn every_picture_is_seen() {
    let written = b"\x1b[?1049h\x1b[?25lfirst\x1b[?25l\x1b[2J\x1b[Hsecond\x1b[?25l\x1b[?1049l\x1b[?25hbye";
    for size in 1..written.len() {
        let (mut screen, mut seen) = (Screen::new(), Seen::default());
        for piece in written.chunks(size) {
            screen.take(piece, &mut seen);
        }
        assert!(seen.ever("first") && seen.ever("second"), "in pieces of {size}: {}", seen.tell());
        assert_eq!((seen.now(), seen.restored), ("bye", true), "in pieces of {size}");
    }
}
