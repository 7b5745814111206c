//! Settings of a tournament that its plan and statistics depend on, and their validation.

use crate::Entrant;

/// Maximum number of entrants.
pub const MAX_ENTRANTS: u16 = 256;
/// Maximum number of planned tables. All results stay in memory while the tournament runs.
pub const MAX_TABLES: u64 = 2_000_000;

/// Version of the plan: how settings and seed give the line-ups, the seating and the order of tables. A
/// tournament keeps the version that it was created with, because its log is folded with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PlanVersion {
    /// All first rotations of a stage come before the second ones. Round robins and gauntlets with a sequential test
    /// and duplicate deals are played in stages of 100 groups.
    V1 = 1,
    /// Every stage is played in blocks.
    V2 = 2,
}

impl PlanVersion {
    /// Version of new tournaments.
    pub const LATEST: PlanVersion = PlanVersion::V2;

    /// The number under which it is stored.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The version with this number, if there is one.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<PlanVersion> {
        match number {
            1 => Some(PlanVersion::V1),
            2 => Some(PlanVersion::V2),
            _ => None,
        }
    }
}

/// Settings of a tournament. Entrants are numbers in seeding order; their names are known to the caller only.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanSetup {
    /// Version of the plan.
    pub version: PlanVersion,
    /// Players at a table.
    pub players: u8,
    /// Number of entrants; entrant 0 is the top seed.
    pub entrants: u16,
    /// Format: how line-ups are formed.
    pub format: Format,
    /// Duplicate or independent deals.
    pub deals: DealMode,
    /// Sequential test whose decision ends the tournament.
    pub test: Option<SequentialTest>,
}

/// Format of a tournament: how line-ups are formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Every entrant meets every other.
    RoundRobin {
        /// Minimum number of groups in which each pair meets.
        groups: u32,
    },
    /// One champion meets every other entrant.
    Gauntlet {
        /// Member of every line-up.
        champion: Entrant,
        /// Minimum number of groups in which each other entrant meets the champion.
        groups: u32,
    },
    /// Rounds in which entrants with similar points meet.
    Swiss {
        /// Number of rounds.
        rounds: u32,
        /// Groups played by a line-up in a round.
        groups: u32,
    },
    /// Rounds after which the worse part of each line-up is eliminated.
    Knockout {
        /// Groups played by a line-up in a round.
        groups: u32,
        /// Maximum number of tie-break groups, played one after another, before the seeding decides.
        tie_groups: u32,
    },
}

/// Assignment of deals to tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DealMode {
    /// A deal is played once for each rotation of the players over the seats.
    Duplicate,
    /// Every table has a deal of its own.
    Independent,
}

/// Sequential test of two hypotheses: the mean group score of an entrant is at most `lower`, or at least
/// `upper`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequentialTest {
    /// The entrant whose mean group score is tested.
    pub entrant: Entrant,
    /// Mean of the lower hypothesis, in points.
    pub lower: f64,
    /// Mean of the upper hypothesis, in points; greater than `lower`.
    pub upper: f64,
    /// Maximum probability to accept `upper` where `lower` is true; above 0, at most 0.5.
    pub alpha: f64,
    /// Maximum probability to accept `lower` where `upper` is true; above 0, at most 0.5.
    pub beta: f64,
    /// Minimum number of groups of the entrant before a decision.
    pub min_groups: u32,
}

/// Reason for which settings are invalid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PlanSetupError {
    /// Too few or too many entrants.
    #[error("{0} entrants: a tournament has 2 to {MAX_ENTRANTS}")]
    Entrants(u16),
    /// Fewer than 2 players at a table.
    #[error("{0} players a table: at least 2 are needed")]
    Players(u8),
    /// Fewer entrants than players at a table.
    #[error(
        "{entrants} entrants cannot fill a table of {players}: enter more, or have fewer players a table"
    )]
    TooFewEntrants {
        /// Number of entrants.
        entrants: u16,
        /// Players at a table.
        players: u8,
    },
    /// A number of groups or rounds out of its bounds.
    #[error("{what} must be {least} to {most}")]
    OutOfRange {
        /// Name of the setting.
        what: &'static str,
        /// Minimum value.
        least: u32,
        /// Maximum value.
        most: u32,
    },
    /// Entrant out of range: its number, and the number of entrants.
    #[error("there is no entrant {0}: the first is 0, and there are {1}")]
    UnknownEntrant(u16, u16),
    /// More than [`MAX_TABLES`] tables.
    #[error(
        "that would be about {0} tables, and the most is {MAX_TABLES}: take fewer groups, rounds or entrants"
    )]
    TooManyTables(u64),
    /// A sequential test in a knockout.
    #[error("a knockout has no sequential test: its rounds decide")]
    TestInKnockout,
    /// Invalid bounds or error rates of the sequential test.
    #[error("{0}")]
    Test(&'static str),
}

impl PlanSetup {
    /// Validates the settings.
    ///
    /// # Errors
    /// The first invalid setting.
    pub fn validate(&self) -> Result<(), PlanSetupError> {
        let &PlanSetup { players, entrants, .. } = self;
        if !(2..=MAX_ENTRANTS).contains(&entrants) {
            return Err(PlanSetupError::Entrants(entrants));
        }
        if players < 2 {
            return Err(PlanSetupError::Players(players));
        }
        if u16::from(players) > entrants {
            return Err(PlanSetupError::TooFewEntrants { entrants, players });
        }
        let within = |what, count: u32, least, most| match (least..=most).contains(&count) {
            true => Ok(()),
            false => Err(PlanSetupError::OutOfRange { what, least, most }),
        };
        let entered = |entrant: Entrant| match entrant.0 < entrants {
            true => Ok(()),
            false => Err(PlanSetupError::UnknownEntrant(entrant.0, entrants)),
        };
        match self.format {
            Format::RoundRobin { groups } => within("groups", groups, 1, 100_000)?,
            Format::Gauntlet { champion, groups } => {
                entered(champion)?;
                within("groups", groups, 1, 100_000)?;
            }
            Format::Swiss { rounds, groups } => {
                within("rounds", rounds, 1, 100)?;
                within("groups", groups, 1, 10_000)?;
            }
            Format::Knockout { groups, tie_groups } => {
                within("groups", groups, 1, 10_000)?;
                within("tie_groups", tie_groups, 0, 1000)?;
            }
        }
        if let Some(test) = &self.test {
            entered(test.entrant)?;
            test.validate()?;
            if matches!(self.format, Format::Knockout { .. }) {
                return Err(PlanSetupError::TestInKnockout);
            }
        }
        match self.min_tables() {
            tables if tables > MAX_TABLES => Err(PlanSetupError::TooManyTables(tables)),
            _ => Ok(()),
        }
    }

    /// Number of tables of a group.
    #[must_use]
    pub const fn rotations(&self) -> u8 {
        match self.deals {
            DealMode::Duplicate => self.players,
            DealMode::Independent => 1,
        }
    }

    /// Lower bound on the number of tables, from the numbers of entrants, groups and rounds.
    fn min_tables(&self) -> u64 {
        let (players, entrants) = (u64::from(self.players), u64::from(self.entrants));
        let groups = match self.format {
            Format::RoundRobin { groups } => {
                (u64::from(groups) * entrants * (entrants - 1)).div_ceil(players * (players - 1))
            }
            Format::Gauntlet { groups, .. } => (u64::from(groups) * (entrants - 1)).div_ceil(players - 1),
            Format::Swiss { rounds, groups } => u64::from(rounds) * u64::from(groups) * (entrants / players),
            // Every line-up but the last eliminates at most the worse half, the last one all but one.
            Format::Knockout { groups, .. } => {
                u64::from(groups) * (entrants - players).div_ceil(players.div_ceil(2)) + u64::from(groups)
            }
        };
        groups * u64::from(self.rotations())
    }
}

impl SequentialTest {
    fn validate(&self) -> Result<(), PlanSetupError> {
        let rate = |rate: f64| rate > 0.0 && rate <= 0.5;
        if !(self.lower.is_finite() && self.upper.is_finite() && self.lower < self.upper) {
            return Err(PlanSetupError::Test("the lower mean of the test must be less than the upper one"));
        }
        if !rate(self.alpha) || !rate(self.beta) {
            return Err(PlanSetupError::Test("the error rates of the test must be above 0, up to 0.5"));
        }
        match (2..=100_000).contains(&self.min_groups) {
            true => Ok(()),
            false => Err(PlanSetupError::OutOfRange { what: "min_groups", least: 2, most: 100_000 }),
        }
    }
}
