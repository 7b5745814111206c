//! How a tournament is set up, as far as the plan and the count need to know.

use crate::Entrant;

/// The most entrants of a tournament.
pub const MAX_ENTRANTS: u16 = 256;
/// The most tables that a tournament may be planned for. Its results stay in memory while it runs.
pub const MAX_TABLES: u64 = 2_000_000;

/// How a tournament is set up. Who the entrants are is not known here: they are numbers, in the order of their seeding.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// How many players a table has.
    pub players: u8,
    /// How many entrants there are, the best by the seeding being the first.
    pub entrants: u16,
    /// Who meets whom.
    pub format: Format,
    /// How hands are dealt.
    pub deals: Deals,
    /// A question that ends the tournament when it is answered.
    pub test: Option<SequentialTest>,
}

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Everyone against everyone.
    RoundRobin {
        /// In how many groups each pair meets, at least.
        groups: u32,
    },
    /// One against the field.
    Gauntlet {
        /// The one who is in every line-up.
        champion: Entrant,
        /// In how many groups each of the others meets the champion, at least.
        groups: u32,
    },
    /// Rounds of equals against equals.
    Swiss {
        /// How many rounds.
        rounds: u32,
        /// How many groups a line-up plays in a round.
        groups: u32,
    },
    /// The better ones go on.
    Knockout {
        /// How many groups a line-up plays in a round.
        groups: u32,
        /// How many more groups a tied line-up plays, one after another, before the seeding decides.
        tie_groups: u32,
    },
}

/// How hands are dealt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deals {
    /// A deal is played once for each rotation of the players over the seats.
    Duplicate,
    /// Every table has a deal of its own.
    Independent,
}

/// A question to be answered with as few groups as it takes: is the mean group score of an entrant at most `lower`, or
/// at least `upper`?
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequentialTest {
    /// Whose mean group score is asked about.
    pub entrant: Entrant,
    /// The mean of the one hypothesis, in points.
    pub lower: f64,
    /// The mean of the other, in points: more than `lower`.
    pub upper: f64,
    /// How often `upper` may be accepted where `lower` is true.
    pub alpha: f64,
    /// How often `lower` may be accepted where `upper` is true.
    pub beta: f64,
    /// It is not decided before so many groups of the entrant.
    pub min_groups: u32,
}

/// Why a tournament cannot be set up so.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SetupError {
    /// There are too few or too many entrants.
    #[error("{0} entrants: a tournament has 2 to {MAX_ENTRANTS}")]
    Entrants(u16),
    /// A table of one.
    #[error("{0} players a table: at least 2 are needed")]
    Players(u8),
    /// Not even one table could be filled.
    #[error(
        "{entrants} entrants cannot fill a table of {players}: enter more, or have fewer players a table"
    )]
    TooFew {
        /// How many entrants there are.
        entrants: u16,
        /// How many players a table has.
        players: u8,
    },
    /// A number of groups or rounds that is out of its bounds.
    #[error("{what} must be {least} to {most}")]
    Count {
        /// Which number it is.
        what: &'static str,
        /// The least it may be.
        least: u32,
        /// The most it may be.
        most: u32,
    },
    /// An entrant is named who is not there.
    #[error("there is no entrant {0}: the first is 0, and there are {1}")]
    NoEntrant(u16, u16),
    /// It would be too long.
    #[error(
        "that would be about {0} tables, and the most is {MAX_TABLES}: take fewer groups, rounds or entrants"
    )]
    TooLong(u64),
    /// A sequential test in a knockout.
    #[error("a knockout has no sequential test: its rounds decide")]
    TestOfKnockout,
    /// A sequential test that says nothing.
    #[error("{0}")]
    Test(&'static str),
}

impl Setup {
    /// Whether a tournament can be set up so.
    ///
    /// # Errors
    /// What is wrong, the first thing that is found.
    pub fn check(&self) -> Result<(), SetupError> {
        let &Setup { players, entrants, .. } = self;
        if !(2..=MAX_ENTRANTS).contains(&entrants) {
            return Err(SetupError::Entrants(entrants));
        }
        if players < 2 {
            return Err(SetupError::Players(players));
        }
        if u16::from(players) > entrants {
            return Err(SetupError::TooFew { entrants, players });
        }
        let within = |what, count: u32, least, most| match (least..=most).contains(&count) {
            true => Ok(()),
            false => Err(SetupError::Count { what, least, most }),
        };
        let entered = |entrant: Entrant| match entrant.0 < entrants {
            true => Ok(()),
            false => Err(SetupError::NoEntrant(entrant.0, entrants)),
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
            test.check()?;
            if matches!(self.format, Format::Knockout { .. }) {
                return Err(SetupError::TestOfKnockout);
            }
        }
        match self.least_tables() {
            tables if tables > MAX_TABLES => Err(SetupError::TooLong(tables)),
            _ => Ok(()),
        }
    }

    /// How many tables a group has.
    #[must_use]
    pub const fn rotations(&self) -> u8 {
        match self.deals {
            Deals::Duplicate => self.players,
            Deals::Independent => 1,
        }
    }

    /// How many tables it takes, or a few less: what the counts of entrants, groups and rounds ask for at the least.
    fn least_tables(&self) -> u64 {
        let (players, entrants) = (u64::from(self.players), u64::from(self.entrants));
        let groups = match self.format {
            Format::RoundRobin { groups } => {
                (u64::from(groups) * entrants * (entrants - 1)).div_ceil(players * (players - 1))
            }
            Format::Gauntlet { groups, .. } => (u64::from(groups) * (entrants - 1)).div_ceil(players - 1),
            Format::Swiss { rounds, groups } => u64::from(rounds) * u64::from(groups) * (entrants / players),
            // Every line-up but the last puts at most the worse half out, and the last one all but one.
            Format::Knockout { groups, .. } => {
                u64::from(groups) * (entrants - players).div_ceil(players.div_ceil(2)) + u64::from(groups)
            }
        };
        groups * u64::from(self.rotations())
    }
}

impl SequentialTest {
    fn check(&self) -> Result<(), SetupError> {
        let rate = |rate: f64| rate > 0.0 && rate <= 0.5;
        if !(self.lower.is_finite() && self.upper.is_finite() && self.lower < self.upper) {
            return Err(SetupError::Test("the lower mean of the test must be less than the upper one"));
        }
        if !rate(self.alpha) || !rate(self.beta) {
            return Err(SetupError::Test("the error rates of the test must be above 0, up to 0.5"));
        }
        match (2..=100_000).contains(&self.min_groups) {
            true => Ok(()),
            false => Err(SetupError::Count { what: "min_groups", least: 2, most: 100_000 }),
        }
    }
}
