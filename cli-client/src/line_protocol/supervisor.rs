//! Keeps a program running, and passes lines between it and its seats.
//!
//! A program that fails is killed and started again, after a delay that doubles with each failure in a row. The new
//! process gets the start line of every seat and the open decisions; the view of a decision is complete, so earlier
//! events are not repeated. Output of the old process is discarded, so each decision gets one answer.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_engine::Lang;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};

use super::bot::ProgramBot;
use super::message::{HelloLine, Line, PROTOCOL_VERSION};
use super::notice::{Fault, Notice, NoticeSink};
use super::open_decisions::{AnswerOutcome, Prompt, SeatKey, Seats};
use super::process::{DRAIN_TIME, OutputLine, ProgramProcess};
use crate::lang::localise;

/// Failures at one decision after which the default action is played.
pub const MAX_FAULTS: u32 = 5;
/// Failures in a row, without any answer ever, after which a program counts as unusable.
const MAX_FAULTS_WITHOUT_ANSWER: u32 = 5;
/// Delay before the first restart, doubled with each failure in a row.
const FIRST_DELAY: Duration = Duration::from_millis(200);
/// Maximum delay before a restart.
const MAX_DELAY: Duration = Duration::from_secs(10);
/// Time that a program has to end by itself once its standard input is closed.
const CLOSE_TIME: Duration = Duration::from_secs(2);
/// Messages of seats that wait for the supervisor.
const MESSAGE_CAPACITY: usize = 64;
/// Lines that wait for the program; beyond that, seats wait.
const MAX_QUEUED_LINES: usize = 256;

/// Number of processes of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessModel {
    /// One process for all tables.
    Shared,
    /// One process for each table.
    PerTable,
}

/// Settings of a program.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// The command, for a shell.
    pub command: String,
    /// Number of processes.
    pub model: ProcessModel,
    /// Ids of the games that the program may be given.
    pub games: Vec<String>,
    /// Language of the texts.
    pub lang: Lang,
    /// Time after which a program that does not answer is restarted.
    pub patience: Duration,
    /// Receiver of notices.
    pub notices: NoticeSink,
}

/// Message of a seat.
pub(super) enum SeatMessage {
    /// The seat begins, with its encoded start line.
    Start(SeatKey, Arc<str>),
    /// A line that needs no answer.
    Tell(Arc<str>),
    /// A decision.
    Ask(SeatKey, Box<Prompt>),
    /// The table is over, with the encoded last line.
    End(SeatKey, Arc<str>),
    /// The seat is left before its end.
    Leave(SeatKey),
}

/// A program that plays seats, in one process or one for each seat. Must be used on a Tokio runtime.
#[derive(Debug)]
pub struct Programs {
    settings: ProgramSettings,
    shared: Mutex<Option<mpsc::Sender<SeatMessage>>>,
    supervisors: Mutex<JoinSet<()>>,
    unusable: watch::Sender<Option<Fault>>,
}

impl Programs {
    /// Starts a program. With one process for each table, nothing runs before the first table.
    #[must_use]
    pub fn start(settings: ProgramSettings) -> Programs {
        let programs = Programs {
            settings,
            shared: Mutex::default(),
            supervisors: Mutex::default(),
            unusable: watch::Sender::new(None),
        };
        if programs.settings.model == ProcessModel::Shared {
            *lock(&programs.shared) = Some(programs.spawn());
        }
        programs
    }

    /// A bot for one seat.
    #[must_use]
    pub fn bot(&self) -> ProgramBot {
        let shared = lock(&self.shared).clone();
        let program = shared.unwrap_or_else(|| self.spawn());
        ProgramBot::new(program, self.settings.lang)
    }

    /// Waits until the program turns out to be unusable: it has failed again and again without a single answer.
    pub async fn unusable(&self) -> Fault {
        let mut unusable = self.unusable.subscribe();
        match unusable.wait_for(Option::is_some).await.map(|fault| fault.clone()) {
            Ok(Some(fault)) => fault,
            _ => std::future::pending().await,
        }
    }

    /// Ends the processes, once all bots are dropped.
    pub async fn close(&self) {
        *lock(&self.shared) = None;
        let mut supervisors = std::mem::take(&mut *lock(&self.supervisors));
        while supervisors.join_next().await.is_some() {}
    }

    fn spawn(&self) -> mpsc::Sender<SeatMessage> {
        let (messages, inbox) = mpsc::channel(MESSAGE_CAPACITY);
        let supervisor = Supervisor {
            settings: self.settings.clone(),
            inbox,
            seats: Seats::default(),
            faults_in_a_row: 0,
            has_answered: false,
            unusable: self.unusable.clone(),
        };
        let mut supervisors = lock(&self.supervisors);
        while supervisors.try_join_next().is_some() {}
        supervisors.spawn(supervisor.run());
        messages
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Supervisor {
    settings: ProgramSettings,
    inbox: mpsc::Receiver<SeatMessage>,
    seats: Seats,
    faults_in_a_row: u32,
    has_answered: bool,
    unusable: watch::Sender<Option<Fault>>,
}

/// All seats have been dropped.
struct Closed;

impl Supervisor {
    async fn run(mut self) {
        loop {
            let fault = match ProgramProcess::start(&self.settings.command, &self.settings.notices) {
                Ok(mut process) => match self.serve(&mut process).await {
                    Ok(Closed) => return process.close(CLOSE_TIME).await,
                    Err(fault) => (fault, process.end().await),
                },
                Err(error) => (Fault::NotStarted { why: error.to_string() }, Vec::new()),
            };
            let delay = self.record_fault(fault);
            if let Err(Closed) = self.wait(delay).await {
                return;
            }
        }
    }

    /// Reports a failure, and returns the delay before the next start.
    fn record_fault(&mut self, (fault, last_lines): (Fault, Vec<String>)) -> Duration {
        let delay = FIRST_DELAY.saturating_mul(1 << self.faults_in_a_row.min(10)).min(MAX_DELAY);
        self.faults_in_a_row += 1;
        let defaults = self.seats.count_fault(MAX_FAULTS);
        if !self.has_answered && self.faults_in_a_row >= MAX_FAULTS_WITHOUT_ANSWER {
            self.unusable.send_replace(Some(fault.clone()));
        }
        let open_decisions = self.seats.open_decisions();
        self.settings.notices.send(Notice::Failed { fault, last_lines, open_decisions, restart_in: delay });
        for (table, decision) in defaults {
            self.settings.notices.send(Notice::DefaultPlayed { table: table.to_string(), decision });
        }
        delay
    }

    /// Waits before a restart, while seats begin, ask and end.
    async fn wait(&mut self, delay: Duration) -> Result<(), Closed> {
        let mut delay = std::pin::pin!(sleep(delay));
        loop {
            tokio::select! {
                () = &mut delay => return Ok(()),
                message = self.inbox.recv() => {
                    // Lines without a process are dropped: the next one is told what it needs.
                    self.handle_message(message.ok_or(Closed)?);
                }
            }
        }
    }

    /// Passes lines until the program fails or all seats are dropped.
    async fn serve(&mut self, process: &mut ProgramProcess) -> Result<Closed, Fault> {
        let mut queue: VecDeque<Arc<str>> = VecDeque::from([self.hello()]);
        queue.extend(self.seats.lines_for_restart());
        // Runs while the program owes something: an answer, or reading what it is sent.
        let mut patience: Option<Pin<Box<Sleep>>> = None;
        let (mut exited, mut drained): (Option<String>, _) = (None, Box::pin(sleep(Duration::MAX)));
        let input = process.input.clone();
        // Set once all seats are dropped: what is queued is still written.
        let mut closed = false;
        loop {
            if closed && queue.is_empty() {
                return Ok(Closed);
            }
            let owes = !queue.is_empty() || self.seats.open_decisions() > 0;
            if !owes {
                patience = None;
            } else if patience.is_none() {
                patience = Some(Box::pin(sleep(self.settings.patience)));
            }
            let overdue = async {
                match &mut patience {
                    Some(patience) => patience.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                line = process.output.recv() => {
                    let Some(line) = line else { return Err(end_of_output(process, exited).await) };
                    if self.handle_line(line)? == AnswerOutcome::Accepted {
                        patience = None;
                    }
                }
                room = reserve(input.as_ref()), if !queue.is_empty() && exited.is_none() => {
                    match (room, queue.pop_front()) {
                        (Some(room), Some(line)) => room.send(line),
                        // The pipe is broken: the process is about to end.
                        _ => queue.clear(),
                    }
                    if self.seats.open_decisions() == 0 {
                        patience = None;
                    }
                }
                message = self.inbox.recv(), if !closed && queue.len() < MAX_QUEUED_LINES => {
                    match message {
                        Some(message) => queue.extend(self.handle_message(message)),
                        None => {
                            closed = true;
                            patience = Some(Box::pin(sleep(CLOSE_TIME)));
                        }
                    }
                }
                status = process.child.wait(), if exited.is_none() => {
                    exited = Some(status.map_or_else(|error| error.to_string(), |status| status.to_string()));
                    // What it wrote before it ended still counts.
                    drained = Box::pin(sleep(DRAIN_TIME));
                }
                () = &mut drained, if exited.is_some() => {
                    return Err(Fault::Exited { status: exited.unwrap_or_default() });
                }
                () = overdue => {
                    if closed {
                        return Ok(Closed);
                    }
                    let patience = self.settings.patience;
                    return Err(match queue.is_empty() {
                        true => Fault::NoAnswer { patience },
                        false => Fault::NotReading { patience },
                    });
                }
            }
        }
    }

    fn hello(&self) -> Arc<str> {
        let hello = HelloLine {
            protocol: PROTOCOL_VERSION,
            games: self.settings.games.clone(),
            language: localise(self.settings.lang, "en", "de").to_owned(),
        };
        Line::Hello(hello).encode().into()
    }

    /// Handles a message of a seat, and returns the line for the program.
    fn handle_message(&mut self, message: SeatMessage) -> Option<Arc<str>> {
        match message {
            SeatMessage::Start(key, line) => {
                self.seats.start(key, Arc::clone(&line));
                Some(line)
            }
            SeatMessage::Tell(line) => Some(line),
            SeatMessage::Ask(key, prompt) => {
                let line = Arc::clone(&prompt.line);
                self.seats.ask(&key, *prompt);
                Some(line)
            }
            SeatMessage::End(key, line) => {
                self.seats.leave(&key);
                Some(line)
            }
            SeatMessage::Leave(key) => {
                self.seats.leave(&key);
                None
            }
        }
    }

    /// Handles a line of the program.
    fn handle_line(&mut self, line: OutputLine) -> Result<AnswerOutcome, Fault> {
        let line = match line {
            OutputLine::Text(line) => line,
            OutputLine::Unreadable(line) => {
                let why = "it is not UTF-8, or longer than 64 KiB".to_owned();
                return Err(Fault::NotAnAnswer { line, why });
            }
        };
        if line.trim().is_empty() {
            return Ok(AnswerOutcome::Ignored);
        }
        let outcome = self.seats.answer(&line)?;
        if outcome == AnswerOutcome::Accepted {
            self.faults_in_a_row = 0;
            self.has_answered = true;
        }
        Ok(outcome)
    }
}

/// Waits for room in the queue of standard input; `None` if it is closed.
async fn reserve(input: Option<&mpsc::Sender<Arc<str>>>) -> Option<mpsc::Permit<'_, Arc<str>>> {
    input?.reserve().await.ok()
}

/// The failure of a program whose standard output has ended.
async fn end_of_output(process: &mut ProgramProcess, exited: Option<String>) -> Fault {
    if let Some(status) = exited {
        return Fault::Exited { status };
    }
    match timeout(DRAIN_TIME, process.child.wait()).await {
        Ok(Ok(status)) => Fault::Exited { status: status.to_string() },
        _ => Fault::OutputClosed,
    }
}
