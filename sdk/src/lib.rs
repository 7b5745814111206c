//! The client for platforms and bots: tables, seats and bots over one connection that heals itself.
//!
//! A bot in ten lines. It sits down at a new table with a bot of the house, and plays to the end, whatever happens to
//! the connection on the way:
//!
//! ```no_run
//! use parlor_sdk::{Client, Error, NewTable};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     let client = Client::connect("http://localhost:7766").await?;
//!     let table = client.create_table(NewTable::of("gap")?.house_bot("greedy").open_seat()).await?;
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
//! What is where:
//! - [`Client`]: the games, tables, and all that platforms do with them. Calls have deadlines and are made again by
//!   themselves where that is safe, which it is for all of them.
//! - [`Session`]: one stream for any number of [`Seat`]s and [`Spectator`]s, which comes back by itself and goes on where
//!   it was: each update and each [`Decision`] comes once, and each answer counts once.
//! - [`Bot`] and [`AsyncBot`]: a player that is a program. [`Session::play`] runs it on one seat, and
//!   [`Session::play_all`] on a thousand tables over one stream.
//! - [`AgentSettings`]: the same bots as an agent, which has a name, and is given seats at many tables by tournaments and by
//!   whoever wants to play against it. See [`Client::serve_agent`].
//! - [`Error`]: one type, with a [`Reason`] for programs, a sentence for people, and what to do.
//! - [`wire`]: the messages themselves.
//!
//! Features:
//! - `engine`: questions as the engine's types, with worlds to sample and playouts, for bots that search. See the module
//!   `engine`.
//! - `record`: finished games in files: read, write, replay and check them. See the module `record`.
//! - `local`: the same bots against each other in this process, without a server. See the module `local`.
#![deny(missing_docs)]

mod agent;
mod bot;
mod choice;
mod client;
mod connect;
mod decision;
#[cfg(feature = "engine")]
pub mod engine;
mod error;
mod event;
#[cfg(feature = "local")]
pub mod local;
mod offload;
pub mod options;
mod question;
mod random;
#[cfg(feature = "record")]
pub mod record;
mod retry;
mod run;
mod seat;
mod secret;
mod session;
mod table;
mod time;
mod update;

/// The messages of the wire, package `parlor.v1`. Their comments are the documentation of the API.
pub use parlor_proto::v1 as wire;

/// For writing an [`AsyncBot`].
pub use async_trait::async_trait;

pub use agent::{AgentEvent, AgentSettings, Serving};
pub use bot::{AsyncBot, Bot, BotError, End, Start};
pub use choice::{Answered, Choice};
pub use client::{
    AgentFilter, Client, ExportedRecords, FollowedTables, FollowedTournament, JoinTable, Joined, NewTable,
    Resigning, TableFilter,
};
pub use connect::ClientBuilder;
pub use decision::Decision;
pub use error::{Error, Reason, WrongField};
pub use event::Event;
pub use offload::Offloaded;
pub use question::Question;
pub use run::{Finished, Played};
pub use seat::{Seat, Spectator};
pub use secret::{AgentKey, ApiKey, SeatToken, SpectatorToken};
pub use session::{Attaching, Bookmark, Connection, Session, SessionSettings};
pub use update::Update;

/// The bot in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
