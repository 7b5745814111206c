//! The border between the host and the messages of `parlor.v1`: total in one direction, checked in the other.
//!
//! What the host says always has a form on the wire. What a client says is checked field by field, and an error names
//! the field by its path, before anything of the host sees it. Nothing here does I/O or knows of gRPC.

mod clock;
mod event;
mod id;
pub(crate) mod kind;
mod result;
pub(crate) mod shuffle;
