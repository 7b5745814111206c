//! The conversions between messages and engine types: values of real games round-trip, invalid messages are rejected with
//! the path of the field, and the .proto files have the properties that the conversions rely on.
//!
//! Random tests print their seed when they fail; `PARLOR_TEST_SEED=7` runs them with another one.

mod arbitrary;
mod descriptors;
mod errors;
mod games;
mod literals;
mod round_trip;
mod texts;
