//! Time controls and clock settings.

use parlor_host::table::TimeControl;
use parlor_proto::convert::field::InvalidField;
use parlor_proto::v1;

use super::{FromMessage, ToMessage};

/// Every field is set.
impl ToMessage<v1::ClockSettings> for TimeControl {
    fn to_message(&self) -> v1::ClockSettings {
        let TimeControl { decision, bank, grace, forfeit_after, secret, constant_secret } = *self;
        v1::ClockSettings {
            decision_ms: Some(decision),
            bank_ms: Some(bank),
            grace_ms: Some(grace),
            forfeit_after: Some(forfeit_after),
            hidden_window_ms: Some(secret),
            constant_hidden_windows: Some(constant_secret),
        }
    }
}

/// Every field must be set. Bounds are not checked: a table keeps the time control that it was created with.
impl FromMessage<v1::ClockSettings> for TimeControl {
    fn from_message(wire: v1::ClockSettings) -> Result<TimeControl, InvalidField> {
        let v1::ClockSettings {
            decision_ms,
            bank_ms,
            grace_ms,
            forfeit_after,
            hidden_window_ms,
            constant_hidden_windows,
        } = wire;
        Ok(TimeControl {
            decision: required_value(decision_ms, "decision_ms")?,
            bank: required_value(bank_ms, "bank_ms")?,
            grace: required_value(grace_ms, "grace_ms")?,
            forfeit_after: required_value(forfeit_after, "forfeit_after")?,
            secret: required_value(hidden_window_ms, "hidden_window_ms")?,
            constant_secret: required_value(constant_hidden_windows, "constant_hidden_windows")?,
        })
    }
}

fn required_value<T>(value: Option<T>, field: &str) -> Result<T, InvalidField> {
    value.ok_or_else(|| InvalidField::at(field, "must be set"))
}
