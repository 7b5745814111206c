//! Answers and incidents of agents; repeated incidents suspend an agent within the scope in which they happened.

use std::sync::Arc;
use std::time::Duration;

use super::seat_counts::scope_of;
use super::{Agent, AgentEntry, AgentError, AgentRegistry, Suspension, SuspensionReason, SuspensionScope};
use crate::metric_names::AGENTS_SET_ASIDE;
use crate::table::Setup;

/// Shortest time for a decision at which incidents count, in milliseconds. An agent cannot be blamed for a shorter one.
pub const MIN_COUNTED_DECISION_MS: u32 = 1_000;
/// The connection ends after this many times as many consecutive refused answers as suspend an agent.
const REFUSALS_CLOSE_FACTOR: u32 = 10;

/// Returns whether incidents count at tables with this time for a decision; 0 is a table without a clock.
pub(super) const fn counts_incidents(decision_ms: u32) -> bool {
    decision_ms == 0 || decision_ms >= MIN_COUNTED_DECISION_MS
}

impl AgentRegistry {
    /// Records an accepted answer to a decision that is not secret. `reported` is the agent's own measure of
    /// its time, in milliseconds.
    pub(crate) fn record_answer(&self, agent: &Agent, setup: &Setup, took: Duration, reported: Option<u32>) {
        let mut state = agent.state();
        state.consecutive_refusals = 0;
        state.health.record_answer(&scope_of(setup));
        state.answer_times.record(took, reported);
    }

    /// Records an answer that a table refused. Returns the error that ends the connection, after too many in a row.
    pub(crate) fn record_refusal(&self, agent: &Arc<Agent>, setup: &Setup) -> Option<AgentError> {
        let scope = counts_incidents(setup.time.decision).then(|| scope_of(setup));
        self.count_refusal(agent, scope)
    }

    /// Records an answer that belongs to no table. It is counted for the owner of the agent's name: no organiser's tables
    /// have suffered.
    pub(crate) fn record_stray_answer(&self, agent: &Arc<Agent>) -> Option<AgentError> {
        self.count_refusal(agent, Some(SuspensionScope::of_tables(&agent.identity.owner)))
    }

    fn count_refusal(&self, agent: &Arc<Agent>, scope: Option<SuspensionScope>) -> Option<AgentError> {
        let refused = {
            let mut state = agent.state();
            state.answer_times.refused += 1;
            state.consecutive_refusals = state.consecutive_refusals.saturating_add(1);
            state.consecutive_refusals
        };
        if let Some(scope) = scope {
            self.record_incident(agent, &scope, SuspensionReason::BrokeRules);
        }
        (refused >= self.settings().max_refused_answers.saturating_mul(REFUSALS_CLOSE_FACTOR))
            .then_some(AgentError::TooManyRefusals { refused })
    }

    /// Records that the clock of a connected agent ran out for a decision that is not secret.
    pub(crate) fn record_timeout(&self, name: &str, setup: &Setup) {
        if let Some(agent) = self.find(name)
            && counts_incidents(setup.time.decision)
        {
            agent.state().answer_times.timeouts += 1;
            self.record_incident(&agent, &scope_of(setup), SuspensionReason::TimedOut);
        }
    }

    /// Records that a connection ended, which all organisers suffer at whose tables the agent has a seat.
    pub(super) fn record_end(&self, agent: &Arc<Agent>, incident: SuspensionReason) {
        let mut scopes = agent.state().tables.scopes();
        if scopes.is_empty() && incident != SuspensionReason::BrokeOff {
            scopes.push(SuspensionScope::of_tables(&agent.identity.owner));
        }
        scopes.iter().for_each(|scope| self.record_incident(agent, scope, incident));
    }

    /// Records an incident, and suspends the agent if there were enough of them.
    fn record_incident(&self, agent: &Arc<Agent>, scope: &SuspensionScope, reason: SuspensionReason) {
        let now = (self.0.clock.now(), self.0.clock.now_ms());
        let suspension = {
            let mut state = agent.state();
            let Some(suspension) = state.health.record_incident(scope, reason, now, self.settings()) else {
                return;
            };
            if let Some(connection) = &mut state.connection {
                connection.suspension = Some(suspension);
                connection.assigned.notify_one();
            }
            suspension
        };
        tracing::warn!(agent = agent.identity.name, why = reason.description(), "agent suspended");
        metrics::counter!(AGENTS_SET_ASIDE, "why" => reason.label()).increment(1);
        self.notify_changed();
        self.log_suspension(agent, scope.clone(), suspension);
    }

    /// Appends a suspension to the agent's log and notifies of its end, in the background.
    fn log_suspension(&self, agent: &Arc<Agent>, scope: SuspensionScope, suspension: Suspension) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (registry, agent) = (self.clone(), agent.clone());
        runtime.spawn(async move {
            let Suspension { reason, until, consecutive, .. } = suspension;
            let entry = AgentEntry::Suspended { scope: Some(scope), reason, until, consecutive };
            registry.append_entry(&agent, entry).await;
            let clock = registry.0.clock.clone();
            // The wait must not keep the registry alive after the host has stopped.
            let registry = Arc::downgrade(&{ registry }.0);
            let remaining = Duration::from_millis(until.saturating_sub(clock.now_ms()));
            clock.sleep_until(clock.now() + remaining).await;
            if let Some(registry) = registry.upgrade() {
                AgentRegistry(registry).notify_changed();
            }
        });
    }
}
