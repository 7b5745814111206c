//! Codec of the payloads in stored messages: the host stores them as messages of the API.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView};
use parlor_fields::InvalidField;
use parlor_host::persistence::{Codec, PayloadCodec};
use parlor_host::table::{Ending, SeatResult, Shuffle, TableEvent, TimeControl};
use parlor_host::tournaments::{StandingsSnapshot, Terms, TournamentSnapshot};
use parlor_proto::v1;
use prost::Message;

use super::tournament_setup::decode_terms;
use super::{FromMessage, ToMessage, standings, tournament};

/// Encodes payloads in stored messages as messages of the API.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ApiCodec;

/// Decodes a protobuf message.
fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M, InvalidField> {
    M::decode(bytes).map_err(|error| InvalidField::new(error.to_string()))
}

macro_rules! game_payloads {
    ($($game:ty => $message:ty),* $(,)?) => {
        $(impl Codec<$game> for ApiCodec {
            fn encode(&self, value: &$game) -> Vec<u8> {
                <$message>::from(value.clone()).encode_to_vec()
            }

            fn decode(&self, bytes: &[u8]) -> Result<$game, InvalidField> {
                <$game>::try_from(decode::<$message>(bytes)?)
            }
        })*
    };
}

macro_rules! host_payloads {
    ($($host:ty => $message:ty),* $(,)?) => {
        $(impl Codec<$host> for ApiCodec {
            fn encode(&self, value: &$host) -> Vec<u8> {
                ToMessage::<$message>::to_message(value).encode_to_vec()
            }

            fn decode(&self, bytes: &[u8]) -> Result<$host, InvalidField> {
                <$host>::from_message(decode::<$message>(bytes)?)
            }
        })*
    };
}

game_payloads!(
    AnyOptions => v1::GameOptions,
    AnyView => v1::GameView,
    AnyEvent => v1::GameEvent,
    AnyAction => v1::GameAction,
);
host_payloads!(
    TimeControl => v1::ClockSettings,
    Shuffle => v1::FairShuffle,
    Ending => v1::TableResult,
    TableEvent => v1::TableEvent,
    SeatResult => v1::SeatResult,
);

impl Codec<Terms> for ApiCodec {
    fn encode(&self, terms: &Terms) -> Vec<u8> {
        ToMessage::<v1::TournamentSetup>::to_message(terms).encode_to_vec()
    }

    fn decode(&self, bytes: &[u8]) -> Result<Terms, InvalidField> {
        decode_terms(decode(bytes)?)
    }
}

impl PayloadCodec for ApiCodec {
    fn encode_tournament(&self, tournament: &TournamentSnapshot) -> Vec<u8> {
        tournament::tournament(tournament, false).encode_to_vec()
    }

    fn encode_standings(&self, standings: &StandingsSnapshot) -> Vec<u8> {
        standings::standings(standings).encode_to_vec()
    }
}
