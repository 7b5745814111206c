//! The bytes that a signature of the server signs: see `RecordSignature` in `record.proto`.
//!
//! A message that is encoded here and one that was decoded from JSON, text or protobuf and is encoded again give the same
//! bytes: prost writes fields in the order of their numbers, and no message of a record has a map.

use prost::Message;

use crate::v1;

/// Domain of the signatures of records.
const RECORD_TAG: &[u8] = b"parlor record signature v1";

/// Domain of the signatures of export manifests.
const EXPORT_TAG: &[u8] = b"parlor export signature v1";

/// The bytes that the signature of a record signs: all of it but the signature itself and the texts.
#[must_use]
pub fn record_bytes(record: &v1::Record) -> Vec<u8> {
    let mut signed = without_texts(record);
    signed.signature = None;
    tagged(RECORD_TAG, &signed)
}

/// The bytes that the signature of the manifest of an export signs: all of it but the signature itself.
#[must_use]
pub fn manifest_bytes(manifest: &v1::ExportManifest) -> Vec<u8> {
    tagged(EXPORT_TAG, &v1::ExportManifest { signature: None, ..manifest.clone() })
}

/// A record without its texts, which are for people to read and not signed.
#[must_use]
pub fn without_texts(record: &v1::Record) -> v1::Record {
    let mut record = v1::Record { result_texts: None, ..record.clone() };
    for step in &mut record.steps {
        step.told.iter_mut().for_each(|telling| telling.text = None);
        step.decided.iter_mut().for_each(|decision| decision.text = None);
    }
    record
}

fn tagged(tag: &[u8], message: &impl Message) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tag.len() + message.encoded_len());
    bytes.extend_from_slice(tag);
    message.encode(&mut bytes).expect("a vector grows as needed");
    bytes
}
