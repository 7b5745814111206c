//! Codec of payloads: API messages that are embedded in stored messages. The host does not know their encoding.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView};
use parlor_fields::InvalidField;

use crate::table::{Ending, SeatResult, Shuffle, TableEvent, TimeControl};
use crate::tournaments::{StandingsSnapshot, Terms, TournamentSnapshot};

/// Codec of values of one type.
pub trait Codec<T> {
    /// Encodes a value. Equal values have equal bytes.
    fn encode(&self, value: &T) -> Vec<u8>;

    /// Decodes a value.
    ///
    /// # Errors
    /// The bytes are not an encoding of a value; the error names the wrong field.
    fn decode(&self, bytes: &[u8]) -> Result<T, InvalidField>;
}

/// The codec of all payloads in stored messages. The server implements it with the messages of its API.
pub trait PayloadCodec:
    Codec<AnyOptions>
    + Codec<AnyView>
    + Codec<AnyEvent>
    + Codec<AnyAction>
    + Codec<TimeControl>
    + Codec<Shuffle>
    + Codec<Ending>
    + Codec<TableEvent>
    + Codec<SeatResult>
    + Codec<Terms>
    + Send
    + Sync
    + 'static
{
    /// Encodes a finished tournament for its record. The host never decodes it.
    fn encode_tournament(&self, tournament: &TournamentSnapshot) -> Vec<u8>;

    /// Encodes the final standings of a tournament. The host never decodes them.
    fn encode_standings(&self, standings: &StandingsSnapshot) -> Vec<u8>;
}

/// Decodes a payload; an error names the field that holds it.
pub(super) fn decode_field<T>(codec: &dyn PayloadCodec, bytes: &[u8], field: &str) -> Result<T, InvalidField>
where
    dyn PayloadCodec: Codec<T>,
{
    codec.decode(bytes).map_err(|wrong| wrong.within(field))
}

/// Decodes a payload that must be set.
pub(super) fn decode_required<T>(
    codec: &dyn PayloadCodec,
    bytes: Option<Vec<u8>>,
    field: &str,
) -> Result<T, InvalidField>
where
    dyn PayloadCodec: Codec<T>,
{
    decode_optional(codec, bytes, field)?.ok_or_else(|| InvalidField::at(field, "must be set"))
}

/// Decodes a payload that may be missing.
pub(super) fn decode_optional<T>(
    codec: &dyn PayloadCodec,
    bytes: Option<Vec<u8>>,
    field: &str,
) -> Result<Option<T>, InvalidField>
where
    dyn PayloadCodec: Codec<T>,
{
    bytes.map(|bytes| decode_field(codec, &bytes, field)).transpose()
}

/// Decodes a list of payloads.
pub(super) fn decode_each<T>(
    codec: &dyn PayloadCodec,
    list: Vec<Vec<u8>>,
    field: &str,
) -> Result<Vec<T>, InvalidField>
where
    dyn PayloadCodec: Codec<T>,
{
    let decode = |(index, bytes): (usize, Vec<u8>)| {
        codec.decode(&bytes).map_err(|wrong: InvalidField| wrong.in_list(index).within(field))
    };
    list.into_iter().enumerate().map(decode).collect()
}

/// Codec for tests: keeps the values in memory and encodes each as its index.
#[cfg(test)]
pub(crate) mod test_codec {
    use std::any::Any;
    use std::sync::{Mutex, PoisonError};

    use super::*;

    pub(crate) static TEST_CODEC: InterningCodec = InterningCodec(Mutex::new(Vec::new()));

    pub(crate) struct InterningCodec(Mutex<Vec<Box<dyn Any + Send>>>);

    impl<T: Any + Clone + Send> Codec<T> for InterningCodec {
        fn encode(&self, value: &T) -> Vec<u8> {
            let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            values.push(Box::new(value.clone()));
            (values.len() as u32 - 1).to_be_bytes().to_vec()
        }

        fn decode(&self, bytes: &[u8]) -> Result<T, InvalidField> {
            let index = bytes.try_into().map_or(u32::MAX, u32::from_be_bytes);
            let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let value = values.get(index as usize).and_then(|value| value.downcast_ref());
            value.cloned().ok_or_else(|| InvalidField::new("is no value of this type"))
        }
    }

    impl PayloadCodec for InterningCodec {
        fn encode_tournament(&self, tournament: &TournamentSnapshot) -> Vec<u8> {
            self.encode(tournament)
        }

        fn encode_standings(&self, standings: &StandingsSnapshot) -> Vec<u8> {
            self.encode(standings)
        }
    }
}
