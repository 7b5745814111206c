//! [`JoinTable`], builder of a seat to join, and [`JoinedSeat`], the seat joined.

use std::fmt;

use crate::{Error, SeatToken, wire};

/// A seat to join.
///
/// ```
/// use parlor_sdk::JoinTable;
/// let join = JoinTable::new("the id of the table").seat(1).display_name("Ada");
/// ```
#[derive(Clone, PartialEq)]
#[must_use = "nothing is taken before `Client::join_table`"]
pub struct JoinTable {
    pub(crate) request: wire::JoinTableRequest,
    pub(crate) adds_entropy: bool,
}

impl JoinTable {
    /// Joins the first open seat. The SDK contributes 32 random bytes to the shuffle, so that you need trust
    /// nobody for it.
    pub fn new(table_id: impl Into<String>) -> JoinTable {
        let request = wire::JoinTableRequest { table_id: table_id.into(), ..Default::default() };
        JoinTable { request, adds_entropy: true }
    }

    /// Joins this seat only.
    pub fn seat(mut self, seat: u32) -> JoinTable {
        self.request.seat = Some(seat);
        self
    }

    /// Joins for one of your users, on the seat reserved for them, if any. For the owner of the table.
    pub fn user_id(mut self, user_id: impl Into<String>) -> JoinTable {
        self.request.user_id = user_id.into();
        self
    }

    /// Name shown to others.
    pub fn display_name(mut self, name: impl Into<String>) -> JoinTable {
        self.request.display_name = name.into();
        self
    }

    /// Entropy contributed to the shuffle: up to 64 bytes. Empty: none.
    pub fn entropy(mut self, entropy: impl Into<Vec<u8>>) -> JoinTable {
        self.request.entropy = entropy.into();
        self.adds_entropy = false;
        self
    }

    /// For a rematch: token of the seat at the previous table.
    pub fn previous_token(mut self, token: &SeatToken) -> JoinTable {
        self.request.previous_token = token.reveal().into();
        self
    }

    /// Request id for idempotency across crashes of your program; repeat it with the same entropy, which must not be
    /// derived from the id. Keep the id secret: on a server without API keys whoever knows it gets the seat, and it
    /// needs at least 22 characters. Default: a random one.
    pub fn request_id(mut self, id: impl Into<String>) -> JoinTable {
        self.request.request_id = id.into();
        self
    }
}

impl From<&str> for JoinTable {
    fn from(table_id: &str) -> JoinTable {
        JoinTable::new(table_id)
    }
}

impl From<&wire::Table> for JoinTable {
    fn from(table: &wire::Table) -> JoinTable {
        JoinTable::new(&table.table_id)
    }
}

impl From<wire::JoinTableRequest> for JoinTable {
    fn from(request: wire::JoinTableRequest) -> JoinTable {
        JoinTable { request, adds_entropy: false }
    }
}

/// Omits the token and the entropy.
impl fmt::Debug for JoinTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinTable")
            .field("table_id", &self.request.table_id)
            .field("seat", &self.request.seat)
            .field("display_name", &self.request.display_name)
            .finish_non_exhaustive()
    }
}

/// A joined seat.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct JoinedSeat {
    /// Number of the seat.
    pub seat: u32,
    /// Token to play it.
    pub token: SeatToken,
    /// The table, started if this was its last free seat.
    pub table: wire::Table,
}

impl JoinedSeat {
    pub(crate) fn from_wire(reply: wire::JoinTableResponse) -> Result<JoinedSeat, Error> {
        let table = reply.table.ok_or_else(|| Error::missing_field("table"))?;
        Ok(JoinedSeat { seat: reply.seat, token: SeatToken::new(reply.seat_token), table })
    }
}
