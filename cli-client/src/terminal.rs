//! The terminal itself: taken over and given back, and the loop that joins keys, what comes from a table, and time.

use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::{Stream, StreamExt};
use parlor_engine::Lang;
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::sync::mpsc;

use crate::plain::Plain;
use crate::screen::{Replay, Screen};
use crate::table::{Incoming, Intent};

/// How often clocks are drawn anew.
const TICK: Duration = Duration::from_millis(250);

/// So many lines that were typed wait until they are read.
const TYPED: usize = 16;

/// A table on the other side: what comes from it, and where answers go.
pub struct Link {
    /// What comes from the table. When it ends, the table sends nothing more.
    pub incoming: mpsc::Receiver<Incoming>,
    /// Where answers go.
    pub answers: mpsc::Sender<Answer>,
}

/// An answer to a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The id of the decision.
    pub decision: u32,
    /// The place of the action in the list of legal actions.
    pub index: u32,
}

/// Whether there is a terminal on which a screen can be drawn, and keys can be read.
#[must_use]
pub fn can_draw(variable: impl Fn(&str) -> Option<String>) -> bool {
    let dumb = variable("TERM").is_some_and(|term| term == "dumb");
    !dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The terminal, taken over. It is given back when this is dropped, and also when the program panics.
struct TakenOver(ratatui::DefaultTerminal);

impl TakenOver {
    fn new() -> io::Result<TakenOver> {
        ratatui::try_init().map(TakenOver)
    }
}

impl Drop for TakenOver {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Plays, or watches, on the screen until the viewer leaves. Gives back the screen as it was last, so that the caller
/// can say how it ended. The terminal is given back also when this is dropped halfway, as when a signal comes.
pub async fn play(screen: Screen, link: Link) -> io::Result<Screen> {
    let mut terminal = TakenOver::new()?;
    run(&mut terminal.0, screen, EventStream::new(), link).await
}

/// Shows a replay on the screen until the viewer leaves, and gives it back. It can be dropped halfway, as [`play`] can.
pub async fn replay(mut replay: Replay) -> io::Result<Replay> {
    let mut terminal = TakenOver::new()?;
    let mut keys = EventStream::new();
    loop {
        terminal.0.draw(|frame| replay.draw(frame))?;
        match keys.next().await.transpose()? {
            Some(Event::Key(key)) if replay.key(key) == Some(Intent::Leave) => return Ok(replay),
            Some(_) => {}
            None => return Ok(replay),
        }
    }
}

/// The loop of a screen, on whatever it is drawn and wherever the keys come from.
async fn run<B: Backend<Error: Send + Sync + 'static>>(
    terminal: &mut Terminal<B>,
    mut screen: Screen,
    keys: impl Stream<Item = io::Result<Event>>,
    Link { mut incoming, answers }: Link,
) -> io::Result<Screen> {
    let mut keys = std::pin::pin!(keys);
    // Ticks that come too late come at once, so that all of them together are the time that has passed.
    let mut ticks = tokio::time::interval(TICK);
    ticks.tick().await;
    let mut open = true;
    loop {
        terminal.draw(|frame| screen.draw(frame)).map_err(io::Error::other)?;
        tokio::select! {
            event = keys.next() => match event.transpose()? {
                Some(Event::Key(key)) => match screen.key(key) {
                    Some(Intent::Leave) => return Ok(screen),
                    Some(Intent::Answer { decision, index }) => {
                        // If nobody takes answers any more, the end of what comes in says so.
                        let _ = answers.send(Answer { decision, index }).await;
                    }
                    None => {}
                },
                Some(_) => {}
                None => return Ok(screen),
            },
            news = incoming.recv(), if open => {
                open = news.is_some();
                screen.take(news.unwrap_or(Incoming::Closed(None)));
                // What is there already is drawn together.
                while let Ok(news) = incoming.try_recv() {
                    screen.take(news);
                }
            }
            _ = ticks.tick() => screen.pass_time(TICK),
        }
    }
}

/// Where lines come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Typed {
    /// Somebody types them: each is looked at when it comes.
    ByHand,
    /// They are there beforehand, as in a pipe or a file: each waits until there is something to decide.
    Beforehand,
}

/// Plays, or watches, in lines until the table is over or the viewer leaves. At the end of the input somebody who plays
/// has left, and somebody who watches goes on watching.
pub async fn play_in_lines(
    lang: Lang,
    link: Link,
    how: Typed,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> io::Result<Plain> {
    let Link { mut incoming, answers } = link;
    let mut typed = lines_of(input);
    let mut plain = Plain::new(lang);
    let mut ticks = tokio::time::interval(TICK);
    ticks.tick().await;
    let mut reading = true;
    while !plain.is_over() {
        let looks = how == Typed::ByHand || plain.is_asked();
        let lines = tokio::select! {
            news = incoming.recv() => plain.take(news.unwrap_or(Incoming::Closed(None))),
            line = typed.recv(), if reading && looks => match line {
                Some(line) => {
                    let (lines, intent) = plain.line(&line?);
                    match intent {
                        Some(Intent::Leave) => {
                            print(&mut output, &lines)?;
                            return Ok(plain);
                        }
                        Some(Intent::Answer { decision, index }) => {
                            let _ = answers.send(Answer { decision, index }).await;
                        }
                        None => {}
                    }
                    lines
                }
                None if plain.situation().viewer.seat().is_some() => return Ok(plain),
                None => {
                    reading = false;
                    Vec::new()
                }
            },
            _ = ticks.tick() => {
                plain.pass_time(TICK);
                Vec::new()
            }
        };
        print(&mut output, &lines)?;
    }
    Ok(plain)
}

/// Prints lines, all of them at once.
fn print(output: &mut impl Write, lines: &[String]) -> io::Result<()> {
    for line in lines {
        writeln!(output, "{line}")?;
    }
    output.flush()
}

/// The lines of an input, read by a thread of its own: a read cannot be called off, and must not hold up the end of the
/// program.
fn lines_of(input: impl BufRead + Send + 'static) -> mpsc::Receiver<io::Result<String>> {
    let (sender, receiver) = mpsc::channel(TYPED);
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
