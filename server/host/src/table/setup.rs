//! Setup of a table: all settings that are fixed at its creation.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, Seat};

use super::{Deal, IdempotencyKey};
use crate::{Secret, TableId};
use parlor_fair::{Commitment, ServerSeed};

/// Occupant of a seat as fixed at creation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatSetup {
    /// Open to the first player that joins.
    Open,
    /// Reserved for one player.
    Reserved {
        /// The owner's own id of the user, if any.
        user: Option<String>,
        /// The name that others see; may be empty.
        name: String,
        /// At a rematch: the player's seat at the previous table, whose token opens this one.
        previous: Option<Seat>,
    },
    /// House bot.
    House {
        /// Name of the bot, such as `greedy`.
        bot: String,
    },
    /// Agent, seated from the beginning.
    Agent {
        /// Name of the agent.
        name: String,
        /// Version of the agent that plays.
        version: String,
    },
}

impl SeatSetup {
    /// True if the seat is occupied from the beginning, so that no player joins it.
    #[must_use]
    pub const fn is_filled(&self) -> bool {
        matches!(self, SeatSetup::House { .. } | SeatSetup::Agent { .. })
    }
}

/// Time control of a table. All times are in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Time for each decision; 0 disables the clock.
    pub decision: u32,
    /// Time bank for the whole game, charged by decisions that exceed `decision`.
    pub bank: u32,
    /// Grace for disconnections over the whole game, during which the clock stands still.
    pub grace: u32,
    /// Number of timeouts after which the seat forfeits; 0 means never.
    pub forfeit_after: u32,
    /// Time for a secret decision, one whose existence is hidden. It affects neither bank nor forfeits.
    pub secret: u32,
    /// If true, a window in which a secret decision is possible always lasts `secret` milliseconds.
    pub constant_secret: bool,
}

/// Visibility of a table to spectators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Visible to everyone, and listed.
    Public,
    /// Visible to holders of a spectator token.
    Private,
}

/// Source of a table's shuffles.
#[derive(Clone, PartialEq, Eq)]
pub enum ChanceSetup {
    /// Server seed, committed to at creation and combined with the entropy of the players.
    Fresh {
        /// Preimage of the commitment; secret until the table is over.
        server_seed: [u8; 32],
    },
    /// Seed given by the owner: for tests and training, never rated.
    Given {
        /// Game seed.
        seed: [u8; 32],
    },
    /// Fixed card orders: for tests of the server itself, such as those for information leaks. No request creates
    /// one; it can only be written to a log. It is shown like a given seed.
    Scripted {
        /// Game seed, for everything that the orders do not fix.
        seed: [u8; 32],
        /// Codes of the first cards of each fixed shuffle.
        orders: Vec<(parlor_engine::ShuffleId, Vec<u8>)>,
    },
    /// Deal of a tournament, which several tables play.
    Deal(Box<Deal>),
}

impl ChanceSetup {
    /// True if the cards follow from a seed or an order that a person chose.
    #[must_use]
    pub fn has_given_seed(&self) -> bool {
        match self {
            ChanceSetup::Fresh { .. } => false,
            ChanceSetup::Given { .. } | ChanceSetup::Scripted { .. } => true,
            ChanceSetup::Deal(deal) => deal.given,
        }
    }

    /// The tournament deal that the cards come from, if any.
    #[must_use]
    pub fn deal(&self) -> Option<&Deal> {
        if let ChanceSetup::Deal(deal) = self { Some(deal) } else { None }
    }

    /// Derives the random seed of a house bot for one decision of its seat.
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

/// Omits the seed.
impl std::fmt::Debug for ChanceSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ChanceSetup::Fresh { .. } => "Fresh",
            ChanceSetup::Given { .. } => "Given",
            ChanceSetup::Scripted { .. } => "Scripted",
            ChanceSetup::Deal(_) => "Deal",
        })
    }
}

/// Settings of a table that are fixed at its creation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Id of the table.
    pub table: TableId,
    /// Name of the owner.
    pub owner: String,
    /// Game and its options.
    pub options: AnyOptions,
    /// Version of the rules, which applies to the end of the game.
    pub rules_version: u32,
    /// Occupants in seat order, one per player.
    pub seats: Vec<SeatSetup>,
    /// Time control.
    pub time: TimeControl,
    /// Visibility to spectators.
    pub visibility: Visibility,
    /// Source of the shuffles.
    pub chance: ChanceSetup,
    /// The owner's own key-value notes.
    pub metadata: BTreeMap<String, String>,
    /// Creation time in milliseconds since 1970.
    pub created: u64,
    /// Time to fill all seats, in milliseconds; afterwards the table expires.
    pub fill: u64,
    /// The table that this one is a rematch of.
    pub rematch_of: Option<TableId>,
    /// Idempotency key of the request that created it.
    pub request: Option<IdempotencyKey>,
}

impl Setup {
    /// Time at which the table expires unless its seats are filled, in milliseconds since 1970.
    #[must_use]
    pub fn expires(&self) -> u64 {
        self.created.saturating_add(self.fill)
    }

    /// Commitment to the server seed, public before anyone joins; `None` if the seed was given.
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
