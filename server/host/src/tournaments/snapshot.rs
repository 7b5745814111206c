//! Tournaments and their standings as anyone may see them, at one moment.

use std::sync::Arc;

use crate::table::AddedEntropy;
use parlor_tournament::stats::{SprtDecision, rating};
use parlor_tournament::tournament::{Progress, ProvisionalScore};
use parlor_tournament::{Entrant, Group, Standings, StandingsAccumulator, TournamentState};

use super::{FoldedTournament, TournamentSetup};

/// The maximum number of points of the rating history.
const HISTORY_POINTS: usize = 50;

/// A tournament, as anyone may see it.
#[derive(Clone, PartialEq, Debug)]
pub struct TournamentSnapshot {
    /// Its setup. The seed in it is secret: [`TournamentSnapshot::server_seed`] is set once it may be shown.
    pub setup: Arc<TournamentSetup>,
    /// Its state.
    pub state: TournamentState,
    /// The version of each entrant: the one it plays with, or before the start the one that was asked for.
    pub versions: Vec<String>,
    /// The entropy of the organiser and of each entrant: the commitments once all are known, the rest once the first
    /// tables can be played.
    pub entropy: Vec<AddedEntropy>,
    /// The seed of all shuffles, once its last table has ended.
    pub server_seed: Option<[u8; 32]>,
    /// Its start, in milliseconds since 1970.
    pub started: Option<u64>,
    /// Its end, in milliseconds since 1970, once its last table has ended.
    pub ended: Option<u64>,
    /// The reason of its cancellation, or the answer of its sequential test. Empty otherwise.
    pub note: String,
}

impl TournamentSnapshot {
    /// A tournament that has not been started.
    #[must_use]
    pub fn created(setup: Arc<TournamentSetup>) -> TournamentSnapshot {
        TournamentSnapshot {
            state: TournamentState::Created,
            versions: setup.terms.entrants.iter().map(|entrant| entrant.version().to_owned()).collect(),
            setup,
            entropy: Vec::new(),
            server_seed: None,
            started: None,
            ended: None,
            note: String::new(),
        }
    }

    /// The snapshot of a tournament in this state. Seed and end are included once it is closed.
    #[must_use]
    pub fn new(folded: &FoldedTournament, state: TournamentState, is_closed: bool) -> TournamentSnapshot {
        TournamentSnapshot {
            setup: folded.setup.clone(),
            state,
            versions: versions(folded),
            entropy: folded.shown_entropy(),
            server_seed: is_closed.then_some(folded.setup.seed),
            started: folded.started,
            ended: folded.ended.filter(|_| is_closed),
            note: note(folded),
        }
    }
}

/// The version of each entrant.
fn versions(folded: &FoldedTournament) -> Vec<String> {
    let entrants = (0..folded.setup.terms.entrants.len()).map(|index| Entrant(index as u16));
    entrants.map(|entrant| folded.version(entrant).to_owned()).collect()
}

/// The reason of the cancellation, or the answer of the sequential test.
fn note(folded: &FoldedTournament) -> String {
    let answered = folded.setup.terms.test.zip(folded.plan.test());
    let answered = answered.and_then(|(test, state)| Some((test, state.decision?, state.groups)));
    let Some((test, decision, groups)) = answered else { return folded.plan.cancel_reason().to_owned() };
    let entrant = folded.setup.terms.entrants[test.entrant.index()].name();
    let answer = match decision {
        SprtDecision::Lower => format!("at most {}", test.lower),
        SprtDecision::Upper => format!("at least {}", test.upper),
    };
    format!("decided after {groups} groups of {entrant}: its mean group score is {answer}")
}

/// The standings of a tournament at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct StandingsSnapshot {
    /// The setup of the tournament.
    pub setup: Arc<TournamentSetup>,
    /// The version of each entrant.
    pub versions: Vec<String>,
    /// For each entrant, true if it withheld the entropy that it had committed to. Empty before the first tables, and for a given
    /// seed.
    pub withheld: Vec<bool>,
    /// The state of the tournament.
    pub state: TournamentState,
    /// Number of tables and groups played, and expected.
    pub progress: Progress,
    /// The statistics of the groups that count.
    pub standings: Standings,
    /// The scores of all entrants in complete groups that do not count, in their order.
    pub provisional: Vec<ProvisionalScore>,
    /// The number of tables that run.
    pub tables_running: u32,
    /// The expected time until the end, in milliseconds; `None` if it cannot be known.
    pub time_left: Option<u64>,
    /// The ratings after growing parts of the groups; empty if they were not asked for.
    pub history: Vec<rating::RatingPoint>,
}

/// A tournament at one moment, without the statistics of its groups.
pub(super) struct StandingsFrame {
    setup: Arc<TournamentSetup>,
    versions: Vec<String>,
    withheld: Vec<bool>,
    placings: Vec<parlor_tournament::tournament::Placing>,
    progress: Progress,
    provisional: Vec<ProvisionalScore>,
    state: TournamentState,
}

impl StandingsFrame {
    /// The frame of a tournament in this state.
    pub(super) fn new(folded: &FoldedTournament, state: TournamentState) -> StandingsFrame {
        StandingsFrame {
            setup: folded.setup.clone(),
            versions: versions(folded),
            withheld: folded.entropy.iter().skip(1).map(AddedEntropy::is_unrevealed).collect(),
            placings: folded.plan.placings(),
            progress: folded.plan.progress(),
            provisional: folded.plan.provisional_scores().collect(),
            state,
        }
    }

    /// The standings after the groups of the accumulator.
    pub(super) fn standings(self, accumulator: &StandingsAccumulator) -> StandingsSnapshot {
        let standings = accumulator.standings(&self.placings);
        self.with(standings)
    }

    /// The standings without any rows.
    pub(super) fn empty(self) -> StandingsSnapshot {
        self.with(Standings { rows: Vec::new(), cells: Vec::new(), groups_counted: 0, test: None })
    }

    fn with(self, standings: Standings) -> StandingsSnapshot {
        let StandingsFrame { setup, versions, withheld, progress, provisional, state, .. } = self;
        let history = Vec::new();
        StandingsSnapshot {
            setup,
            versions,
            withheld,
            state,
            progress,
            standings,
            provisional,
            tables_running: 0,
            time_left: None,
            history,
        }
    }
}

/// The ratings after growing parts of these groups.
pub(super) fn rating_history(entrants: usize, groups: &[Group]) -> Vec<rating::RatingPoint> {
    rating::history(entrants, groups, HISTORY_POINTS)
}

/// A finished tournament, encoded when it ended. The host does not look into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedTournament {
    /// The encoded tournament.
    pub tournament: Vec<u8>,
    /// The encoded final standings, with their history.
    pub standings: Vec<u8>,
}

/// A value of a tournament in memory, or the encoded one from the record of a finished tournament.
#[derive(Clone, PartialEq, Debug)]
pub enum LiveOrStored<T> {
    /// The tournament is not over.
    Live(T),
    /// The tournament is over.
    Stored(Vec<u8>),
}
