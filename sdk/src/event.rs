//! What a seat or a spectator is told, in the order of what happened.

use crate::{Decision, Update, wire};

/// Something that a seat or a spectator is told.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// Where everything stands. It comes first, and later only if the server no longer has the updates in between.
    Snapshot(Box<wire::Snapshot>),
    /// What happened. Updates have consecutive numbers.
    Update(Update),
    /// What this seat is asked. Each decision comes once, and never to a spectator.
    Decision(Decision),
    /// Somebody came or went. Only if the seat was taken with wanting it.
    Presence(wire::Presence),
    /// How much time is left. Only if the seat was taken with wanting it.
    TimeLeft(wire::TimeLeft),
}
