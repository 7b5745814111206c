//! Scheduling of tables: in the order of the plan, for entrants that are connected and have a free table.

use std::collections::{BTreeSet, HashSet};

use parlor_engine::{Seat, Seats};
use parlor_tournament::plan::TableKey;
use parlor_tournament::{Entrant, PlannedTable};

use super::live_tournament::TournamentView;
use super::{EntrantSetup, FoldedTournament};
use crate::DealtTable;
use crate::agents::{AgentRegistry, Availability, SuspensionScope};

/// Default maximum of running tables with agents, which have limits of their own.
const MAX_TABLES: usize = 1000;
/// Default maximum of running tables of house bots only, which share a few threads.
const MAX_HOUSE_TABLES: usize = 64;
/// Maximum number of tables that are created at once.
const CREATE_BATCH: usize = 64;
/// Maximum number of tables that are skipped per search, so that a long tournament with a full or absent
/// entrant does not cost more per step than a short one.
const MAX_SKIPPED_TABLES: usize = 20_000;

/// A table to create.
pub(super) struct ScheduledTable {
    pub(super) place: TableKey,
    pub(super) dealt: DealtTable,
}

/// Tables to create now, and the obstacles of the others.
#[derive(Default)]
pub(super) struct Schedule {
    pub(super) tables: Vec<ScheduledTable>,
    /// Set if a table waits for a connected entrant that plays for this organiser's tournaments at as many tables as it
    /// takes: these come to an end.
    pub(super) waits_for_capacity: bool,
    /// Set if the organiser's other tournaments use up the limit of tables.
    pub(super) is_owner_at_limit: bool,
    /// Entrants for which tables wait: absent ones, and those whose capacity is held by tables of others.
    pub(super) absent: HashSet<Entrant>,
}

/// Capacity of an entrant for further tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capacity {
    /// Number of free tables.
    Free(u32),
    /// Absent, or full with tables of others: its tables wait.
    Absent,
    /// Its waiting time has passed: defaults are played for it.
    Defaulted,
}

fn capacity(
    folded: &FoldedTournament,
    entrant: Entrant,
    scope: &SuspensionScope,
    registry: &AgentRegistry,
) -> Capacity {
    match &folded.setup.terms.entrants[entrant.index()] {
        EntrantSetup::House { .. } => Capacity::Free(u32::MAX),
        EntrantSetup::Agent { name, .. } => match registry.availability(name, folded.version(entrant), scope)
        {
            // Nobody knows whether the tables of others ever end.
            Availability::Connected { free_tables: 0, tournament_tables: 0 } => Capacity::Absent,
            Availability::Connected { free_tables, .. } => Capacity::Free(free_tables),
            Availability::Disconnected { .. } | Availability::Suspended(_) | Availability::Unknown => {
                Capacity::Absent
            }
        },
    }
}

/// Schedules up to `limit` tables. Tables of absent entrants wait, except for those in `defaulted`, for which
/// defaults are played. Entrants that are no longer absent are removed from `defaulted`.
pub(super) fn schedule_tables(
    view: &TournamentView,
    limit: usize,
    defaulted: &mut HashSet<Entrant>,
    registry: &AgentRegistry,
) -> Schedule {
    let folded = &view.folded;
    let entrants = (0..folded.setup.terms.entrants.len() as u16).map(Entrant);
    let scope = folded.setup.suspension_scope();
    let mut capacities: Vec<Capacity> =
        entrants.map(|entrant| capacity(folded, entrant, &scope, registry)).collect();
    defaulted.retain(|entrant| capacities[entrant.index()] == Capacity::Absent);
    defaulted.iter().for_each(|entrant| capacities[entrant.index()] = Capacity::Defaulted);
    let running: BTreeSet<TableKey> = view.running.keys().copied().collect();
    let own = max_tables(folded).saturating_sub(running.len()).min(CREATE_BATCH);
    let mut schedule = Schedule { is_owner_at_limit: limit == 0 && own > 0, ..Schedule::default() };
    let (free, mut skipped) = (own.min(limit), 0);
    let players = usize::from(folded.setup.terms.players);
    for place in folded.plan.ready(&running) {
        if schedule.tables.len() >= free || skipped >= MAX_SKIPPED_TABLES {
            break;
        }
        let Some(group) = folded.plan.group(place.group) else { continue };
        let with_capacity = |capacity: Capacity| {
            let capacities = &capacities;
            group.lineup.iter().copied().filter(move |entrant| capacities[entrant.index()] == capacity)
        };
        if with_capacity(Capacity::Absent).next().is_some() {
            schedule.absent.extend(with_capacity(Capacity::Absent));
            skipped += 1;
            continue;
        }
        if with_capacity(Capacity::Free(0)).next().is_some() {
            schedule.waits_for_capacity = true;
            // With too few entrants left for any table, the search ends.
            let is_open = |capacity: &&Capacity| !matches!(capacity, Capacity::Free(0) | Capacity::Absent);
            if capacities.iter().filter(is_open).count() < players {
                break;
            }
            skipped += 1;
            continue;
        }
        let Some(PlannedTable { seats, .. }) = folded.plan.table(place) else { continue };
        let absent: Vec<Entrant> = with_capacity(Capacity::Defaulted).collect();
        for entrant in &seats {
            if let Capacity::Free(free_tables) = &mut capacities[entrant.index()] {
                *free_tables -= 1;
            }
        }
        schedule.tables.push(ScheduledTable { place, dealt: dealt_table(folded, place, &seats, &absent) });
    }
    schedule
}

/// Maximum number of running tables of the tournament.
fn max_tables(folded: &FoldedTournament) -> usize {
    let terms = &folded.setup.terms;
    let is_house = terms.entrants.iter().all(|entrant| matches!(entrant, EntrantSetup::House { .. }));
    match terms.max_tables {
        0 if is_house => MAX_HOUSE_TABLES,
        0 => MAX_TABLES,
        most => most as usize,
    }
}

fn dealt_table(
    folded: &FoldedTournament,
    place: TableKey,
    seats: &[Entrant],
    absent: &[Entrant],
) -> DealtTable {
    let terms = &folded.setup.terms;
    let set_aside: Seats = Seat::all(terms.players)
        .zip(seats)
        .filter(|(_, entrant)| absent.contains(entrant))
        .map(|(seat, _)| seat)
        .collect();
    DealtTable {
        options: terms.options,
        seats: seats.iter().map(|entrant| folded.seat(*entrant)).collect(),
        time: terms.time,
        visibility: terms.visibility,
        deal: folded.deal(place),
        set_aside,
    }
}
