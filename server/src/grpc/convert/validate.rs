//! Texts that clients choose: names, notes, ids of users and requests, metadata.

use std::collections::BTreeMap;

use parlor_proto::convert::field::InvalidField;
use prost::Message;
use sha2::{Digest, Sha256};

use parlor_host::table::IdempotencyKey;

/// The longest name that others see, in characters.
const NAME: usize = 64;
/// The longest reason for calling a table off, in characters.
const NOTE: usize = 256;
/// The longest id of a user, in bytes.
const USER: usize = 128;
/// The longest id of a request, in characters.
const REQUEST: usize = 64;
/// The most entries of metadata, and the longest key and value of one, in bytes.
const METADATA: usize = 16;
const KEY: usize = 64;
const VALUE: usize = 256;

/// A name that others see.
pub(super) fn name(text: String, field: &str) -> Result<String, InvalidField> {
    shown(text, NAME, field)
}

/// Why a table is called off.
pub(super) fn note(text: String, field: &str) -> Result<String, InvalidField> {
    shown(text, NOTE, field)
}

/// A text that is shown to others: a terminal that prints it must not be told to do anything else.
pub(super) fn shown(text: String, most: usize, field: &str) -> Result<String, InvalidField> {
    let length = text.chars().count();
    if length > most {
        return Err(InvalidField::at(field, format!("must have up to {most} characters, not {length}")));
    }
    if text.chars().any(char::is_control) {
        return Err(InvalidField::at(field, "must have no control characters"));
    }
    Ok(text)
}

/// The owner's own id of a user, if there is one.
pub(super) fn user_id(text: String, field: &str) -> Result<Option<String>, InvalidField> {
    if text.len() > USER {
        return Err(InvalidField::at(field, format!("must have up to {USER} bytes, not {}", text.len())));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// What makes a repeat of a request harmless, if it has an id. The method is a part of the mark: requests of two
/// methods may have the same bytes.
pub(super) fn request_mark(
    method: &str,
    id: &str,
    request: &impl Message,
) -> Result<Option<IdempotencyKey>, InvalidField> {
    if id.is_empty() {
        return Ok(None);
    }
    let fits = id.len() <= REQUEST && id.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !fits {
        let why = format!("must have 1 to {REQUEST} printable ASCII characters");
        return Err(InvalidField::at("request_id", why));
    }
    let hash =
        Sha256::new().chain_update(method).chain_update([0]).chain_update(request.encode_to_vec()).finalize();
    let mut digest = [0; 16];
    digest.copy_from_slice(&hash[..16]);
    Ok(Some(IdempotencyKey { id: id.into(), digest }))
}

/// The owner's own notes.
pub(super) fn metadata(map: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, InvalidField> {
    let wrong = |why| Err(InvalidField::at("metadata", why));
    if map.len() > METADATA {
        return wrong(format!("must have up to {METADATA} entries, not {}", map.len()));
    }
    for (key, value) in &map {
        if !(1..=KEY).contains(&key.len()) {
            return wrong(format!("must have keys of 1 to {KEY} bytes, not {}", key.len()));
        }
        if value.len() > VALUE {
            return wrong(format!("must have values of up to {VALUE} bytes, not {}", value.len()));
        }
    }
    Ok(map)
}
