//! A seat that is followed in the background, and what its tools read and wait for.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_cli::line_protocol;
use parlor_cli::load::now;
use parlor_cli::seat_report::{Conduct, ReportOptions, SeatLog, SeatReport, SeatStatus, TableReport};
use parlor_engine::Lang;
use parlor_sdk::{Client, Decision, Error, Event, FinishedTable, Seat, Session, wire};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::handles::{Handles, SeatRecord};
use super::tool_error::ToolError;
use crate::errors::Failure;

/// Accepted answers after which the conduct is written to the data folder; strikes and results are written at once.
const ANSWERS_BETWEEN_WRITES: u64 = 16;

/// Parts of messages that a seat is sent: the texts in its language.
pub(super) fn wants(lang: Lang) -> wire::Wants {
    // The typed values are for programs.
    wire::Wants {
        board: Some(false),
        events: Some(false),
        decision_views: Some(false),
        legal_actions: Some(false),
        ..line_protocol::wants(lang)
    }
}

/// A seat that is followed.
pub(super) struct ConnectedSeat {
    handle: String,
    lang: Lang,
    handles: Handles,
    state: Mutex<SeatState>,
    changed: watch::Sender<u64>,
    follower: Mutex<Option<AbortHandle>>,
}

/// The state that the follower writes and the tools read.
struct SeatState {
    log: SeatLog,
    decision: Option<OpenDecision>,
    failure: Option<Error>,
    /// How the seat was played, in all, and the part that is not yet in the data folder.
    conduct: Conduct,
    unwritten: Conduct,
    /// Decision that the last strike was for, and the number of strikes there.
    strikes_at: (u32, u32),
    used: Instant,
}

/// A decision that waits for its answer.
#[derive(Clone)]
pub(super) struct OpenDecision {
    pub(super) decision: Arc<Decision>,
    since: Instant,
}

impl ConnectedSeat {
    /// The seat of a record, before anything of it was told.
    pub(super) fn new(record: &SeatRecord, table: &wire::Table, handles: &Handles) -> Arc<ConnectedSeat> {
        Arc::new(ConnectedSeat {
            handle: record.handle.clone(),
            lang: record.lang(),
            handles: handles.clone(),
            state: Mutex::new(SeatState {
                log: SeatLog::new(table, record.seat),
                decision: None,
                failure: None,
                conduct: record.conduct,
                unwritten: Conduct::default(),
                strikes_at: record.strikes_at,
                used: now(),
            }),
            changed: watch::Sender::new(0),
            follower: Mutex::default(),
        })
    }

    /// Attaches the seat of a record, and follows it with all that has happened since the beginning.
    pub(super) async fn attach(
        record: &SeatRecord,
        client: &Client,
        session: &Session,
        handles: &Handles,
    ) -> Result<Arc<ConnectedSeat>, Error> {
        let token = record.token().unwrap_or_else(|| "".into());
        let table = client.table_with_token(&record.table, token.reveal()).await?;
        let from =
            parlor_sdk::Bookmark { table_id: record.table.clone(), seat: Some(record.seat), number: 0 };
        let seat = session.seat(token).wants(wants(record.lang())).resume(from).await?;
        let connected = ConnectedSeat::new(record, &table, handles);
        let (follower, follows) = (Arc::clone(&connected), seat);
        let task = tokio::spawn(async move {
            // A failure is kept for the tools.
            let _ = follower.follow(follows).await;
        });
        *connected.follower.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
        Ok(connected)
    }

    /// Follows a seat until its table is over.
    pub(super) async fn follow(&self, mut seat: Seat) -> Result<FinishedTable, Error> {
        let outcome = self.read_events(&mut seat).await;
        let finished = match outcome {
            Ok(()) => Ok(seat.finish().await),
            Err(error) => Err(error),
        };
        {
            let mut state = self.state();
            match &finished {
                Ok(finished) => state.log.apply_table(&finished.table),
                Err(error) => state.failure = Some(error.clone()),
            }
            state.decision = None;
        }
        self.write_conduct();
        self.notify();
        finished
    }

    async fn read_events(&self, seat: &mut Seat) -> Result<(), Error> {
        while let Some(event) = seat.next().await? {
            {
                let mut state = self.state();
                match event {
                    Event::Snapshot(snapshot) => state.log.apply_snapshot(&snapshot),
                    Event::Update(update) => {
                        state.log.apply_update(update.wire());
                        let open = state.decision.as_ref().map(|open| open.decision.id());
                        if open.is_some_and(|id| state.log.decided(id).is_some()) {
                            state.decision = None;
                        }
                    }
                    Event::Decision(decision) => {
                        state.log.ask(decision.question());
                        state.decision = Some(OpenDecision { decision: Arc::new(decision), since: now() });
                    }
                    _ => continue,
                }
                if state.log.result().is_some() {
                    state.decision = None;
                }
            }
            self.notify();
            if seat.result().is_some() && self.state().log.result().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Handle of the seat.
    pub(super) fn handle(&self) -> &str {
        &self.handle
    }

    /// Language of the texts.
    pub(super) fn lang(&self) -> Lang {
        self.lang
    }

    /// Id of the table, id of the game, and number of the seat.
    pub(super) fn place(&self) -> (String, String, u32) {
        let log = &self.state().log;
        (log.table().to_owned(), log.game().to_owned(), log.seat())
    }

    /// Observes changes.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Waits until a decision is open or the table is over, up to a time.
    pub(super) async fn wait(&self, time: Duration) {
        let mut changes = self.changes();
        let ready = async {
            while self.status() == SeatStatus::Waiting && self.failure().is_none() {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        // Still waiting is a result, too.
        let _ = tokio::time::timeout(time, ready).await;
    }

    /// Waits until it is known what was decided, up to a time.
    pub(super) async fn wait_for_decided(&self, decision: u32, time: Duration) {
        let mut changes = self.changes();
        let ready = async {
            while self.with_log(|log| log.decided(decision).is_none() && log.result().is_none()) {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(time, ready).await;
    }

    /// State of the seat.
    pub(super) fn status(&self) -> SeatStatus {
        let state = self.state();
        match (&state.decision, state.log.result()) {
            (Some(_), _) => SeatStatus::YourTurn,
            (None, Some(_)) => SeatStatus::Over,
            (None, None) => SeatStatus::Waiting,
        }
    }

    /// The open decision.
    pub(super) fn open_decision(&self) -> Option<OpenDecision> {
        self.state().decision.clone()
    }

    /// The permanent error of the seat.
    pub(super) fn failure(&self) -> Option<Error> {
        self.state().failure.clone()
    }

    /// Reads the log.
    pub(super) fn with_log<T>(&self, read: impl FnOnce(&SeatLog) -> T) -> T {
        read(&self.state().log)
    }

    /// State of the seat as a report.
    pub(super) fn report(&self, options: ReportOptions) -> Result<SeatReport, ToolError> {
        let state = self.state();
        if let Some(error) = &state.failure {
            return Err(error.clone().into());
        }
        let elapsed = state.decision.as_ref().map(OpenDecision::elapsed).unwrap_or_default();
        Ok(SeatReport::new(&state.log, &self.handle, ReportOptions { elapsed, ..options }))
    }

    /// The result of the table, with how the seat was played.
    pub(super) fn table_report(&self) -> TableReport {
        let state = self.state();
        TableReport::new(&state.log, &self.handle, state.conduct)
    }

    /// Counts a call of a tool.
    pub(super) fn count_call(&self) {
        self.count(Conduct { calls: 1, ..Conduct::default() });
    }

    /// Counts an accepted answer, and closes its decision.
    pub(super) fn count_answer(&self, open: &OpenDecision) {
        let time_ms = u64::try_from(open.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.close(open);
        self.count(Conduct { answers: 1, time_ms, ..Conduct::default() });
        let is_due = self.state().unwritten.answers >= ANSWERS_BETWEEN_WRITES;
        if is_due {
            self.write_conduct();
        }
    }

    /// Closes a decision that has been made.
    pub(super) fn close(&self, open: &OpenDecision) {
        let id = open.decision.id();
        {
            let mut state = self.state();
            state.log.close(id);
            if state.decision.as_ref().is_some_and(|open| open.decision.id() == id) {
                state.decision = None;
            }
        }
        self.notify();
    }

    /// Counts a strike at a decision, and returns the number of strikes there.
    pub(super) fn count_strike(&self, decision: u32) -> u32 {
        let strikes = {
            let mut state = self.state();
            let before = if state.strikes_at.0 == decision { state.strikes_at.1 } else { 0 };
            state.strikes_at = (decision, before + 1);
            before + 1
        };
        self.count(Conduct { strikes: 1, ..Conduct::default() });
        self.write_conduct();
        strikes
    }

    /// Counts a decision at which the default was played.
    pub(super) fn count_default(&self, open: &OpenDecision) {
        self.close(open);
        self.count(Conduct { defaults: 1, ..Conduct::default() });
        self.write_conduct();
    }

    fn count(&self, more: Conduct) {
        let mut state = self.state();
        state.conduct.add(more);
        state.unwritten.add(more);
        state.used = now();
    }

    /// Writes what was counted, and the result, to the data folder. The game goes on if that fails.
    pub(super) fn write_conduct(&self) {
        let (unwritten, strikes_at, result) = {
            let mut state = self.state();
            let is_over = state.log.result().is_some();
            let result = is_over.then(|| TableReport::new(&state.log, &self.handle, state.conduct));
            (std::mem::take(&mut state.unwritten), state.strikes_at, result)
        };
        if unwritten == Conduct::default() && result.is_none() {
            return;
        }
        let written = self.handles.change_seat(&self.handle, |record| {
            record.conduct.add(unwritten);
            record.strikes_at = strikes_at;
            record.result = result.or(record.result.take());
        });
        if let Err(failure) = written {
            self.state().unwritten.add(unwritten);
            report_failure(&failure, self.lang);
        }
    }

    /// Time since a tool was called with the seat.
    pub(super) fn idle_time(&self) -> Duration {
        now().saturating_duration_since(self.state().used)
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    fn state(&self) -> MutexGuard<'_, SeatState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the seat, which stays its holder's.
    pub(super) fn leave(&self) {
        self.write_conduct();
        if let Some(follower) = self.follower.lock().unwrap_or_else(PoisonError::into_inner).take() {
            follower.abort();
        }
    }
}

impl OpenDecision {
    fn elapsed(&self) -> Duration {
        now().saturating_duration_since(self.since)
    }
}

/// Reports a failure of the data folder on standard error.
pub(super) fn report_failure(failure: &Failure, lang: Lang) {
    if let Some(line) = failure.line(lang, false) {
        // A closed standard error loses nothing of value.
        let _ = writeln!(io::stderr(), "{line}");
    }
}
