//! What the host can be asked for.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, GameId, Seat};

use crate::TableId;
use crate::agents::AgentRequirement;
use crate::identity::{Owner, VerifiedSeatToken, VerifiedSpectatorToken};
use crate::table::{IdempotencyKey, SeatRequest, SeatSetup, State, TimeControl, Visibility};

/// A table to be made. What the server has defaults for has been filled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTable {
    /// The game, with its options.
    pub options: AnyOptions,
    /// One for each player, in the order of the seats.
    pub seats: Vec<SeatSetup>,
    /// How much time the players have.
    pub time: TimeControl,
    /// ViewerCredential may look on.
    pub visibility: Visibility,
    /// Where the cards come from.
    pub chance: NewChance,
    /// What the owner wants to remember with the table.
    pub metadata: BTreeMap<String, String>,
    /// For how many milliseconds it waits for its seats to be filled.
    pub fill: u64,
    /// Whether the agents that are to sit there have to be connected.
    pub agents: AgentRequirement,
    /// What makes a repeat harmless.
    pub request: Option<IdempotencyKey>,
}

/// Where the cards of a new table come from.
#[derive(Clone, PartialEq, Eq)]
pub enum NewChance {
    /// From a seed that the host draws, and from the players.
    Fresh,
    /// From this seed, for tests and training.
    Given([u8; 32]),
}

/// A seed is not printed.
impl std::fmt::Debug for NewChance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NewChance::Fresh => "Fresh",
            NewChance::Given(_) => "SeatAssignment",
        })
    }
}

/// On whose behalf something is done to a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Actor {
    /// The owner's: only a table of this owner is touched.
    Owner(Owner),
    /// An administrator's: any table is touched.
    Admin,
    /// Whoever holds this token: the seat is touched, while the token is good.
    Seat(VerifiedSeatToken),
}

/// A seat to be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinRequest {
    /// ViewerCredential wants which seat. [`SeatRequest::previous`] is filled in by the host from `previous` below.
    pub joining: SeatRequest,
    /// Whether the owner asks: it hands out seats of private tables, and those kept for its users.
    pub by_owner: bool,
    /// At a rematch: the token of the seat at the table before.
    pub previous: Option<VerifiedSeatToken>,
}

/// Which tables are listed. What is `None` or empty is not looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableFilter {
    /// Those of this game.
    pub game: Option<GameId>,
    /// Those in one of these states.
    pub states: Vec<State>,
    /// The caller: its own tables are listed whether they are public or not. `None`: only public ones.
    pub caller: Option<Owner>,
    /// Only those of the caller.
    pub owned: bool,
    /// Only those with a seat that is open.
    pub open_seat: bool,
    /// Only those of the caller with a seat of this user.
    pub user: Option<String>,
    /// Only those of the caller whose metadata has all of this.
    pub metadata: BTreeMap<String, String>,
    /// Only those with all of these tags.
    pub tags: Vec<String>,
    /// Only those made at this time or later, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Only those made before this time.
    pub before: Option<u64>,
}

/// ViewerCredential wants to see a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ViewerCredential {
    /// The player of a seat, by its token.
    Seat(VerifiedSeatToken),
    /// Somebody at the rail, by a token for spectators.
    Spectator(VerifiedSpectatorToken),
    /// Somebody at the rail without a token: of a public table, or of one of the caller's own.
    Rail {
        /// The table.
        table: TableId,
        /// The caller, if it has a key.
        caller: Option<Owner>,
        /// Whether the caller may see every table.
        admin: bool,
    },
}

impl ViewerCredential {
    /// The table.
    #[must_use]
    pub fn table(&self) -> TableId {
        match self {
            ViewerCredential::Seat(pass) => pass.table(),
            ViewerCredential::Spectator(pass) => pass.table(),
            ViewerCredential::Rail { table, .. } => *table,
        }
    }

    /// The seat, if it is a player.
    #[must_use]
    pub fn seat(&self) -> Option<Seat> {
        match self {
            ViewerCredential::Seat(pass) => Some(pass.seat()),
            ViewerCredential::Spectator(_) | ViewerCredential::Rail { .. } => None,
        }
    }
}

/// What a viewer wants to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wants {
    /// With each update, what happened in the game.
    pub events: bool,
    /// With each update, the view after it.
    pub update_views: bool,
    /// With each decision, the view.
    pub decision_views: bool,
    /// With each decision, the legal actions.
    pub legal_actions: bool,
    /// After the end, to be told of a rematch.
    pub rematch: bool,
    /// Presence and time left, whenever they change.
    pub time_left: bool,
}

/// What most bots need.
impl Default for Wants {
    fn default() -> Wants {
        Wants {
            events: true,
            update_views: false,
            decision_views: true,
            legal_actions: true,
            rematch: false,
            time_left: false,
        }
    }
}

/// A number that a client chose for what it attached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Channel(pub u32);
