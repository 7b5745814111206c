//! A tournament as the fold of its log: the plan, and the server's own state.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlor_tournament::plan::TableKey;
use parlor_tournament::{self as plan, Entrant, SeatScore, TableScore, Tournament, TournamentState};

use super::entropy::check_reveal;
use super::{EntrantSetup, EntropyCollection, Terms, TournamentError, TournamentSetup};
use crate::TableId;
use crate::table::{AddedEntropy, Deal, SeatResult, SeatSetup};
use parlor_fair::{Entropy, EntropyCommitment};

/// Entry in the log of a tournament.
#[derive(Clone, PartialEq, Debug)]
pub enum TournamentEntry {
    /// Creation: always the first entry, and only the first.
    Created(Box<TournamentSetup>),
    /// Start: commitments to entropy are collected.
    Starting {
        /// Version of each entrant; empty for a house bot.
        versions: Vec<String>,
        /// Commitment of the organiser.
        commitment: Option<EntropyCommitment>,
        /// Entrants that are asked for commitments.
        asked: Vec<Entrant>,
    },
    /// The commitments are complete, and entropy is revealed.
    Committed {
        /// Commitment of each entrant.
        commitments: Vec<Option<EntropyCommitment>>,
    },
    /// Entropy was revealed.
    Revealed {
        /// The entrant; `None` for the organiser.
        entrant: Option<Entrant>,
        /// The entropy.
        entropy: Entropy,
    },
    /// The first tables can be played. The start itself, if nobody is to commit to entropy.
    Started {
        /// Version of each entrant; empty for a house bot.
        versions: Vec<String>,
        /// Entropy that each entrant adds to the shuffles.
        entropy: Vec<Entropy>,
    },
    /// End of a table.
    TableOver {
        /// Group and rotation.
        place: TableKey,
        /// Id of the table.
        table: TableId,
        /// Results of the seats; empty if the game was not played to its end.
        seats: Vec<SeatResult>,
    },
    /// A group is void: its results do not count.
    GroupVoided {
        /// Number of the group.
        group: u32,
        /// The reason.
        reason: String,
    },
    /// An entrant is withdrawn.
    Withdrawn {
        /// The entrant.
        entrant: Entrant,
    },
    /// No new tables are created.
    Paused,
    /// New tables are created again.
    Resumed,
    /// The tournament was ended early.
    Cancelled {
        /// The reason.
        reason: String,
    },
}

/// A table that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedTable {
    /// Id of the table.
    pub table: TableId,
    /// Results of the seats; empty if the game was not played to its end.
    pub seats: Vec<SeatResult>,
}

/// An entry that is invalid for its tournament: the log is damaged, or was written by something else.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("entry {index} does not fit: {why}")]
pub struct InvalidTournamentEntry {
    /// Index of the entry, from 0.
    pub index: u64,
    /// Description of the error.
    pub why: String,
}

/// A tournament, folded from its log.
#[derive(Clone, PartialEq, Debug)]
pub struct FoldedTournament {
    /// The setup.
    pub setup: Arc<TournamentSetup>,
    /// The plan: pairings, and results that count.
    pub plan: Tournament,
    /// Version of each entrant, once started; empty for a house bot.
    pub versions: Vec<String>,
    /// Entropy of the organiser and then of each entrant, once the first tables can be played. Empty for a given seed.
    pub entropy: Vec<AddedEntropy>,
    /// Entropy that is being collected, between the start and the first tables.
    pub collection: Option<EntropyCollection>,
    /// Start of the first tables, in milliseconds since 1970.
    pub started: Option<u64>,
    /// End, in milliseconds since 1970.
    pub ended: Option<u64>,
    /// The tables that are over, those of void groups included.
    pub tables: BTreeMap<TableKey, PlayedTable>,
    /// Number of entries.
    pub length: u64,
}

impl FoldedTournament {
    /// A new tournament.
    ///
    /// # Errors
    ///
    /// The entry is not a creation, or its setup is invalid.
    pub fn from_first_entry(first: &TournamentEntry) -> Result<FoldedTournament, InvalidTournamentEntry> {
        let bad = |why: String| InvalidTournamentEntry { index: 0, why };
        let TournamentEntry::Created(setup) = first else {
            return Err(bad("the log does not begin with a tournament".to_owned()));
        };
        let seed = *setup.seed().plan_seed(setup.salt()).reveal();
        let plan = Tournament::new(setup.terms.plan(setup.plan_version), seed)
            .map_err(|error| bad(error.to_string()))?;
        Ok(FoldedTournament {
            setup: Arc::new(TournamentSetup::clone(setup)),
            plan,
            versions: Vec::new(),
            entropy: Vec::new(),
            collection: None,
            started: None,
            ended: None,
            tables: BTreeMap::new(),
            length: 1,
        })
    }

    /// Applies the next entry, of this time in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// The entry is invalid here.
    pub fn fold(&mut self, at: u64, entry: &TournamentEntry) -> Result<(), InvalidTournamentEntry> {
        let index = self.length;
        let bad = |why: String| InvalidTournamentEntry { index, why };
        if let Some(entry) = self.plan_entry(entry).map_err(bad)?
            // A table of a void group may still end: the plan ignores it.
            && let Some(entry) = self.plan.propose(entry).map_err(|invalid| bad(invalid.to_string()))?
        {
            self.plan.apply(&entry).map_err(|invalid| bad(invalid.to_string()))?;
        }
        match entry {
            TournamentEntry::Starting { versions, commitment, asked } => {
                self.versions.clone_from(versions);
                self.collection = Some(EntropyCollection::new(*commitment, asked.clone(), versions.len()));
            }
            TournamentEntry::Committed { commitments } => {
                self.collection_mut().and_then(|collection| collection.commit(commitments)).map_err(bad)?;
            }
            TournamentEntry::Revealed { entrant, entropy } => {
                let tournament = self.setup.tournament;
                let collection = self.collection_mut();
                let revealed = collection.and_then(|it| it.reveal(tournament, *entrant, *entropy));
                revealed.map_err(bad)?;
            }
            TournamentEntry::Started { versions, entropy } => {
                self.started = Some(at);
                self.versions.clone_from(versions);
                let open = |entropy: &Entropy| AddedEntropy { commitment: None, entropy: *entropy };
                self.entropy = match self.collection.take() {
                    Some(collection) if collection.of_entrants() == *entropy => collection.added,
                    Some(_) => return Err(bad("its entropy is not what was revealed".to_owned())),
                    // A given seed always gives the same tournament, so no entropy is added.
                    None if self.setup.given => Vec::new(),
                    None => std::iter::once(&self.setup.entropy).chain(entropy).map(open).collect(),
                };
                #[cfg(feature = "test-hooks")]
                crate::test_hooks::grind_tournament(&mut self.setup, &self.entropy);
            }
            TournamentEntry::TableOver { place, table, seats } => {
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

    /// The plan's form of an entry; `None` for a table that was not played to its end.
    fn plan_entry(&self, entry: &TournamentEntry) -> Result<Option<plan::PlanEntry>, String> {
        Ok(Some(match entry {
            TournamentEntry::Created(_) => return Err("a tournament is created once".to_owned()),
            TournamentEntry::Starting { versions, asked, .. } => {
                let entrants = self.setup.terms.entrants.len();
                if versions.len() != entrants || asked.iter().any(|entrant| entrant.index() >= entrants) {
                    return Err(format!("there are {entrants} entrants"));
                }
                plan::PlanEntry::Starting
            }
            TournamentEntry::Committed { .. } | TournamentEntry::Revealed { .. } => return Ok(None),
            TournamentEntry::Started { versions, entropy } => {
                let entrants = self.setup.terms.entrants.len();
                if versions.len() != entrants || entropy.len() != entrants {
                    return Err(format!("there are {entrants} entrants"));
                }
                plan::PlanEntry::Started
            }
            TournamentEntry::TableOver { seats, .. } if seats.is_empty() => return Ok(None),
            TournamentEntry::TableOver { place, seats, .. } => {
                plan::PlanEntry::TableOver { group: place.group, table: self.score(*place, seats)? }
            }
            TournamentEntry::GroupVoided { group, reason } => {
                plan::PlanEntry::GroupVoided { group: *group, reason: reason.clone() }
            }
            TournamentEntry::Withdrawn { entrant } => plan::PlanEntry::Withdrawn { entrant: *entrant },
            TournamentEntry::Paused => plan::PlanEntry::Paused,
            TournamentEntry::Resumed => plan::PlanEntry::Resumed,
            TournamentEntry::Cancelled { reason } => plan::PlanEntry::Cancelled { reason: reason.clone() },
        }))
    }

    fn collection_mut(&mut self) -> Result<&mut EntropyCollection, String> {
        self.collection.as_mut().ok_or_else(|| "no entropy was collected".to_owned())
    }

    /// Entropy of the organiser and then of each entrant, as it may be shown: the commitments once all are known, the
    /// entropy once the first tables can be played.
    #[must_use]
    pub fn shown_entropy(&self) -> Vec<AddedEntropy> {
        self.collection.as_ref().map_or_else(|| self.entropy.clone(), EntropyCollection::shown)
    }

    /// Checks a reveal of the organiser. Returns false if it was made before.
    pub(super) fn propose_reveal(&self, entropy: Entropy) -> Result<bool, TournamentError> {
        let tournament = self.setup.tournament;
        if let Some(collection) = self.collection.as_ref().filter(|_| !self.is_over()) {
            return collection.propose(tournament, None, entropy);
        }
        let part = self.entropy.first().copied().unwrap_or_default();
        match check_reveal(part, tournament, entropy)? {
            true => Err(TournamentError::RevealsOver { tournament }),
            false => Ok(false),
        }
    }

    /// The result of a table in the form of the plan.
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

    /// The deal of a table, from which its cards come.
    #[must_use]
    pub fn deal(&self, place: TableKey) -> Deal {
        let setup = &self.setup;
        let Terms { options, players, deals, .. } = &setup.terms;
        Deal {
            tournament: setup.tournament,
            number: place.group,
            rotation: place.rotation,
            server_seed: *setup.seed().deal_seed(setup.salt(), place.group).reveal(),
            entropy: self.entropy.clone(),
            // Only a deal that is played several times is recoloured, and only where the rules treat all colours alike.
            recolour: *deals == plan::plan::DealMode::Duplicate
                && options.game().colour_symmetry(*players).is_some(),
            given: setup.given,
        }
    }

    /// The seat setup of an entrant.
    #[must_use]
    pub fn seat(&self, entrant: Entrant) -> SeatSetup {
        match &self.setup.terms.entrants[entrant.index()] {
            EntrantSetup::House { bot } => SeatSetup::House { bot: bot.clone() },
            EntrantSetup::Agent { name, .. } => {
                SeatSetup::Agent { name: name.clone(), version: self.version(entrant).to_owned() }
            }
        }
    }

    /// The version of an entrant: the one that it plays with once the tournament has started, before that the
    /// requested one.
    #[must_use]
    pub fn version(&self, entrant: Entrant) -> &str {
        let requested = || self.setup.terms.entrants[entrant.index()].version();
        self.versions.get(entrant.index()).map_or_else(requested, String::as_str)
    }

    /// Returns whether the tournament is finished or cancelled. Its last tables may still run.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.plan.state(), TournamentState::Finished | TournamentState::Cancelled)
    }
}
