//! Entries of a table's log.

use parlor_engine::Seat;

use super::{NewInvite, Setup};
use parlor_fair::{Entropy, EntropyCommitment};

/// Idempotency key of a request: the id chosen by the caller and a digest of the request's content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotencyKey {
    /// Request id, chosen by the caller.
    pub id: Box<str>,
    /// First 16 bytes of the SHA-256 of the request. A different request with the same id is refused.
    pub digest: [u8; 16],
}

/// An event in the life of a table. A table is the fold of its entries and of nothing else: an entry holds elapsed
/// times, never deadlines, so a replay needs no clock. The log stores the time of each entry beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The table was created. Always the first entry, and only the first.
    Created(Box<Setup>),
    /// A player took a seat.
    Joined {
        /// The seat.
        seat: Seat,
        /// The owner's own id of the user, if any.
        user: Option<String>,
        /// Display name; may be empty.
        name: String,
        /// Entropy that the player sent in the open; empty except in logs of earlier versions.
        entropy: Entropy,
        /// The player's commitment to its entropy for the shuffle.
        commitment: Option<EntropyCommitment>,
        /// Idempotency key of the request.
        request: Option<IdempotencyKey>,
        /// Number of the invite that the player came with.
        invite: Option<u32>,
    },
    /// An invite was created. Its number is one more than that of the one before.
    InviteCreated(NewInvite),
    /// An invite was revoked.
    InviteRevoked {
        /// Number of the invite.
        number: u32,
    },
    /// The token of a seat was reissued; older ones are invalid.
    Reissued {
        /// The seat.
        seat: Seat,
        /// Idempotency key of the request.
        request: Option<IdempotencyKey>,
    },
    /// All spectator tokens issued before are invalid.
    SpectatorsRevoked,
    /// The last seat was filled, and the seats that committed to entropy reveal it.
    Filled,
    /// A seat revealed the entropy that it had committed to.
    Revealed {
        /// The seat.
        seat: Seat,
        /// The entropy.
        entropy: Entropy,
    },
    /// The game began, with the entropy that was revealed.
    Started,
    /// A seat answered its open decision.
    Acted {
        /// The seat.
        seat: Seat,
        /// Index of the legal action, from 0.
        index: u32,
        /// Time used, in milliseconds of the seat's clock.
        used: u32,
        /// Think time reported by the client, in milliseconds.
        reported: Option<u32>,
    },
    /// The clock of a seat ran out, and the default was played for it.
    TimedOut {
        /// The seat.
        seat: Seat,
        /// Time used, in milliseconds of the seat's clock.
        used: u32,
        /// True if the player was disconnected at that time.
        away: bool,
    },
    /// A hidden window, in which a secret decision was possible, reached its constant length. Seats that have not
    /// answered decline.
    WindowClosed,
    /// A disconnected seat, whose clock stood still, reconnected or used up its grace.
    WasAway {
        /// The seat.
        seat: Seat,
        /// Grace used, in milliseconds.
        used: u32,
    },
    /// A player resigned. The seat plays default actions to the end.
    Resigned {
        /// The seat.
        seat: Seat,
    },
    /// The agent of a seat is suspended and cannot play. The seat plays default actions to the end.
    SetAside {
        /// The seat.
        seat: Seat,
    },
    /// A house bot took over a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// Name of the bot.
        bot: String,
        /// Idempotency key of the request.
        request: Option<IdempotencyKey>,
    },
    /// The owner cancelled the table.
    Cancelled {
        /// Reason, shown to the players; may be empty.
        note: String,
    },
    /// The table did not fill in time.
    Expired,
    /// A fault of the server ended the table. The game is never scored.
    Faulted {
        /// Human-readable description of the fault.
        reason: String,
    },
}

impl Entry {
    /// True if the entry changes the holder of a seat or the validity of a token.
    #[must_use]
    pub const fn changes_access(&self) -> bool {
        match self {
            Entry::Created(_)
            | Entry::Joined { .. }
            | Entry::InviteCreated(_)
            | Entry::InviteRevoked { .. }
            | Entry::Reissued { .. }
            | Entry::SpectatorsRevoked
            | Entry::Replaced { .. } => true,
            Entry::Filled
            | Entry::Revealed { .. }
            | Entry::Started
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
