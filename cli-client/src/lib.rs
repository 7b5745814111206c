//! Terminal client of Parlor: the displays of players, spectators and table owners.
//!
//! [`table::TableMessage`]s are folded into a [`table::ViewerState`]. [`screen::Screen`] draws it and turns
//! keys into [`table::Intent`]s; [`line_mode::LineMode`] does the same with lines of text. Both are
//! independent of server, clock and terminal, which [`terminal`] connects to them.

pub mod lang;
pub mod line_mode;
pub mod load;
pub mod report;
pub mod screen;
pub mod table;
pub mod terminal;
pub mod text;

#[cfg(test)]
mod testing;
