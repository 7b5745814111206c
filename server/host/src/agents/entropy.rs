//! Requests to agents to add entropy to the shuffles of a tournament that is starting, and their answers.

use std::sync::Arc;

use parlor_fair::{Commitment, Entropy, EntropyCommitment, TournamentId};

use super::agent::AgentState;
use super::{Agent, AgentRegistry};

/// Request to an agent: to commit to entropy or, once all commitments are known, to reveal it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyRequest {
    /// The tournament.
    pub tournament: TournamentId,
    /// Commitment of the server to the seed of the tournament.
    pub commitment: Commitment,
    /// Commitments of the organiser and then of each entrant; empty if the agent is to commit.
    pub commitments: Vec<Option<EntropyCommitment>>,
}

/// Answer of an agent to a request for entropy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntropyAnswer {
    /// It commits to entropy.
    Commit(EntropyCommitment),
    /// It reveals the entropy.
    Reveal(Entropy),
}

/// Answers of an agent for one tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntropyAnswers {
    /// The first commitment.
    pub commitment: Option<EntropyCommitment>,
    /// The last reveal, which may not match the commitment.
    pub reveal: Option<Entropy>,
}

/// A request that is open, with its answers.
pub(super) struct EntropyExchange {
    /// Version of the agent that is asked.
    version: String,
    request: EntropyRequest,
    answers: EntropyAnswers,
}

impl AgentState {
    /// Requests to a version of the agent that it has not answered.
    pub(super) fn unanswered_entropy_requests(&self, version: &str) -> Vec<EntropyRequest> {
        let is_unanswered = |exchange: &&EntropyExchange| {
            let EntropyExchange { version: asked, request, answers } = exchange;
            let is_answered = match request.commitments.as_slice() {
                [] => answers.commitment.is_some(),
                // A reveal that did not match may be corrected.
                _ => false,
            };
            asked == version && !is_answered
        };
        self.entropy.values().filter(is_unanswered).map(|exchange| exchange.request.clone()).collect()
    }
}

impl AgentRegistry {
    /// Asks an agent of this version, now or when it connects. Asking the same again has no effect.
    pub fn ask_entropy(&self, name: &str, version: &str, request: EntropyRequest) {
        let Some(agent) = self.find(name) else { return };
        let mut state = agent.state();
        let AgentState { profile, connection, entropy, .. } = &mut *state;
        let answers = match entropy.get(&request.tournament) {
            Some(open) if open.request == request && open.version == version => return,
            open => open.map(|open| open.answers).unwrap_or_default(),
        };
        let exchange = EntropyExchange { version: version.to_owned(), request: request.clone(), answers };
        entropy.insert(request.tournament, exchange);
        if let Some(connection) = connection.as_mut().filter(|_| profile.version == version) {
            connection.entropy_requests.push(request);
            connection.assigned.notify_one();
        }
    }

    /// The answers of an agent for a tournament.
    #[must_use]
    pub fn entropy_answers(&self, name: &str, tournament: TournamentId) -> EntropyAnswers {
        let agent = self.find(name);
        let answers = agent.and_then(|agent| Some(agent.state().entropy.get(&tournament)?.answers));
        answers.unwrap_or_default()
    }

    /// Ends a request. Counts it if the agent withheld its entropy.
    pub fn end_entropy_request(&self, name: &str, tournament: TournamentId, is_withheld: bool) {
        let Some(agent) = self.find(name) else { return };
        let mut state = agent.state();
        state.entropy.remove(&tournament);
        state.entropy_withheld += u32::from(is_withheld);
    }

    /// Records the answer of a connection. One that was not asked for, or comes too late, is ignored.
    pub(crate) fn record_entropy_answer(
        &self,
        agent: &Arc<Agent>,
        tournament: TournamentId,
        answer: EntropyAnswer,
    ) {
        let mut state = agent.state();
        let version = state.profile.version.clone();
        let Some(exchange) = state.entropy.get_mut(&tournament) else { return };
        if exchange.version != version {
            return;
        }
        let is_commit_step = exchange.request.commitments.is_empty();
        match answer {
            EntropyAnswer::Commit(commitment) if is_commit_step => {
                exchange.answers.commitment.get_or_insert(commitment);
            }
            EntropyAnswer::Reveal(entropy) if !is_commit_step => exchange.answers.reveal = Some(entropy),
            EntropyAnswer::Commit(_) | EntropyAnswer::Reveal(_) => return,
        }
        drop(state);
        self.notify_changed();
    }
}
