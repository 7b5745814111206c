//! Validation of texts from clients (names, notes, ids, metadata) and of page sizes.

use std::collections::BTreeMap;

use parlor_host::table::IdempotencyKey;
use parlor_proto::convert::field::{InvalidField, number};
use prost::Message;
use sha2::{Digest, Sha256};

use crate::identity::Caller;

/// Maximum length of a display name, in characters.
const MAX_DISPLAY_NAME_CHARS: usize = 64;
/// Maximum length of a note, in characters.
const MAX_NOTE_CHARS: usize = 256;
/// Maximum length of a user id, in bytes.
const MAX_USER_ID_BYTES: usize = 128;
/// Maximum length of a request id, in ASCII characters.
const MAX_REQUEST_ID_CHARS: usize = 64;
/// Minimum length of a request id that protects a seat, in characters: in base64, 22 hold 128 bits.
const MIN_SECRET_REQUEST_ID_CHARS: usize = 22;
/// Maximum number of metadata entries.
const MAX_METADATA_ENTRIES: usize = 16;
/// Maximum length of a metadata key, in bytes.
const MAX_METADATA_KEY_BYTES: usize = 64;
/// Maximum length of a metadata value, in bytes.
const MAX_METADATA_VALUE_BYTES: usize = 256;

/// Validates a page size; 0 means the default.
pub(super) fn page_size(size: u32, default: u32, max: u32) -> Result<usize, InvalidField> {
    match size {
        0 => Ok(default as usize),
        size => number::<u32>(size, 1..=max, "page_size").map(|size| size as usize),
    }
}

/// Validates a display name.
pub(super) fn display_name(text: String, field: &str) -> Result<String, InvalidField> {
    display_text(text, MAX_DISPLAY_NAME_CHARS, field)
}

/// Validates a note, such as the reason for a cancellation.
pub(super) fn note(text: String, field: &str) -> Result<String, InvalidField> {
    display_text(text, MAX_NOTE_CHARS, field)
}

/// Validates a text for display. Control characters are refused: a terminal would execute them.
pub(super) fn display_text(text: String, max_chars: usize, field: &str) -> Result<String, InvalidField> {
    let length = text.chars().count();
    if length > max_chars {
        return Err(InvalidField::at(field, format!("must have up to {max_chars} characters, not {length}")));
    }
    if text.chars().any(char::is_control) {
        return Err(InvalidField::at(field, "must have no control characters"));
    }
    Ok(text)
}

/// Validates the owner's id of a user; empty means none.
pub(super) fn user_id(text: String, field: &str) -> Result<Option<String>, InvalidField> {
    if text.len() > MAX_USER_ID_BYTES {
        let why = format!("must have up to {MAX_USER_ID_BYTES} bytes, not {}", text.len());
        return Err(InvalidField::at(field, why));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// The idempotency key of a request with a request id, for requests that the log records per owner. The digest
/// covers the method, because requests of two methods may have the same bytes.
pub(super) fn idempotency_key(
    method: &str,
    id: &str,
    request: &impl Message,
) -> Result<Option<IdempotencyKey>, InvalidField> {
    if id.is_empty() {
        return Ok(None);
    }
    let is_valid = id.len() <= MAX_REQUEST_ID_CHARS && id.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !is_valid {
        let why = format!("must have 1 to {MAX_REQUEST_ID_CHARS} printable ASCII characters");
        return Err(InvalidField::at("request_id", why));
    }
    Ok(Some(IdempotencyKey { id: id.into(), digest: digest(method, &request.encode_to_vec()) }))
}

/// The idempotency key of a request that a table records. It is bound to the owner of the caller's key: the same
/// request of anybody else is another request. Not to the key itself, because keys are rotated, and not to the
/// connection, because a repeat comes on a new one.
pub(super) fn owned_idempotency_key(
    method: &str,
    caller: Option<&Caller>,
    id: &str,
    request: &impl Message,
) -> Result<Option<IdempotencyKey>, InvalidField> {
    let Some(key) = idempotency_key(method, id, request)? else { return Ok(None) };
    // No owner has an empty name.
    let owner = caller.map_or("", |caller| caller.owner().as_str());
    Ok(Some(IdempotencyKey { digest: digest(owner, &key.digest), ..key }))
}

/// The idempotency key of a request whose answer is a seat token. On a server without keys all callers are one
/// owner, and the request id alone keeps others from repeating the request: it must be long enough for 128
/// random bits.
pub(super) fn seat_idempotency_key(
    method: &str,
    caller: Option<&Caller>,
    id: &str,
    request: &impl Message,
) -> Result<Option<IdempotencyKey>, InvalidField> {
    if caller.is_some_and(|caller| !caller.has_key()) {
        check_secret_id(id, "on a server without API keys, because whoever knows it gets the seat")?;
    }
    owned_idempotency_key(method, caller, id, request)
}

/// The idempotency key of a request by a caller without a key, who shares a name with others: the request id alone keeps
/// them from repeating the request.
pub(super) fn guest_idempotency_key(
    method: &str,
    id: &str,
    request: &impl Message,
) -> Result<Option<IdempotencyKey>, InvalidField> {
    check_secret_id(id, "without an API key, because whoever knows it gets the same answer")?;
    idempotency_key(method, id, request)
}

/// Checks that a request id, if there is one, has room for 128 random bits.
fn check_secret_id(id: &str, when: &str) -> Result<(), InvalidField> {
    if (1..MIN_SECRET_REQUEST_ID_CHARS).contains(&id.len()) {
        let why = format!(
            "must be empty or have at least {MIN_SECRET_REQUEST_ID_CHARS} random characters {when}: take a random UUID"
        );
        return Err(InvalidField::at("request_id", why));
    }
    Ok(())
}

/// The first 16 bytes of the SHA-256 of a context and a message.
fn digest(context: &str, message: &[u8]) -> [u8; 16] {
    let hash = Sha256::new().chain_update(context).chain_update([0]).chain_update(message).finalize();
    let mut digest = [0; 16];
    digest.copy_from_slice(&hash[..16]);
    digest
}

/// Validates metadata.
pub(super) fn metadata(map: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, InvalidField> {
    let wrong = |why| Err(InvalidField::at("metadata", why));
    if map.len() > MAX_METADATA_ENTRIES {
        return wrong(format!("must have up to {MAX_METADATA_ENTRIES} entries, not {}", map.len()));
    }
    for (key, value) in &map {
        if !(1..=MAX_METADATA_KEY_BYTES).contains(&key.len()) {
            let (max, length) = (MAX_METADATA_KEY_BYTES, key.len());
            return wrong(format!("must have keys of 1 to {max} bytes, not {length}"));
        }
        if value.len() > MAX_METADATA_VALUE_BYTES {
            let (max, length) = (MAX_METADATA_VALUE_BYTES, value.len());
            return wrong(format!("must have values of up to {max} bytes, not {length}"));
        }
    }
    Ok(map)
}
