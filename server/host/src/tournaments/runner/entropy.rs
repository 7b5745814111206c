//! Collects the entropy of a tournament that is starting: the commitments of the agents, then the reveals.

use parlor_tournament::{Entrant, TournamentState};

use super::{Runner, Stopped};
use crate::agents::EntropyRequest;
use crate::clock::Moment;
use crate::table::AddedEntropy;
use crate::tournaments::{EntropyCollection, TournamentEntry};

impl Runner {
    /// Collects what the agents have sent, and asks those that have not. Returns the time at which the tournament goes on
    /// without what is missing; `None` if it is not starting.
    pub(super) async fn collect_entropy(&mut self) -> Result<Option<Moment>, Stopped> {
        loop {
            let Some(collection) = self.collection() else { return Ok(None) };
            let now = self.registry.clock.now();
            let within = self.registry.host.reveal_within();
            let until = *self.reveal_until.get_or_insert(now + within);
            let entries = self.entropy_entries(&collection, now >= until);
            if entries.is_empty() {
                self.ask_for_entropy(&collection);
                return Ok(Some(until));
            }
            let is_next_step = |entry: &TournamentEntry| !matches!(entry, TournamentEntry::Revealed { .. });
            let (is_next, is_start) = (
                entries.iter().any(is_next_step),
                entries.iter().any(|entry| matches!(entry, TournamentEntry::Started { .. })),
            );
            self.append_with_retry(entries).await?;
            if is_next {
                self.reveal_until = None;
            }
            if is_start {
                self.end_entropy_requests(&collection.asked);
            }
        }
    }

    /// The collection of a tournament that is starting. One that was cancelled meanwhile ends its requests.
    fn collection(&self) -> Option<EntropyCollection> {
        let (collection, is_starting) = {
            let view = self.live.view();
            (view.folded.collection.clone(), view.folded.plan.state() == TournamentState::Starting)
        };
        let collection = collection?;
        if !is_starting {
            collection.asked.iter().for_each(|entrant| self.end_entropy_request(*entrant, false));
        }
        Some(collection).filter(|_| is_starting)
    }

    /// The entries for what has arrived since the last call. With `is_over`, those that go on without the rest.
    fn entropy_entries(&self, collection: &EntropyCollection, is_over: bool) -> Vec<TournamentEntry> {
        let agents = self.registry.host.agents();
        let answers = |entrant: Entrant| agents.entropy_answers(&self.agent_name(entrant), self.tournament);
        let versions = self.live.view().folded.versions.clone();
        if !collection.is_committed {
            let mut commitments = vec![None; versions.len()];
            for entrant in &collection.asked {
                commitments[entrant.index()] = answers(*entrant).commitment;
            }
            let is_complete = collection.asked.iter().all(|asked| commitments[asked.index()].is_some());
            let is_done = is_over || is_complete;
            return if is_done { vec![TournamentEntry::Committed { commitments }] } else { Vec::new() };
        }
        let (mut entries, mut collected) = (Vec::new(), collection.clone());
        for entrant in &collection.asked {
            let Some(entropy) = answers(*entrant).reveal else { continue };
            // A reveal that does not match is as good as none.
            if collected.reveal(self.tournament, Some(*entrant), entropy).is_ok() {
                entries.push(TournamentEntry::Revealed { entrant: Some(*entrant), entropy });
            }
        }
        if is_over || !collected.awaits_reveals() {
            entries.push(TournamentEntry::Started { versions, entropy: collected.of_entrants() });
        }
        entries
    }

    /// Asks each agent for the current step, unless it was asked for it.
    fn ask_for_entropy(&self, collection: &EntropyCollection) {
        let (commitment, versions) = {
            let folded = &self.live.view().folded;
            (folded.setup.seed().tournament_commitment(self.tournament), folded.versions.clone())
        };
        let commitments: Vec<_> = collection.shown().iter().map(|added| added.commitment).collect();
        for entrant in &collection.asked {
            if collection.is_committed && !collection.of(Some(*entrant)).is_unrevealed() {
                continue;
            }
            let request =
                EntropyRequest { tournament: self.tournament, commitment, commitments: commitments.clone() };
            let version = &versions[entrant.index()];
            self.registry.host.agents().ask_entropy(&self.agent_name(*entrant), version, request);
        }
    }

    /// Ends the requests to the agents of a tournament that has begun, and counts what was withheld.
    fn end_entropy_requests(&self, asked: &[Entrant]) {
        let entropy = self.live.view().folded.entropy.clone();
        for entrant in asked {
            let is_withheld = entropy.get(entrant.index() + 1).is_some_and(AddedEntropy::is_unrevealed);
            self.end_entropy_request(*entrant, is_withheld);
        }
    }

    fn end_entropy_request(&self, entrant: Entrant, is_withheld: bool) {
        let name = self.agent_name(entrant);
        self.registry.host.agents().end_entropy_request(&name, self.tournament, is_withheld);
    }

    fn agent_name(&self, entrant: Entrant) -> String {
        self.live.view().folded.setup.terms.entrants[entrant.index()].name().to_owned()
    }
}
