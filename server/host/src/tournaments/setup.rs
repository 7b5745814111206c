//! How a tournament is set up: everything that was decided when it was created.

use parlor_engine::AnyOptions;
use parlor_tournament::plan::{self, DealMode, Format, SequentialTest};

use crate::TableId;
use crate::table::{IdempotencyKey, TimeControl, Visibility};
use parlor_fair::{Entropy, GIVEN_SEED_ID, ServerSeed};

/// One who takes part.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EntrantSetup {
    /// An agent.
    Agent {
        /// Its name.
        name: String,
        /// Its version. Empty: the one that is connected when the tournament starts.
        version: String,
    },
    /// A bot of the house.
    House {
        /// Its name, such as `greedy`.
        bot: String,
    },
}

impl EntrantSetup {
    /// The name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            EntrantSetup::Agent { name, .. } | EntrantSetup::House { bot: name } => name,
        }
    }

    /// The version that was asked for; empty for a house bot, and for any version.
    #[must_use]
    pub fn version(&self) -> &str {
        match self {
            EntrantSetup::Agent { version, .. } => version,
            EntrantSetup::House { .. } => "",
        }
    }
}

/// What is played, by whom, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms {
    /// The name, for people.
    pub name: String,
    /// The game, with its options.
    pub options: AnyOptions,
    /// How many players a table has.
    pub players: u8,
    /// ViewerCredential takes part, in the order of their seeding.
    pub entrants: Vec<EntrantSetup>,
    /// ViewerCredential meets whom.
    pub format: Format,
    /// How hands are dealt.
    pub deals: DealMode,
    /// The question that ends it, if there is one.
    pub test: Option<SequentialTest>,
    /// How much time the players have.
    pub time: TimeControl,
    /// The most tables at once; 0: as many as the entrants take.
    pub max_tables: u32,
    /// ViewerCredential may see it.
    pub visibility: Visibility,
    /// How long it waits for agents that are not there when nothing else is left to be played, in milliseconds.
    pub patience: u32,
}

impl Terms {
    /// What the plan has to know.
    #[must_use]
    pub fn plan(&self) -> plan::PlanSetup {
        plan::PlanSetup {
            players: self.players,
            // The border lets at most 256 in.
            entrants: self.entrants.len() as u16,
            format: self.format,
            deals: self.deals,
            test: self.test,
        }
    }
}

/// A tournament to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTournament {
    /// What is played.
    pub terms: Terms,
    /// The seed of all shuffles, if it is given.
    pub given_seed: Option<[u8; 32]>,
    /// What the organiser adds to the shuffles.
    pub entropy: Entropy,
    /// What makes a repeat harmless.
    pub request: Option<IdempotencyKey>,
}

/// Everything that was decided when a tournament was created.
#[derive(Clone, PartialEq)]
pub struct Setup {
    /// The tournament.
    pub tournament: TableId,
    /// The organiser's name.
    pub owner: String,
    /// What is played.
    pub terms: Terms,
    /// The seed of all shuffles, a secret until it is over.
    pub seed: [u8; 32],
    /// Whether the organiser gave the seed.
    pub given: bool,
    /// What the organiser adds to the shuffles.
    pub entropy: Entropy,
    /// When it was created, in milliseconds since 1970.
    pub created: u64,
    /// The request that created it.
    pub request: Option<IdempotencyKey>,
}

impl Setup {
    /// The seed, for what is derived from it.
    #[must_use]
    pub const fn seed(&self) -> ServerSeed {
        ServerSeed::from_bytes(self.seed)
    }

    /// What stands for the tournament in what is derived from the seed.
    #[must_use]
    pub const fn salt(&self) -> TableId {
        if self.given { GIVEN_SEED_ID } else { self.tournament }
    }
}

/// A seed is not printed.
impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("tournament", &self.tournament)
            .field("owner", &self.owner)
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}
