//! Replay of a record, step by step, with the views after each step: for one viewer, or for all seats at once.

use parlor_engine::{AnyView, Audience, Seat, Seats, Viewer};

use super::record::ViewFollower;
use super::{Decided, Record, RecordedEvent, Step};

/// A replay: an iterator over the visible steps of a record. Between steps it holds the record and one view for each viewer
/// that it follows.
#[derive(Clone, Debug)]
pub struct Replay {
    record: Record,
    viewer: Option<Viewer>,
    followers: Vec<ViewFollower>,
    /// Index of the next step of the record.
    next: usize,
    /// Number of the next step of the replay.
    number: u32,
    length: u32,
}

/// A step of a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayStep {
    /// Number of the step. Step 0 is the start of the game with everything before it; if the game never started, it is
    /// everything.
    pub number: u32,
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// Visible events, in order.
    pub events: Vec<(Audience, RecordedEvent)>,
    /// Visible decisions, in the order of the seats.
    pub decided: Vec<(Seat, Decided)>,
    /// Views after the step: that of the viewer, or one for each seat. Empty if the game never started.
    pub views: Vec<AnyView>,
    /// True for the last step.
    pub is_last: bool,
}

impl Replay {
    /// A replay of the record for one viewer, or with all hands.
    #[must_use]
    pub fn new(record: Record, viewer: Option<Viewer>) -> Replay {
        let players = record.summary.seats.len() as u8;
        let viewers = match viewer {
            Some(viewer) => vec![viewer],
            None => Seat::all(players).map(Viewer::Seat).collect(),
        };
        let start = start_length(&record);
        let visible = record.steps[start..].iter().filter(|step| is_shown(step, viewer)).count();
        Replay {
            followers: viewers.into_iter().map(ViewFollower::new).collect(),
            viewer,
            next: 0,
            number: 0,
            length: 1 + visible as u32,
            record,
        }
    }

    /// The record.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The viewer; `None` with all hands.
    #[must_use]
    pub fn viewer(&self) -> Option<Viewer> {
        self.viewer
    }

    /// Number of steps in all: at least 1.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The same replay from the step with this number on.
    #[must_use]
    pub fn starting_at(mut self, number: u32) -> Replay {
        while self.number < number.min(self.length) {
            self.advance();
        }
        self
    }

    /// Moves past the next visible step, and returns the steps of the record that it consists of.
    fn advance(&mut self) -> std::ops::Range<usize> {
        let first = self.next;
        let end = if self.number == 0 {
            start_length(&self.record)
        } else {
            let rest = &self.record.steps[first..];
            let shown = rest.iter().position(|step| is_shown(step, self.viewer));
            shown.map_or(self.record.steps.len(), |index| first + index + 1)
        };
        for step in &self.record.steps[first..end] {
            self.followers.iter_mut().for_each(|follower| follower.follow(step, &self.record));
        }
        self.next = end;
        self.number += 1;
        first..end
    }
}

impl Iterator for Replay {
    type Item = ReplayStep;

    fn next(&mut self) -> Option<ReplayStep> {
        let number = self.number;
        if number >= self.length {
            return None;
        }
        let range = self.advance();
        let steps = &self.record.steps[range];
        let at = steps.last().map_or(self.record.summary.setup.created, |step| step.at);
        let viewer = self.viewer;
        Some(ReplayStep {
            number,
            at,
            events: steps.iter().flat_map(|step| shown_events(step, viewer)).cloned().collect(),
            decided: steps.iter().flat_map(|step| shown_decisions(step, viewer)).collect(),
            views: self.followers.iter().filter_map(|follower| follower.view().cloned()).collect(),
            is_last: number + 1 == self.length,
        })
    }
}

/// Number of the steps of a record up to the start of the game; all of them if it never started.
fn start_length(record: &Record) -> usize {
    record.steps.iter().position(Step::has_shuffle).map_or(record.steps.len(), |index| index + 1)
}

/// True if the step shows an event or a decision. A question alone shows nothing.
fn is_shown(step: &Step, viewer: Option<Viewer>) -> bool {
    shown_events(step, viewer).next().is_some() || shown_decisions(step, viewer).next().is_some()
}

/// The events of a step that a viewer received. All hands leave out the form that an event has for others if the seats
/// that it happened to have one of their own.
fn shown_events(step: &Step, viewer: Option<Viewer>) -> impl Iterator<Item = &(Audience, RecordedEvent)> {
    let told_apart: Seats = step
        .events
        .iter()
        .filter_map(|(to, _)| match to {
            Audience::Only(seat) => Some(*seat),
            Audience::Everyone | Audience::AllBut(_) => None,
        })
        .collect();
    step.events.iter().filter(move |(to, _)| match (viewer, to) {
        (Some(viewer), to) => to.includes(viewer),
        (None, Audience::AllBut(seats)) => !seats.iter().all(|seat| told_apart.contains(seat)),
        (None, Audience::Everyone | Audience::Only(_)) => true,
    })
}

fn shown_decisions(step: &Step, viewer: Option<Viewer>) -> impl Iterator<Item = (Seat, Decided)> + '_ {
    let seats = Seat::all(step.decided.len() as u8);
    let made = seats.zip(step.decided).filter_map(|(seat, decided)| Some((seat, decided?)));
    // A seat that has forfeited is not shown the defaults for which it was not asked.
    made.filter(move |(seat, decided)| viewer.is_none_or(|viewer| viewer.is(*seat) && decided.was_asked()))
}
