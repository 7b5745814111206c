//! Parlor's wire: what travels between a server and its clients, and how it relates to the engine's types.
//!
//! - [`v1`]: the messages of package `parlor.v1`, generated from `proto/parlor/v1/*.proto`. Their comments are the
//!   documentation of the API. The features `client` and `server` add the gRPC clients and server traits.
//! - [`FILE_DESCRIPTOR_SET`]: the same files as data, for server reflection.
//! - `codec` (features `client` and `server`): how messages become frames.
//! - `frame` (features `server` and `engine`): encoded items of stream messages.
//! - `reflect` (feature `reflect`): messages by their descriptors: JSON, and field by field.
//! - `convert` (feature `engine`): conversions to and from the types of `parlor-engine`, one file a game. What comes from
//!   the engine always has a form on the wire; what comes from the wire is checked, and an error names the field.
//! - `write` (feature `engine`): what the engine gives, as the bytes of its messages.
#![deny(missing_docs)]

#[cfg(any(feature = "client", feature = "server"))]
pub mod codec;
#[cfg(feature = "engine")]
pub mod convert;
#[cfg(all(feature = "server", feature = "engine"))]
pub mod frame;
#[cfg(feature = "reflect")]
pub mod reflect;
#[cfg(feature = "engine")]
pub mod write;

/// The messages and services of package `parlor.v1`.
#[allow(
    clippy::all,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    reason = "generated code"
)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/parlor.v1.rs"));
}

/// The package `parlor.v1`, as an encoded `google.protobuf.FileDescriptorSet` with its comments and imports.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parlor_v1.binpb"));
