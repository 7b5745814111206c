//! The time that players have.

use parlor_proto::convert::field::InvalidField;
use parlor_proto::v1;

use parlor_host::table::TimeControl;

use super::{FromMessage, ToMessage};

/// A table shows all of it.
impl ToMessage<v1::ClockSettings> for TimeControl {
    fn to_message(&self) -> v1::ClockSettings {
        let time = self;
        v1::ClockSettings {
            decision_ms: Some(time.decision),
            bank_ms: Some(time.bank),
            grace_ms: Some(time.grace),
            forfeit_after: Some(time.forfeit_after),
            hidden_window_ms: Some(time.secret),
            constant_hidden_windows: Some(time.constant_secret),
        }
    }
}

/// All of it must be set. The numbers are not looked at: a table keeps what it was created with.
impl FromMessage<v1::ClockSettings> for TimeControl {
    fn from_message(wire: v1::ClockSettings) -> Result<TimeControl, InvalidField> {
        Ok(TimeControl {
            decision: set(wire.decision_ms, "decision_ms")?,
            bank: set(wire.bank_ms, "bank_ms")?,
            grace: set(wire.grace_ms, "grace_ms")?,
            forfeit_after: set(wire.forfeit_after, "forfeit_after")?,
            secret: set(wire.hidden_window_ms, "hidden_window_ms")?,
            constant_secret: set(wire.constant_hidden_windows, "constant_hidden_windows")?,
        })
    }
}

fn set<T>(value: Option<T>, field: &str) -> Result<T, InvalidField> {
    value.ok_or_else(|| InvalidField::at(field, "must be set"))
}
