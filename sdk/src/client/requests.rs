//! Requests about existing tables, as values: [`TableFilter`] and [`ResignTarget`].

use crate::{SeatToken, wire};

/// Filter for tables; all conditions must hold.
///
/// ```
/// use parlor_sdk::TableFilter;
/// let joinable = TableFilter::new().game("gap").open_seat();
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TableFilter {
    pub(crate) request: wire::ListTablesRequest,
}

impl TableFilter {
    /// All tables visible to you.
    #[must_use]
    pub fn new() -> TableFilter {
        TableFilter::default()
    }

    /// Only tables of this game.
    #[must_use]
    pub fn game(mut self, game: impl Into<String>) -> TableFilter {
        self.request.game = game.into();
        self
    }

    /// Only tables in this state. Repeatable: any of the given states.
    #[must_use]
    pub fn state(mut self, state: wire::TableState) -> TableFilter {
        self.request.states.push(state.into());
        self
    }

    /// Only tables that you own.
    #[must_use]
    pub fn owned(mut self) -> TableFilter {
        self.request.owned = true;
        self
    }

    /// Only tables with an open seat.
    #[must_use]
    pub fn open_seat(mut self) -> TableFilter {
        self.request.open_seat = true;
        self
    }

    /// Only your tables with a seat of this user.
    #[must_use]
    pub fn user_id(mut self, user_id: impl Into<String>) -> TableFilter {
        self.request.user_id = user_id.into();
        self
    }

    /// Only your tables with this metadata entry.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> TableFilter {
        self.request.metadata.insert(key.into(), value.into());
        self
    }

    /// Tables per page: 1 to 100.
    #[must_use]
    pub fn page_size(mut self, tables: u32) -> TableFilter {
        self.request.page_size = tables;
        self
    }
}

impl From<wire::ListTablesRequest> for TableFilter {
    fn from(request: wire::ListTablesRequest) -> TableFilter {
        TableFilter { request }
    }
}

/// The seat to resign: by its player, or by the owner of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ResignTarget {
    /// The seat of this token.
    Player(SeatToken),
    /// A seat of a table that you own.
    Owner {
        /// Id of the table.
        table_id: String,
        /// The seat.
        seat: u32,
    },
}

impl From<&SeatToken> for ResignTarget {
    fn from(token: &SeatToken) -> ResignTarget {
        ResignTarget::Player(token.clone())
    }
}

impl From<ResignTarget> for wire::ResignSeatRequest {
    fn from(resigning: ResignTarget) -> wire::ResignSeatRequest {
        use wire::resign_seat_request::Seat;
        let seat = match resigning {
            ResignTarget::Player(token) => Seat::SeatToken(token.reveal().into()),
            ResignTarget::Owner { table_id, seat } => Seat::SeatAtTable(wire::SeatAtTable { table_id, seat }),
        };
        wire::ResignSeatRequest { seat: Some(seat) }
    }
}
