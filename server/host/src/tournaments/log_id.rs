//! Ids at the border between tournaments and the log, which keys the logs of tables, tournaments and agents
//! alike by [`TableId`]. Both kinds of id have the same 16 bytes.

use parlor_fair::{TableId, TournamentId};

/// Key of the log of a tournament.
pub(crate) const fn log_id(tournament: TournamentId) -> TableId {
    TableId::from_bytes(*tournament.as_bytes())
}

/// The tournament of a log whose kind is [`LogKind::Tournament`](parlor_store::LogKind::Tournament).
pub(crate) const fn tournament_of_log(log: TableId) -> TournamentId {
    TournamentId::from_bytes(*log.as_bytes())
}
