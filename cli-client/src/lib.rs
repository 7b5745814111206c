//! Terminal client of Parlor: the displays of players, spectators and table owners.
//!
//! [`table::TableMessage`]s are folded into a [`table::ViewerState`]. [`screen::Screen`] draws it and turns
//! keys into [`table::Intent`]s; [`line_mode::LineMode`] does the same with lines of text. Both are
//! independent of server, clock and terminal, which [`terminal`] connects to them. [`tournament_file`] parses the setup
//! file of a tournament, [`tournament_text`] has the sentences about tournaments.
//!
//! [`line_protocol`] lets programs that read and write lines play. [`seat_report`] puts what a seat knows into short texts for
//! language models.

pub mod duration;
pub mod lang;
pub mod line_mode;
pub mod line_protocol;
pub mod load;
pub mod output_tail;
pub mod report;
pub mod screen;
pub mod seat_report;
pub mod seed;
pub mod table;
mod table_text;
pub mod terminal;
pub mod text;
pub mod tournament_file;
pub mod tournament_text;

#[cfg(test)]
mod testing;
