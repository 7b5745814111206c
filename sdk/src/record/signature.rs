//! Signatures of records and of the manifests of exports, checked without a server.

use parlor_fair::{MessageSet, PublicKey};
use parlor_proto::signing;

use crate::wire;

/// State of a signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SignatureCheck {
    /// There is no signature.
    Unsigned,
    /// The signature was made with a key that was not given.
    UnknownKey {
        /// Id of that key, as the record states it.
        key_id: String,
    },
    /// The signature is that of this key: nothing but the texts was changed since the server gave the record.
    Valid(PublicKey),
    /// The signature names this key and is not that of the record: something was changed.
    Invalid(PublicKey),
}

/// Checks the signature of a record with the public keys of its server.
///
/// ```
/// use parlor_sdk::record::{PublicKey, SignatureCheck, check_signature};
/// use parlor_sdk::wire;
///
/// let key: PublicKey = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".parse()?;
/// assert_eq!(check_signature(&wire::Record::default(), &[key]), SignatureCheck::Unsigned);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn check_signature(record: &wire::Record, keys: &[PublicKey]) -> SignatureCheck {
    check(record.signature.as_ref(), keys, || signing::record_bytes(record))
}

/// Checks the signature of the manifest of an export. [`ManifestCheck`] compares its records.
#[must_use]
pub fn check_manifest_signature(manifest: &wire::ExportManifest, keys: &[PublicKey]) -> SignatureCheck {
    check(manifest.signature.as_ref(), keys, || signing::manifest_bytes(manifest))
}

fn check(
    signature: Option<&wire::RecordSignature>,
    keys: &[PublicKey],
    signed: impl Fn() -> Vec<u8>,
) -> SignatureCheck {
    let Some(wire::RecordSignature { key_id, signature }) = signature else {
        return SignatureCheck::Unsigned;
    };
    match keys.iter().find(|key| key.id().to_string() == *key_id) {
        None => SignatureCheck::UnknownKey { key_id: key_id.clone() },
        Some(key) if key.verify(&signed(), signature) => SignatureCheck::Valid(*key),
        Some(key) => SignatureCheck::Invalid(*key),
    }
}

/// Comparison of the records of an export with its manifest: whether one is missing, changed or too many.
#[derive(Clone, Default, Debug)]
pub struct ManifestCheck(MessageSet);

impl ManifestCheck {
    /// Adds a record of the export, in any order.
    pub fn add(&mut self, record: &wire::Record) {
        self.0.add(&signing::record_bytes(record));
    }

    /// True if the manifest is that of exactly these records.
    #[must_use]
    pub fn matches(&self, manifest: &wire::ExportManifest) -> bool {
        u32::try_from(self.0.count()) == Ok(manifest.record_count) && self.0.hash() == *manifest.records_hash
    }
}
