//! The program in a pseudo-terminal, whose screen is recorded continuously.
//!
//! A thread reads all output until it ends, and keeps every distinct frame. Tests ask which frames *were
//! shown*, not what is on the screen at the moment of asking: a frame that came and went in between, or right
//! before the end, is not missed. The end of the program is recorded as well.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use parlor_testkit::{TIMEOUT, send_signal};
use portable_pty::{ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::Parlor;

const ROWS: u16 = 36;
const COLUMNS: u16 = 110;

/// A key press.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    Enter,
    Backspace,
    CtrlC,
    Char(char),
    Escape,
    Left,
    Right,
    Up,
    Down,
    End,
    Home,
}

impl Key {
    fn bytes(self) -> String {
        match self {
            Key::Enter => "\r".into(),
            Key::Backspace => "\u{7f}".into(),
            Key::CtrlC => "\u{3}".into(),
            Key::Char(c) => c.into(),
            Key::Escape => "\u{1b}".into(),
            Key::Up => "\u{1b}[A".into(),
            Key::Down => "\u{1b}[B".into(),
            Key::Left => "\u{1b}[D".into(),
            Key::Right => "\u{1b}[C".into(),
            Key::End => "\u{1b}[F".into(),
            Key::Home => "\u{1b}[H".into(),
        }
    }
}

/// Everything recorded.
#[derive(Default)]
pub(crate) struct ScreenHistory {
    /// All distinct frames, in order.
    pub(crate) screens: Vec<String>,
    /// Exit code, once the program has ended and all output was read.
    pub(crate) ended: Option<u32>,
    /// Set if the alternate screen was left and the cursor is visible.
    pub(crate) restored: bool,
}

impl ScreenHistory {
    /// Reports whether a frame ever contained the text.
    pub(crate) fn was_shown(&self, text: &str) -> bool {
        self.screens.iter().any(|screen| screen.contains(text))
    }

    /// The current frame.
    pub(crate) fn current(&self) -> &str {
        self.screens.last().map_or("", String::as_str)
    }

    fn describe(&self) -> String {
        let mut text = format!("ended: {:?}, {} screens; the last ones:", self.ended, self.screens.len());
        for screen in self.screens.iter().rev().take(3).rev() {
            let _ = write!(text, "\n{}\n{screen}", "-".repeat(COLUMNS.into()));
        }
        text
    }
}

/// The program in a terminal.
pub(crate) struct Terminal {
    seen: Arc<(Mutex<ScreenHistory>, Condvar)>,
    writer: Box<dyn Write + Send>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    id: u32,
    /// Number of frames the player has seen.
    pub(crate) screens_seen: usize,
    /// Closing it would hang up the terminal.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts the program.
    pub(crate) fn start(parlor: &Parlor, args: &[&str]) -> Terminal {
        Terminal::start_sized(parlor, args, (COLUMNS, ROWS))
    }

    /// Starts the program in a terminal of this many columns and rows.
    pub(crate) fn start_sized(parlor: &Parlor, args: &[&str], (cols, rows): (u16, u16)) -> Terminal {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for (name, value) in parlor.variables() {
            command.env(name, value);
        }
        let mut child = pty.slave.spawn_command(command).unwrap();
        // The end of the output is only visible once no other writer holds the terminal.
        drop(pty.slave);
        let (killer, id) = (child.clone_killer(), child.process_id().unwrap());
        let mut reader = pty.master.try_clone_reader().unwrap();
        let writer = pty.master.take_writer().unwrap();
        let seen: Arc<(Mutex<ScreenHistory>, Condvar)> = Arc::default();
        let recorded = Arc::clone(&seen);
        thread::spawn(move || {
            let mut screen = ScreenRecorder::new(cols, rows);
            let mut buffer = [0; 16 * 1024];
            // On Linux, reading from an abandoned terminal gives an error, not an end of file.
            loop {
                match reader.read(&mut buffer) {
                    Ok(count @ 1..) => screen.process(&buffer[..count], &mut recorded.0.lock().unwrap()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                }
                recorded.1.notify_all();
            }
            let status = child.wait().unwrap();
            recorded.0.lock().unwrap().ended = Some(status.exit_code());
            recorded.1.notify_all();
        });
        Terminal { seen, writer, killer, id, screens_seen: 0, _master: pty.master }
    }

    /// Presses a key. Ignored if the program has ended.
    pub(crate) fn press(&mut self, key: Key) {
        let _ = self.writer.write_all(key.bytes().as_bytes()).and_then(|()| self.writer.flush());
    }

    /// Presses the keys of a text, one after the other.
    pub(crate) fn type_text(&mut self, text: &str) {
        text.chars().for_each(|c| self.press(Key::Char(c)));
    }

    /// Waits until the screen as it is shows the text.
    pub(crate) fn wait_until_shown(&self, text: &str) {
        self.wait(text, |seen| seen.current().contains(text).then_some(()));
    }

    /// The screen as it is.
    pub(crate) fn screen(&self) -> String {
        self.inspect(|seen| seen.current().to_owned())
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&self, signal: &str) {
        send_signal(self.id, signal);
    }

    /// Waits until `look` finds something in the recording. Panics if the program ends first.
    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn(&ScreenHistory) -> Option<T>) -> T {
        let (seen, changed) = &*self.seen;
        let mut found = None;
        let waiting = |seen: &mut ScreenHistory| {
            found = look(seen);
            found.is_none() && seen.ended.is_none()
        };
        let (seen, _) = changed.wait_timeout_while(seen.lock().unwrap(), TIMEOUT, waiting).unwrap();
        found.unwrap_or_else(|| panic!("{what} does not come; {}", seen.describe()))
    }

    /// Waits until the text has been on the screen.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |seen| seen.was_shown(text).then_some(()));
    }

    /// Waits for the end of the program, and returns its exit code.
    pub(crate) fn end(&self) -> u32 {
        self.wait("its end", |seen| seen.ended)
    }

    /// Inspects the recording.
    pub(crate) fn inspect<T>(&self, inspect: impl FnOnce(&ScreenHistory) -> T) -> T {
        inspect(&self.seen.0.lock().unwrap())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.killer.kill();
    }
}

/// Terminal emulator that records frames.
struct ScreenRecorder {
    parser: vt100::Parser,
    /// Start of an escape sequence or of a character that the last read cut in two.
    pending: Vec<u8>,
}

/// Prefix of a mode change. Every frame ends with one: it hides the cursor, or leaves the alternate screen.
const MODE_PREFIX: &[u8] = b"\x1b[?";

impl ScreenRecorder {
    fn new(columns: u16, rows: u16) -> ScreenRecorder {
        let size = |count| NonZeroU16::new(count).unwrap();
        ScreenRecorder { parser: vt100::Parser::new(size(rows), size(columns), 0), pending: Vec::new() }
    }

    /// Processes output. One read may hold several frames, so it is split at their ends.
    fn process(&mut self, bytes: &[u8], seen: &mut ScreenHistory) {
        self.pending.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.pending);
        let mut from = 0;
        for at in 0..bytes.len() {
            if bytes[at..].starts_with(MODE_PREFIX) {
                self.parser.process(&bytes[from..at]);
                self.record(seen);
                from = at;
            }
        }
        // The last few bytes may be the start of a mode change, or of a character: the parser loses what follows a
        // character that comes in two pieces.
        let tail = (1..MODE_PREFIX.len()).rev().find(|count| bytes.ends_with(&MODE_PREFIX[..*count]));
        let tail = tail.unwrap_or_else(|| incomplete_character(&bytes));
        let until = (bytes.len() - tail).max(from);
        self.parser.process(&bytes[from..until]);
        self.record(seen);
        self.pending = bytes[until..].to_vec();
    }

    fn record(&self, seen: &mut ScreenHistory) {
        let screen = self.parser.screen();
        seen.restored = !screen.alternate_screen() && !screen.hide_cursor();
        let contents = screen.contents();
        if seen.screens.last() != Some(&contents) {
            seen.screens.push(contents);
        }
    }
}

/// Number of bytes at the end that are the beginning of a character.
fn incomplete_character(bytes: &[u8]) -> usize {
    let length = |first: u8| match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    let is_incomplete = |count: &usize| bytes.len() >= *count && length(bytes[bytes.len() - count]) > *count;
    (1..=3).find(is_incomplete).unwrap_or(0)
}

/// Characters of several bytes are shown, and those after them, however the writes are split.
#[test]
fn split_characters_are_recorded() {
    let written = "a · ← 🂡 ß z";
    for size in 1..written.len() {
        let (mut screen, mut seen) = (ScreenRecorder::new(COLUMNS, ROWS), ScreenHistory::default());
        written.as_bytes().chunks(size).for_each(|piece| screen.process(piece, &mut seen));
        assert_eq!(seen.current(), written, "in pieces of {size}");
    }
}

/// A frame that is overwritten within the same write is recorded, however the writes are split.
#[test]
fn every_frame_is_recorded() {
    let written = b"\x1b[?1049h\x1b[?25lfirst\x1b[?25l\x1b[2J\x1b[Hsecond\x1b[?25l\x1b[?1049l\x1b[?25hbye";
    for size in 1..written.len() {
        let (mut screen, mut seen) = (ScreenRecorder::new(COLUMNS, ROWS), ScreenHistory::default());
        for piece in written.chunks(size) {
            screen.process(piece, &mut seen);
        }
        assert!(
            seen.was_shown("first") && seen.was_shown("second"),
            "in pieces of {size}: {}",
            seen.describe()
        );
        assert_eq!((seen.current(), seen.restored), ("bye", true), "in pieces of {size}");
    }
}
