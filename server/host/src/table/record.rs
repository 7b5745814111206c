//! A table that is over, as it is kept: how it looked at the end, and what was told to whom. Nothing in it needs the
//! rules, so it reads the same whatever becomes of them.

use parlor_engine::{AnyView, Viewer};

use super::{Entry, InvalidEntry, Step, Table, TableSummary, Update};

/// A table that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// How it looked at the end.
    pub look: TableSummary,
    /// What each viewer saw when the game began, seats in order and then a spectator; nothing if it never did. Later
    /// views follow from it by what was told.
    pub views: Vec<AnyView>,
    /// What the entries after the first came to, in order.
    pub steps: Vec<Step>,
}

/// An update, and what its viewer knows after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedUpdate {
    /// What the viewer learns.
    pub update: Update,
    /// What the viewer knows then; nothing before the game began.
    pub view: Option<AnyView>,
}

impl Record {
    /// The record of a log, each entry with the time at which it happened. The table need not be over: what is told of
    /// it so far is the same.
    pub fn of(entries: &[(u64, Entry)]) -> Result<Record, InvalidEntry> {
        let Some(((_, first), rest)) = entries.split_first() else {
            return Err(InvalidEntry { index: 0, why: "the log is empty".to_owned() });
        };
        Record::after(Table::open(first)?, rest)
    }

    /// The record of a table that was just set up, and of what happened to it then.
    pub fn after(mut table: Table, rest: &[(u64, Entry)]) -> Result<Record, InvalidEntry> {
        let (mut views, mut steps) = (Vec::new(), Vec::with_capacity(rest.len()));
        for (at, entry) in rest {
            steps.extend(table.fold(*at, entry)?);
            if matches!(entry, Entry::Started) {
                views = Viewer::all(table.players()).filter_map(|viewer| table.view(viewer)).collect();
            }
        }
        Ok(Record { look: table.look(), views, steps })
    }

    /// What the viewer was told after the update with this number, in order, each with the view after it.
    pub fn updates(&self, viewer: Viewer, after: u64) -> impl Iterator<Item = RecordedUpdate> + '_ {
        let players = self.look.seats.len();
        let slot = viewer.seat().map_or(players, parlor_engine::Seat::index);
        let first_view = self.views.get(slot);
        let (mut number, mut view): (u64, Option<AnyView>) = (0, None);
        let tell = move |step: &Step| {
            let update = step.update(viewer, number + 1)?;
            number += 1;
            match &mut view {
                Some(view) => update.events.iter().for_each(|event| view.apply_event(event)),
                // The game begins with its first events, and the view of that moment has them.
                None if !update.events.is_empty() => view = first_view.cloned(),
                None => {}
            }
            Some(RecordedUpdate { update, view: view.clone() })
        };
        self.steps.iter().filter_map(tell).filter(move |telling| telling.update.number > after)
    }

    /// What the viewer knew at the end; nothing if the game never began.
    #[must_use]
    pub fn last_view(&self, viewer: Viewer) -> Option<AnyView> {
        self.updates(viewer, 0).last().and_then(|telling| telling.view)
    }
}
