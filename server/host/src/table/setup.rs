//! How a table is set up: everything that was decided when it was created.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, Seat};

use super::{Deal, IdempotencyKey};
use crate::{Secret, TableId};
use parlor_fair::{Commitment, ServerSeed};

/// ViewerCredential is to sit on a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatSetup {
    /// Whoever joins first.
    Open,
    /// One player, and nobody else.
    Reserved {
        /// The owner's own name for the user, if there is one.
        user: Option<String>,
        /// The name that others see; may be empty.
        name: String,
        /// At a rematch: the seat that the player had at the table before, whose token opens this one.
        previous: Option<Seat>,
    },
    /// A bot of the house.
    House {
        /// Its name, such as `greedy`.
        bot: String,
    },
    /// An agent, from the beginning.
    Agent {
        /// Its name.
        name: String,
        /// The version that plays.
        version: String,
    },
}

impl SeatSetup {
    /// Whether somebody sits there from the beginning, and nobody joins.
    #[must_use]
    pub const fn is_filled(&self) -> bool {
        matches!(self, SeatSetup::House { .. } | SeatSetup::Agent { .. })
    }
}

/// How much time the players have. All times are milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// For each decision; 0 means that no clock runs.
    pub decision: u32,
    /// For the whole game, used up by decisions that take longer.
    pub bank: u32,
    /// How long, over the whole game, a player may be disconnected before the clock runs on.
    pub grace: u32,
    /// After so many decisions that ran out of time, the seat forfeits; 0 means never.
    pub forfeit_after: u32,
    /// For a decision whose existence is secret. It touches neither bank nor forfeits.
    pub secret: u32,
    /// Whether a moment at which somebody may be asked in secret always lasts that long.
    pub constant_secret: bool,
}

/// ViewerCredential may look on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Everyone, and the table is listed.
    Public,
    /// Those who hold a spectator token.
    Private,
}

/// Where the cards come from.
#[derive(Clone, PartialEq, Eq)]
pub enum ChanceSetup {
    /// A seed of the server's, committed to at creation, with the entropy of those who join.
    Fresh {
        /// The secret behind the commitment.
        server_seed: [u8; 32],
    },
    /// A seed that the owner gave: for tests and training, and never rated.
    Given {
        /// The seed of the game itself.
        seed: [u8; 32],
    },
    /// Orders of cards that are fixed: for tests of the server itself, such as those for leaks. No request makes such a
    /// table; it can only be put into a log. It is shown like one whose seed was given.
    Scripted {
        /// The seed behind the orders.
        seed: [u8; 32],
        /// For each shuffle that is fixed, the codes of the cards that come first.
        orders: Vec<(parlor_engine::ShuffleId, Vec<u8>)>,
    },
    /// A deal of a tournament, which several tables play.
    Deal(Box<Deal>),
}

impl ChanceSetup {
    /// Whether somebody chose the cards.
    #[must_use]
    pub fn is_given(&self) -> bool {
        match self {
            ChanceSetup::Fresh { .. } => false,
            ChanceSetup::Given { .. } | ChanceSetup::Scripted { .. } => true,
            ChanceSetup::Deal(deal) => deal.given,
        }
    }

    /// The deal of a tournament that the cards come from, if they do.
    #[must_use]
    pub fn deal(&self) -> Option<&Deal> {
        if let ChanceSetup::Deal(deal) = self { Some(deal) } else { None }
    }

    /// The randomness of a house bot for one decision of its seat.
    #[must_use]
    pub fn bot_seed(&self, seat: Seat, decision: u64) -> Secret<[u8; 32]> {
        match self {
            ChanceSetup::Fresh { server_seed: seed }
            | ChanceSetup::Given { seed }
            | ChanceSetup::Scripted { seed, .. } => ServerSeed::from_bytes(*seed).bot_seed(seat, decision),
            ChanceSetup::Deal(deal) => deal.seed().bot_seed(deal.rotation, seat, decision),
        }
    }
}

/// A seed is not printed.
impl std::fmt::Debug for ChanceSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ChanceSetup::Fresh { .. } => "Fresh",
            ChanceSetup::Given { .. } => "SeatAssignment",
            ChanceSetup::Scripted { .. } => "Scripted",
            ChanceSetup::Deal(_) => "Deal",
        })
    }
}

/// Everything that was decided when the table was created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The table.
    pub table: TableId,
    /// The owner's name.
    pub owner: String,
    /// The game, with its options.
    pub options: AnyOptions,
    /// The rules it is played by, to the end.
    pub rules_version: u32,
    /// One for each player, in the order of the seats.
    pub seats: Vec<SeatSetup>,
    /// How much time the players have.
    pub time: TimeControl,
    /// ViewerCredential may look on.
    pub visibility: Visibility,
    /// Where the cards come from.
    pub chance: ChanceSetup,
    /// What the owner wants to remember with the table.
    pub metadata: BTreeMap<String, String>,
    /// When it was created, in milliseconds since 1970.
    pub created: u64,
    /// For how many milliseconds it waits for its seats to be filled.
    pub fill: u64,
    /// The table that this one is a rematch of.
    pub rematch_of: Option<TableId>,
    /// The request that created it.
    pub request: Option<IdempotencyKey>,
}

impl Setup {
    /// When the table expires unless its seats are filled, in milliseconds since 1970.
    #[must_use]
    pub fn expires(&self) -> u64 {
        self.created.saturating_add(self.fill)
    }

    /// What the server shows of its seed before anyone joins; nothing if the seed was given.
    #[must_use]
    pub fn commitment(&self) -> Option<Commitment> {
        match &self.chance {
            ChanceSetup::Fresh { server_seed } => {
                Some(ServerSeed::from_bytes(*server_seed).commitment(self.table))
            }
            ChanceSetup::Given { .. } | ChanceSetup::Scripted { .. } => None,
            ChanceSetup::Deal(deal) => (!deal.given).then(|| deal.seed().commitment()),
        }
    }
}
