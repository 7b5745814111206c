//! Record of a finished table: its final summary and the events of every viewer. Reading it needs no rules, so
//! changes of the rules do not affect it.

use parlor_engine::{AnyView, Seat, Viewer};

use super::{Entry, InvalidEntry, RecordedEvent, Step, Table, TableSummary, Update};

/// Record of a finished table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Final summary.
    pub summary: TableSummary,
    /// First view of each viewer, seats in order and then a spectator; empty if the game never began. Later views
    /// follow by applying the events.
    pub views: Vec<AnyView>,
    /// Steps of the entries after the first, in order.
    pub steps: Vec<Step>,
}

/// An update and the viewer's view after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedUpdate {
    /// The update.
    pub update: Update,
    /// View after the update; `None` before the game began.
    pub view: Option<AnyView>,
}

impl Record {
    /// Replays a log of entries with their times. The table need not be over: the steps so far are the same.
    ///
    /// # Errors
    /// The log is empty, or an entry does not fit.
    pub fn from_log(entries: &[(u64, Entry)]) -> Result<Record, InvalidEntry> {
        let Some(((_, first), rest)) = entries.split_first() else {
            return Err(InvalidEntry { index: 0, why: "the log is empty".to_owned() });
        };
        Record::from_table(Table::from_first_entry(first)?, rest)
    }

    /// Replays the entries after the first on a new table.
    pub fn from_table(mut table: Table, rest: &[(u64, Entry)]) -> Result<Record, InvalidEntry> {
        let (mut views, mut steps) = (Vec::new(), Vec::with_capacity(rest.len()));
        for (at, entry) in rest {
            steps.extend(table.fold(*at, entry)?);
            if matches!(entry, Entry::Started) {
                views = Viewer::all(table.players()).filter_map(|viewer| table.view(viewer)).collect();
            }
        }
        Ok(Record { summary: table.summary(), views, steps })
    }

    /// The viewer's updates after the one with number `after`, in order.
    pub fn updates(&self, viewer: Viewer, after: u64) -> impl Iterator<Item = RecordedUpdate> + '_ {
        let (mut number, mut follower) = (0, ViewFollower::new(viewer));
        let record_update = move |step: &Step| {
            let update = step.update(viewer, number + 1)?;
            number += 1;
            follower.follow(step, self);
            Some(RecordedUpdate { update, view: follower.view().cloned() })
        };
        self.steps.iter().filter_map(record_update).filter(move |recorded| recorded.update.number > after)
    }

    /// The viewer's final view; `None` if the game never began.
    #[must_use]
    pub fn last_view(&self, viewer: Viewer) -> Option<AnyView> {
        self.updates(viewer, 0).last().and_then(|recorded| recorded.view)
    }
}

/// The view of one viewer, followed through the steps of a record.
#[derive(Clone, Debug)]
pub(super) struct ViewFollower {
    viewer: Viewer,
    view: Option<AnyView>,
}

impl ViewFollower {
    /// A follower before the first step.
    pub(super) fn new(viewer: Viewer) -> ViewFollower {
        ViewFollower { viewer, view: None }
    }

    /// Applies the next step of the record.
    pub(super) fn follow(&mut self, step: &Step, record: &Record) {
        match &mut self.view {
            Some(view) => {
                for (to, event) in &step.events {
                    if let RecordedEvent::Game(event) = event
                        && to.includes(self.viewer)
                    {
                        view.apply_event(event);
                    }
                }
            }
            // The first view includes the events of the deal. A viewer may receive none of them.
            None if step.has_shuffle() => {
                let index = self.viewer.seat().map_or(record.summary.seats.len(), Seat::index);
                self.view = record.views.get(index).cloned();
            }
            None => {}
        }
    }

    /// The view after the last step; `None` before the game began.
    pub(super) fn view(&self) -> Option<&AnyView> {
        self.view.as_ref()
    }
}
