//! What can happen to a table: the entries of its log.

use parlor_engine::Seat;

use super::Setup;
use parlor_fair::Entropy;

/// What makes a repeat of a request harmless: the id that the caller gave it, and a hash of all that it asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotencyKey {
    /// The caller's own id of the request.
    pub id: Box<str>,
    /// The first bytes of a SHA-256 of the request: a different request under the same id is refused.
    pub digest: [u8; 16],
}

/// One thing that happened to a table. A table is the fold of these, and of nothing else: an entry holds times that were
/// used up, never deadlines, so a replay needs no clock. Beside each entry the log has the time at which it happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The table was created. Always the first entry, and only the first.
    Created(Box<Setup>),
    /// A player took a seat.
    Joined {
        /// The seat.
        seat: Seat,
        /// The owner's own name for the player, if there is one.
        user: Option<String>,
        /// The name that others see; may be empty.
        name: String,
        /// What the player adds to the shuffle.
        entropy: Entropy,
        /// The request that did it.
        request: Option<IdempotencyKey>,
    },
    /// The token of a seat was made anew; older ones are worth nothing.
    Reissued {
        /// The seat.
        seat: Seat,
        /// The request that did it.
        request: Option<IdempotencyKey>,
    },
    /// All tokens for spectators that were given before are worth nothing.
    SpectatorsRevoked,
    /// The last seat was filled, and the game began.
    Started,
    /// A seat answered its open decision.
    Acted {
        /// The seat.
        seat: Seat,
        /// Which of its legal actions, counted from 0.
        index: u32,
        /// How long it took, in milliseconds of its own clock.
        used: u32,
        /// How long the agent says that it thought, in milliseconds.
        reported: Option<u32>,
    },
    /// The clock of a seat ran out, and the default was played for it.
    TimedOut {
        /// The seat.
        seat: Seat,
        /// How long it took, in milliseconds of its own clock.
        used: u32,
        /// Whether the player was not connected when it ran out.
        away: bool,
    },
    /// A moment at which somebody may have been asked in secret has lasted its constant time. Whoever has not answered
    /// declines.
    WindowClosed,
    /// A seat came back, or its grace is used up, after its clock had stood still for it.
    WasAway {
        /// The seat.
        seat: Seat,
        /// For how many milliseconds.
        used: u32,
    },
    /// A player gave up. The seat plays defaults to the end.
    Resigned {
        /// The seat.
        seat: Seat,
    },
    /// The agent of a seat is set aside, and cannot play it. The seat plays defaults to the end.
    SetAside {
        /// The seat.
        seat: Seat,
    },
    /// A bot of the house took over a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// The bot.
        bot: String,
        /// The request that did it.
        request: Option<IdempotencyKey>,
    },
    /// The table was called off by its owner.
    Cancelled {
        /// Why, for the players; may be empty.
        note: String,
    },
    /// The table did not fill in time.
    Expired,
    /// The server could not go on. Such a game is never scored.
    Faulted {
        /// What went wrong, for people.
        what: String,
    },
}

impl Entry {
    /// Whether it changes who sits where, or whose token is good.
    #[must_use]
    pub const fn reseats(&self) -> bool {
        match self {
            Entry::Created(_)
            | Entry::Joined { .. }
            | Entry::Reissued { .. }
            | Entry::SpectatorsRevoked
            | Entry::Replaced { .. } => true,
            Entry::Started
            | Entry::Acted { .. }
            | Entry::TimedOut { .. }
            | Entry::WindowClosed
            | Entry::WasAway { .. }
            | Entry::Resigned { .. }
            | Entry::SetAside { .. }
            | Entry::Cancelled { .. }
            | Entry::Expired
            | Entry::Faulted { .. } => false,
        }
    }
}
