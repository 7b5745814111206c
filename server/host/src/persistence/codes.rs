//! Conversion of enums, seats, cards and entropy in stored messages. The codes are on disk and never change.

use parlor_engine::{
    CardCode, Game, GameId, MAX_SEATS, Seat, Seats, ShuffleId, ShufflePurpose, for_all_games,
};
use parlor_fair::{Entropy, EntropyCommitment};
use parlor_fields::{InvalidField, bytes, number16, one_of};
use parlor_store::v1 as store;

use crate::agents::{SeatedBy, SuspensionReason};
use crate::table::{DecidedBy, SeatFinish, Visibility};

/// Encodes a seat as its number.
pub(super) fn encode_seat(seat: Seat) -> u32 {
    seat.index() as u32
}

/// Decodes a seat from its number; an error names the field.
pub(super) fn decode_seat(value: u32, field: &str) -> Result<Seat, InvalidField> {
    let wrong = || InvalidField::at(field, format!("must be 0 to {}, not {value}", MAX_SEATS - 1));
    u8::try_from(value).ok().and_then(Seat::new).ok_or_else(wrong)
}

/// Encodes a set of seats as their numbers, in order.
pub(super) fn encode_seats(seats: Seats) -> Vec<u32> {
    seats.iter().map(encode_seat).collect()
}

/// Decodes a set of seats from distinct numbers.
pub(super) fn decode_seats(values: Vec<u32>, field: &str) -> Result<Seats, InvalidField> {
    let mut seats = Seats::NONE;
    for (index, value) in values.into_iter().enumerate() {
        let wrong = |error: InvalidField| error.in_list(index).within(field);
        let seat = decode_seat(value, "").map_err(wrong)?;
        if seats.contains(seat) {
            return Err(wrong(InvalidField::new(format!("names seat {seat} twice"))));
        }
        seats = seats.with(seat);
    }
    Ok(seats)
}

/// Decodes entropy.
pub(super) fn decode_entropy(bytes: &[u8]) -> Result<Entropy, InvalidField> {
    Entropy::new(bytes).map_err(|error| InvalidField::at("entropy", error.to_string()))
}

/// Decodes a list of entropy.
pub(super) fn decode_entropies(list: &[Vec<u8>], field: &str) -> Result<Vec<Entropy>, InvalidField> {
    let decode = |(index, bytes): (usize, &Vec<u8>)| {
        Entropy::new(bytes).map_err(|error| InvalidField::new(error.to_string()).in_list(index).within(field))
    };
    list.iter().enumerate().map(decode).collect()
}

/// Encodes a commitment to entropy; empty if there is none.
pub(super) fn encode_commitment(commitment: Option<EntropyCommitment>) -> Vec<u8> {
    commitment.map_or_else(Vec::new, |commitment| commitment.as_bytes().to_vec())
}

/// Decodes a commitment to entropy; empty means none.
pub(super) fn decode_commitment(
    stored: &[u8],
    field: &str,
) -> Result<Option<EntropyCommitment>, InvalidField> {
    match stored {
        [] => Ok(None),
        stored => bytes(stored, field).map(|commitment| Some(EntropyCommitment::from_bytes(commitment))),
    }
}

/// Decodes a list of commitments to entropy.
pub(super) fn decode_commitments(
    list: &[Vec<u8>],
    field: &str,
) -> Result<Vec<Option<EntropyCommitment>>, InvalidField> {
    let decode = |(index, stored): (usize, &Vec<u8>)| {
        decode_commitment(stored, "").map_err(|wrong| wrong.in_list(index).within(field))
    };
    list.iter().enumerate().map(decode).collect()
}

/// True if the game has a card with this code.
pub(super) fn is_card(game: GameId, code: u8) -> bool {
    macro_rules! is_card {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
            match game {
                $(GameId::$variant => <parlor_engine::$module::$game as Game>::Card::from_code(code).is_some(),)*
            }
        };
    }
    for_all_games!(is_card)
}

/// Defines the conversions between an enum and its stored codes from one table.
macro_rules! codes {
    ($encode:ident, $decode:ident: $domain:ident as $code:ident { $($variant:ident = $stored:ident),* $(,)? }) => {
        pub(super) const fn $encode(value: $domain) -> store::$code {
            match value {
                $($domain::$variant => store::$code::$stored,)*
            }
        }

        pub(super) fn $decode(value: i32, field: &str) -> Result<$domain, InvalidField> {
            one_of(value, field, |code| match code {
                store::$code::Unspecified => None,
                $(store::$code::$stored => Some($domain::$variant),)*
            })
        }
    };
}

codes!(encode_visibility, decode_visibility: Visibility as Visibility { Public = Public, Private = Private });
codes!(encode_seat_finish, decode_seat_finish: SeatFinish as SeatFinish {
    PlayedOut = PlayedOut,
    TimedOut = TimedOut,
    Resigned = Resigned,
    Disconnected = Disconnected,
    SetAside = Suspended,
});
codes!(encode_decided_by, decode_decided_by: DecidedBy as DecidedBy {
    Player = Player,
    Clock = Clock,
    Forfeit = Forfeit,
    HouseBot = HouseBot,
});
codes!(encode_suspension_reason, decode_suspension_reason: SuspensionReason as SuspensionReason {
    TimedOut = TimedOut,
    BrokeOff = BrokeOff,
    BrokeRules = BrokeRules,
    TooSlow = TooSlow,
});
codes!(encode_shuffle_purpose, decode_shuffle_purpose: ShufflePurpose as ShufflePurpose {
    Deal = Deal,
    Rebuild = Rebuild,
});

/// Encodes those who may give an agent seats.
pub(super) const fn encode_seated_by(seated_by: SeatedBy) -> store::SeatedBy {
    match seated_by {
        SeatedBy::Anyone => store::SeatedBy::Unspecified,
        SeatedBy::Owner => store::SeatedBy::Owner,
        SeatedBy::Tournaments => store::SeatedBy::Tournaments,
    }
}

/// Decodes those who may give an agent seats. Logs of earlier versions do not say, which is everyone.
pub(super) fn decode_seated_by(value: i32, field: &str) -> Result<SeatedBy, InvalidField> {
    one_of(value, field, |seated_by| {
        Some(match seated_by {
            store::SeatedBy::Unspecified => SeatedBy::Anyone,
            store::SeatedBy::Owner => SeatedBy::Owner,
            store::SeatedBy::Tournaments => SeatedBy::Tournaments,
        })
    })
}

/// Decodes the finish of a forfeited seat.
pub(super) fn decode_forfeit(value: i32, field: &str) -> Result<SeatFinish, InvalidField> {
    let finish = decode_seat_finish(value, field)?;
    if finish.is_forfeit() { Ok(finish) } else { Err(InvalidField::at(field, "must be that of a forfeit")) }
}

/// Decodes the id of a shuffle: its round, its purpose, and the number of shuffles of that purpose earlier in the
/// round.
pub(super) fn decode_shuffle_id(round: u32, purpose: i32, count: u32) -> Result<ShuffleId, InvalidField> {
    Ok(ShuffleId {
        round: number16(round, "round")?,
        purpose: decode_shuffle_purpose(purpose, "purpose")?,
        count: number16(count, "count")?,
    })
}
