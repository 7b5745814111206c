//! The reasons: those of the server, and those of this side of the wire, each with what to do.

use parlor_proto::v1::ErrorReason;

/// Makes [`Reason`] from one list, so that none can lack its advice. The compiler misses a reason of the wire that is
/// not in it.
macro_rules! reasons {
    (
        server { $($(#[$doc:meta])* $name:ident: $advice:literal,)* }
        client { $($(#[$client_doc:meta])* $client:ident: $client_advice:literal,)* }
    ) => {
        /// Why something went wrong, for programs. The documentation of each says what it means, and
        /// [`advice`](Reason::advice) what to do.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
            $($(#[$client_doc])* $client,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Reason] = &[$(Reason::$name,)* $(Reason::$client,)*];

            /// What to do about it: one line.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Reason::$name => $advice,)*
                    $(Reason::$client => $client_advice,)*
                }
            }

            /// The reason that the wire names; none if it names none.
            #[must_use]
            pub const fn from_wire(reason: ErrorReason) -> Option<Reason> {
                match reason {
                    ErrorReason::Unspecified => None,
                    $(ErrorReason::$name => Some(Reason::$name),)*
                }
            }

            /// The same reason on the wire; none if it arose on this side of it.
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
        /// A field of the request has a value that it can never have.
        InvalidField: "correct the field that the error names",
        /// An item for a channel came out of its order.
        Protocol: "this is a fault of the client library: update it, or report it",
        /// The call needs an API key, or a token, and has none.
        CredentialsMissing: "give the client an API key, or the call a token",
        /// The API key is not known.
        KeyInvalid: "check the API key, and that it belongs to this server",
        /// The token is not one of this server, or it is damaged.
        TokenInvalid: "check the token, and that it belongs to this server",
        /// The token was good once, and then a newer one was issued, or a house bot took the seat.
        TokenExpired: "ask the owner of the table for a new token",
        /// The API key lacks the scope that the call needs.
        ScopeMissing: "use an API key with the scope that the error names",
        /// Only the owner of the table may do this.
        NotOwner: "use the API key that made the table",
        /// No such game.
        GameNotFound: "list the games of the server and use one of their ids",
        /// No such table, or it is private and not yours to see.
        TableNotFound: "check the id of the table; for a private one, give a token",
        /// The table has no such seat.
        SeatNotFound: "seats are numbered from 0: name one that the table has",
        /// No house bot of that name plays this game.
        HouseBotNotFound: "list the house bots of the server and use one of their names",
        /// The seat has no such decision yet.
        DecisionNotFound: "answer decisions that were asked",
        /// The request id was used before, for a different request.
        RequestIdReused: "use a new request id for each thing that you want done",
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
        /// The decision was decided otherwise, by another client of the seat or by the clock.
        DecidedOtherwise: "go on with the next decision, and think faster if it was the clock",
        /// The server no longer has what follows the number given.
        CursorTooOld: "follow without a number, and list what you may have missed",
        /// The number given is ahead of what the server has: the server lost data that was seen.
        CursorAhead: "tell whoever runs the server: it lost data",
        /// The stored data of the table is damaged, and the server refuses to go on with it.
        TableDamaged: "tell whoever runs the server, and use another table",
        /// Too many calls in too short a time.
        RateLimited: "call less often, and wait as long as the error says",
        /// The key holds as many open tables as it may.
        TooManyTables: "wait until tables are over, or cancel some",
        /// As many streams, or channels on a stream, are open as may be.
        TooManyStreams: "close streams and seats that are not needed; many seats can share one session",
        /// The message is larger than the server takes.
        MessageTooLarge: "send less at once",
        /// You read more slowly than the table was played, and were cut off. Nothing is lost.
        TooSlow: "read faster; attaching again with the last number goes on where it was",
        /// The server cannot store anything now, so tables pause. Nothing that was acknowledged is lost.
        StoreUnavailable: "try again in a while, and tell whoever runs the server if it stays so",
        /// The server is going down or starting.
        ServerStopping: "try again in a moment",
        /// A fault of the server. The table, if there is one, is never scored for it.
        ServerFault: "tell whoever runs the server",
        /// Nobody has the seat yet.
        SeatVacant: "wait until somebody has joined, or name a seat that a player has",
        /// The server knows no agent of that name.
        AgentNotFound: "list the agents of the server and use one of their names",
        /// The agent is not connected, is set aside, does not play the game, or has no room for a table.
        AgentUnavailable: "list the agents, and choose one that is here and has room",
        /// The name belongs to somebody else.
        AgentNameTaken: "choose another name, or use the key that the name was first used with",
        /// The agent has connected anew under its name, and that connection took the place of this one.
        AgentReplaced: "run one program under a name; give the other one a name of its own",
        /// No such tournament, or it is not yours to see.
        TournamentNotFound: "check the id of the tournament, and the API key",
        /// The tournament is not in a state in which this can be done.
        TournamentState: "see in which state the tournament is",
        /// The tournament has no such entrant.
        EntrantNotFound: "entrants are numbered from 0: name one that the tournament has",
        /// The tournament has no such deal, or it was not begun.
        GroupNotFound: "list the tables of the tournament: they name their groups",
        /// The table belongs to a deal of a tournament whose last table is not over.
        DealNotOver: "wait until all tables of the deal are over",
    }
    client {
        /// The server cannot be reached, or the connection broke.
        Unreachable: "check the address, and that the server runs and can be reached",
        /// The answer did not come in time.
        DeadlineExceeded: "try again, or allow more time when building the client",
        /// The session has ended, or the seat is closed.
        Closed: "open a new session, or take the seat again",
        /// Too many answers of one seat wait for the server.
        TooManyAnswers: "wait for an answer to be acknowledged before sending the next",
        /// The settings of the client cannot be used.
        Settings: "correct the settings of the client",
        /// The server said something that this client does not understand.
        UnknownReply: "update the client library: the server may be newer",
        /// The server, or something on the way to it, does not let this client do that, and does not say why.
        Forbidden: "check the API key, and what stands between you and the server",
        /// The server does not know this call.
        Unsupported: "check the address: is it a Parlor server, and as new as this client?",
        /// The bot itself failed.
        Bot: "mend the bot",
        /// Something else: the server, or something on the way to it, gave a status without a reason.
        Other: "see the message",
    }
}

impl Reason {
    /// Whether the same call may succeed a little later, with nothing changed.
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
