//! Disconnects of the agent, and its reconnects.

use std::time::Duration;

use parlor_cli::load::now;
use parlor_sdk::wire;

use super::super::server::AgentConnection;
use super::{AgentGone, CheckRunner};

/// Time to reconnect, as a multiple of the time for an answer.
const RECONNECT_TIME_FACTOR: u32 = 3;
/// Reconnect delay requested when the server ends the stream, in milliseconds.
const RETRY_MS: u32 = 300;

/// Kind of disconnect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Disconnect {
    Cut,
    GracefulEnd,
}

impl CheckRunner<'_> {
    pub(super) async fn disconnect(&mut self, kind: Disconnect) -> Result<(), AgentGone> {
        self.replies.clear();
        let begun = now();
        match kind {
            Disconnect::Cut => self.server.cut(),
            Disconnect::GracefulEnd => {
                let reason = wire::ErrorReason::ServerStopping.into();
                let message = String::from("the check ends this stream: reconnect");
                let ending = Some(wire::StreamEnding { reason, message, retry_ms: RETRY_MS });
                self.send(wire::ConnectResponse { ending, ..Default::default() }).await;
            }
        }
        self.await_reconnect().await?;
        let away = now().saturating_duration_since(begun);
        if kind == Disconnect::GracefulEnd && away < Duration::from_millis(RETRY_MS.into()) {
            self.note(
                format!(
                    "it reconnected after {away:?}, sooner than the {RETRY_MS} ms of retry_ms: wait that long"
                ),
                format!(
                    "er kam nach {away:?} wieder, früher als die {RETRY_MS} ms von retry_ms: Warte so lange"
                ),
            );
        }
        Ok(())
    }

    pub(super) async fn await_reconnect(&mut self) -> Result<(), AgentGone> {
        self.connection = None;
        let limit = self.patience * RECONNECT_TIME_FACTOR;
        let Some(connection) = self.server.next(limit).await else {
            if self.server.has_agent_ended() {
                self.fault(
                    "its command has ended: keep the program running, and open Connect again whenever the stream ends",
                    "sein Befehl hat sich beendet: Lass das Programm laufen, und öffne Connect neu, wann immer der Stream endet",
                );
                return Err(AgentGone);
            }
            let limit = humantime::format_duration(limit);
            self.fault(
                format!("it did not reconnect within {limit}: open Connect again whenever the stream ends, with growing delays"),
                format!("er kam in {limit} nicht wieder: Öffne Connect neu, wann immer der Stream endet, mit wachsenden Pausen"),
            );
            return Err(AgentGone);
        };
        self.resume(connection).await
    }

    /// Resumes the tables over a new connection.
    pub(super) async fn resume(&mut self, connection: AgentConnection) -> Result<(), AgentGone> {
        let hello = connection.first.hello.clone().unwrap_or_default();
        self.connection = Some(connection);
        if (&hello.name, &hello.version) != (&self.hello.name, &self.hello.version) {
            self.fault(
                "it reconnected under another name or version: both must stay the same",
                "er kam unter anderem Namen oder mit anderer Version wieder: Beides gehört zum Programm, nicht zur Verbindung",
            );
        }
        self.channels.clear();
        self.last_stale_channel = self.last_channel;
        let ignore_bookmarks = std::mem::take(&mut self.ignore_bookmarks);
        let (mut seats, mut without, mut ahead) = (0, false, false);
        for table in &mut self.tables {
            for (seat, seat_state) in table.seats.iter_mut().filter(|(_, seat_state)| !seat_state.closed) {
                seats += 1;
                let found =
                    hello.bookmarks.iter().find(|mark| mark.table_id == table.id && mark.seat == *seat);
                let after = found.map(|mark| mark.after);
                without |= after.is_none() && seat_state.sent.is_some();
                ahead |= after.is_some_and(|after| after as usize > seat_state.updates.len());
                let after =
                    after.filter(|after| *after as usize <= seat_state.updates.len() && !ignore_bookmarks);
                seat_state.begin_stream(after);
            }
        }
        if without {
            self.note(
                "it reconnected without a bookmark, so it gets a snapshot instead of the missed updates",
                "er kam ohne Lesezeichen wieder und bekommt daher einen Schnappschuss statt der verpassten Updates",
            );
        }
        if ahead {
            self.fault(
                "its bookmark names an update that it never received: after is the number of the last update received",
                "sein Lesezeichen nennt ein Update, das er nie bekam: after ist die Nummer des letzten Updates, das kam",
            );
        }
        self.send_welcome(seats).await;
        Ok(())
    }

    /// Ends the stream with `AGENT_REPLACED`. Returns `true` if the agent stays away for the given time, as
    /// it must.
    pub(in super::super) async fn simulate_replacement(&mut self, watch: Duration) -> bool {
        let reason = wire::ErrorReason::AgentReplaced.into();
        let message = String::from("another connection has taken the name (a check)");
        let ending = Some(wire::StreamEnding { reason, message, retry_ms: 0 });
        self.send(wire::ConnectResponse { ending, ..Default::default() }).await;
        self.connection = None;
        self.server.next(watch).await.is_none()
    }
}
