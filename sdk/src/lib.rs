//! Client of Parlor, a gRPC server that hosts card games: for platforms that create tables, for bots that
//! play them, and for organisers of tournaments.
//!
//! A complete bot. It creates a table with a house bot, joins it, and plays to the end, through broken
//! connections and restarts of the server:
//!
//! ```no_run
//! use parlor_sdk::{Client, Error, NewTable};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     let client = Client::connect("http://localhost:7766").await?;
//!     let table = client.create_table(NewTable::new("gap").house_bot("greedy").open_seat()).await?;
//!     let joined = client.join_table(&table).await?;
//!     let mut seat = client.session().seat(joined.token).await?;
//!     while let Some(decision) = seat.next_decision().await? {
//!         decision.choose(&decision.legal_actions()[0]).await?;
//!     }
//!     println!("{:?}", seat.result());
//!     Ok(())
//! }
//! ```
//!
//! # The model
//!
//! A **table** is one game with a fixed number of **seats**, numbered clockwise from 0. It is created open,
//! starts when all seats are filled, and ends with a result. [`Client::create_table`] creates one from a
//! [`NewTable`]; [`Client::join_table`] returns a [`SeatToken`], the right to play one seat;
//! [`Client::follow_tables`] follows all tables of an owner over one stream.
//!
//! A **[`Session`]** is one stream for any number of [`Seat`]s and [`Spectator`]s. Each is a sequence of
//! [`Event`]s: a snapshot first, then numbered updates and, for a seat, decisions. Events show what that
//! viewer may know, and nothing else.
//!
//! A **[`Decision`]** is a [`Question`], with the view and the list of legal actions, and the handle to
//! answer it. An answer is a [`Choice`]: an index into the list, or an action. It returns once the server has
//! committed the answer to disk. A seat whose clock runs out plays the default action.
//!
//! A **[`Bot`]** is a program that answers questions; an [`AsyncBot`] may await meanwhile. The same bot plays
//! one seat ([`Session::play`]), a thousand tables over one stream ([`Session::play_all`]), or games in this
//! process without a server (feature `local`).
//!
//! An **agent** is a bot with a registered name. It connects and is assigned seats, by tournaments and by
//! anyone who creates a table with it: see [`AgentSettings`] and [`Client::serve_agent`].
//!
//! # Delivery
//!
//! Sessions and agents reconnect automatically, with backoff, and resume at the last number: each update and
//! each decision arrives once and in order, and each answer counts once. Unary calls have deadlines and are
//! retried; every write carries a request id, so repeats are harmless. All queues are bounded: a reader that
//! is too slow fetches the rest later, and delays no one.
//!
//! # Errors
//!
//! Everything fails with [`Error`]: a [`Reason`] to match on, a message for people, and advice. Temporary
//! errors were retried before they are returned.
//!
//! # Wire messages
//!
//! Tables, views, actions and results are the protobuf messages of the API, in [`wire`]. Their comments
//! document every field.
//!
//! # Features
//!
//! - `engine`: questions as engine types, with sampling and playouts for bots that search. See the module
//!   `engine`.
//! - `local`: games in this process, without a server. See the module `local`. Implies `engine`.
//! - `record`: records of finished games: read, write, replay and verify. See the module `record`. Implies
//!   `engine`.
#![deny(missing_docs)]

mod agent;
mod blocking_bot;
mod bot;
mod choice;
mod client;
mod connect;
mod decision;
#[cfg(feature = "engine")]
pub mod engine;
mod entropy;
mod error;
mod event;
#[cfg(feature = "local")]
pub mod local;
pub mod options;
mod play;
mod question;
mod random;
#[cfg(feature = "record")]
pub mod record;
mod retry;
mod seat;
mod secret;
mod session;
mod table;
mod time;
mod update;

/// Protobuf messages of the API, package `parlor.v1`. Their comments document every field.
pub use parlor_proto::v1 as wire;

/// Attribute for implementations of [`AsyncBot`].
pub use async_trait::async_trait;

pub use agent::{AgentEvent, AgentRunner, AgentSettings};
pub use blocking_bot::BlockingBot;
pub use bot::{AsyncBot, Bot, BotError, GameEnd, GameStart};
pub use choice::{AcceptedAnswer, Choice};
pub use client::{
    AgentFilter, Client, CreatedInvite, GameReplay, JoinTable, JoinedSeat, NewInvite, NewTable, RecordExport,
    ResignTarget, TableFeed, TableFilter, TournamentFeed,
};
pub use connect::ClientBuilder;
pub use decision::Decision;
pub use entropy::SeatCommitments;
pub use error::{Error, FieldViolation, Reason};
pub use event::Event;
pub use play::{FinishedTable, SeatOutcome};
pub use question::Question;
pub use seat::{Seat, Spectator};
pub use secret::{AgentKey, ApiKey, InviteSecret, SeatToken, SpectatorToken};
pub use session::{AttachBuilder, Bookmark, ConnectionState, Session, SessionSettings};
pub use update::Update;

/// Compiles the code of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct RepositoryReadme;

/// Compiles the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
