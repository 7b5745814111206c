//! Commands of the organiser to a running tournament.

use super::{Runner, Stopped};
use crate::HostError;
use crate::agents::Availability;
use crate::tournaments::live_tournament::PendingCommand;
use crate::tournaments::{
    EntrantSetup, FoldedTournament, TournamentCommand, TournamentEntry, TournamentError,
};
use parlor_fair::{Entropy, EntropyCommitment};
use parlor_tournament::Entrant;

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
        if let Some(entry) = command.plan_entry()
            && folded.plan.propose(entry)?.is_none()
        {
            return Ok(None);
        }
        Ok(Some(match command.clone() {
            TournamentCommand::Start { commitment } => self.start_entry(folded, commitment)?,
            TournamentCommand::Reveal { entropy } => {
                let revealed = TournamentEntry::Revealed { entrant: None, entropy };
                return Ok(folded.propose_reveal(entropy)?.then_some(revealed));
            }
            TournamentCommand::Pause => TournamentEntry::Paused,
            TournamentCommand::Resume => TournamentEntry::Resumed,
            TournamentCommand::Cancel { reason } => TournamentEntry::Cancelled { reason },
            TournamentCommand::Withdraw(entrant) => TournamentEntry::Withdrawn { entrant },
            TournamentCommand::Void { group, reason } => TournamentEntry::GroupVoided { group, reason },
        }))
    }

    /// The entry of the start, with the versions of the agents. If nobody adds entropy, tables can be played at once.
    ///
    /// # Errors
    ///
    /// [`TournamentError::NoAgent`] if an agent is not connected with its version, and an [`AgentError`](crate::agents::AgentError)
    /// if it does not play in such a tournament.
    fn start_entry(
        &self,
        folded: &FoldedTournament,
        commitment: Option<EntropyCommitment>,
    ) -> Result<TournamentEntry, TournamentError> {
        let agents = self.registry.host.agents();
        let (mut versions, mut asked) = (Vec::new(), Vec::new());
        for (number, entrant) in (0..).zip(&folded.setup.terms.entrants) {
            match entrant {
                EntrantSetup::House { .. } => versions.push(String::new()),
                EntrantSetup::Agent { name, version } => {
                    let no_agent = || TournamentError::NoAgent { name: name.clone() };
                    let newest = agents.version(name).ok_or_else(no_agent)?;
                    let version = if version.is_empty() { newest } else { version.clone() };
                    let scope = folded.setup.suspension_scope();
                    agents
                        .check_tournament(name, &scope, folded.setup.terms.time.decision)
                        .map_err(HostError::from)?;
                    let availability = agents.availability(name, &version, &scope);
                    if !matches!(availability, Availability::Connected { .. }) {
                        return Err(no_agent());
                    }
                    versions.push(version);
                    asked.extend(agents.adds_entropy(name).then_some(Entrant(number)));
                }
            }
        }
        if folded.setup.given || (commitment.is_none() && asked.is_empty()) {
            let entropy = vec![Entropy::NONE; versions.len()];
            return Ok(TournamentEntry::Started { versions, entropy });
        }
        Ok(TournamentEntry::Starting { versions, commitment, asked })
    }
}
