//! [`Event`]: one item of the stream of a seat or a spectator.

use crate::{Decision, Update, wire};

/// One item of the stream of a seat or a spectator, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The full state. Comes first, and later only if the server no longer has the updates in between.
    Snapshot(Box<wire::Snapshot>),
    /// A change of the table. Updates have consecutive numbers.
    Update(Update),
    /// A decision for this seat. Each comes once; a spectator gets none.
    Decision(Decision),
    /// A player connected or disconnected. Only with `time_left` in the wants.
    Presence(wire::Presence),
    /// Time left on a clock. Only with `time_left` in the wants.
    TimeLeft(wire::TimeLeft),
}
