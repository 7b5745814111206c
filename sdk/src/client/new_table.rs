//! [`NewTable`]: builder of a table to create.

use crate::error::Reason;
use crate::{Error, wire};

/// A table to create: the game, the seats, and optional settings, which the server defaults.
///
/// ```
/// use parlor_sdk::NewTable;
/// let table = NewTable::new("gap").house_bot("greedy").reserved_seat("user 17", "Ada").open_seat().private();
/// ```
#[derive(Clone, PartialEq, Debug)]
#[must_use = "nothing is made before `Client::create_table`"]
pub struct NewTable {
    pub(crate) request: wire::CreateTableRequest,
}

impl NewTable {
    /// A table of the game with this id, with its default options. The server knows which games there are.
    pub fn new(game: impl Into<String>) -> NewTable {
        NewTable { request: wire::CreateTableRequest { game: game.into(), ..Default::default() } }
    }

    /// A table of the game of these options.
    pub fn with_options(options: impl Into<wire::GameOptions>) -> NewTable {
        let request = wire::CreateTableRequest { options: Some(options.into()), ..Default::default() };
        NewTable { request }
    }

    /// Adds a seat open to everyone.
    pub fn open_seat(self) -> NewTable {
        self.seat(wire::seat_setup::Occupant::Open(wire::OpenSeat {}))
    }

    /// Adds seats open to everyone.
    pub fn open_seats(self, seats: usize) -> NewTable {
        (0..seats).fold(self, |table, _| table.open_seat())
    }

    /// Adds a seat played by a house bot.
    pub fn house_bot(self, name: impl Into<String>) -> NewTable {
        self.seat(wire::seat_setup::Occupant::HouseBot(wire::HouseBotSeat { name: name.into() }))
    }

    /// Adds a seat played by the agent of this name, in the connected version.
    pub fn agent(self, name: impl Into<String>) -> NewTable {
        let (name, version) = (name.into(), String::new());
        self.seat(wire::seat_setup::Occupant::Agent(wire::AgentSeat { name, version }))
    }

    /// Adds a seat reserved for one of your users, shown to others under `display_name`.
    pub fn reserved_seat(self, user_id: impl Into<String>, display_name: impl Into<String>) -> NewTable {
        let (user_id, display_name) = (user_id.into(), display_name.into());
        self.seat(wire::seat_setup::Occupant::Reserved(wire::ReservedSeat { user_id, display_name }))
    }

    fn seat(mut self, occupant: wire::seat_setup::Occupant) -> NewTable {
        self.request.seats.push(wire::SeatSetup { occupant: Some(occupant) });
        self
    }

    /// Time control.
    pub fn clock(mut self, clock: wire::ClockSettings) -> NewTable {
        self.request.clock = Some(clock);
        self
    }

    /// No time limit.
    pub fn without_clock(self) -> NewTable {
        self.clock(wire::ClockSettings { decision_ms: Some(0), ..Default::default() })
    }

    /// Visible only to you, the players, and holders of a spectator token.
    pub fn private(mut self) -> NewTable {
        self.request.visibility = wire::Visibility::Private.into();
        self
    }

    /// Adds a metadata entry, returned with the table to its owner.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> NewTable {
        self.request.metadata.insert(key.into(), value.into());
        self
    }

    /// Time in milliseconds until the table expires if its seats are not filled.
    pub fn fill_ms(mut self, fill_ms: u32) -> NewTable {
        self.request.fill_ms = Some(fill_ms);
        self
    }

    /// Seed of the shuffle, for tests and training. Needs a key with the scope `seeded_tables`; is shown on
    /// every view; the table is never rated.
    pub fn seed(mut self, seed: [u8; 32]) -> NewTable {
        let seed = wire::GivenSeed { seed: seed.to_vec() };
        self.request.chance = Some(wire::create_table_request::Chance::GivenSeed(seed));
        self
    }

    /// Request id for idempotency across crashes of your program. Default: a random one.
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

/// Error for a game id that this crate does not know.
pub(crate) fn unknown_game(game: &str) -> Error {
    Error::new(
        Reason::GameNotFound,
        format!("this client knows no game {game:?}: list the games of the server"),
    )
}
