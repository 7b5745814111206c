//! What an organiser can have done to a tournament.

use parlor_tournament::{Entrant, Entry};

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
    pub(super) fn planned(&self) -> Entry {
        match self.clone() {
            Command::Start => Entry::Started,
            Command::Pause => Entry::Paused,
            Command::Resume => Entry::Resumed,
            Command::Cancel { reason } => Entry::Cancelled { reason },
            Command::Withdraw(entrant) => Entry::Withdrawn { entrant },
            Command::Void { group, reason } => Entry::GroupVoided { group, reason },
        }
    }
}
