//! Conversions between the host's types and the messages of `parlor.v1`, in both directions.

mod answer;
mod attach;
mod create_table;
mod encode;
mod field_coverage;
mod table;
mod table_requests;

use parlor_engine::Seat;
use parlor_host::TableId;
use parlor_proto::convert::InvalidField;

use crate::grpc::Failure;
use crate::identity::{ApiKeys, Caller, Generation, KeySet, ServerKey};

const TABLE: TableId = TableId::from_bytes([7; 16]);
const OTHER: TableId = TableId::from_bytes([8; 16]);

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

fn key() -> ServerKey {
    ServerKey::from_bytes([5; 32])
}

/// The caller on a server without keys.
fn caller() -> Caller {
    let keys = ApiKeys::new(KeySet::new(Vec::new()).expect("no keys"));
    keys.identify(None).expect("a server without keys accepts every caller")
}

fn seat_token(table: TableId) -> String {
    key().seat_token(table, seat(1), Generation(3)).reveal().clone()
}

fn spectator_token(table: TableId) -> String {
    key().spectator_token(table, Generation(3)).reveal().clone()
}

/// The message of a field error: the path of the field, and why it is invalid.
fn wrong<T: std::fmt::Debug>(result: Result<T, impl Into<Failure>>) -> String {
    match result.map_err(Into::into) {
        Err(Failure::Field(wrong)) => wrong.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Checks the bounds of a length or number: `accepted` values decode, `refused` ones fail with an error that
/// names the field.
fn check_bound<T: std::fmt::Debug>(
    accepted: &[u64],
    refused: &[u64],
    field: &str,
    decode: impl Fn(u64) -> Result<T, Failure>,
) {
    for value in accepted {
        assert!(decode(*value).is_ok(), "{field}: {value} should be accepted: {:?}", decode(*value));
    }
    for value in refused {
        match decode(*value) {
            Err(Failure::Field(wrong)) => assert_eq!(InvalidField::path(&wrong), field, "{value}"),
            other => panic!("{field}: {value} should be refused: {other:?}"),
        }
    }
}

/// A text of `length` bytes.
fn text(length: u64) -> String {
    "x".repeat(length as usize)
}

/// A text of `length` characters of two bytes each.
fn wide(length: u64) -> String {
    "ß".repeat(length as usize)
}
