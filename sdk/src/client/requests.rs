//! What is asked of tables, as values: a table to be made, a seat to be taken, tables to be listed.

use std::fmt;

use crate::error::Reason;
use crate::{Error, SeatToken, options, wire};

/// A table to be made: the game, who is to sit where, and the rest, which the server fills in if it is not said.
///
/// ```
/// use parlor_sdk::NewTable;
/// let table = NewTable::of("gap")?.house_bot("greedy").reserved_seat("user 17", "Ada").open_seat().private();
/// # Ok::<(), parlor_sdk::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[must_use = "nothing is made before `Client::create_table`"]
pub struct NewTable {
    pub(crate) request: wire::CreateTableRequest,
}

impl NewTable {
    /// A table of the game with this id, with its usual options.
    pub fn of(game: &str) -> Result<NewTable, Error> {
        Ok(NewTable::with_options(options::usual(game)?))
    }

    /// A table of a game with options.
    pub fn with_options(options: impl Into<wire::GameOptions>) -> NewTable {
        let request = wire::CreateTableRequest { options: Some(options.into()), ..Default::default() };
        NewTable { request }
    }

    /// One more seat, for whoever comes first.
    pub fn open_seat(self) -> NewTable {
        self.seat(wire::seat_setup::Occupant::Open(wire::OpenSeat {}))
    }

    /// So many more seats, for whoever comes first.
    pub fn open_seats(self, seats: usize) -> NewTable {
        (0..seats).fold(self, |table, _| table.open_seat())
    }

    /// One more seat, with a bot of the house on it.
    pub fn house_bot(self, name: impl Into<String>) -> NewTable {
        self.seat(wire::seat_setup::Occupant::HouseBot(wire::HouseBotSeat { name: name.into() }))
    }

    /// One more seat, with the agent of this name on it, in the version that is connected.
    pub fn agent(self, name: impl Into<String>) -> NewTable {
        let (name, version) = (name.into(), String::new());
        self.seat(wire::seat_setup::Occupant::Agent(wire::AgentSeat { name, version }))
    }

    /// One more seat, kept for a user of yours, whom others see under a name.
    pub fn reserved_seat(self, user_id: impl Into<String>, display_name: impl Into<String>) -> NewTable {
        let (user_id, display_name) = (user_id.into(), display_name.into());
        self.seat(wire::seat_setup::Occupant::Reserved(wire::ReservedSeat { user_id, display_name }))
    }

    fn seat(mut self, occupant: wire::seat_setup::Occupant) -> NewTable {
        self.request.seats.push(wire::SeatSetup { occupant: Some(occupant) });
        self
    }

    /// How much time players have.
    pub fn clock(mut self, clock: wire::ClockSettings) -> NewTable {
        self.request.clock = Some(clock);
        self
    }

    /// Players have as much time as they like.
    pub fn without_clock(self) -> NewTable {
        self.clock(wire::ClockSettings { decision_ms: Some(0), ..Default::default() })
    }

    /// Only you, the players, and whoever has a spectator token can see it.
    pub fn private(mut self) -> NewTable {
        self.request.visibility = wire::Visibility::Private.into();
        self
    }

    /// A note of yours, which you get back with the table.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> NewTable {
        self.request.metadata.insert(key.into(), value.into());
        self
    }

    /// How long the table waits for players before it expires, in milliseconds.
    pub fn fill_ms(mut self, fill_ms: u32) -> NewTable {
        self.request.fill_ms = Some(fill_ms);
        self
    }

    /// The seed of the shuffle, for tests and training: needs a key with the scope `seeded_tables`, shows on every
    /// view, and is never rated.
    pub fn seed(mut self, seed: [u8; 32]) -> NewTable {
        let seed = wire::GivenSeed { seed: seed.to_vec() };
        self.request.chance = Some(wire::create_table_request::Chance::GivenSeed(seed));
        self
    }

    /// Your own request id, so that you can make the same request again after a crash. Otherwise the SDK makes one.
    pub fn request_id(mut self, id: impl Into<String>) -> NewTable {
        self.request.request_id = id.into();
        self
    }
}

impl From<wire::CreateTableRequest> for NewTable {
    fn from(request: wire::CreateTableRequest) -> NewTable {
        NewTable { request }
    }
}

/// A seat to be taken.
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
    /// The first seat of the table that is open. The SDK adds 32 random bytes to the shuffle, so that you need trust
    /// nobody for it.
    pub fn new(table_id: impl Into<String>) -> JoinTable {
        let request = wire::JoinTableRequest { table_id: table_id.into(), ..Default::default() };
        JoinTable { request, adds_entropy: true }
    }

    /// This seat and no other.
    pub fn seat(mut self, seat: u32) -> JoinTable {
        self.request.seat = Some(seat);
        self
    }

    /// For a user of yours, who gets the seat that is reserved for them, if there is one. For the owner of the table.
    pub fn user_id(mut self, user_id: impl Into<String>) -> JoinTable {
        self.request.user_id = user_id.into();
        self
    }

    /// The name that others see.
    pub fn display_name(mut self, name: impl Into<String>) -> JoinTable {
        self.request.display_name = name.into();
        self
    }

    /// What is added to the shuffle: up to 64 bytes, none if they are empty.
    pub fn entropy(mut self, entropy: impl Into<Vec<u8>>) -> JoinTable {
        self.request.entropy = entropy.into();
        self.adds_entropy = false;
        self
    }

    /// For a rematch: the token of the seat at the table before.
    pub fn previous_token(mut self, token: &SeatToken) -> JoinTable {
        self.request.previous_token = token.reveal().into();
        self
    }

    /// Your own request id, so that you can make the same request again after a crash, with the same entropy. Otherwise
    /// the SDK makes one.
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

/// Shows no token, and nothing of what goes into the shuffle.
impl fmt::Debug for JoinTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinTable")
            .field("table_id", &self.request.table_id)
            .field("seat", &self.request.seat)
            .field("display_name", &self.request.display_name)
            .finish_non_exhaustive()
    }
}

/// A seat that was taken.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Joined {
    /// The number of the seat.
    pub seat: u32,
    /// The token to play it.
    pub token: SeatToken,
    /// The table, which has started if this was the last seat.
    pub table: wire::Table,
}

impl Joined {
    pub(crate) fn from_wire(reply: wire::JoinTableResponse) -> Result<Joined, Error> {
        let table = reply.table.ok_or_else(|| Error::lacks("table"))?;
        Ok(Joined { seat: reply.seat, token: SeatToken::new(reply.seat_token), table })
    }
}

/// Which tables to list. Everything that is said must hold.
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
    /// Every table that you may see.
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

    /// Only tables in this state; called several times, in one of these.
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

    /// Only tables with a seat that is open.
    #[must_use]
    pub fn open_seat(mut self) -> TableFilter {
        self.request.open_seat = true;
        self
    }

    /// Only tables of yours with a seat of this user.
    #[must_use]
    pub fn user_id(mut self, user_id: impl Into<String>) -> TableFilter {
        self.request.user_id = user_id.into();
        self
    }

    /// Only tables of yours with this note.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> TableFilter {
        self.request.metadata.insert(key.into(), value.into());
        self
    }

    /// How many tables the server sends at a time: 1 to 100.
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

/// Which seat is given up: by the player, or by the owner of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Resigning {
    /// The seat of this token.
    Player(SeatToken),
    /// A seat of a table that you own.
    Owner {
        /// The id of the table.
        table_id: String,
        /// The seat.
        seat: u32,
    },
}

impl From<&SeatToken> for Resigning {
    fn from(token: &SeatToken) -> Resigning {
        Resigning::Player(token.clone())
    }
}

impl From<Resigning> for wire::ResignSeatRequest {
    fn from(resigning: Resigning) -> wire::ResignSeatRequest {
        use wire::resign_seat_request::Seat;
        let seat = match resigning {
            Resigning::Player(token) => Seat::SeatToken(token.reveal().into()),
            Resigning::Owner { table_id, seat } => Seat::SeatAtTable(wire::SeatAtTable { table_id, seat }),
        };
        wire::ResignSeatRequest { seat: Some(seat) }
    }
}

/// No such game.
pub(crate) fn unknown_game(game: &str) -> Error {
    Error::new(
        Reason::GameNotFound,
        format!("this client knows no game {game:?}: list the games of the server"),
    )
}
