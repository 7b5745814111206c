//! Agents: programs that play under a registered name and are assigned seats.
//!
//! The [`AgentRegistry`] has every agent that was ever registered: its durable identity (`registration.rs`),
//! its connection and the tables at which it has a seat (`agent.rs`, `seat_counts.rs`), and its conduct
//! (`health.rs`), which may suspend it (`incidents.rs`, `suspension.rs`). An agent plays over a stream of the host like every
//! client; the registry only assigns seats to it (`seats.rs`, `agent_stream.rs`), and asks it for entropy for tournaments
//! (`entropy.rs`). Names that are not used expire (`name_expiry.rs`).

pub(crate) mod agent;
pub(crate) mod agent_stream;
mod answer_times;
mod entropy;
mod error;
mod health;
mod incidents;
mod name_expiry;
mod registration;
mod registry;
mod seat_counts;
mod seats;
mod summary;
mod suspension;
#[cfg(test)]
mod tests;

pub(crate) use agent::Agent;
/// Stands in the place of the game in the listing of an agent.
pub const LISTED_GAME: &str = "agent";

pub use answer_times::AnswerTimes;
pub use entropy::{EntropyAnswer, EntropyAnswers, EntropyRequest};
pub use error::AgentError;
pub use incidents::MIN_COUNTED_DECISION_MS;
pub use registration::{AgentEntry, AgentIdentity, AgentProfile, SeatedBy};
pub use registry::AgentRegistry;
pub use seats::{AgentRequirement, SeatAssignment};
pub use summary::{AgentFilter, AgentStatus, AgentSummary, Availability};
pub use suspension::{Suspension, SuspensionReason, SuspensionScope};
