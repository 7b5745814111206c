//! Commands of the organiser.

use parlor_fair::{Entropy, EntropyCommitment};
use parlor_tournament::{Entrant, PlanEntry};

/// A command of the organiser to a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TournamentCommand {
    /// Starts the tournament.
    Start {
        /// The organiser's commitment to its entropy.
        commitment: Option<EntropyCommitment>,
    },
    /// Reveals the entropy of the organiser.
    Reveal {
        /// The entropy.
        entropy: Entropy,
    },
    /// Stops creating tables.
    Pause,
    /// Creates tables again.
    Resume,
    /// Ends the tournament early.
    Cancel {
        /// The reason.
        reason: String,
    },
    /// Withdraws an entrant.
    Withdraw(Entrant),
    /// Voids a group: its results do not count.
    Void {
        /// Number of the group.
        group: u32,
        /// The reason.
        reason: String,
    },
}

impl TournamentCommand {
    /// The entry of the plan that the command proposes; `None` if it does not concern the plan.
    pub(super) fn plan_entry(&self) -> Option<PlanEntry> {
        Some(match self.clone() {
            TournamentCommand::Start { .. } => PlanEntry::Starting,
            TournamentCommand::Reveal { .. } => return None,
            TournamentCommand::Pause => PlanEntry::Paused,
            TournamentCommand::Resume => PlanEntry::Resumed,
            TournamentCommand::Cancel { reason } => PlanEntry::Cancelled { reason },
            TournamentCommand::Withdraw(entrant) => PlanEntry::Withdrawn { entrant },
            TournamentCommand::Void { group, reason } => PlanEntry::GroupVoided { group, reason },
        })
    }
}
