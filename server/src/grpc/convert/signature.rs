//! Signatures of records and of the manifests of exports, and the keys that check them.

use parlor_engine::Viewer;
use parlor_fair::{MessageSet, PublicKey};
use parlor_host::TournamentId;
use parlor_proto::{signing, v1};

use crate::identity::SigningKeys;

/// Signs a record. A change of any field but the texts makes the signature invalid.
pub fn sign_record(record: &mut v1::Record, keys: &SigningKeys) {
    record.signature = Some(signature(&signing::record_bytes(record), keys));
}

/// The key in use, and then those of before, newest first.
#[must_use]
pub fn signing_keys(keys: &SigningKeys) -> Vec<v1::SigningKey> {
    let message = |key: PublicKey, retired| v1::SigningKey {
        key_id: key.id().to_string(),
        public_key: key.as_bytes().to_vec(),
        retired,
    };
    let retired = keys.retired().iter().map(|key| message(*key, true));
    std::iter::once(message(keys.current(), false)).chain(retired).collect()
}

fn signature(bytes: &[u8], keys: &SigningKeys) -> v1::RecordSignature {
    v1::RecordSignature { key_id: keys.current().id().to_string(), signature: keys.sign(bytes).to_vec() }
}

/// The manifest of an export, collected while its records are sent.
#[derive(Debug)]
pub struct ManifestBuilder {
    tournament: TournamentId,
    viewer: Option<Viewer>,
    tournament_over: bool,
    /// The records, of which the hashes are kept: 32 bytes each.
    records: MessageSet,
}

impl ManifestBuilder {
    /// The manifest of an export without records.
    #[must_use]
    pub fn new(tournament: TournamentId, viewer: Option<Viewer>, tournament_over: bool) -> ManifestBuilder {
        ManifestBuilder { tournament, viewer, tournament_over, records: MessageSet::default() }
    }

    /// Adds a record.
    pub fn add(&mut self, record: &v1::Record) {
        self.records.add(&signing::record_bytes(record));
    }

    /// The signed manifest.
    #[must_use]
    pub fn sign(self, keys: &SigningKeys) -> v1::ExportManifest {
        let mut manifest = v1::ExportManifest {
            tournament_id: self.tournament.to_string(),
            viewer: self.viewer.map(Into::into),
            record_count: super::saturating_u32(self.records.count() as u64),
            records_hash: self.records.hash().to_vec(),
            tournament_over: self.tournament_over,
            signature: None,
        };
        manifest.signature = Some(signature(&signing::manifest_bytes(&manifest), keys));
        manifest
    }
}
