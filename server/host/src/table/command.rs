//! Commands on a table. A command validates a request and returns the entries to append; the table changes only when
//! they are folded.

use parlor_engine::{AnyAction, NoEvents, Refusal, Seat};

use parlor_fair::{Entropy, EntropyCommitment};

use super::invite::find_invite;
use super::state::{DecisionId, Holder, SeatState, Stage, Table};
use super::{ChanceSetup, Decided, Entry, IdempotencyKey, InviteError, SeatSetup};

/// Error of a refused command. Each message is one line that says what to do.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// The table has no such seat.
    #[error("this table has seats 0 to {last}: there is no seat {seat}")]
    NoSuchSeat {
        /// The requested seat.
        seat: Seat,
        /// The last seat.
        last: u8,
    },
    /// The seat is taken.
    #[error("seat {seat} is taken: choose another one")]
    SeatTaken {
        /// The seat.
        seat: Seat,
    },
    /// The seat is reserved for another player.
    #[error("seat {seat} is reserved for another user")]
    SeatReserved {
        /// The seat.
        seat: Seat,
    },
    /// No seat is free for this player.
    #[error("no seat is free at this table")]
    TableFull,
    /// The free seats are all reserved for other players.
    #[error(
        "the free seats of this table are kept for somebody else: name the user that one is kept for, or join another table"
    )]
    AllReserved,
    /// The seat is vacant.
    #[error("nobody has seat {seat} yet: a player joins it first")]
    SeatVacant {
        /// The seat.
        seat: Seat,
    },
    /// The request id was used before, for a different request.
    #[error("this request id was used for a different request: take a new id")]
    RequestReused,
    /// The invite is not accepted.
    #[error(transparent)]
    Invite(#[from] InviteError),
    /// The game has not begun.
    #[error("the game has not begun: it begins when every seat is taken")]
    NotStarted,
    /// The game has begun.
    #[error("the game has begun: this can only be done before")]
    AlreadyStarted,
    /// The table is over.
    #[error("the table is over")]
    Over,
    /// The decision has not been opened yet.
    #[error("decision {id} of seat {seat} has not come up: answer the decision that is open", id = decision.0)]
    NotAsked {
        /// The seat.
        seat: Seat,
        /// Id of the decision.
        decision: DecisionId,
    },
    /// The decision was made, with another action.
    #[error("decision {id} was decided: {played}", id = decision.0, played = played.map_or_else(|| "it is over".to_owned(), |action| action.to_string()))]
    AlreadyDecided {
        /// Id of the decision.
        decision: DecisionId,
        /// The played action, if it is the seat's last decision; older ones are only in the log.
        played: Option<AnyAction>,
    },
    /// There is no legal action with this index.
    #[error("there are {count} legal actions, counted from 0: there is no action {index}")]
    NoSuchIndex {
        /// The index in the answer.
        index: u32,
        /// Number of legal actions.
        count: u32,
    },
    /// The action is illegal by the rules.
    #[error("{0}")]
    Illegal(Refusal),
    /// The revealed entropy is not what the seat committed to, or it committed to nothing.
    #[error("seat {seat} did not commit to this entropy: reveal what its commitment was made of")]
    EntropyMismatch {
        /// The seat.
        seat: Seat,
    },
    /// The seat has forfeited.
    #[error("seat {seat} has forfeited: the house plays its defaults to the end")]
    Forfeited {
        /// The seat.
        seat: Seat,
    },
    /// The seat is held by a house bot.
    #[error("seat {seat} is played by the house")]
    IsHouse {
        /// The seat.
        seat: Seat,
    },
    /// The seat is held by an agent.
    #[error("seat {seat} is an agent's, which plays it over its own stream: there is no token for it")]
    IsAgent {
        /// The seat.
        seat: Seat,
    },
    /// The seat is not held by an agent.
    #[error("seat {seat} is not an agent's: only an agent can be set aside")]
    NotAgent {
        /// The seat.
        seat: Seat,
    },
}

/// Answer of a seat to one of its decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionAnswer {
    /// Id of the decision.
    pub decision: DecisionId,
    /// The answer.
    pub answer: Answer,
    /// Think time reported by the client, in milliseconds.
    pub reported: Option<u32>,
}

/// Chosen action of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The action itself.
    Action(AnyAction),
    /// Index of the legal action, from 0.
    Index(u32),
}

/// Effect of a valid answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::large_enum_variant, reason = "short-lived, never stored in a collection")]
pub enum AnswerEffect {
    /// The entry to append.
    Play(Entry),
    /// The same answer was accepted before: repeating it has no effect.
    AlreadyPlayed(Decided),
}

/// Request of a player for a seat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeatRequest {
    /// The seat; `None` for the one reserved for the player, or else the first open one.
    pub seat: Option<Seat>,
    /// The owner's own id of the user, if the owner seats one.
    pub user: Option<String>,
    /// At a rematch: the player's seat at the previous table.
    pub previous: Option<Seat>,
    /// Display name; empty for that of the reservation.
    pub name: String,
    /// The player's commitment to its entropy for the shuffle.
    pub commitment: Option<EntropyCommitment>,
    /// Idempotency key.
    pub request: Option<IdempotencyKey>,
    /// Number of the invite that the player comes with, which has been checked.
    pub invite: Option<u32>,
}

impl Table {
    /// The seat that the same request took before, if any.
    ///
    /// # Errors
    /// The request id was used for a different request.
    pub fn find_repeated_join(&self, seat_request: &SeatRequest) -> Result<Option<Seat>, CommandError> {
        let Some(request) = &seat_request.request else { return Ok(None) };
        let is_player = |state: &SeatState| matches!(state.holder, Holder::Player { .. });
        for seat in Seat::all(self.players()) {
            match &self.seat(seat).request {
                Some(key) if key.id == request.id && is_player(self.seat(seat)) => {
                    return if key == request { Ok(Some(seat)) } else { Err(CommandError::RequestReused) };
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The seat that the user of a request holds already, unless the request names another one.
    #[must_use]
    pub fn find_held_seat(&self, seat_request: &SeatRequest) -> Option<Seat> {
        let asking = seat_request.user.as_deref()?;
        let is_wanted = |seat: &Seat| seat_request.seat.is_none_or(|named| named == *seat);
        let is_held = |seat: &Seat| matches!(&self.seat(*seat).holder, Holder::Player { user: Some(user), .. } if user == asking);
        Seat::all(self.players()).filter(is_wanted).find(is_held)
    }

    /// Seats a player. The last join begins the reveals of entropy, or the game if there are none.
    pub fn join(&self, mut seat_request: SeatRequest) -> Result<(Seat, Vec<Entry>), CommandError> {
        self.check_not_started()?;
        if let Some(seat) = self.invited_seat(&seat_request)? {
            seat_request.seat = Some(seat);
        }
        let seat = match seat_request.seat {
            Some(seat) => seat,
            None => self.find_free_seat(&seat_request).ok_or_else(|| self.full_error())?,
        };
        self.check_seat_free(seat, &seat_request)?;
        let SeatRequest { user, name, commitment, request, invite, .. } = seat_request;
        let reservation = match &self.setup().seats[seat.index()] {
            SeatSetup::Reserved { user, name, .. } => Some((user.clone(), name.clone())),
            SeatSetup::Open | SeatSetup::House { .. } | SeatSetup::Agent { .. } => None,
        };
        let (reserved_user, reserved_name) = reservation.unwrap_or_default();
        let (user, name) = (user.or(reserved_user), if name.is_empty() { reserved_name } else { name });
        let entropy = Entropy::NONE;
        let mut entries = vec![Entry::Joined { seat, user, name, entropy, commitment, request, invite }];
        entries.extend(self.start_if_full(seat, commitment.is_some()));
        Ok((seat, entries))
    }

    /// The seat that the invite of a request is for, if it is for one.
    fn invited_seat(&self, seat_request: &SeatRequest) -> Result<Option<Seat>, CommandError> {
        let Some(number) = seat_request.invite else { return Ok(None) };
        match (find_invite(self.invites(), number)?.seat, seat_request.seat) {
            (Some(seat), Some(named)) if named != seat => Err(InviteError::OtherSeat { seat }.into()),
            (seat, _) => Ok(seat),
        }
    }

    /// The free seat reserved for the player, or else the first open one.
    fn find_free_seat(&self, seat_request: &SeatRequest) -> Option<Seat> {
        let is_reserved = |seat: &Seat| self.setup().seats[seat.index()] != SeatSetup::Open;
        let mut free: Vec<Seat> = Seat::all(self.players())
            .filter(|seat| self.check_seat_free(*seat, seat_request).is_ok())
            .collect();
        free.sort_by_key(|seat| !is_reserved(seat));
        free.first().copied()
    }

    /// The error of a player for whom no seat is free.
    fn full_error(&self) -> CommandError {
        let is_vacant = |seat: Seat| self.seat(seat).holder == Holder::Vacant;
        if Seat::all(self.players()).any(is_vacant) {
            CommandError::AllReserved
        } else {
            CommandError::TableFull
        }
    }

    fn check_seat_free(&self, seat: Seat, seat_request: &SeatRequest) -> Result<(), CommandError> {
        self.check_seat_exists(seat)?;
        if self.seat(seat).holder != Holder::Vacant {
            return Err(CommandError::SeatTaken { seat });
        }
        match &self.setup().seats[seat.index()] {
            SeatSetup::Reserved { user, previous, .. } => {
                let is_user = user.is_some() && *user == seat_request.user;
                let is_previous = previous.is_some() && *previous == seat_request.previous;
                let is_invited = self.invited_seat(seat_request)? == Some(seat);
                if is_user || is_previous || is_invited {
                    Ok(())
                } else {
                    Err(CommandError::SeatReserved { seat })
                }
            }
            SeatSetup::Open | SeatSetup::House { .. } | SeatSetup::Agent { .. } => Ok(()),
        }
    }

    /// Answers a decision. Repeating the same answer has no effect; another answer to a made decision is refused.
    pub fn answer(
        &self,
        seat: Seat,
        decision: DecisionId,
        answer: Answer,
        used: u32,
        reported: Option<u32>,
    ) -> Result<AnswerEffect, CommandError> {
        self.check_seat_exists(seat)?;
        let state = self.seat(seat);
        if state.open != Some(decision) {
            if decision.0 == 0 || decision.0 > state.asked {
                self.check_playing()?;
                return Err(CommandError::NotAsked { seat, decision });
            }
            let decided = state.decided.filter(|decided| decided.id == decision);
            return match decided {
                Some(made)
                    if answer == Answer::Action(made.action) || answer == Answer::Index(made.index) =>
                {
                    Ok(AnswerEffect::AlreadyPlayed(made))
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
        Ok(AnswerEffect::Play(Entry::Acted { seat, index, used, reported }))
    }

    pub(super) fn check_seat_exists(&self, seat: Seat) -> Result<(), CommandError> {
        let last = self.players().saturating_sub(1);
        if seat.index() > usize::from(last) { Err(CommandError::NoSuchSeat { seat, last }) } else { Ok(()) }
    }

    /// The rules' refusal of an action that is not legal.
    fn refusal(&self, seat: Seat, action: AnyAction) -> Refusal {
        let result = self.game().map(|game| game.clone().apply(seat, action, &mut NoEvents));
        result.and_then(Result::err).unwrap_or(Refusal::NOT_ASKED)
    }

    /// Times a seat out. `None` if the decision is no longer open.
    #[must_use]
    pub fn time_out(&self, seat: Seat, decision: DecisionId, used: u32, away: bool) -> Option<Entry> {
        let is_open = self.seats().get(seat.index()).is_some_and(|state| state.open == Some(decision));
        is_open.then_some(Entry::TimedOut { seat, used, away })
    }

    /// Resigns a seat. An agent may resign before the start.
    pub fn resign(&self, seat: Seat) -> Result<Vec<Entry>, CommandError> {
        self.check_seat_exists(seat)?;
        let state = self.seat(seat);
        match state.holder {
            Holder::Agent { .. } => self.check_not_over()?,
            _ => self.check_playing()?,
        }
        match state.holder {
            Holder::House { .. } => Err(CommandError::IsHouse { seat }),
            _ if state.finish.is_forfeit() => Err(CommandError::Forfeited { seat }),
            _ => Ok(vec![Entry::Resigned { seat }]),
        }
    }

    /// Suspends the agent of a seat, which forfeits. Returns no entries if the seat has forfeited before.
    pub fn set_aside(&self, seat: Seat) -> Result<Vec<Entry>, CommandError> {
        self.check_seat_exists(seat)?;
        self.check_not_over()?;
        let state = self.seat(seat);
        match state.holder {
            Holder::Agent { .. } if state.finish.is_forfeit() => Ok(Vec::new()),
            Holder::Agent { .. } => Ok(vec![Entry::SetAside { seat }]),
            Holder::House { .. } => Err(CommandError::IsHouse { seat }),
            Holder::Vacant | Holder::Player { .. } => Err(CommandError::NotAgent { seat }),
        }
    }

    /// Replaces the holder of a seat by a house bot; the game starts if that fills the table. Returns no entries if
    /// the same request was applied before.
    pub fn replace(
        &self,
        seat: Seat,
        bot: &str,
        request: Option<IdempotencyKey>,
    ) -> Result<Vec<Entry>, CommandError> {
        self.check_seat_exists(seat)?;
        if self.is_repeat(seat, request.as_ref())? {
            return Ok(Vec::new());
        }
        self.check_not_over()?;
        if matches!(self.seat(seat).holder, Holder::House { .. }) {
            return Err(CommandError::IsHouse { seat });
        }
        let mut entries = vec![Entry::Replaced { seat, bot: bot.to_owned(), request }];
        entries.extend(self.start_if_full(seat, false));
        Ok(entries)
    }

    /// Reissues the token of a seat. Returns no entries if the same request was applied before.
    pub fn reissue(&self, seat: Seat, request: Option<IdempotencyKey>) -> Result<Vec<Entry>, CommandError> {
        self.check_seat_exists(seat)?;
        if self.is_repeat(seat, request.as_ref())? {
            return Ok(Vec::new());
        }
        self.check_not_over()?;
        match self.seat(seat).holder {
            Holder::House { .. } => Err(CommandError::IsHouse { seat }),
            Holder::Agent { .. } => Err(CommandError::IsAgent { seat }),
            Holder::Vacant => Err(CommandError::SeatVacant { seat }),
            Holder::Player { .. } => Ok(vec![Entry::Reissued { seat, request }]),
        }
    }

    /// True if the request is the one that last changed the holder or the token of the seat.
    fn is_repeat(&self, seat: Seat, request: Option<&IdempotencyKey>) -> Result<bool, CommandError> {
        match (&self.seat(seat).request, request) {
            (Some(key), Some(request)) if key == request => Ok(true),
            (Some(key), Some(request)) if key.id == request.id => Err(CommandError::RequestReused),
            _ => Ok(false),
        }
    }

    /// Invalidates all spectator tokens issued before.
    pub fn revoke_spectators(&self) -> Result<Vec<Entry>, CommandError> {
        self.check_not_over().map(|()| vec![Entry::SpectatorsRevoked])
    }

    /// Cancels the table for its owner.
    pub fn cancel(&self, note: &str) -> Result<Vec<Entry>, CommandError> {
        self.check_not_over().map(|()| vec![Entry::Cancelled { note: note.to_owned() }])
    }

    /// Expires the table. `None` if it is filled or has ended.
    #[must_use]
    pub fn expire(&self) -> Option<Entry> {
        (self.stage == Stage::Filling).then_some(Entry::Expired)
    }

    /// Reveals the entropy of a seat; the game starts with the last reveal. Returns no entries if the same entropy was
    /// revealed before.
    pub fn reveal(&self, seat: Seat, entropy: Entropy) -> Result<Vec<Entry>, CommandError> {
        self.check_seat_exists(seat)?;
        let committed = self.seat(seat).entropy;
        if committed.commitment != Some(entropy.commitment(self.setup().table)) {
            return Err(CommandError::EntropyMismatch { seat });
        }
        if !committed.is_unrevealed() {
            return Ok(Vec::new());
        }
        self.check_not_started()?;
        if self.stage != Stage::Starting {
            return Err(CommandError::NotStarted);
        }
        let mut entries = vec![Entry::Revealed { seat, entropy }];
        entries.extend(self.start_if_revealed(seat));
        Ok(entries)
    }

    /// Starts the game without the entropy that was not revealed. `None` if the table is not starting.
    #[must_use]
    pub fn end_reveals(&self) -> Option<Entry> {
        (self.stage == Stage::Starting).then_some(Entry::Started)
    }

    /// The entry that follows if `seat` is taken now: the start, or that of the reveals, if it was the last vacant seat; the
    /// start, if it was the last one to reveal.
    fn start_if_full(&self, seat: Seat, is_committed: bool) -> Option<Entry> {
        if self.stage == Stage::Starting {
            return self.start_if_revealed(seat);
        }
        let is_taken = |other: Seat| other == seat || self.seat(other).holder != Holder::Vacant;
        let is_full = self.check_not_started().is_ok() && Seat::all(self.players()).all(is_taken);
        let is_fresh = matches!(self.setup().chance, ChanceSetup::Fresh { .. });
        let reveals = is_fresh && (is_committed || self.is_to_reveal_except(seat));
        is_full.then_some(if reveals { Entry::Filled } else { Entry::Started })
    }

    /// The start entry, if no seat but this one has entropy to reveal.
    fn start_if_revealed(&self, seat: Seat) -> Option<Entry> {
        (!self.is_to_reveal_except(seat)).then_some(Entry::Started)
    }

    /// True if a seat other than this one has entropy to reveal.
    fn is_to_reveal_except(&self, seat: Seat) -> bool {
        Seat::all(self.players()).any(|other| other != seat && self.seat(other).is_to_reveal())
    }

    fn check_not_over(&self) -> Result<(), CommandError> {
        if self.ending().is_some() { Err(CommandError::Over) } else { Ok(()) }
    }

    fn check_playing(&self) -> Result<(), CommandError> {
        self.check_not_over()?;
        if self.game().is_some() { Ok(()) } else { Err(CommandError::NotStarted) }
    }

    pub(super) fn check_not_started(&self) -> Result<(), CommandError> {
        self.check_not_over()?;
        if self.game().is_none() { Ok(()) } else { Err(CommandError::AlreadyStarted) }
    }
}
