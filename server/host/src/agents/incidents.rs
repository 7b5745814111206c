//! Answers and incidents of agents; repeated incidents suspend an agent.

use std::sync::Arc;
use std::time::Duration;

use super::{Agent, AgentEntry, AgentError, AgentRegistry, Suspension, SuspensionReason};
use crate::metric_names::AGENTS_SET_ASIDE;

/// The connection ends after this many times as many consecutive refused answers as suspend an agent.
const REFUSALS_CLOSE_FACTOR: u32 = 10;

impl AgentRegistry {
    /// Records an accepted answer to a decision that is not secret. `reported` is the agent's own measure of
    /// its time, in milliseconds.
    pub(crate) fn record_answer(&self, agent: &Agent, took: Duration, reported: Option<u32>) {
        agent.state().health.record_answer(took, reported);
    }

    /// Records a refused answer. Returns the error that ends the connection, after too many in a row.
    pub(crate) fn record_refusal(&self, agent: &Arc<Agent>) -> Option<AgentError> {
        self.record_incident(agent, SuspensionReason::BrokeRules);
        let refused = agent.state().health.consecutive_refusals();
        (refused >= self.settings().max_refused_answers.saturating_mul(REFUSALS_CLOSE_FACTOR))
            .then_some(AgentError::TooManyRefusals { refused })
    }

    /// Records that the clock of a connected agent ran out for a decision that is not secret.
    pub(crate) fn record_timeout(&self, name: &str) {
        if let Some(agent) = self.find(name) {
            self.record_incident(&agent, SuspensionReason::TimedOut);
        }
    }

    /// Records an incident, and suspends the agent if there were enough of them.
    pub(super) fn record_incident(&self, agent: &Arc<Agent>, reason: SuspensionReason) {
        let now = self.0.clock.now_ms();
        let suspension = {
            let mut state = agent.state();
            let is_enough = state.health.record_incident(reason, self.0.clock.now(), self.settings());
            if !is_enough || state.suspension_at(now).is_some() {
                return;
            }
            let suspension = Suspension::following(state.suspension, reason, now, self.settings());
            state.suspension = Some(suspension);
            if let Some(connection) = &mut state.connection {
                connection.suspension = Some(suspension);
                connection.assigned.notify_one();
            }
            suspension
        };
        tracing::warn!(agent = agent.identity.name, why = reason.description(), "agent suspended");
        metrics::counter!(AGENTS_SET_ASIDE, "why" => reason.label()).increment(1);
        self.notify_changed();
        self.log_suspension(agent, suspension);
    }

    /// Appends a suspension to the agent's log and notifies of its end, in the background.
    fn log_suspension(&self, agent: &Arc<Agent>, suspension: Suspension) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (registry, agent) = (self.clone(), agent.clone());
        runtime.spawn(async move {
            let Suspension { reason, until, consecutive, .. } = suspension;
            registry.append_entry(&agent, AgentEntry::Suspended { reason, until, consecutive }).await;
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
