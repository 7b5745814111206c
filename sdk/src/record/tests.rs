//! Verification, formats and replay, on records made by the server's own tables.

mod fixtures;
mod formats;
mod replay;
mod shown;
mod signed;
mod tampered;
mod valid_records;
