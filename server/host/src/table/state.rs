//! State of a table: the fold of its log.

use std::sync::Arc;

use parlor_engine::{AnyGame, Seat};

use parlor_fair::{Entropy, ServerSeed};

use super::shuffle::{AddedEntropy, revealed};
use super::update::{Decided, UpdateNumbers};
use super::{ChanceSetup, Ending, Entry, IdempotencyKey, Invite, SeatFinish, SeatSetup, Setup, Shuffle};

/// An entry that does not fit the entries before it: the log is corrupt, or another program wrote it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("entry {index} does not fit the table: {why}")]
pub struct InvalidEntry {
    /// Index of the entry, from 0.
    pub index: u64,
    /// Reason.
    pub why: String,
}

/// Holder of a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Not taken yet.
    Vacant,
    /// Player that joined.
    Player {
        /// The owner's own id of the user, if any.
        user: Option<String>,
        /// Display name; may be empty.
        name: String,
    },
    /// House bot.
    House {
        /// Name of the bot.
        bot: String,
    },
    /// Agent, which plays over its own stream.
    Agent {
        /// Name of the agent.
        name: String,
        /// Version of the agent that plays.
        version: String,
    },
}

/// Id of a decision, counted per seat from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DecisionId(pub u64);

impl DecisionId {
    /// Stands for the id of a default that a forfeited seat played without being asked.
    pub const UNASKED: DecisionId = DecisionId(0);
}

/// State of a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatState {
    /// Holder of the seat.
    pub holder: Holder,
    /// Valid generation of the seat token.
    pub generation: u32,
    /// Open decision, if any.
    pub open: Option<DecisionId>,
    /// Number of decisions opened so far, which is also the id of the last one.
    pub asked: u64,
    /// Last made decision.
    pub decided: Option<Decided>,
    /// Time bank left, in milliseconds.
    pub bank: u32,
    /// Grace left, in milliseconds.
    pub grace: u32,
    /// Number of timeouts.
    pub time_outs: u32,
    /// Forfeit state. A forfeit is for good, also if a house bot takes over.
    pub finish: SeatFinish,
    /// Position of the forfeit in the log; 0 if there is none, or if the game had not begun.
    pub forfeited_at: u64,
    /// Total think time, in milliseconds.
    pub think_time: u32,
    /// Total time for which the clock stood still because the seat was absent, in milliseconds.
    pub away_time: u32,
    /// Part in the shuffle. The entropy is secret until the game begins.
    pub entropy: AddedEntropy,
    /// Idempotency key of the request that last changed the holder or the token.
    pub request: Option<IdempotencyKey>,
}

/// Stage of a table, with the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Filling,
    /// All seats are filled, and entropy is revealed.
    Starting,
    Playing(AnyGame),
    Over {
        ending: Ending,
        game: Option<AnyGame>,
    },
}

/// A table: the fold of its log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub(super) setup: Arc<Setup>,
    pub(super) seats: Vec<SeatState>,
    pub(super) stage: Stage,
    pub(super) length: u64,
    pub(super) numbers: UpdateNumbers,
    pub(super) spectators: u32,
    /// All seats were filled, so that their commitments are public.
    pub(super) filled: bool,
    /// Deadline of reveals, in milliseconds since 1970. Set by the owner of the clock, not by an entry: after a restart
    /// the time begins again.
    pub(super) reveal_before: Option<u64>,
    pub(super) invites: Vec<Invite>,
    pub(super) started: Option<u64>,
    pub(super) ended: Option<u64>,
}

impl SeatState {
    /// True if the seat has forfeited and plays default actions to the end. A house bot that takes over plays itself.
    pub(super) fn plays_defaults(&self) -> bool {
        self.finish.is_forfeit() && !matches!(self.holder, Holder::House { .. })
    }

    /// True if the table waits for the seat's player to reveal its entropy.
    pub(super) fn is_to_reveal(&self) -> bool {
        self.entropy.is_unrevealed() && matches!(self.holder, Holder::Player { .. })
    }

    fn new(seat: &SeatSetup, setup: &Setup) -> SeatState {
        SeatState {
            holder: match seat {
                SeatSetup::House { bot } => Holder::House { bot: bot.clone() },
                SeatSetup::Agent { name, version } => {
                    Holder::Agent { name: name.clone(), version: version.clone() }
                }
                SeatSetup::Open | SeatSetup::Reserved { .. } => Holder::Vacant,
            },
            generation: 0,
            open: None,
            asked: 0,
            decided: None,
            bank: setup.time.bank,
            grace: setup.time.grace,
            time_outs: 0,
            finish: SeatFinish::PlayedOut,
            forfeited_at: 0,
            think_time: 0,
            away_time: 0,
            entropy: AddedEntropy::default(),
            request: None,
        }
    }
}

impl Table {
    /// Creates a table from the first entry of its log.
    ///
    /// # Errors
    /// The entry is not [`Entry::Created`].
    pub fn from_first_entry(first: &Entry) -> Result<Table, InvalidEntry> {
        let Entry::Created(setup) = first else {
            return Err(InvalidEntry {
                index: 0,
                why: "a log begins with the creation of its table".to_owned(),
            });
        };
        Ok(Table::new(Arc::new(Setup::clone(setup))))
    }

    /// Creates a table to which only its creation has been applied.
    #[must_use]
    pub fn new(setup: Arc<Setup>) -> Table {
        Table {
            seats: setup.seats.iter().map(|seat| SeatState::new(seat, &setup)).collect(),
            setup,
            stage: Stage::Filling,
            length: 1,
            numbers: UpdateNumbers::default(),
            spectators: 0,
            filled: false,
            reveal_before: None,
            invites: Vec::new(),
            started: None,
            ended: None,
        }
    }

    pub(super) fn seat(&self, seat: Seat) -> &SeatState {
        &self.seats[seat.index()]
    }

    /// The public part of the shuffle.
    #[must_use]
    pub fn shuffle(&self) -> Shuffle {
        let has_begun = self.started.is_some();
        let is_over = matches!(self.stage, Stage::Over { .. });
        if let ChanceSetup::Deal(deal) = &self.setup.chance {
            // A table cannot know whether its deal is over.
            return deal.shuffle(false);
        }
        let is_fresh = !self.setup.chance.has_given_seed();
        let shown = |seat: &SeatState| match has_begun {
            true => seat.entropy,
            false => AddedEntropy::committed(seat.entropy.commitment),
        };
        let entropy = self.seats.iter().filter(|_| self.filled && is_fresh).map(shown).collect();
        let server_seed = self.dealing_seed().filter(|_| is_over);
        let commitment = server_seed.as_ref().map(|seed| seed.commitment(self.setup.table));
        Shuffle {
            commitment: commitment.or_else(|| self.setup.commitment()),
            entropy,
            server_seed: server_seed.map(|seed| *seed.reveal()),
            game_seed: (has_begun && is_over).then(|| self.game_seed()),
            given: !is_fresh,
            deal: None,
        }
    }

    /// The game seed, derived from the server seed and the entropy of all seats.
    pub(super) fn game_seed(&self) -> [u8; 32] {
        match &self.setup.chance {
            ChanceSetup::Given { seed } | ChanceSetup::Scripted { seed, .. } => *seed,
            ChanceSetup::Deal(deal) => *deal.game_seed().reveal(),
            ChanceSetup::Fresh { server_seed } => {
                let seed = self.dealing_seed().unwrap_or(ServerSeed::from_bytes(*server_seed));
                *seed.game_seed(self.setup.table, &self.revealed_entropy()).reveal()
            }
        }
    }

    fn revealed_entropy(&self) -> Vec<Entropy> {
        let added: Vec<AddedEntropy> = self.seats.iter().map(|seat| seat.entropy).collect();
        revealed(&added)
    }

    /// The server seed of a fresh shuffle.
    pub(crate) fn dealing_seed(&self) -> Option<ServerSeed> {
        let ChanceSetup::Fresh { server_seed } = &self.setup.chance else { return None };
        let seed = ServerSeed::from_bytes(*server_seed);
        #[cfg(feature = "test-hooks")]
        if self.started.is_some() {
            return Some(crate::test_hooks::ground_seed(seed, self.setup.table, &self.revealed_entropy()));
        }
        Some(seed)
    }
}
