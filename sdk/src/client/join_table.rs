//! [`JoinTable`], builder of a seat to join, and [`JoinedSeat`], the seat joined.

use std::fmt;

use crate::{Error, InviteSecret, SeatToken, wire};

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
    pub(crate) entropy: JoinEntropy,
}

/// Entropy that a join commits to.
#[derive(Clone, PartialEq)]
pub(crate) enum JoinEntropy {
    /// 32 random bytes.
    Random,
    /// These bytes.
    Given(Vec<u8>),
    /// The entropy of the request's commitment, if it has one. The caller reveals it.
    AsRequested,
}

impl JoinTable {
    /// Joins the first open seat. The SDK contributes 32 random bytes to the shuffle, so that you need trust
    /// nobody for it: it joins with a commitment to them, and a [`Session`](crate::Session) of the same client that has
    /// attached the seat reveals them when all seats are filled. If no session of this client will attach it in time,
    /// join [`without_entropy`](JoinTable::without_entropy).
    pub fn new(table_id: impl Into<String>) -> JoinTable {
        let request = wire::JoinTableRequest { table_id: table_id.into(), ..Default::default() };
        JoinTable { request, entropy: JoinEntropy::Random }
    }

    /// Joins with an invite, which names the table and needs no API key.
    ///
    /// ```
    /// use parlor_sdk::{InviteSecret, JoinTable};
    /// let join = JoinTable::invited(&InviteSecret::new("pli_...")).display_name("Ada");
    /// ```
    pub fn invited(invite: &InviteSecret) -> JoinTable {
        let request = wire::JoinTableRequest { invite: invite.reveal().into(), ..Default::default() };
        JoinTable { request, entropy: JoinEntropy::Random }
    }

    /// Joins this seat only.
    pub fn seat(mut self, seat: u32) -> JoinTable {
        self.request.seat = Some(seat);
        self
    }

    /// Joins for one of your users, on the seat reserved for them, if any. For the owner of the table. The token is then
    /// for another program, so nothing is contributed to the shuffle unless you say so after this call.
    pub fn user_id(mut self, user_id: impl Into<String>) -> JoinTable {
        self.request.user_id = user_id.into();
        self.without_entropy()
    }

    /// Name shown to others.
    pub fn display_name(mut self, name: impl Into<String>) -> JoinTable {
        self.request.display_name = name.into();
        self
    }

    /// Entropy contributed to the shuffle: 16 to 64 bytes that nobody else can guess.
    pub fn entropy(mut self, entropy: impl Into<Vec<u8>>) -> JoinTable {
        self.entropy = JoinEntropy::Given(entropy.into());
        self
    }

    /// Contributes 32 random bytes to the shuffle: the default, unless you join for a user.
    pub fn random_entropy(mut self) -> JoinTable {
        self.entropy = JoinEntropy::Random;
        self
    }

    /// Contributes nothing to the shuffle, and has nothing to reveal: for a token that another program plays.
    pub fn without_entropy(mut self) -> JoinTable {
        self.entropy = JoinEntropy::AsRequested;
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
        JoinTable { request, entropy: JoinEntropy::AsRequested }
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

/// A joined seat. `Debug` omits the entropy.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct JoinedSeat {
    /// Number of the seat.
    pub seat: u32,
    /// Token to play it.
    pub token: SeatToken,
    /// The table; starting, or started, if this was its last free seat.
    pub table: wire::Table,
    /// The server's commitment to its part of the shuffle. Keep it with the entropy, and compare it with the record:
    /// that the server has not changed its mind is proven to whoever knows what was shown before the game.
    pub commitment: Vec<u8>,
    /// Entropy that the seat has committed to. Secret until the game begins. Empty if there is none.
    pub entropy: Vec<u8>,
}

impl fmt::Debug for JoinedSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinedSeat")
            .field("seat", &self.seat)
            .field("token", &self.token)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

impl JoinedSeat {
    pub(crate) fn from_wire(reply: wire::JoinTableResponse, entropy: Vec<u8>) -> Result<JoinedSeat, Error> {
        let table = reply.table.ok_or_else(|| Error::missing_field("table"))?;
        let commitment = table.shuffle.as_ref().map(|shuffle| shuffle.commitment.clone());
        let commitment = commitment.unwrap_or_default();
        Ok(JoinedSeat {
            seat: reply.seat,
            token: SeatToken::new(reply.seat_token),
            table,
            commitment,
            entropy,
        })
    }
}
