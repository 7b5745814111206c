//! Standard output: lines and aligned columns for people, JSON for programs.

mod columns;

use std::io::{self, Write};

pub(crate) use columns::Columns;
pub(crate) use parlor_proto::reflect::{from_json, to_json};
use prost::{Message, Name};

use crate::errors::Failure;

/// Standard output, flushed after every print, so that a pipe gets each line at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Output;

impl Output {
    /// Prints a text and a newline.
    pub(crate) fn line(self, text: impl AsRef<str>) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", text.as_ref())?;
        out.flush()?;
        Ok(())
    }

    /// Prints several lines at once; nothing for an empty list.
    pub(crate) fn lines(self, lines: impl IntoIterator<Item = String>) -> Result<(), Failure> {
        let text: Vec<String> = lines.into_iter().collect();
        if text.is_empty() { Ok(()) } else { self.line(text.join("\n")) }
    }

    /// Prints a message as an indented JSON document.
    pub(crate) fn document<M: Message + Name>(self, message: &M) -> Result<(), Failure> {
        self.json(&to_json(message))
    }

    /// Prints an indented JSON document.
    pub(crate) fn json(self, value: &serde_json::Value) -> Result<(), Failure> {
        self.line(format!("{value:#}"))
    }

    /// Prints a JSON document on one line.
    pub(crate) fn json_line(self, value: &serde_json::Value) -> Result<(), Failure> {
        self.line(value.to_string())
    }
}
