//! Looking at a table.

use std::sync::Arc;

use parlor_engine::{AnyAction, AnyGame, AnyView, Seat, Viewer};

use super::state::{SeatState, Stage, Table};
use super::{Ending, Holder, Numbers, SeatFinish, Setup, Shuffle};
use crate::TableId;

/// Where a table is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// It waits for players.
    Open,
    /// It is being played.
    Playing,
    /// The game was played to its end.
    Finished,
    /// The owner ended it.
    Cancelled,
    /// It did not fill in time.
    Expired,
    /// A fault of the server ended it.
    Faulted,
}

impl State {
    /// Every state.
    pub const ALL: [State; 6] =
        [State::Open, State::Playing, State::Finished, State::Cancelled, State::Expired, State::Faulted];

    /// Whether nothing happens at the table any more.
    #[must_use]
    pub const fn is_over(self) -> bool {
        !matches!(self, State::Open | State::Playing)
    }
}

/// A table without its game: all that listings, owners and records show of it. Whoever shows it leaves out what is the
/// owner's alone (metadata and the owner's names for users).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSummary {
    /// How it was set up. Its chance is secret: [`TableSummary::shuffle`] has what may be seen of it.
    pub setup: Arc<Setup>,
    /// Where it is in its life.
    pub state: State,
    /// Its seats, in order.
    pub seats: Vec<SeatSummary>,
    /// What there is to see of its shuffle.
    pub shuffle: Shuffle,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
    /// When the game began, in milliseconds since 1970.
    pub started: Option<u64>,
    /// When it was over.
    pub ended: Option<u64>,
    /// How many entries its log has.
    pub length: u64,
    /// How many numbered updates each viewer has had.
    pub numbers: Numbers,
    /// Which generation of its tokens for spectators is good.
    pub spectators: u32,
    /// The table that is its rematch. The table's own log does not know it: whoever looks it up puts it here.
    pub rematch: Option<TableId>,
}

/// A seat, as a table shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatSummary {
    /// ViewerCredential sits there.
    pub holder: Holder,
    /// Which generation of its token is good.
    pub generation: u32,
    /// How it plays.
    pub finish: SeatFinish,
    /// What is left of its grace, in milliseconds.
    pub grace: u32,
}

impl TableSummary {
    /// Shows the seeds of the deal of a tournament that the table's cards come from, if they do: for whoever knows that the
    /// deal is over.
    pub fn reveal_deal(&mut self) {
        if let Some(deal) = self.setup.chance.deal() {
            self.shuffle = deal.shuffle(true);
        }
    }
}

impl Table {
    /// How the table was set up.
    #[must_use]
    pub const fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// How many entries of the log are in it.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// How many numbered updates each viewer has had.
    #[must_use]
    pub const fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// How many seats there are.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.seats.len() as u8
    }

    /// All seats, in order.
    #[must_use]
    pub fn seats(&self) -> &[SeatState] {
        &self.seats
    }

    /// Where it is in its life.
    #[must_use]
    pub const fn state(&self) -> State {
        match &self.stage {
            Stage::Filling => State::Open,
            Stage::Playing(_) => State::Playing,
            Stage::Over { ending, .. } => match ending {
                Ending::Finished(_) => State::Finished,
                Ending::Cancelled { .. } => State::Cancelled,
                Ending::Expired => State::Expired,
                Ending::Faulted { .. } => State::Faulted,
            },
        }
    }

    /// The table without its game.
    #[must_use]
    pub fn look(&self) -> TableSummary {
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
            started: self.started,
            ended: self.ended,
            length: self.length,
            numbers: self.numbers,
            spectators: self.spectators,
            rematch: None,
        }
    }

    /// Which generation of its tokens for spectators is good.
    #[must_use]
    pub const fn spectators(&self) -> u32 {
        self.spectators
    }

    /// The game, while it is on.
    #[must_use]
    pub fn game(&self) -> Option<&AnyGame> {
        match &self.stage {
            Stage::Playing(game) => Some(game),
            Stage::Filling | Stage::Over { .. } => None,
        }
    }

    /// How the table ended, once it has.
    #[must_use]
    pub const fn ending(&self) -> Option<&Ending> {
        match &self.stage {
            Stage::Over { ending, .. } => Some(ending),
            Stage::Filling | Stage::Playing(_) => None,
        }
    }

    /// What the viewer knows of the game, once it has begun.
    #[must_use]
    pub fn view(&self, viewer: Viewer) -> Option<AnyView> {
        match &self.stage {
            Stage::Playing(game) | Stage::Over { game: Some(game), .. } => Some(game.view(viewer)),
            Stage::Filling | Stage::Over { game: None, .. } => None,
        }
    }

    /// What the seat can do now.
    #[must_use]
    pub fn legal_actions(&self, seat: Seat) -> Vec<AnyAction> {
        self.game().map(|game| game.legal_actions(seat)).unwrap_or_default()
    }

    /// Whether decisions have a limit of time.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.setup.time.decision > 0
    }

    /// Whether the seed of the game was given by whoever made the table.
    #[must_use]
    pub fn shuffle_is_given(&self) -> bool {
        self.setup.chance.is_given()
    }

    /// Whether a moment of constant length is on, at which somebody may be asked in secret.
    #[must_use]
    pub fn window_is_held(&self) -> bool {
        self.game().is_some_and(AnyGame::window_is_held)
    }

    /// Whether everyone may see that the table waits for the player of the seat: not so if the house plays for it.
    #[must_use]
    pub fn waits_for(&self, seat: Seat) -> bool {
        let state = self.seat(seat);
        let by_house = matches!(state.holder, Holder::House { .. }) || state.finish.is_forfeit();
        !by_house && self.game().is_some_and(|game| game.public_to_act().contains(seat))
    }

    /// Whether nobody else may learn that the seat is asked.
    #[must_use]
    pub fn is_secret(&self, seat: Seat) -> bool {
        self.game().is_some_and(|game| game.has_secret_decision(seat))
    }
}
