//! Updates of a table, numbered per viewer.

use parlor_engine::{AnyAction, AnyEvent, Audience, MAX_SEATS, Seat, Viewer};

use super::{DecisionId, Ending, SeatFinish, Shuffle};
use crate::TableId;

/// An event that a viewer receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedEvent {
    /// Event of the game.
    Game(AnyEvent),
    /// Event of the table.
    Table(TableEvent),
}

/// An event of the table outside the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableEvent {
    /// A seat was taken.
    Joined {
        /// The seat.
        seat: Seat,
        /// Display name; may be empty.
        name: String,
    },
    /// All seats were taken, and entropy is revealed.
    Starting {
        /// Public part of the shuffle, with the commitments of all seats.
        shuffle: Box<Shuffle>,
    },
    /// The game began.
    Started {
        /// Public part of the shuffle.
        shuffle: Box<Shuffle>,
    },
    /// The clock of a seat ran out, and the default was played for it.
    TimedOut {
        /// The seat.
        seat: Seat,
        /// Number of timeouts of the seat, including this one.
        times: u32,
    },
    /// A seat forfeited: it plays default actions from now on and ranks last.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// Kind of forfeit.
        finish: SeatFinish,
    },
    /// A house bot took over a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// Name of the bot.
        bot: String,
    },
    /// The table is over.
    Ended {
        /// Ending of the table.
        ending: Ending,
        /// Public part of the shuffle, with the seeds revealed.
        shuffle: Box<Shuffle>,
    },
    /// A rematch was created for the same players. It can only follow the end.
    Rematch {
        /// The new table.
        table: TableId,
    },
}

/// Events of one log entry, each with its audience.
pub type AudienceEvents = Vec<(Audience, RecordedEvent)>;

/// Maker of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// Client of the seat.
    Player,
    /// Clock of the seat: it ran out, and the default action was played.
    Clock,
    /// Server, because the seat has forfeited.
    Forfeit,
    /// House bot of the seat.
    HouseBot,
}

/// A made decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Id of the decision; [`DecisionId::UNASKED`] for the default of a forfeited seat, which was not asked.
    pub id: DecisionId,
    /// Index of the played action among the legal ones, from 0.
    pub index: u32,
    /// The action.
    pub action: AnyAction,
    /// Maker of the decision.
    pub by: DecidedBy,
    /// Time used, in milliseconds of the seat's clock.
    pub used: u32,
    /// Think time reported by the client, in milliseconds.
    pub reported: Option<u32>,
    /// Time bank left afterwards, in milliseconds.
    pub bank: u32,
    /// Number of the seat's update that reports it.
    pub number: u64,
}

impl Decided {
    /// True if the seat was asked. Otherwise it is a default that a forfeited seat played: only the full record shows it.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        self.id != DecisionId::UNASKED
    }
}

/// Number of the last update of each viewer. An entry that a viewer does not see has no number for that viewer, so a
/// secret leaves no gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateNumbers([u64; MAX_SEATS + 1]);

impl UpdateNumbers {
    /// Number of the viewer's last update; 0 before the first.
    #[must_use]
    pub fn get(&self, viewer: Viewer) -> u64 {
        self.0[viewer_index(viewer)]
    }

    /// Sets the number of a viewer, as stored in a record.
    pub(crate) fn with(mut self, viewer: Viewer, number: u64) -> UpdateNumbers {
        self.0[viewer_index(viewer)] = number;
        self
    }

    pub(super) fn increment(&mut self, viewer: Viewer) {
        self.0[viewer_index(viewer)] += 1;
    }
}

fn viewer_index(viewer: Viewer) -> usize {
    viewer.seat().map_or(MAX_SEATS, Seat::index)
}

/// Effect of one log entry: its events and decisions, for all viewers. [`Step::update`] filters it for one viewer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// Events in order, each with its audience.
    pub events: AudienceEvents,
    /// Decisions made, at most one per seat, with the defaults of forfeited seats.
    pub decided: [Option<Decided>; MAX_SEATS],
    /// Seats for which a decision was opened.
    pub asked: parlor_engine::Seats,
    /// Shuffles in order. No viewer sees them before the table is over.
    pub shuffled: Vec<RecordedShuffle>,
}

/// A performed shuffle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedShuffle {
    /// Id of the shuffle.
    pub name: parlor_engine::ShuffleId,
    /// Codes of the cards, first card first.
    pub codes: Vec<u8>,
}

/// One viewer's part of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// Number of the update, counted per viewer from 1.
    pub number: u64,
    /// Events of the table, in order.
    pub table_events: Vec<TableEvent>,
    /// The viewer's own decision, if the step made one.
    pub decided: Option<Decided>,
    /// Events of the game, in order.
    pub events: Vec<AnyEvent>,
}

impl Step {
    /// True if the step shuffled cards. The first such step of a table deals them, and so starts the game.
    pub(super) fn has_shuffle(&self) -> bool {
        !self.shuffled.is_empty()
    }

    /// True if the viewer sees any part of the step. Otherwise the step has no update number for that viewer.
    #[must_use]
    pub fn is_visible_to(&self, viewer: Viewer) -> bool {
        let seat = viewer.seat();
        seat.is_some_and(|seat| self.asked.contains(seat) || self.answered(seat).is_some())
            || self.events.iter().any(|(to, _)| to.includes(viewer))
    }

    /// The decision of a seat that was asked.
    pub(super) fn answered(&self, seat: Seat) -> Option<Decided> {
        self.decided[seat.index()].filter(Decided::was_asked)
    }

    /// The viewer's part of the step, with this number; `None` if the viewer sees nothing of it.
    #[must_use]
    pub fn update(&self, viewer: Viewer, number: u64) -> Option<Update> {
        if !self.is_visible_to(viewer) {
            return None;
        }
        let decided = viewer.seat().and_then(|seat| self.answered(seat));
        let mut update = Update { number, table_events: Vec::new(), decided, events: Vec::new() };
        for (_, event) in self.events.iter().filter(|(to, _)| to.includes(viewer)) {
            match event {
                RecordedEvent::Game(event) => update.events.push(*event),
                RecordedEvent::Table(event) => update.table_events.push(event.clone()),
            }
        }
        Some(update)
    }
}
