//! [`Reason`]: error reasons of the server and of this client, each with its advice.

use parlor_proto::v1::ErrorReason;

/// Generates [`Reason`] from one list, so that each reason has its advice. A wire reason missing from the
/// list does not compile.
macro_rules! reasons {
    (
        server { $($(#[$doc:meta])* $name:ident: $advice:literal,)* }
        client { $($(#[$client_doc:meta])* $client:ident: $client_advice:literal,)* }
    ) => {
        /// Machine-readable error reason. Each variant documents its meaning; [`advice`](Reason::advice) says
        /// how to fix it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
            $($(#[$client_doc])* $client,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Reason] = &[$(Reason::$name,)* $(Reason::$client,)*];

            /// How to fix it, one line.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Reason::$name => $advice,)*
                    $(Reason::$client => $client_advice,)*
                }
            }

            /// The reason for a wire code; `None` for `Unspecified`.
            #[must_use]
            pub const fn from_wire(reason: ErrorReason) -> Option<Reason> {
                match reason {
                    ErrorReason::Unspecified => None,
                    $(ErrorReason::$name => Some(Reason::$name),)*
                }
            }

            /// The wire code; `None` for reasons of this client.
            #[must_use]
            pub const fn to_wire(self) -> Option<ErrorReason> {
                match self {
                    $(Reason::$name => Some(ErrorReason::$name),)*
                    $(Reason::$client => None,)*
                }
            }
        }
    };
}

reasons! {
    server {
        /// A field of the request has an invalid value.
        InvalidField: "correct the field that the error names",
        /// An item for a channel arrived out of order.
        Protocol: "this is a fault of the client library: update it, or report it",
        /// The call needs an API key, or a token, and has none.
        CredentialsMissing: "give the client an API key, or the call a token",
        /// The API key is unknown.
        KeyInvalid: "check the API key, and that it belongs to this server",
        /// The token is malformed, or of another server.
        TokenInvalid: "check the token, and that it belongs to this server",
        /// The token was superseded by a newer one, or a house bot took the seat.
        TokenExpired: "ask the owner of the table for a new token",
        /// The API key lacks the scope that the call needs.
        ScopeMissing: "use an API key with the scope that the error names",
        /// Only the owner of the table may do this.
        NotOwner: "use the API key that made the table",
        /// No such game.
        GameNotFound: "list the games of the server and use one of their ids",
        /// No such table, or it is private and not visible to you.
        TableNotFound: "check the id of the table; for a private one, give a token",
        /// The table has no such seat.
        SeatNotFound: "seats are numbered from 0: name one that the table has",
        /// No house bot of that name plays this game.
        HouseBotNotFound: "list the house bots of the server and use one of their names",
        /// The seat has not been asked this decision.
        DecisionNotFound: "answer only decisions that were received",
        /// The request id was already used for a different request.
        RequestIdReused: "use a new request id for each new request",
        /// No seat of the table is free for you.
        NoSeatFree: "join another table",
        /// The seat is taken.
        SeatTaken: "take another seat, or join another table",
        /// The table has not started yet.
        TableNotStarted: "wait until all seats are filled",
        /// The table has started already.
        TableStarted: "join another table",
        /// The table is over: finished, cancelled, expired or faulted.
        TableOver: "read its result; a rematch makes a new table",
        /// The table is still being played.
        TableNotOver: "wait for its end, or cancel it first",
        /// The action is against the rules of the game, or the index is not one of a legal action.
        IllegalAction: "choose one of the legal actions: the decision is still open",
        /// The decision was already made differently, by another client of the seat or by the clock.
        DecidedOtherwise: "continue with the next decision; answer faster if it was the clock",
        /// The server no longer has the items after the given cursor.
        CursorTooOld: "follow without a cursor, and list what you may have missed",
        /// The given cursor is ahead of the server's log: the server lost data that was seen.
        CursorAhead: "report to the server's operator: it lost data",
        /// The stored data of the table is damaged, and the server refuses to resume it.
        TableDamaged: "report to the server's operator, and use another table",
        /// Too many calls in too short a time.
        RateLimited: "call less often, and wait as long as the error says",
        /// The key has reached its limit of open tables.
        TooManyTables: "wait until tables are over, or cancel some",
        /// The limit of open streams, or of channels on a stream, is reached.
        TooManyStreams: "close streams and seats that are not needed; many seats can share one session",
        /// The message exceeds the server's size limit.
        MessageTooLarge: "send less at once",
        /// The client read too slowly and was cut off. Nothing is lost.
        TooSlow: "read faster; attaching again with the last number resumes there",
        /// The server cannot write to its store, so tables pause. Nothing acknowledged is lost.
        StoreUnavailable: "try again later; report to the server's operator if it persists",
        /// The server is shutting down or starting.
        ServerStopping: "try again in a moment",
        /// A fault of the server. The table, if there is one, is never scored for it.
        ServerFault: "report to the server's operator",
        /// The seat is vacant.
        SeatVacant: "wait until the seat is taken, or name a seat that is",
        /// The server knows no agent of that name.
        AgentNotFound: "list the agents of the server and use one of their names",
        /// The agent is not connected, is suspended, does not play the game, or has no capacity.
        AgentUnavailable: "list the agents, and choose one that is connected and has capacity",
        /// The agent name has another owner.
        AgentNameTaken: "choose another name, or use the key that the name was first used with",
        /// Another connection under the same agent name replaced this one.
        AgentReplaced: "run one program under a name; give the other one a name of its own",
        /// No such tournament, or it is not visible to you.
        TournamentNotFound: "check the id of the tournament, and the API key",
        /// The tournament is in the wrong state for this call.
        TournamentState: "check the state of the tournament",
        /// The tournament has no such entrant.
        EntrantNotFound: "entrants are numbered from 0: name one that the tournament has",
        /// The tournament has no such deal group, or it has not started.
        GroupNotFound: "list the tables of the tournament: they name their groups",
        /// The table belongs to a tournament deal with unfinished tables.
        DealNotOver: "wait until all tables of the deal are over",
        /// The revealed entropy is not what was committed to.
        EntropyMismatch: "reveal the entropy that the commitment was made of",
        /// The table has no invite of that number.
        InviteNotFound: "list the invites of the table: they have numbers",
        /// The invite was revoked.
        InviteRevoked: "ask the owner of the table for a new invite",
        /// The invite has expired.
        InviteExpired: "ask the owner of the table for a new invite",
        /// The invite was used up.
        InviteSpent: "ask the owner of the table for a new invite",
        /// The table has as many invites as it may have.
        TooManyInvites: "make a new table",
    }
    client {
        /// The server cannot be reached, or the connection broke.
        Unreachable: "check the address, and that the server runs and can be reached",
        /// A table or tournament does not show the commitments that it has shown before.
        CommitmentChanged: "keep what was shown, and do not trust this server",
        /// No reply within the deadline.
        DeadlineExceeded: "try again, or allow more time when building the client",
        /// The session has ended, or the seat is closed.
        Closed: "open a new session, or take the seat again",
        /// Too many unacknowledged answers of one seat.
        TooManyAnswers: "wait for an answer to be acknowledged before sending the next",
        /// The settings of the client are invalid.
        Settings: "correct the settings of the client",
        /// The server's reply is not understood by this client.
        UnknownReply: "update the client library: the server may be newer",
        /// Permission denied by the server or a proxy, without a reason.
        Forbidden: "check the API key, and any proxy in front of the server",
        /// The server does not implement this call.
        Unsupported: "check the address: is it a Parlor server, and as new as this client?",
        /// The bot itself failed.
        Bot: "fix the bot",
        /// Any other status without a reason, from the server or a proxy.
        Other: "see the message",
    }
}

impl Reason {
    /// True if the same call may succeed later unchanged.
    #[must_use]
    pub const fn is_temporary(self) -> bool {
        matches!(
            self,
            Reason::RateLimited
                | Reason::TooSlow
                | Reason::StoreUnavailable
                | Reason::ServerStopping
                | Reason::Unreachable
                | Reason::DeadlineExceeded
        )
    }
}
