//! What an organiser can have done to a tournament.

use parlor_tournament::{Entrant, PlanEntry};

/// What an organiser can have done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// It starts.
    Start,
    /// It begins no new tables.
    Pause,
    /// It begins new tables again.
    Resume,
    /// It ends before its time.
    Cancel {
        /// Why.
        reason: String,
    },
    /// An entrant is out.
    Withdraw(Entrant),
    /// A group does not count.
    Void {
        /// Its number.
        group: u32,
        /// Why.
        reason: String,
    },
}

impl Command {
    /// What the plan is asked.
    pub(super) fn planned(&self) -> PlanEntry {
        match self.clone() {
            Command::Start => PlanEntry::Started,
            Command::Pause => PlanEntry::Paused,
            Command::Resume => PlanEntry::Resumed,
            Command::Cancel { reason } => PlanEntry::Cancelled { reason },
            Command::Withdraw(entrant) => PlanEntry::Withdrawn { entrant },
            Command::Void { group, reason } => PlanEntry::GroupVoided { group, reason },
        }
    }
}
