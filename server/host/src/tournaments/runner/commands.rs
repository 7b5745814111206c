//! Commands of the organiser to a running tournament.

use super::{Runner, Stopped};
use crate::HostError;
use crate::agents::Availability;
use crate::tournaments::live_tournament::PendingCommand;
use crate::tournaments::{
    EntrantSetup, FoldedTournament, TournamentCommand, TournamentEntry, TournamentError,
};
use parlor_fair::Entropy;

impl Runner {
    /// Executes a command and replies.
    pub(super) async fn execute(&mut self, pending: PendingCommand) -> Result<(), Stopped> {
        let PendingCommand { command, reply } = pending;
        let done = match self.propose(&command) {
            Ok(Some(entry)) => self.append(vec![entry]).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        let is_broken = matches!(&done, Err(error @ TournamentError::Host(HostError::Fault { .. }))
            if !error.is_transient());
        if done.is_ok() {
            let view = self.live.view();
            if let TournamentCommand::Void { group, .. } = command {
                self.reveal_deal_if_over(&view.folded, &view.running, group);
            }
            if matches!(command, TournamentCommand::Withdraw(_)) {
                let groups = 0..view.folded.plan.group_count();
                groups.for_each(|group| self.reveal_deal_if_over(&view.folded, &view.running, group));
            }
        }
        match (done, command) {
            // The reply follows the end of the last table.
            (Ok(()), TournamentCommand::Cancel { .. }) => self.on_finished.push(reply),
            // The caller may be gone.
            (done, _) => drop(reply.send(done)),
        }
        if is_broken { Err(Stopped) } else { Ok(()) }
    }

    /// The log entry of a command; `None` if it has no effect.
    fn propose(&self, command: &TournamentCommand) -> Result<Option<TournamentEntry>, TournamentError> {
        let view = self.live.view();
        let folded = &view.folded;
        if folded.plan.propose(command.plan_entry())?.is_none() {
            return Ok(None);
        }
        Ok(Some(match command.clone() {
            TournamentCommand::Start => self.start_entry(folded)?,
            TournamentCommand::Pause => TournamentEntry::Paused,
            TournamentCommand::Resume => TournamentEntry::Resumed,
            TournamentCommand::Cancel { reason } => TournamentEntry::Cancelled { reason },
            TournamentCommand::Withdraw(entrant) => TournamentEntry::Withdrawn { entrant },
            TournamentCommand::Void { group, reason } => TournamentEntry::GroupVoided { group, reason },
        }))
    }

    /// The entry of the start, with the versions and the entropy of the agents.
    ///
    /// # Errors
    ///
    /// [`TournamentError::NoAgent`] if an agent is not connected with its version.
    fn start_entry(&self, folded: &FoldedTournament) -> Result<TournamentEntry, TournamentError> {
        let agents = self.registry.host.agents();
        let (mut versions, mut entropy) = (Vec::new(), Vec::new());
        for entrant in &folded.setup.terms.entrants {
            match entrant {
                EntrantSetup::House { .. } => {
                    versions.push(String::new());
                    entropy.push(Entropy::NONE);
                }
                EntrantSetup::Agent { name, version } => {
                    let no_agent = || TournamentError::NoAgent { name: name.clone() };
                    let newest = agents.version(name).ok_or_else(no_agent)?;
                    let version = if version.is_empty() { newest } else { version.clone() };
                    if !matches!(agents.availability(name, &version), Availability::Connected { .. }) {
                        return Err(no_agent());
                    }
                    versions.push(version);
                    entropy.push(agents.entropy(name).unwrap_or(Entropy::NONE));
                }
            }
        }
        Ok(TournamentEntry::Started { versions, entropy })
    }
}
