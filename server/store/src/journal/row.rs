//! Row of a table: its listing, its place, and the part of its log that is not in the journal.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::errors::StoreErrors;
use super::tags;
use crate::chain::HashChain;
use crate::{Entry, Hash, Listing, LogError, LogKind, Millis, Place, TableId, TableRow};

/// All columns of a table except its log and its record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StoredRow {
    pub(crate) id: TableId,
    pub(crate) listing: Listing,
    pub(crate) created: Millis,
    pub(crate) updated: Millis,
    pub(crate) request: Option<String>,
    pub(crate) place: Place,
    /// First commit whose entries of this table are in the journal and not in this row.
    pub(crate) journal_from: u64,
    /// End of the log in this row.
    pub(crate) stored: HashChain,
    pub(crate) record_hash: Option<Hash>,
}

const IN_PLAY: u8 = 0;
const AT_REST: u8 = 1;
const FINISHED: u8 = 2;

impl StoredRow {
    /// Checksum of all columns. It includes the table id, so that no row passes for another.
    pub(crate) fn checksum(&self) -> Hash {
        let (place, wakes_at) = self.place_columns();
        let mut hash = Sha256::new();
        hash.update(b"parlor table row 1\0");
        hash.update(self.id.as_bytes());
        let request = self.request.as_deref();
        for text in [self.listing.owner.as_str(), &self.listing.game, request.unwrap_or("")] {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        let flags = [
            self.listing.state,
            self.listing.visibility,
            place,
            request.is_some().into(),
            wakes_at.is_some().into(),
            self.record_hash.is_some().into(),
        ];
        hash.update(flags);
        for number in
            [self.created.0, self.updated.0, wakes_at.unwrap_or(0), self.journal_from, self.stored.length]
        {
            hash.update(number.to_be_bytes());
        }
        hash.update(self.stored.head);
        hash.update(self.record_hash.unwrap_or_default());
        // Rows from before kinds and tags keep their checksum.
        if self.listing.kind != LogKind::Table || !self.listing.tags.is_empty() {
            hash.update([tags::kind_column(self.listing.kind)]);
            hash.update(self.listing.tags.join(" "));
        }
        hash.finalize().into()
    }

    pub(crate) fn place_columns(&self) -> (u8, Option<u64>) {
        match self.place {
            Place::InPlay => (IN_PLAY, None),
            Place::AtRest { wakes_at } => (AT_REST, wakes_at.map(|time| time.0)),
            Place::Finished => (FINISHED, None),
        }
    }

    /// Place of these columns; `None` if they contradict each other.
    pub(crate) fn place_from_columns(place: u8, wakes_at: Option<u64>) -> Option<Place> {
        match (place, wakes_at.map(Millis)) {
            (IN_PLAY, None) => Some(Place::InPlay),
            (AT_REST, wakes_at) => Some(Place::AtRest { wakes_at }),
            (FINISHED, None) => Some(Place::Finished),
            _ => None,
        }
    }

    /// The tags as a column: separated by spaces, `None` without any.
    pub(crate) fn tags_column(&self) -> Option<String> {
        (!self.listing.tags.is_empty()).then(|| self.listing.tags.join(" "))
    }

    /// Tags of a column.
    pub(crate) fn tags_from_column(column: Option<&str>) -> Vec<String> {
        column.map_or_else(Vec::new, |tags| tags.split(' ').map(str::to_owned).collect())
    }

    /// Verifies the part of the log that the row covers, and returns its entries from index `from` on.
    pub(crate) fn decode_log(
        &self,
        log: Vec<u8>,
        from: u64,
        out: &mut Vec<Entry>,
        errors: StoreErrors<'_>,
    ) -> Result<(), LogError> {
        let mut chain = HashChain::new(&self.id);
        let read = chain.decode(&Bytes::from(log), from, out);
        if let Err(broken) = read {
            return Err(errors.damaged_entry(self.id, broken.index));
        }
        if chain != self.stored {
            let entry = chain.length.min(self.stored.length).saturating_sub(1);
            return Err(errors.damaged_entry(self.id, entry));
        }
        Ok(())
    }

    /// Verifies a record as it was read.
    pub(crate) fn verify_record(
        &self,
        record: Option<Vec<u8>>,
        errors: StoreErrors<'_>,
    ) -> Result<Option<Bytes>, LogError> {
        if record.as_deref().map(record_hash) != self.record_hash {
            let what = format!("the record of table {} is corrupted", self.id);
            return Err(errors.damaged(Some(self.id), None, &what));
        }
        Ok(record.map(Bytes::from))
    }
}

impl From<StoredRow> for TableRow {
    fn from(row: StoredRow) -> TableRow {
        TableRow {
            id: row.id,
            listing: row.listing,
            created: row.created,
            updated: row.updated,
            place: row.place,
        }
    }
}

pub(crate) fn record_hash(record: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor record 1\0");
    hash.update(record);
    hash.finalize().into()
}
