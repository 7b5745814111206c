//! Setup of a tournament: everything that is decided when it is created.

use parlor_engine::AnyOptions;
use parlor_tournament::plan::{self, DealMode, Format, PlanVersion, SequentialTest};

use crate::TournamentId;
use crate::agents::SuspensionScope;
use crate::table::{IdempotencyKey, TimeControl, Visibility};
use parlor_fair::{Entropy, GIVEN_SEED_ID, ServerSeed};

/// An entrant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EntrantSetup {
    /// An agent.
    Agent {
        /// Its name.
        name: String,
        /// Its version. Empty: the one that is connected when the tournament starts.
        version: String,
    },
    /// A house bot.
    House {
        /// Its name, such as `greedy`.
        bot: String,
    },
}

impl EntrantSetup {
    /// Display name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            EntrantSetup::Agent { name, .. } | EntrantSetup::House { bot: name } => name,
        }
    }

    /// The requested version; empty for a house bot, and for any version.
    #[must_use]
    pub fn version(&self) -> &str {
        match self {
            EntrantSetup::Agent { version, .. } => version,
            EntrantSetup::House { .. } => "",
        }
    }
}

/// Terms of a tournament: the game, the entrants and the format.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms {
    /// Display name.
    pub name: String,
    /// The game, with its options.
    pub options: AnyOptions,
    /// Number of players at a table.
    pub players: u8,
    /// The entrants, in the order of their seeding.
    pub entrants: Vec<EntrantSetup>,
    /// Format, which decides the pairings.
    pub format: Format,
    /// Mode of dealing.
    pub deals: DealMode,
    /// Sequential test that ends the tournament.
    pub test: Option<SequentialTest>,
    /// Time control of the tables.
    pub time: TimeControl,
    /// Maximum number of running tables; 0: as many as the entrants take.
    pub max_tables: u32,
    /// Visibility.
    pub visibility: Visibility,
    /// Waiting time for absent agents when no other table is left to play, in milliseconds.
    pub patience: u32,
}

impl Terms {
    /// The setup of the plan in this version.
    #[must_use]
    pub fn plan(&self, version: PlanVersion) -> plan::PlanSetup {
        plan::PlanSetup {
            version,
            players: self.players,
            // Requests are validated to have at most 256 entrants.
            entrants: self.entrants.len() as u16,
            format: self.format,
            deals: self.deals,
            test: self.test,
        }
    }
}

/// Request to create a tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTournament {
    /// The terms.
    pub terms: Terms,
    /// Seed of all shuffles, if the organiser gives it.
    pub given_seed: Option<[u8; 32]>,
    /// Idempotency key of the request.
    pub request: Option<IdempotencyKey>,
}

/// Setup of a tournament: everything that was decided when it was created.
#[derive(Clone, PartialEq)]
pub struct TournamentSetup {
    /// The tournament.
    pub tournament: TournamentId,
    /// Name of the organiser.
    pub owner: String,
    /// The terms.
    pub terms: Terms,
    /// Version of the plan, which stays the same for the life of the tournament.
    pub plan_version: PlanVersion,
    /// Seed of all shuffles, secret until the tournament is over.
    pub seed: [u8; 32],
    /// Set if the organiser gave the seed.
    pub given: bool,
    /// Entropy that the organiser sent in the open; empty except in logs of earlier versions.
    pub entropy: Entropy,
    /// Time of creation, in milliseconds since 1970.
    pub created: u64,
    /// Idempotency key of the request that created it.
    pub request: Option<IdempotencyKey>,
}

impl TournamentSetup {
    /// Scope in which incidents of agents count at its tables.
    pub(super) fn suspension_scope(&self) -> SuspensionScope {
        SuspensionScope::of_tournament(&self.owner, self.tournament)
    }

    /// The seed, as the source of derived seeds.
    #[must_use]
    pub const fn seed(&self) -> ServerSeed {
        ServerSeed::from_bytes(self.seed)
    }

    /// Salt of all derivations from the seed: the id, or [`GIVEN_SEED_ID`] for a given seed.
    #[must_use]
    pub const fn salt(&self) -> TournamentId {
        if self.given { GIVEN_SEED_ID } else { self.tournament }
    }
}

/// Omits the seed.
impl std::fmt::Debug for TournamentSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TournamentSetup")
            .field("tournament", &self.tournament)
            .field("owner", &self.owner)
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}
