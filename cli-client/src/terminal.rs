//! Terminal handling: setup and restore, and the event loops that combine keys, table messages and time.

use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyModifiers};
use futures_util::{Stream, StreamExt};
use parlor_engine::Lang;
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::sync::mpsc;

use crate::line_mode::LineMode;
use crate::screen::{Replay, Screen};
use crate::table::{Intent, TableMessage};

/// Interval at which clocks are redrawn, and what is paced is shown.
const TICK: Duration = Duration::from_millis(100);

/// Capacity of the queue of typed lines.
const MAX_QUEUED_LINES: usize = 16;

/// Channels to and from a table.
pub struct TableChannels {
    /// Messages from the table. The channel closes when the stream ends.
    pub incoming: mpsc::Receiver<TableMessage>,
    /// Answers to the table.
    pub answers: mpsc::Sender<Answer>,
}

/// Answer to a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Id of the decision.
    pub decision: u32,
    /// Index into its legal actions.
    pub index: u32,
}

/// Reports whether standard input and output are a terminal that can draw a screen.
#[must_use]
pub fn supports_screen(variable: impl Fn(&str) -> Option<String>) -> bool {
    let dumb = variable("TERM").is_some_and(|term| term == "dumb");
    !dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Puts the terminal into screen mode; restores it on drop and on panic.
struct TerminalGuard(ratatui::DefaultTerminal);

impl TerminalGuard {
    fn new() -> io::Result<TerminalGuard> {
        ratatui::try_init().map(TerminalGuard)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Runs the screen until the viewer leaves, and returns its final state. Cancel-safe: dropping the future, as
/// on a signal, restores the terminal.
pub async fn play(screen: Screen, channels: TableChannels) -> io::Result<Screen> {
    let mut terminal = TerminalGuard::new()?;
    run_screen(&mut terminal.0, screen, EventStream::new(), channels).await
}

/// Runs a replay until the viewer leaves, and returns it. Cancel-safe, as [`play`].
pub async fn replay(mut replay: Replay) -> io::Result<Replay> {
    let mut terminal = TerminalGuard::new()?;
    let mut keys = EventStream::new();
    loop {
        terminal.0.draw(|frame| replay.draw(frame))?;
        match keys.next().await.transpose()? {
            Some(Event::Key(key)) => {
                for key in pressed_keys(key) {
                    if replay.handle_key(key) == Some(Intent::Leave) {
                        return Ok(replay);
                    }
                }
            }
            Some(_) => {}
            None => return Ok(replay),
        }
    }
}

/// The keys of a key event. Esc and a letter that arrive together look like Alt with the letter, which has no meaning here.
fn pressed_keys(key: KeyEvent) -> impl Iterator<Item = KeyEvent> {
    let is_alt = key.modifiers.contains(KeyModifiers::ALT) && matches!(key.code, KeyCode::Char(_));
    let escape = is_alt.then(|| KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    let rest = if is_alt { key.modifiers - KeyModifiers::ALT } else { key.modifiers };
    escape.into_iter().chain([KeyEvent { modifiers: rest, ..key }])
}

/// Event loop of a screen, on any backend and with any source of keys.
async fn run_screen<B: Backend<Error: Send + Sync + 'static>>(
    terminal: &mut Terminal<B>,
    mut screen: Screen,
    keys: impl Stream<Item = io::Result<Event>>,
    TableChannels { mut incoming, answers }: TableChannels,
) -> io::Result<Screen> {
    let mut keys = std::pin::pin!(keys);
    // Late ticks are delivered in a burst, so that their sum is the elapsed time.
    let mut ticks = tokio::time::interval(TICK);
    ticks.tick().await;
    let mut open = true;
    loop {
        terminal.draw(|frame| screen.draw(frame)).map_err(io::Error::other)?;
        tokio::select! {
            event = keys.next() => match event.transpose()? {
                Some(Event::Key(key)) => for key in pressed_keys(key) {
                    match screen.handle_key(key) {
                        Some(Intent::Leave) => return Ok(screen),
                        Some(Intent::Rematch) => return Ok(screen.with_rematch()),
                        Some(Intent::Answer { decision, index }) => {
                            // A closed channel is reported by the end of the messages.
                            let _ = answers.send(Answer { decision, index }).await;
                        }
                        None => {}
                    }
                },
                Some(_) => {}
                None => return Ok(screen),
            },
            message = incoming.recv(), if open => {
                open = message.is_some();
                screen.receive(message.unwrap_or(TableMessage::Closed(None)));
                // Messages that are already queued are drawn together, as far as the pace allows.
                while let Ok(message) = incoming.try_recv() {
                    screen.receive(message);
                }
            }
            _ = ticks.tick() => screen.advance_time(TICK),
        }
    }
}

/// Source of typed lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputSource {
    /// A person: each line is handled when it arrives.
    Interactive,
    /// A pipe or a file: each line waits until a decision is open.
    Piped,
}

/// Runs line mode until the table is over or the viewer leaves. At the end of the input a player leaves,
/// while a spectator keeps watching.
pub async fn play_line_mode(
    lang: Lang,
    channels: TableChannels,
    source: InputSource,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> io::Result<LineMode> {
    let TableChannels { mut incoming, answers } = channels;
    let mut typed = spawn_line_reader(input);
    let mut line_mode = LineMode::new(lang);
    let mut ticks = tokio::time::interval(TICK);
    ticks.tick().await;
    let mut reading = true;
    while !line_mode.is_over() {
        let reads_line = source == InputSource::Interactive || line_mode.awaits_answer();
        let lines = tokio::select! {
            message = incoming.recv() => line_mode.apply(message.unwrap_or(TableMessage::Closed(None))),
            line = typed.recv(), if reading && reads_line => match line {
                Some(line) => {
                    let (lines, intent) = line_mode.handle_line(&line?);
                    match intent {
                        Some(Intent::Leave | Intent::Rematch) => {
                            print_lines(&mut output, &lines)?;
                            return Ok(line_mode);
                        }
                        Some(Intent::Answer { decision, index }) => {
                            let _ = answers.send(Answer { decision, index }).await;
                        }
                        None => {}
                    }
                    lines
                }
                None if line_mode.state().viewer.seat().is_some() => return Ok(line_mode),
                None => {
                    reading = false;
                    Vec::new()
                }
            },
            _ = ticks.tick() => {
                line_mode.advance_time(TICK);
                Vec::new()
            }
        };
        print_lines(&mut output, &lines)?;
    }
    Ok(line_mode)
}

/// Prints lines and flushes.
fn print_lines(output: &mut impl Write, lines: &[String]) -> io::Result<()> {
    for line in lines {
        writeln!(output, "{line}")?;
    }
    output.flush()
}

/// Reads lines in a thread of its own: a blocking read cannot be cancelled, and must not delay the exit.
fn spawn_line_reader(input: impl BufRead + Send + 'static) -> mpsc::Receiver<io::Result<String>> {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED_LINES);
    std::thread::spawn(move || {
        for line in input.lines() {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests;
