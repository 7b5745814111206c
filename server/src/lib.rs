//! Parlor's server: the gRPC API over the host ([`grpc`]), its transport ([`transport`]), links between nodes
//! ([`cluster`]), settings,
//! authentication of callers ([`identity`]), pages for browsers ([`pages`]), and telemetry.

pub mod cluster;
pub mod config;
pub mod grpc;
pub mod identity;
pub mod pages;
pub mod program;
pub mod telemetry;
pub mod transport;

pub use parlor_host::{RandomnessError, Secret, TableId, TournamentId, random_bytes};
