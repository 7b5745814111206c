//! What can be done to a table. A command looks at the table and gives back the entries that carry it out; the table
//! changes only when they are durable and folded in.

use parlor_engine::{AnyAction, NoEvents, Refusal, Seat};

use parlor_fair::Entropy;

use super::state::{DecisionId, Holder, SeatState, Table};
use super::{Decided, Entry, IdempotencyKey, SeatSetup};

/// Why a command was refused. Each is one line that says what to do.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// The seat is not one of this table's.
    #[error("this table has seats 0 to {last}: there is no seat {seat}")]
    NoSuchSeat {
        /// What was asked for.
        seat: Seat,
        /// The last seat.
        last: u8,
    },
    /// Somebody sits there.
    #[error("seat {seat} is taken: choose another one")]
    SeatTaken {
        /// The seat.
        seat: Seat,
    },
    /// The seat is kept for somebody else.
    #[error("seat {seat} is reserved for another user")]
    SeatReserved {
        /// The seat.
        seat: Seat,
    },
    /// No seat is left for this player.
    #[error("no seat is free at this table")]
    TableFull,
    /// Nobody sits there.
    #[error("nobody has seat {seat} yet: a player joins it first")]
    SeatVacant {
        /// The seat.
        seat: Seat,
    },
    /// The id of the request was used before, for a different one.
    #[error("this request id was used for a different request: take a new id")]
    RequestReused,
    /// The game has not begun.
    #[error("the game has not begun: it begins when every seat is taken")]
    NotStarted,
    /// The game has begun.
    #[error("the game has begun: this can only be done before")]
    AlreadyStarted,
    /// The table is over.
    #[error("the table is over")]
    Over,
    /// The seat is not asked for that decision yet.
    #[error("decision {id} of seat {seat} has not come up: answer the decision that is open", id = decision.0)]
    NotAsked {
        /// The seat.
        seat: Seat,
        /// The decision named.
        decision: DecisionId,
    },
    /// The decision was made, differently.
    #[error("decision {id} was decided: {played}", id = decision.0, played = played.map_or_else(|| "it is over".to_owned(), |action| action.to_string()))]
    AlreadyDecided {
        /// The decision named.
        decision: DecisionId,
        /// What was played, if the table still knows: it knows of the newest decision of each seat, the log of all.
        played: Option<AnyAction>,
    },
    /// There is no such action.
    #[error("there are {count} legal actions, counted from 0: there is no action {index}")]
    NoSuchIndex {
        /// What was answered.
        index: u32,
        /// How many there are.
        count: u32,
    },
    /// The rules do not allow it.
    #[error("{0}")]
    Illegal(Refusal),
    /// The seat has forfeited.
    #[error("seat {seat} has forfeited: the house plays its defaults to the end")]
    Forfeited {
        /// The seat.
        seat: Seat,
    },
    /// A bot of the house sits there.
    #[error("seat {seat} is played by the house")]
    IsHouse {
        /// The seat.
        seat: Seat,
    },
    /// An agent sits there.
    #[error("seat {seat} is an agent's, which plays it over its own stream: there is no token for it")]
    IsAgent {
        /// The seat.
        seat: Seat,
    },
    /// No agent sits there.
    #[error("seat {seat} is not an agent's: only an agent can be set aside")]
    NotAgent {
        /// The seat.
        seat: Seat,
    },
}

/// The answer of a seat to a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionAnswer {
    /// The decision.
    pub decision: DecisionId,
    /// The answer.
    pub answer: Answer,
    /// The think time that the client reports, in milliseconds.
    pub reported: Option<u32>,
}

/// An answer to a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This action.
    Action(AnyAction),
    /// The legal action with this index, counted from 0.
    Index(u32),
}

/// What an answer comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::large_enum_variant, reason = "short-lived, and one of a kind")]
pub enum Answered {
    /// It is to be played.
    Play(Entry),
    /// It was played already: sending it again is harmless.
    Again(Decided),
}

/// ViewerCredential wants which seat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeatRequest {
    /// The seat; none for the one kept for the player, or else the first that is open.
    pub seat: Option<Seat>,
    /// The owner's own name for the player, if the owner seats one of its users.
    pub user: Option<String>,
    /// At a rematch: the seat that the player had at the table before.
    pub previous: Option<Seat>,
    /// The name that others see; empty for the one of the reservation.
    pub name: String,
    /// What the player adds to the shuffle.
    pub entropy: Entropy,
    /// What makes a repeat harmless.
    pub request: Option<IdempotencyKey>,
}

impl Table {
    /// The seat that this very request took before, if it did.
    pub fn joined_before(&self, joining: &SeatRequest) -> Result<Option<Seat>, CommandError> {
        let Some(request) = &joining.request else { return Ok(None) };
        let is_player = |state: &SeatState| matches!(state.holder, Holder::Player { .. });
        for seat in Seat::all(self.players()) {
            match &self.seat(seat).request {
                Some(mark) if mark.id == request.id && is_player(self.seat(seat)) => {
                    return if mark == request { Ok(Some(seat)) } else { Err(CommandError::RequestReused) };
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// A player takes a seat. The last one to join begins the game.
    pub fn join(&self, joining: SeatRequest) -> Result<(Seat, Vec<Entry>), CommandError> {
        self.filling_only()?;
        let seat = match joining.seat {
            Some(seat) => seat,
            None => self.seat_for(&joining).ok_or(CommandError::TableFull)?,
        };
        self.is_free(seat, &joining)?;
        let SeatRequest { user, name, entropy, request, .. } = joining;
        let kept_for = match &self.setup().seats[seat.index()] {
            SeatSetup::Reserved { user, name, .. } => Some((user.clone(), name.clone())),
            SeatSetup::Open | SeatSetup::House { .. } | SeatSetup::Agent { .. } => None,
        };
        let (kept_user, kept_name) = kept_for.unwrap_or_default();
        let (user, name) = (user.or(kept_user), if name.is_empty() { kept_name } else { name });
        let mut entries = vec![Entry::Joined { seat, user, name, entropy, request }];
        entries.extend(self.starts_with(seat));
        Ok((seat, entries))
    }

    /// The seat kept for the player, or else the first that is open.
    fn seat_for(&self, joining: &SeatRequest) -> Option<Seat> {
        let is_kept = |seat: &Seat| self.setup().seats[seat.index()] != SeatSetup::Open;
        let mut free: Vec<Seat> =
            Seat::all(self.players()).filter(|seat| self.is_free(*seat, joining).is_ok()).collect();
        free.sort_by_key(|seat| !is_kept(seat));
        free.first().copied()
    }

    fn is_free(&self, seat: Seat, joining: &SeatRequest) -> Result<(), CommandError> {
        self.check_seat(seat)?;
        if self.seat(seat).holder != Holder::Vacant {
            return Err(CommandError::SeatTaken { seat });
        }
        match &self.setup().seats[seat.index()] {
            SeatSetup::Reserved { user, previous, .. } => {
                let is_user = user.is_some() && *user == joining.user;
                let is_previous = previous.is_some() && *previous == joining.previous;
                if is_user || is_previous { Ok(()) } else { Err(CommandError::SeatReserved { seat }) }
            }
            SeatSetup::Open | SeatSetup::House { .. } | SeatSetup::Agent { .. } => Ok(()),
        }
    }

    /// A seat answers a decision. Sending an answer again is harmless; another answer to a decided one is refused.
    pub fn answer(
        &self,
        seat: Seat,
        decision: DecisionId,
        answer: Answer,
        used: u32,
        reported: Option<u32>,
    ) -> Result<Answered, CommandError> {
        self.check_seat(seat)?;
        let state = self.seat(seat);
        if state.open != Some(decision) {
            if decision.0 == 0 || decision.0 > state.asked {
                self.playing_only()?;
                return Err(CommandError::NotAsked { seat, decision });
            }
            let decided = state.decided.filter(|decided| decided.id == decision);
            return match decided {
                Some(made)
                    if answer == Answer::Action(made.action) || answer == Answer::Index(made.index) =>
                {
                    Ok(Answered::Again(made))
                }
                _ => Err(CommandError::AlreadyDecided { decision, played: decided.map(|made| made.action) }),
            };
        }
        let index = match answer {
            Answer::Index(index) => {
                let action = self.game().and_then(|game| game.legal_action(seat, index as usize));
                if action.is_none() {
                    let count = self.legal_actions(seat).len() as u32;
                    return Err(CommandError::NoSuchIndex { index, count });
                }
                index
            }
            Answer::Action(action) => match self.game().and_then(|game| game.legal_index(seat, action)) {
                Some(index) => index as u32,
                None => return Err(CommandError::Illegal(self.refusal(seat, action))),
            },
        };
        Ok(Answered::Play(Entry::Acted { seat, index, used, reported }))
    }

    fn check_seat(&self, seat: Seat) -> Result<(), CommandError> {
        let last = self.players().saturating_sub(1);
        if seat.index() > usize::from(last) { Err(CommandError::NoSuchSeat { seat, last }) } else { Ok(()) }
    }

    /// Why the rules refuse an action that is not offered.
    fn refusal(&self, seat: Seat, action: AnyAction) -> Refusal {
        let tried = self.game().map(|game| game.clone().apply(seat, action, &mut NoEvents));
        tried.and_then(Result::err).unwrap_or(Refusal::NOT_ASKED)
    }

    /// The clock of a seat has run out. Nothing, if the seat has answered in the meantime.
    #[must_use]
    pub fn time_out(&self, seat: Seat, decision: DecisionId, used: u32, away: bool) -> Option<Entry> {
        let is_open = self.seats().get(seat.index()).is_some_and(|state| state.open == Some(decision));
        is_open.then_some(Entry::TimedOut { seat, used, away })
    }

    /// A player gives up. An agent may do so before the game has begun.
    pub fn resign(&self, seat: Seat) -> Result<Vec<Entry>, CommandError> {
        self.check_seat(seat)?;
        let state = self.seat(seat);
        match state.holder {
            Holder::Agent { .. } => self.not_over()?,
            _ => self.playing_only()?,
        }
        match state.holder {
            Holder::House { .. } => Err(CommandError::IsHouse { seat }),
            _ if state.finish.is_forfeit() => Err(CommandError::Forfeited { seat }),
            _ => Ok(vec![Entry::Resigned { seat }]),
        }
    }

    /// The agent of a seat is set aside, and the seat forfeits. No entries: it has forfeited before.
    pub fn set_aside(&self, seat: Seat) -> Result<Vec<Entry>, CommandError> {
        self.check_seat(seat)?;
        self.not_over()?;
        let state = self.seat(seat);
        match state.holder {
            Holder::Agent { .. } if state.finish.is_forfeit() => Ok(Vec::new()),
            Holder::Agent { .. } => Ok(vec![Entry::SetAside { seat }]),
            Holder::House { .. } => Err(CommandError::IsHouse { seat }),
            Holder::Vacant | Holder::Player { .. } => Err(CommandError::NotAgent { seat }),
        }
    }

    /// A bot of the house takes over a seat; if that fills the table, the game begins. No entries: this very request
    /// has done it before.
    pub fn replace(
        &self,
        seat: Seat,
        bot: &str,
        request: Option<IdempotencyKey>,
    ) -> Result<Vec<Entry>, CommandError> {
        self.check_seat(seat)?;
        if self.is_repeat(seat, request.as_ref())? {
            return Ok(Vec::new());
        }
        self.not_over()?;
        if matches!(self.seat(seat).holder, Holder::House { .. }) {
            return Err(CommandError::IsHouse { seat });
        }
        let mut entries = vec![Entry::Replaced { seat, bot: bot.to_owned(), request }];
        entries.extend(self.starts_with(seat));
        Ok(entries)
    }

    /// The token of a seat is made anew. No entries: this very request has done it before.
    pub fn reissue(&self, seat: Seat, request: Option<IdempotencyKey>) -> Result<Vec<Entry>, CommandError> {
        self.check_seat(seat)?;
        if self.is_repeat(seat, request.as_ref())? {
            return Ok(Vec::new());
        }
        self.not_over()?;
        match self.seat(seat).holder {
            Holder::House { .. } => Err(CommandError::IsHouse { seat }),
            Holder::Agent { .. } => Err(CommandError::IsAgent { seat }),
            Holder::Vacant => Err(CommandError::SeatVacant { seat }),
            Holder::Player { .. } => Ok(vec![Entry::Reissued { seat, request }]),
        }
    }

    /// Whether the request that last changed who may play the seat is this one.
    fn is_repeat(&self, seat: Seat, request: Option<&IdempotencyKey>) -> Result<bool, CommandError> {
        match (&self.seat(seat).request, request) {
            (Some(mark), Some(request)) if mark == request => Ok(true),
            (Some(mark), Some(request)) if mark.id == request.id => Err(CommandError::RequestReused),
            _ => Ok(false),
        }
    }

    /// All tokens for spectators that were given before end.
    pub fn revoke_spectators(&self) -> Result<Vec<Entry>, CommandError> {
        self.not_over().map(|()| vec![Entry::SpectatorsRevoked])
    }

    /// The owner calls the table off.
    pub fn cancel(&self, note: &str) -> Result<Vec<Entry>, CommandError> {
        self.not_over().map(|()| vec![Entry::Cancelled { note: note.to_owned() }])
    }

    /// The table has not filled in time. Nothing, if it has.
    #[must_use]
    pub fn expire(&self) -> Option<Entry> {
        self.filling_only().is_ok().then_some(Entry::Expired)
    }

    /// The start of the game, if this seat was the last one that nobody had taken.
    fn starts_with(&self, seat: Seat) -> Option<Entry> {
        let is_taken = |other: Seat| other == seat || self.seat(other).holder != Holder::Vacant;
        let is_full = self.filling_only().is_ok() && Seat::all(self.players()).all(is_taken);
        is_full.then_some(Entry::Started)
    }

    fn not_over(&self) -> Result<(), CommandError> {
        if self.ending().is_some() { Err(CommandError::Over) } else { Ok(()) }
    }

    fn playing_only(&self) -> Result<(), CommandError> {
        self.not_over()?;
        if self.game().is_some() { Ok(()) } else { Err(CommandError::NotStarted) }
    }

    fn filling_only(&self) -> Result<(), CommandError> {
        self.not_over()?;
        if self.game().is_none() { Ok(()) } else { Err(CommandError::AlreadyStarted) }
    }
}
