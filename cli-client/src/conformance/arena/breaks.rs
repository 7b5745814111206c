//! The line to the agent breaks, and the agent comes back, or should not.

use std::time::Duration;

use parlor_cli::load::now;
use parlor_sdk::wire;

use super::super::line::Connection;
use super::{Arena, Gone};

/// How many times longer than for an answer an agent has to come back.
const COME_BACK: u32 = 3;
/// When the agent is to come back after the server ended the stream.
const RETRY_MS: u32 = 300;

/// How the line is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Break {
    Cut,
    End,
}

impl Arena<'_> {
    pub(super) async fn break_off(&mut self, kind: Break) -> Result<(), Gone> {
        self.replies.clear();
        let begun = now();
        match kind {
            Break::Cut => self.line.cut(),
            Break::End => {
                let reason = wire::ErrorReason::ServerStopping.into();
                let message = String::from("the check ends this stream: come back");
                let ending = Some(wire::StreamEnding { reason, message, retry_ms: RETRY_MS });
                self.send(wire::ConnectResponse { ending, ..Default::default() }).await;
            }
        }
        self.come_back().await?;
        let away = now().saturating_duration_since(begun);
        if kind == Break::End && away < Duration::from_millis(RETRY_MS.into()) {
            self.note(
                format!(
                    "it came back after {away:?}, sooner than the {RETRY_MS} ms of retry_ms: wait that long"
                ),
                format!(
                    "er kam nach {away:?} wieder, früher als die {RETRY_MS} ms von retry_ms: Warte so lange"
                ),
            );
        }
        Ok(())
    }

    pub(super) async fn come_back(&mut self) -> Result<(), Gone> {
        self.connection = None;
        let limit = self.patience * COME_BACK;
        let Some(connection) = self.line.next(limit).await else {
            let limit = humantime::format_duration(limit);
            self.fault(
                format!("it did not come back within {limit}: open Connect again whenever the stream ends, with waits that grow"),
                format!("er kam in {limit} nicht wieder: Öffne Connect neu, wann immer der Stream endet, mit wachsenden Pausen"),
            );
            return Err(Gone);
        };
        self.resume(connection).await
    }

    /// Goes on over another connection.
    pub(super) async fn resume(&mut self, connection: Connection) -> Result<(), Gone> {
        let hello = connection.first.hello.clone().unwrap_or_default();
        self.connection = Some(connection);
        if (&hello.name, &hello.version) != (&self.who.name, &self.who.version) {
            self.fault(
                "it came back under another name or version: both belong to the program, not to the connection",
                "er kam unter anderem Namen oder mit anderer Version wieder: Beides gehört zum Programm, nicht zur Verbindung",
            );
        }
        self.channels.clear();
        self.floor = self.last_channel;
        let forgetful = std::mem::take(&mut self.forgetful);
        let (mut seats, mut without, mut ahead) = (0, false, false);
        for table in &mut self.tables {
            for (seat, place) in table.places.iter_mut().filter(|(_, place)| !place.closed) {
                seats += 1;
                let found =
                    hello.bookmarks.iter().find(|mark| mark.table_id == table.id && mark.seat == *seat);
                let after = found.map(|mark| mark.after);
                without |= after.is_none() && place.sent.is_some();
                ahead |= after.is_some_and(|after| after as usize > place.updates.len());
                let after = after.filter(|after| *after as usize <= place.updates.len() && !forgetful);
                place.start_over(after);
            }
        }
        if without {
            self.note(
                "it came back without a bookmark, and so gets a snapshot in place of the updates that it missed",
                "er kam ohne Lesezeichen wieder und bekommt daher einen Schnappschuss statt der verpassten Updates",
            );
        }
        if ahead {
            self.fault(
                "its bookmark names an update that it never got: after is the number of the last update that came",
                "sein Lesezeichen nennt ein Update, das er nie bekam: after ist die Nummer des letzten Updates, das kam",
            );
        }
        self.greet(seats).await;
        Ok(())
    }

    /// Tells the agent that another one has its name, and sees whether it comes back.
    pub(in super::super) async fn replace(&mut self, watch: Duration) -> bool {
        let reason = wire::ErrorReason::AgentReplaced.into();
        let message = String::from("another connection has taken the name (a check)");
        let ending = Some(wire::StreamEnding { reason, message, retry_ms: 0 });
        self.send(wire::ConnectResponse { ending, ..Default::default() }).await;
        self.connection = None;
        self.line.next(watch).await.is_none()
    }
}
