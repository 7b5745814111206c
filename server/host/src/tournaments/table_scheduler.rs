//! Which tables are made now: in the order of the plan, for those who are there and have room.

use std::collections::{BTreeSet, HashSet};

use parlor_engine::{Seat, Seats};
use parlor_tournament::plan::TableKey;
use parlor_tournament::{Entrant, PlannedTable};

use super::live_tournament::TournamentView;
use super::{EntrantSetup, FoldedTournament};
use crate::DealtTable;
use crate::agents::{AgentRegistry, Availability};

/// The most tables at once, if the organiser does not say: agents know best how many they take, and those of the house
/// share a few threads.
const AT_ONCE: usize = 1000;
const HOUSE_AT_ONCE: usize = 64;
/// How many tables are made together.
const BATCH: usize = 64;
/// So many tables that cannot be begun are passed over, and then no further one is looked for: a long tournament in which
/// somebody is full or away must not cost more at each step than a short one.
const SKIPS: usize = 20_000;

/// A table to be made.
pub(super) struct Made {
    pub(super) place: TableKey,
    pub(super) dealt: DealtTable,
}

/// What can be made now, and what is in the way of the rest.
#[derive(Default)]
pub(super) struct Choice {
    pub(super) tables: Vec<Made>,
    /// Whether some table has to wait until one who is there has room.
    pub(super) is_full: bool,
    /// Whether the organiser's other tournaments have as many tables as there may be.
    pub(super) is_held: bool,
    /// Those who are waited for because they are not there.
    pub(super) absent: HashSet<Entrant>,
}

/// Whether an entrant can be given a seat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Here(u32),
    /// It is not there, and is waited for.
    Absent,
    /// It is not there, and was waited for long enough: defaults are played for it.
    GivenUp,
}

fn room(course: &FoldedTournament, entrant: Entrant, hub: &AgentRegistry) -> Room {
    match &course.setup.terms.entrants[entrant.index()] {
        EntrantSetup::House { .. } => Room::Here(u32::MAX),
        EntrantSetup::Agent { name, .. } => match hub.availability(name, course.version(entrant)) {
            Availability::Here { room } => Room::Here(room),
            Availability::Gone { .. } | Availability::SetAside(_) | Availability::Unknown => Room::Absent,
        },
    }
}

/// Chooses what is made now, at most so many tables. Tables of those who are not there wait, unless they were given up: then
/// defaults are played for them.
pub(super) fn choose(
    shown: &TournamentView,
    most: usize,
    given_up: &mut HashSet<Entrant>,
    hub: &AgentRegistry,
) -> Choice {
    let course = &shown.course;
    let entrants = (0..course.setup.terms.entrants.len() as u16).map(Entrant);
    let mut rooms: Vec<Room> = entrants.map(|entrant| room(course, entrant, hub)).collect();
    given_up.retain(|entrant| rooms[entrant.index()] == Room::Absent);
    given_up.iter().for_each(|entrant| rooms[entrant.index()] = Room::GivenUp);
    let running: BTreeSet<TableKey> = shown.running.keys().copied().collect();
    let own = self::most(course).saturating_sub(running.len()).min(BATCH);
    let mut choice = Choice { is_held: most == 0 && own > 0, ..Choice::default() };
    let (free, mut skipped) = (own.min(most), 0);
    let players = usize::from(course.setup.terms.players);
    for place in course.plan.ready(&running) {
        if choice.tables.len() >= free || skipped >= SKIPS {
            break;
        }
        let Some(group) = course.plan.group(place.group) else { continue };
        let those = |room: Room| {
            let rooms = &rooms;
            group.lineup.iter().copied().filter(move |who| rooms[who.index()] == room)
        };
        if those(Room::Absent).next().is_some() {
            choice.absent.extend(those(Room::Absent));
            skipped += 1;
            continue;
        }
        if those(Room::Here(0)).next().is_some() {
            choice.is_full = true;
            // Where no table can be filled any more, nothing further on can be.
            let is_open = |room: &&Room| !matches!(room, Room::Here(0) | Room::Absent);
            if rooms.iter().filter(is_open).count() < players {
                break;
            }
            skipped += 1;
            continue;
        }
        let Some(PlannedTable { seats, .. }) = course.plan.table(place) else { continue };
        let away: Vec<Entrant> = those(Room::GivenUp).collect();
        for who in &seats {
            if let Room::Here(room) = &mut rooms[who.index()] {
                *room -= 1;
            }
        }
        choice.tables.push(Made { place, dealt: dealt(course, place, &seats, &away) });
    }
    choice
}

/// How many tables there are at once, at the most.
fn most(course: &FoldedTournament) -> usize {
    let terms = &course.setup.terms;
    let is_house = terms.entrants.iter().all(|entrant| matches!(entrant, EntrantSetup::House { .. }));
    match terms.max_tables {
        0 if is_house => HOUSE_AT_ONCE,
        0 => AT_ONCE,
        most => most as usize,
    }
}

fn dealt(course: &FoldedTournament, place: TableKey, seats: &[Entrant], away: &[Entrant]) -> DealtTable {
    let terms = &course.setup.terms;
    let set_aside: Seats = Seat::all(terms.players)
        .zip(seats)
        .filter(|(_, who)| away.contains(who))
        .map(|(seat, _)| seat)
        .collect();
    DealtTable {
        options: terms.options,
        seats: seats.iter().map(|entrant| course.seat(*entrant)).collect(),
        time: terms.time,
        visibility: terms.visibility,
        deal: course.deal(place),
        set_aside,
    }
}
