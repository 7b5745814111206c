//! A tournament as the fold of its log: the plan, and what belongs to the server.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlor_tournament::plan::TableKey;
use parlor_tournament::{self as plan, Entrant, SeatScore, TableScore, Tournament, TournamentState};

use super::{EntrantSetup, Setup};
use crate::TableId;
use crate::table::{Deal, SeatResult, SeatSetup};
use parlor_fair::Entropy;

/// Something that happened to a tournament.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// It was created: the first entry, and only that.
    Created(Box<Setup>),
    /// It was started.
    Started {
        /// The version of each entrant; empty for a bot of the house.
        versions: Vec<String>,
        /// What each entrant adds to the shuffles.
        entropy: Vec<Entropy>,
    },
    /// A table is over.
    TableOver {
        /// Which table it was.
        place: TableKey,
        /// Its id.
        table: TableId,
        /// What the seats reached; nothing if the game was not played to its end.
        seats: Vec<SeatResult>,
    },
    /// A group does not count.
    GroupVoided {
        /// Its number.
        group: u32,
        /// Why.
        reason: String,
    },
    /// An entrant is out.
    Withdrawn {
        /// ViewerCredential.
        entrant: Entrant,
    },
    /// No new tables are begun.
    Paused,
    /// New tables are begun again.
    Resumed,
    /// It was ended before its time.
    Cancelled {
        /// Why.
        reason: String,
    },
}

/// A table that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedTable {
    /// Its id.
    pub table: TableId,
    /// What the seats reached; nothing if the game was not played to its end.
    pub seats: Vec<SeatResult>,
}

/// An entry that does not fit its tournament: the log is damaged, or somebody else wrote it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("entry {index} does not fit: {why}")]
pub struct InvalidTournamentEntry {
    /// The number of the entry, the first being 0.
    pub index: u64,
    /// What is wrong.
    pub why: String,
}

/// A tournament, as far as its log goes.
#[derive(Clone, PartialEq, Debug)]
pub struct FoldedTournament {
    /// How it was set up.
    pub setup: Arc<Setup>,
    /// ViewerCredential meets whom, and what counts.
    pub plan: Tournament,
    /// The version of each entrant, once it is started; empty for a bot of the house.
    pub versions: Vec<String>,
    /// What the organiser and then each entrant added to the shuffles, once it is started.
    pub entropy: Vec<Entropy>,
    /// When it was started, in milliseconds since 1970.
    pub started: Option<u64>,
    /// When it was over.
    pub ended: Option<u64>,
    /// The tables that are over, those of void groups included.
    pub tables: BTreeMap<TableKey, PlayedTable>,
    /// How many entries are in it.
    pub length: u64,
}

impl FoldedTournament {
    /// A tournament of its first entry.
    pub fn open(first: &Entry) -> Result<FoldedTournament, InvalidTournamentEntry> {
        let bad = |why: String| InvalidTournamentEntry { index: 0, why };
        let Entry::Created(setup) = first else {
            return Err(bad("the log does not begin with a tournament".to_owned()));
        };
        let seed = *setup.seed().plan_seed(setup.salt()).reveal();
        let plan = Tournament::new(setup.terms.plan(), seed).map_err(|error| bad(error.to_string()))?;
        Ok(FoldedTournament {
            setup: Arc::new(Setup::clone(setup)),
            plan,
            versions: Vec::new(),
            entropy: Vec::new(),
            started: None,
            ended: None,
            tables: BTreeMap::new(),
            length: 1,
        })
    }

    /// Takes in what happened next, at this time.
    pub fn fold(&mut self, at: u64, entry: &Entry) -> Result<(), InvalidTournamentEntry> {
        let index = self.length;
        let bad = |why: String| InvalidTournamentEntry { index, why };
        if let Some(entry) = self.planned(entry).map_err(bad)?
            // A table may end when its group is void already: then it is only noted here.
            && let Some(entry) = self.plan.propose(entry).map_err(|misfit| bad(misfit.to_string()))?
        {
            self.plan.apply(&entry).map_err(|misfit| bad(misfit.to_string()))?;
        }
        match entry {
            Entry::Started { versions, entropy } => {
                self.started = Some(at);
                self.versions.clone_from(versions);
                // The same given seed gives the same tournament, whatever anybody adds.
                let added = std::iter::once(self.setup.entropy).chain(entropy.iter().copied());
                self.entropy = added.filter(|_| !self.setup.given).collect();
            }
            Entry::TableOver { place, table, seats } => {
                self.tables.insert(*place, PlayedTable { table: *table, seats: seats.clone() });
            }
            _ => {}
        }
        if self.plan.is_over() && self.ended.is_none() {
            self.ended = Some(at);
        }
        self.length += 1;
        Ok(())
    }

    /// What an entry means for the plan; nothing for a table that was not played to its end.
    fn planned(&self, entry: &Entry) -> Result<Option<plan::PlanEntry>, String> {
        Ok(Some(match entry {
            Entry::Created(_) => return Err("a tournament is created once".to_owned()),
            Entry::Started { versions, entropy } => {
                let entrants = self.setup.terms.entrants.len();
                if versions.len() != entrants || entropy.len() != entrants {
                    return Err(format!("there are {entrants} entrants"));
                }
                plan::PlanEntry::Started
            }
            Entry::TableOver { seats, .. } if seats.is_empty() => return Ok(None),
            Entry::TableOver { place, seats, .. } => {
                plan::PlanEntry::TableOver { group: place.group, table: self.score(*place, seats)? }
            }
            Entry::GroupVoided { group, reason } => {
                plan::PlanEntry::GroupVoided { group: *group, reason: reason.clone() }
            }
            Entry::Withdrawn { entrant } => plan::PlanEntry::Withdrawn { entrant: *entrant },
            Entry::Paused => plan::PlanEntry::Paused,
            Entry::Resumed => plan::PlanEntry::Resumed,
            Entry::Cancelled { reason } => plan::PlanEntry::Cancelled { reason: reason.clone() },
        }))
    }

    /// What a table reports to the plan.
    fn score(&self, place: TableKey, results: &[SeatResult]) -> Result<TableScore, String> {
        let table = self.plan.table(place).ok_or("there is no such table")?;
        if table.seats.len() != results.len() {
            return Err(format!("a table has {} seats", table.seats.len()));
        }
        let seat = |(entrant, result): (&Entrant, &SeatResult)| SeatScore {
            entrant: *entrant,
            points: result.points,
            place: result.place,
            finish: result.finish,
        };
        Ok(TableScore {
            rotation: place.rotation,
            seats: table.seats.iter().zip(results).map(seat).collect(),
        })
    }

    /// Where the cards of a table come from.
    #[must_use]
    pub fn deal(&self, place: TableKey) -> Deal {
        let setup = &self.setup;
        Deal {
            tournament: setup.tournament,
            number: place.group,
            rotation: place.rotation,
            server_seed: *setup.seed().deal_seed(setup.salt(), place.group).reveal(),
            entropy: self.entropy.clone(),
            // A deal that is played once needs no other colours.
            recolour: setup.terms.deals == plan::plan::DealMode::Duplicate,
            given: setup.given,
        }
    }

    /// ViewerCredential sits there for an entrant.
    #[must_use]
    pub fn seat(&self, entrant: Entrant) -> SeatSetup {
        match &self.setup.terms.entrants[entrant.index()] {
            EntrantSetup::House { bot } => SeatSetup::House { bot: bot.clone() },
            EntrantSetup::Agent { name, .. } => {
                SeatSetup::Agent { name: name.clone(), version: self.version(entrant).to_owned() }
            }
        }
    }

    /// The version of an entrant: the one that it plays with once the tournament is started, and before that the one that
    /// was asked for.
    #[must_use]
    pub fn version(&self, entrant: Entrant) -> &str {
        let asked_for = || self.setup.terms.entrants[entrant.index()].version();
        self.versions.get(entrant.index()).map_or_else(asked_for, String::as_str)
    }

    /// Whether the log has nothing more to come: it is over, whether its last tables have ended or not.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.plan.state(), TournamentState::Finished | TournamentState::Cancelled)
    }
}
