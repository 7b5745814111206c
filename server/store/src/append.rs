//! Requests that change a log: an append with everything in its commit, and a deletion.

use bytes::Bytes;

use super::{Hash, LogError, Millis, OwnerId, Place, TableId};

/// Hard limits of every log.
pub mod limits {
    /// Bytes of one entry or one feed item.
    pub const MAX_PAYLOAD_BYTES: usize = 1 << 20;
    /// Bytes of one record.
    pub const MAX_RECORD_BYTES: usize = 16 << 20;
    /// Entries, and also feed items, of one append.
    pub const MAX_ITEMS_PER_APPEND: usize = 1024;
    /// Bytes of an append's entries and feed items together.
    pub const MAX_APPEND_BYTES: usize = 4 << 20;
    /// Bytes of a whole log as stored.
    pub const MAX_LOG_BYTES: u64 = 64 << 20;
    /// Bytes of an owner's name.
    pub const MAX_OWNER_BYTES: usize = 128;
    /// Bytes of a request id.
    pub const MAX_REQUEST_BYTES: usize = 128;
    /// Bytes of a game's name.
    pub const MAX_GAME_BYTES: usize = 64;
    /// Tags of one table.
    pub const MAX_TAGS: usize = 8;
    /// Bytes of one tag.
    pub const MAX_TAG_BYTES: usize = 128;
    /// Tables on one page.
    pub const MAX_PAGE_SIZE: u32 = 1000;
    /// Rows scanned for one page. A page that reaches it is short, and has a next one.
    pub const MAX_SCANNED_ROWS: usize = 1024;
    /// Feed items that one read returns.
    pub const MAX_FEED_PAGE_ITEMS: usize = 1000;
    /// Latest time, in milliseconds since 1970.
    pub const MAX_TIME_MS: u64 = i64::MAX as u64;
}

/// Entries for one table's log, and everything else in the same commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Append {
    /// The table.
    pub table: TableId,
    /// Length of the log that the writer expects, in entries. 0 creates the table.
    pub expected: u64,
    /// The new entries. May be empty when the append commits something else, except for a new table.
    pub entries: Vec<Bytes>,
    /// Time of the append: of the table's creation or update, and of the feed items.
    pub at: Millis,
    /// The table's new listing. Required for a new table; owner, kind and tags never change.
    pub listing: Option<Listing>,
    /// The table's new place. Required for a new table.
    pub place: Option<NewPlace>,
    /// The owner's request id that creates the table. A request id that already created one is refused,
    /// naming that table.
    pub request: Option<String>,
    /// Feed items posted with this commit.
    pub feed: Vec<NewFeedItem>,
}

impl Append {
    /// An append of entries alone.
    #[must_use]
    pub fn new(table: TableId, expected: u64, at: Millis, entries: Vec<Bytes>) -> Append {
        Append { table, expected, entries, at, listing: None, place: None, request: None, feed: Vec::new() }
    }

    /// Payload bytes that this append occupies in a queue.
    pub(super) fn bytes(&self) -> usize {
        let entries = self.entries.iter().map(Bytes::len).sum::<usize>();
        let feed = self.feed.iter().map(|post| post.payload.len()).sum::<usize>();
        let record = match &self.place {
            Some(NewPlace::Finished { record }) => record.len(),
            _ => 0,
        };
        entries + feed + record
    }

    /// Checks the bounds that hold for every log, independent of its contents.
    pub(super) fn validate(&self) -> Result<(), LogError> {
        require(self.at.0 <= limits::MAX_TIME_MS, "time", "below 2^63 milliseconds")?;
        require(self.entries.len() <= limits::MAX_ITEMS_PER_APPEND, "entries", "at most 1024 in an append")?;
        require(
            self.entries.iter().all(|entry| entry.len() <= limits::MAX_PAYLOAD_BYTES),
            "entry",
            "at most 1 MiB",
        )?;
        validate_feed(&self.feed)?;
        let mut bytes = self.bytes();
        if let Some(NewPlace::Finished { record }) = &self.place {
            require(record.len() <= limits::MAX_RECORD_BYTES, "record", "at most 16 MiB")?;
            bytes -= record.len();
        }
        require(bytes <= limits::MAX_APPEND_BYTES, "append", "at most 4 MiB")?;
        if let Some(NewPlace::AtRest { wakes_at: Some(time) }) = self.place {
            require(time.0 <= limits::MAX_TIME_MS, "waking time", "below 2^63 milliseconds")?;
        }
        if let Some(listing) = &self.listing {
            let game = listing.game.len();
            require((1..=limits::MAX_GAME_BYTES).contains(&game), "game", "a name of 1 to 64 bytes")?;
            validate_tags(&listing.tags)?;
        }
        if let Some(request) = &self.request {
            require(
                (1..=limits::MAX_REQUEST_BYTES).contains(&request.len()),
                "request id",
                "1 to 128 bytes long",
            )?;
            require(self.expected == 0, "request id", "given only with the append that creates the table")?;
        }
        if self.expected == 0 {
            require(
                !self.entries.is_empty() && self.listing.is_some() && self.place.is_some(),
                "new table",
                "created with an entry, a listing and a place",
            )?;
        }
        Ok(())
    }
}

fn validate_tags(tags: &[String]) -> Result<(), LogError> {
    // Stored tags are separated by spaces, and a leading dot marks the store's own tags.
    let is_valid = |tag: &String| {
        (1..=limits::MAX_TAG_BYTES).contains(&tag.len()) && !tag.starts_with('.') && !tag.contains(' ')
    };
    require(tags.len() <= limits::MAX_TAGS, "tags", "at most 8")?;
    require(
        tags.iter().all(is_valid),
        "tag",
        "1 to 128 bytes long, without spaces and without a leading dot",
    )?;
    let is_unique = |(at, tag)| !tags[..at].contains(tag);
    require(tags.iter().enumerate().all(is_unique), "tags", "different from each other")
}

fn validate_feed(feed: &[NewFeedItem]) -> Result<(), LogError> {
    require(feed.len() <= limits::MAX_ITEMS_PER_APPEND, "feed", "at most 1024 items in an append")?;
    require(
        feed.iter().all(|post| post.payload.len() <= limits::MAX_PAYLOAD_BYTES),
        "feed item",
        "at most 1 MiB",
    )
}

fn require(condition: bool, what: &'static str, allowed: &'static str) -> Result<(), LogError> {
    if condition { Ok(()) } else { Err(LogError::Invalid { what, allowed }) }
}

/// Current state of a table, which an append is validated against.
pub(super) struct TableState<'a> {
    pub(super) length: u64,
    pub(super) place: Place,
    /// `None` when the append sets no listing, so that it need not be read.
    pub(super) listing: Option<&'a Listing>,
}

/// Checks an append against the table's current state; `None` means that the table does not exist.
pub(super) fn check_append(append: &Append, current: Option<TableState<'_>>) -> Result<(), LogError> {
    let table = append.table;
    let Some(current) = current else {
        return if append.expected == 0 { Ok(()) } else { Err(LogError::NoSuchTable { table }) };
    };
    if append.expected != current.length {
        return Err(LogError::Conflict { table, actual: current.length });
    }
    if current.place == Place::Finished {
        return Err(LogError::Finished { table });
    }
    if let (Some(new), Some(old)) = (&append.listing, current.listing) {
        require(new.owner == old.owner, "owner", "the one who created the table: it never changes")?;
        require(new.kind == old.kind, "kind", "as it was created: it never changes")?;
        require(new.tags == old.tags, "tags", "as they were created: they never change")?;
    }
    Ok(())
}

/// Subject of a log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum LogKind {
    /// A table. "Table" in this module means a log of any kind unless stated otherwise.
    #[default]
    Table,
    /// A tournament.
    Tournament,
    /// A registered agent.
    Agent,
}

/// Listing of a table. The meaning of the numbers is up to the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The kind, immutable.
    pub kind: LogKind,
    /// The owner that created it, immutable.
    pub owner: OwnerId,
    /// The name of the game.
    pub game: String,
    /// State, used by filters.
    pub state: u8,
    /// Visibility, used by filters.
    pub visibility: u8,
    /// Tags to find it by: at most [`limits::MAX_TAGS`], all different, immutable.
    pub tags: Vec<String>,
}

/// New place of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewPlace {
    /// In play: read at start-up.
    InPlay,
    /// At rest until a client uses it or its clock wakes it.
    AtRest {
        /// Time at which its clock wakes it.
        wakes_at: Option<Millis>,
    },
    /// Finished for good.
    Finished {
        /// The record of the game.
        record: Bytes,
    },
}

impl NewPlace {
    /// The place without the record.
    #[must_use]
    pub fn place(&self) -> Place {
        match self {
            NewPlace::InPlay => Place::InPlay,
            NewPlace::AtRest { wakes_at } => Place::AtRest { wakes_at: *wakes_at },
            NewPlace::Finished { .. } => Place::Finished,
        }
    }
}

/// A new item for an owner's feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFeedItem {
    /// The owner of the feed.
    pub owner: OwnerId,
    /// The encoded item.
    pub payload: Bytes,
}

/// Result of an append.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Appended {
    /// New length of the log, in entries.
    pub length: u64,
    /// Hash of the last entry.
    pub head: Hash,
    /// Numbers of the posted feed items, in the order of the append.
    pub feed: Vec<u64>,
}

/// Deletion of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delete {
    /// The table.
    pub table: TableId,
    /// Time of the deletion.
    pub at: Millis,
    /// Feed items posted with this commit.
    pub feed: Vec<NewFeedItem>,
}

impl Delete {
    /// Checks the bounds that hold for every log, independent of its contents.
    pub(super) fn validate(&self) -> Result<(), LogError> {
        require(self.at.0 <= limits::MAX_TIME_MS, "time", "below 2^63 milliseconds")?;
        validate_feed(&self.feed)
    }
}
