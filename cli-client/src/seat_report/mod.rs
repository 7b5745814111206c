//! Reports of a seat for a language model: a short text and the same as structured content, both within a budget of
//! characters.
//!
//! - `log.rs`: what a seat has been told, folded from its stream.
//! - `budget.rs`: what is left out of a report that would be too long.
//! - `report.rs`: the state of a seat, with the open decision.
//! - `history.rs`: pages of what happened.
//! - `table_result.rs`: the result of a table, and how the seat was played.
//!
//! A report contains what the seat is sent, and nothing else.

mod budget;
mod history;
mod log;
mod report;
mod table_result;

pub use budget::{Budget, DEFAULT_BUDGET, MAX_BUDGET, MIN_BUDGET};
pub use history::HistoryPage;
pub use log::{DecidedAnswer, LoggedUpdate, SeatLog};
pub use report::{NumberedAction, ReportOptions, SeatReport, SeatStatus};
pub use table_result::{Conduct, SeatPlace, TableReport};

#[cfg(test)]
mod tests;
