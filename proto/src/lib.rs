//! Parlor's wire protocol: the messages and services of package `parlor.v1`, and their conversions to the engine's types.
//!
//! - [`v1`]: the messages, generated from `proto/parlor/v1/*.proto`, whose comments document the API. The features
//!   `client` and `server` add the gRPC clients and server traits.
//! - [`FILE_DESCRIPTOR_SET`]: the descriptors of the same files, for server reflection.
//! - `codec` (features `client` and `server`): the codec of the generated clients and servers.
//! - `frame` (feature `server`): encoded items of response streams.
//! - `reflect` (feature `reflect`): JSON and field access by descriptor.
//! - [`signing`]: the bytes that the signatures of records sign.
//! - `encode` (features `engine` and `server`): encoders generated from the .proto files, which need no prost message.
//! - `enum_text` (feature `engine`): the texts of enums in both languages.
//! - `convert` (feature `engine`): conversions to and from the types of `parlor-engine`, one file a game.
//! - `table_text` (feature `engine`): sentences about the events, ends and results of tables, in English and German.
#![deny(missing_docs)]

#[cfg(any(feature = "client", feature = "server"))]
pub mod codec;
#[cfg(feature = "engine")]
pub mod convert;
#[cfg(any(feature = "engine", feature = "server"))]
pub mod encode;
#[cfg(feature = "engine")]
pub mod enum_text;
#[cfg(feature = "server")]
pub mod frame;
#[cfg(feature = "reflect")]
pub mod reflect;
pub mod signing;
#[cfg(feature = "engine")]
pub mod table_text;

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

/// Package `parlor.v1` as an encoded `google.protobuf.FileDescriptorSet`, with comments and imports.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parlor_v1.binpb"));
