//! Summaries and other read access to a table.

use std::sync::Arc;

use parlor_engine::{AnyAction, AnyGame, AnyView, Seat, Seats, Viewer};

use super::state::{SeatState, Stage, Table};
use super::{Ending, Holder, Invite, SeatFinish, Setup, Shuffle, UpdateNumbers};
use crate::TableId;

/// State of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// Waiting for players.
    Open,
    /// Filled, and waiting for entropy to be revealed.
    Starting,
    /// In play.
    Playing,
    /// Played to its end.
    Finished,
    /// Cancelled by the owner.
    Cancelled,
    /// Not filled in time.
    Expired,
    /// Ended by a fault of the server.
    Faulted,
}

impl State {
    /// All states.
    pub const ALL: [State; 7] = [
        State::Open,
        State::Playing,
        State::Finished,
        State::Cancelled,
        State::Expired,
        State::Faulted,
        State::Starting,
    ];

    /// True if the table has ended.
    #[must_use]
    pub const fn is_over(self) -> bool {
        !matches!(self, State::Open | State::Starting | State::Playing)
    }
}

/// A table without its game, for listings, owner feeds and records. Metadata and the owner's ids of users are for the
/// owner only: the caller leaves them out for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSummary {
    /// Setup. Its chance is secret: [`TableSummary::shuffle`] is the public part.
    pub setup: Arc<Setup>,
    /// State.
    pub state: State,
    /// Seats, in order.
    pub seats: Vec<SeatSummary>,
    /// Public part of the shuffle.
    pub shuffle: Shuffle,
    /// Ending, if the table is over.
    pub ending: Option<Ending>,
    /// Deadline of reveals, in milliseconds since 1970, while the table is starting. It is not in the log.
    pub reveal_before: Option<u64>,
    /// Start of the game, in milliseconds since 1970.
    pub started: Option<u64>,
    /// End of the table, in milliseconds since 1970.
    pub ended: Option<u64>,
    /// Number of log entries.
    pub length: u64,
    /// Number of the last update of each viewer.
    pub numbers: UpdateNumbers,
    /// Valid generation of the spectator tokens.
    pub spectators: u32,
    /// Seats whose players everyone may see the table wait for.
    pub waiting_for: Seats,
    /// Invites, until the game begins. Not stored with a summary.
    pub invites: Vec<Invite>,
    /// Id of the rematch. It is not in the table's own log: the caller that looks it up sets it.
    pub rematch: Option<TableId>,
}

/// Summary of a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatSummary {
    /// Holder of the seat.
    pub holder: Holder,
    /// Valid generation of the seat token.
    pub generation: u32,
    /// Forfeit state.
    pub finish: SeatFinish,
    /// Grace left, in milliseconds.
    pub grace: u32,
}

impl TableSummary {
    /// Reveals the seeds of the table's tournament deal, if it has one. The caller knows that the deal is over.
    pub fn reveal_deal(&mut self) {
        if let Some(deal) = self.setup.chance.deal() {
            self.shuffle = deal.shuffle(true);
        }
    }
}

impl Table {
    /// The setup of the table.
    #[must_use]
    pub const fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// Number of folded log entries.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Number of the last update of each viewer.
    #[must_use]
    pub const fn numbers(&self) -> UpdateNumbers {
        self.numbers
    }

    /// Number of seats.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.seats.len() as u8
    }

    /// All seats, in order.
    #[must_use]
    pub fn seats(&self) -> &[SeatState] {
        &self.seats
    }

    /// State of the table.
    #[must_use]
    pub const fn state(&self) -> State {
        match &self.stage {
            Stage::Filling => State::Open,
            Stage::Starting => State::Starting,
            Stage::Playing(_) => State::Playing,
            Stage::Over { ending, .. } => match ending {
                Ending::Finished(_) => State::Finished,
                Ending::Cancelled { .. } => State::Cancelled,
                Ending::Expired => State::Expired,
                Ending::Faulted { .. } => State::Faulted,
            },
        }
    }

    /// Summary of the table, without its game.
    #[must_use]
    pub fn summary(&self) -> TableSummary {
        let seat = |seat: &SeatState| SeatSummary {
            holder: seat.holder.clone(),
            generation: seat.generation,
            finish: seat.finish,
            grace: seat.grace,
        };
        TableSummary {
            setup: self.setup.clone(),
            state: self.state(),
            seats: self.seats.iter().map(seat).collect(),
            shuffle: self.shuffle(),
            ending: self.ending().cloned(),
            reveal_before: self.reveal_before(),
            started: self.started,
            ended: self.ended,
            length: self.length,
            numbers: self.numbers,
            spectators: self.spectators,
            waiting_for: self.waiting_for(),
            invites: self.invites.clone(),
            rematch: None,
        }
    }

    /// Valid generation of the spectator tokens.
    #[must_use]
    pub const fn spectators(&self) -> u32 {
        self.spectators
    }

    /// Deadline of reveals, in milliseconds since 1970, while the table is starting.
    #[must_use]
    pub fn reveal_before(&self) -> Option<u64> {
        self.reveal_before.filter(|_| self.stage == Stage::Starting)
    }

    /// Sets the deadline of reveals, in milliseconds since 1970, unless it is set already or the table is not starting.
    pub fn start_reveal_time(&mut self, until: u64) {
        if self.stage == Stage::Starting {
            self.reveal_before.get_or_insert(until);
        }
    }

    /// Takes over the deadline of reveals of another state of this table.
    pub(crate) fn copy_reveal_time(&mut self, other: &Table) {
        self.reveal_before = other.reveal_before;
    }

    /// The game, while it is in play.
    #[must_use]
    pub fn game(&self) -> Option<&AnyGame> {
        match &self.stage {
            Stage::Playing(game) => Some(game),
            Stage::Filling | Stage::Starting | Stage::Over { .. } => None,
        }
    }

    /// Ending, if the table is over.
    #[must_use]
    pub const fn ending(&self) -> Option<&Ending> {
        match &self.stage {
            Stage::Over { ending, .. } => Some(ending),
            Stage::Filling | Stage::Starting | Stage::Playing(_) => None,
        }
    }

    /// The viewer's view of the game; `None` before the start.
    #[must_use]
    pub fn view(&self, viewer: Viewer) -> Option<AnyView> {
        match &self.stage {
            Stage::Playing(game) | Stage::Over { game: Some(game), .. } => Some(game.view(viewer)),
            Stage::Filling | Stage::Starting | Stage::Over { game: None, .. } => None,
        }
    }

    /// Legal actions of the seat; empty if it has no decision to make.
    #[must_use]
    pub fn legal_actions(&self, seat: Seat) -> Vec<AnyAction> {
        self.game().map(|game| game.legal_actions(seat)).unwrap_or_default()
    }

    /// True if decisions are limited in time.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.setup.time.decision > 0
    }

    /// True if the creator of the table gave the seed.
    #[must_use]
    pub fn has_given_seed(&self) -> bool {
        self.setup.chance.has_given_seed()
    }

    /// True during a window of constant length in which a secret decision is possible.
    #[must_use]
    pub fn window_is_held(&self) -> bool {
        self.game().is_some_and(AnyGame::window_is_held)
    }

    /// True if a secret decision may precede a turn for a time that is secret too: windows of constant length hide
    /// nothing by their length.
    #[must_use]
    pub fn hides_starts_of_turns(&self) -> bool {
        !self.setup.time.constant_secret && self.game().is_some_and(AnyGame::has_secret_decisions)
    }

    /// True if it is public that the table waits for the player of the seat. False if the server plays for the seat.
    #[must_use]
    pub fn waits_for(&self, seat: Seat) -> bool {
        let state = self.seat(seat);
        let by_house = matches!(state.holder, Holder::House { .. }) || state.finish.is_forfeit();
        !by_house && self.game().is_some_and(|game| game.public_to_act().contains(seat))
    }

    /// The seats for which [`Table::waits_for`] is true.
    #[must_use]
    pub fn waiting_for(&self) -> Seats {
        Seat::all(self.players()).filter(|seat| self.waits_for(*seat)).fold(Seats::NONE, Seats::with)
    }

    /// True if the seat has a secret decision, whose existence must stay hidden from all others.
    #[must_use]
    pub fn is_secret(&self, seat: Seat) -> bool {
        self.game().is_some_and(|game| game.has_secret_decision(seat))
    }
}
