//! Request types of the host.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, GameId, Lang, Seat, Viewer};

use crate::TableId;
use crate::agents::AgentRequirement;
use crate::identity::{Owner, VerifiedInvite, VerifiedSeatToken, VerifiedSpectatorToken};
use crate::table::{IdempotencyKey, SeatRequest, SeatSetup, State, TimeControl, Visibility};

/// A table to create, with all defaults filled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTable {
    /// Game and its options.
    pub options: AnyOptions,
    /// Occupants in seat order, one per player.
    pub seats: Vec<SeatSetup>,
    /// Time control.
    pub time: TimeControl,
    /// Visibility to spectators.
    pub visibility: Visibility,
    /// Source of the shuffles.
    pub chance: NewChance,
    /// The owner's own key-value notes.
    pub metadata: BTreeMap<String, String>,
    /// Time to fill all seats, in milliseconds.
    pub fill: u64,
    /// Required state of the agents that are to be seated.
    pub agents: AgentRequirement,
    /// Idempotency key.
    pub request: Option<IdempotencyKey>,
}

/// Source of the shuffles of a new table.
#[derive(Clone, PartialEq, Eq)]
pub enum NewChance {
    /// Random server seed, combined with the entropy of the players.
    Fresh,
    /// Given seed, for tests and training.
    Given([u8; 32]),
}

/// Omits the seed.
impl std::fmt::Debug for NewChance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NewChance::Fresh => "Fresh",
            NewChance::Given(_) => "Given",
        })
    }
}

/// Actor that changes a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Actor {
    /// Owner: may change its own tables.
    Owner(Owner),
    /// Administrator: may change any table.
    Admin,
    /// Holder of the owner token of this table, which a guest made: may change this table.
    TableOwner(TableId),
    /// The tournament that plays the table.
    Tournament,
    /// Holder of a seat token: may change the seat while the token is valid.
    Seat(VerifiedSeatToken),
}

/// Request to join a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinRequest {
    /// The requested seat and player. The host sets [`SeatRequest::previous`] from `previous` below.
    pub seat_request: SeatRequest,
    /// True if the owner makes the request. It may assign seats of private tables and those reserved for its users.
    pub by_owner: bool,
    /// At a rematch: the seat token of the previous table.
    pub previous: Option<VerifiedSeatToken>,
    /// The invite that the player comes with.
    pub invite: Option<VerifiedInvite>,
}

/// Filter of tables. A field that is `None`, empty or false is ignored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableFilter {
    /// Game.
    pub game: Option<GameId>,
    /// Accepted states.
    pub states: Vec<State>,
    /// The caller, whose private tables are listed too. `None` lists public tables only.
    pub caller: Option<Owner>,
    /// Only tables of the caller.
    pub owned: bool,
    /// Only tables with an open seat.
    pub open_seat: bool,
    /// Only tables of the caller with a seat of this user.
    pub user: Option<String>,
    /// Only tables of the caller whose metadata contains all of these pairs.
    pub metadata: BTreeMap<String, String>,
    /// Only tables with all of these tags.
    pub tags: Vec<String>,
    /// Earliest creation time (inclusive), in milliseconds since 1970.
    pub since: Option<u64>,
    /// Latest creation time (exclusive), in milliseconds since 1970.
    pub before: Option<u64>,
}

/// Credential with which a viewer sees a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ViewerCredential {
    /// Seat token of a player.
    Seat(VerifiedSeatToken),
    /// Spectator token.
    Spectator(VerifiedSpectatorToken),
    /// No token: a spectator of a public table or of one of the caller's own.
    NoToken {
        /// The table.
        table: TableId,
        /// The caller, if it has an API key.
        caller: Option<Owner>,
        /// True if the caller may see the table whoever owns it: an administrator, or the holder of its owner token.
        admin: bool,
    },
}

impl ViewerCredential {
    /// The table.
    #[must_use]
    pub fn table(&self) -> TableId {
        match self {
            ViewerCredential::Seat(token) => token.table(),
            ViewerCredential::Spectator(token) => token.table(),
            ViewerCredential::NoToken { table, .. } => *table,
        }
    }

    /// The viewer that the credential stands for, if it is valid.
    pub(crate) fn viewer(&self) -> Viewer {
        self.seat().map_or(Viewer::Spectator, Viewer::Seat)
    }

    /// The seat of a player's token.
    #[must_use]
    pub fn seat(&self) -> Option<Seat> {
        match self {
            ViewerCredential::Seat(token) => Some(token.seat()),
            ViewerCredential::Spectator(_) | ViewerCredential::NoToken { .. } => None,
        }
    }
}

/// Parts of the updates that a viewer subscribes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wants {
    /// Events of the game with each update.
    pub events: bool,
    /// View after each update.
    pub update_views: bool,
    /// View with each decision that does not follow an update or snapshot sent with the same view.
    pub decision_views: bool,
    /// Legal actions with each decision.
    pub legal_actions: bool,
    /// Notification of a rematch after the end.
    pub rematch: bool,
    /// Changes of presence and time left.
    pub time_left: bool,
    /// Texts of snapshots, updates and decisions, in this language.
    pub texts: Option<Lang>,
    /// Board with each snapshot, update and decision.
    pub board: bool,
}

impl Wants {
    /// True if an update is encoded with the view after it, or with what follows from that view.
    pub(crate) const fn needs_update_view(&self) -> bool {
        self.update_views || self.board || self.texts.is_some()
    }

    /// True if a decision is encoded with the view, or with what follows from it.
    pub(crate) const fn needs_decision_view(&self) -> bool {
        self.decision_views || self.board || self.texts.is_some()
    }
}

/// The parts that most bots need.
impl Default for Wants {
    fn default() -> Wants {
        Wants {
            events: true,
            update_views: false,
            decision_views: true,
            legal_actions: true,
            rematch: false,
            time_left: false,
            texts: None,
            board: false,
        }
    }
}

/// Number of an attached table on a stream, chosen by the client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Channel(pub u32);
