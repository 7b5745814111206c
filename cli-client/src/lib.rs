//! Parlor in a terminal: what a player, a spectator and the owner of tables see and type.
//!
//! What happens at a table comes in as [`table::Incoming`], whoever sends it, and is folded into a [`table::Situation`].
//! A [`screen::Screen`] draws it and turns keys into [`table::Intent`]s; [`plain::Plain`] does the same with lines of
//! text. Neither knows of a server, a clock or a terminal: [`terminal`] joins them with those.

pub mod lang;
pub mod load;
pub mod plain;
pub mod report;
pub mod screen;
pub mod table;
pub mod terminal;
pub mod text;

#[cfg(test)]
mod testing;
