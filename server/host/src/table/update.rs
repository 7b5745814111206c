//! What a table tells its viewers, numbered for each of them.

use parlor_engine::{AnyAction, AnyEvent, Audience, MAX_SEATS, Seat, Viewer};

use super::{DecisionId, Ending, SeatFinish, Shuffle};
use crate::TableId;

/// Something that a viewer is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedEvent {
    /// Something happened in the game.
    Game(AnyEvent),
    /// Something happened at the table.
    Table(TableEvent),
}

/// Something that happened at the table, around the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableEvent {
    /// A seat was taken.
    Joined {
        /// The seat.
        seat: Seat,
        /// The name that others see; may be empty.
        name: String,
    },
    /// All seats were taken, and the game began.
    Started {
        /// What there is to see of the shuffle now.
        shuffle: Box<Shuffle>,
    },
    /// The clock of a seat ran out, and the default was played for it.
    TimedOut {
        /// The seat.
        seat: Seat,
        /// How often that has happened to the seat, this time included.
        times: u32,
    },
    /// A seat forfeited: it plays defaults from now on, and ranks last.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// Why.
        finish: SeatFinish,
    },
    /// A bot of the house took over a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// The bot that sits there now.
        bot: String,
    },
    /// The table is over.
    Ended {
        /// How.
        ending: Ending,
        /// The shuffle, with all that was secret until now.
        shuffle: Box<Shuffle>,
    },
    /// A new table was made for the same players. It can only follow the end.
    Rematch {
        /// The new table.
        table: TableId,
    },
}

/// What one entry of the log told, each audience its own.
pub type AudienceEvents = Vec<(Audience, RecordedEvent)>;

/// ViewerCredential made a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// A client of the seat.
    Player,
    /// The clock, which ran out.
    Clock,
    /// The house, because the seat has forfeited.
    Forfeit,
    /// A house bot that has the seat.
    HouseBot,
}

/// A decision that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Which decision.
    pub id: DecisionId,
    /// Which of the legal actions was played, counted from 0.
    pub index: u32,
    /// The action.
    pub action: AnyAction,
    /// ViewerCredential made it.
    pub by: DecidedBy,
    /// How long it took, in milliseconds of the seat's clock.
    pub used: u32,
    /// How long the player says that it thought, in milliseconds.
    pub reported: Option<u32>,
    /// What was left of the seat's bank afterwards, in milliseconds.
    pub bank: u32,
    /// The number of the seat's update in which it was decided.
    pub number: u64,
}

/// How many numbered updates each viewer has had. A viewer that an entry tells nothing gets no number for it, so a
/// secret leaves no hole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers([u64; MAX_SEATS + 1]);

impl Numbers {
    /// The number of the viewer's newest update; 0 before the first.
    #[must_use]
    pub fn of(&self, viewer: Viewer) -> u64 {
        self.0[slot(viewer)]
    }

    /// The same with this number for the viewer: as a record has it.
    pub(crate) fn with(mut self, viewer: Viewer, number: u64) -> Numbers {
        self.0[slot(viewer)] = number;
        self
    }

    pub(super) fn count(&mut self, viewer: Viewer) {
        self.0[slot(viewer)] += 1;
    }
}

fn slot(viewer: Viewer) -> usize {
    viewer.seat().map_or(MAX_SEATS, Seat::index)
}

/// What one entry of the log came to: what it told, and what it decided. ViewerCredential sees what of it is for
/// [`Step::update`] to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// When it happened, in milliseconds since 1970.
    pub at: u64,
    /// What was told, in order.
    pub told: AudienceEvents,
    /// The decisions that were made, at most one a seat.
    pub decided: [Option<Decided>; MAX_SEATS],
    /// The seats that are newly asked.
    pub asked: parlor_engine::Seats,
    /// The shuffles that happened, in order. No viewer sees them before the table is over.
    pub shuffled: Vec<RecordedShuffle>,
}

/// A shuffle that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedShuffle {
    /// Which one.
    pub name: parlor_engine::ShuffleId,
    /// The codes of the cards, front first.
    pub codes: Vec<u8>,
}

/// What happened at a table, as one viewer learns it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// Its number, counted for this viewer from 1.
    pub number: u64,
    /// What happened at the table, in order.
    pub table_events: Vec<TableEvent>,
    /// The viewer's own decision that was made.
    pub decided: Option<Decided>,
    /// What happened in the game, in order.
    pub events: Vec<AnyEvent>,
}

impl Step {
    /// Whether there is anything in it for the viewer. If not, it has no number for that viewer either.
    #[must_use]
    pub fn concerns(&self, viewer: Viewer) -> bool {
        let seat = viewer.seat();
        seat.is_some_and(|seat| self.asked.contains(seat) || self.decided[seat.index()].is_some())
            || self.told.iter().any(|(to, _)| to.includes(viewer))
    }

    /// What the viewer learns, under this number; nothing if it does not concern the viewer.
    #[must_use]
    pub fn update(&self, viewer: Viewer, number: u64) -> Option<Update> {
        if !self.concerns(viewer) {
            return None;
        }
        let decided = viewer.seat().and_then(|seat| self.decided[seat.index()]);
        let mut update = Update { number, table_events: Vec::new(), decided, events: Vec::new() };
        for (_, told) in self.told.iter().filter(|(to, _)| to.includes(viewer)) {
            match told {
                RecordedEvent::Game(event) => update.events.push(*event),
                RecordedEvent::Table(event) => update.table_events.push(event.clone()),
            }
        }
        Some(update)
    }
}
