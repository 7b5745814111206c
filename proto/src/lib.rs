//! Parlor's wire: what travels between a server and its clients.
//!
//! - [`v1`]: the messages of package `parlor.v1`, generated from `proto/parlor/v1/*.proto`. Their comments are the
//!   documentation of the API. The features `client` and `server` add the gRPC clients and server traits.
//! - [`FILE_DESCRIPTOR_SET`]: the same files as data, for server reflection.
#![deny(missing_docs)]

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

/// The package, as an encoded `google.protobuf.FileDescriptorSet` with its comments and imports.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parlor_v1.binpb"));
