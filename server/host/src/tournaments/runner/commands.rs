//! What the organiser asks of a tournament that is run.

use super::{Runner, Stop};
use crate::HostError;
use crate::agents::Availability;
use crate::tournaments::live_tournament::PendingCommand;
use crate::tournaments::{Command, EntrantSetup, Entry, FoldedTournament, TournamentError};
use parlor_fair::Entropy;

impl Runner {
    /// Does what the organiser asks.
    pub(super) async fn carry_out(&mut self, asking: PendingCommand) -> Result<(), Stop> {
        let PendingCommand { command, to } = asking;
        let done = match self.entry(&command) {
            Ok(Some(entry)) => self.append(vec![entry]).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        let is_broken = matches!(&done, Err(error @ TournamentError::Host(HostError::Fault { .. })) if !error.is_transient());
        if done.is_ok() {
            let shown = self.live.shown();
            if let Command::Void { group, .. } = command {
                self.show_deal(&shown.course, &shown.running, group);
            }
            if matches!(command, Command::Withdraw(_)) {
                let groups = 0..shown.course.plan.group_count();
                groups.for_each(|group| self.show_deal(&shown.course, &shown.running, group));
            }
        }
        match (done, command) {
            // It is over when its last table is.
            (Ok(()), Command::Cancel { .. }) => self.at_end.push(to),
            // Whoever asked may have gone.
            (done, _) => drop(to.send(done)),
        }
        if is_broken { Err(Stop::Now) } else { Ok(()) }
    }

    /// What a command comes to; nothing if there is nothing left to do.
    fn entry(&self, command: &Command) -> Result<Option<Entry>, TournamentError> {
        let shown = self.live.shown();
        let course = &shown.course;
        if course.plan.propose(command.planned())?.is_none() {
            return Ok(None);
        }
        Ok(Some(match command.clone() {
            Command::Start => self.started(course)?,
            Command::Pause => Entry::Paused,
            Command::Resume => Entry::Resumed,
            Command::Cancel { reason } => Entry::Cancelled { reason },
            Command::Withdraw(entrant) => Entry::Withdrawn { entrant },
            Command::Void { group, reason } => Entry::GroupVoided { group, reason },
        }))
    }

    /// Collects the versions of the agents, and what they add to the shuffles.
    fn started(&self, course: &FoldedTournament) -> Result<Entry, TournamentError> {
        let hub = self.registry.host.agents();
        let (mut versions, mut entropy) = (Vec::new(), Vec::new());
        for entrant in &course.setup.terms.entrants {
            match entrant {
                EntrantSetup::House { .. } => {
                    versions.push(String::new());
                    entropy.push(Entropy::NONE);
                }
                EntrantSetup::Agent { name, version } => {
                    let no_agent = || TournamentError::NoAgent { name: name.clone() };
                    let newest = hub.version(name).ok_or_else(no_agent)?;
                    let version = if version.is_empty() { newest } else { version.clone() };
                    if !matches!(hub.availability(name, &version), Availability::Here { .. }) {
                        return Err(no_agent());
                    }
                    versions.push(version);
                    entropy.push(hub.entropy(name).unwrap_or(Entropy::NONE));
                }
            }
        }
        Ok(Entry::Started { versions, entropy })
    }
}
