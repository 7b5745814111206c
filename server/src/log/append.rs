//! What can be asked of a log: an append with all that is committed with it, and a deletion.

use bytes::Bytes;

use super::{Hash, LogError, Millis, OwnerId, Place, TableId};

/// How much of everything a log takes.
pub mod limits {
    /// The most bytes of an entry, a feed item.
    pub const PAYLOAD: usize = 1 << 20;
    /// The most bytes of a record.
    pub const RECORD: usize = 16 << 20;
    /// The most entries, and the most feed items, of one append.
    pub const PER_APPEND: usize = 1024;
    /// The most bytes of an append's entries and feed items together.
    pub const APPEND: usize = 4 << 20;
    /// The most bytes of a whole log, as it is stored.
    pub const LOG: u64 = 64 << 20;
    /// The longest name of an owner, in bytes.
    pub const OWNER_LENGTH: usize = 128;
    /// The longest request id, in bytes.
    pub const REQUEST_LENGTH: usize = 128;
    /// The longest name of a game, in bytes.
    pub const GAME_LENGTH: usize = 64;
    /// The most tags.
    pub const TAGS: usize = 8;
    /// The longest tag, in bytes.
    pub const TAG_LENGTH: usize = 128;
    /// The most tables on one page.
    pub const PAGE: u32 = 1000;
    /// The most feed items that are read at once.
    pub const FEED_PAGE: usize = 1000;
    /// The latest time.
    pub const TIME: u64 = i64::MAX as u64;
}

/// Entries for one table's log, and what belongs to the same commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Append {
    /// The table.
    pub table: TableId,
    /// How many entries the log has, as far as the writer knows. 0 creates the table.
    pub expected: u64,
    /// The new entries. None at all is allowed where something else is to be committed, except for a new table.
    pub entries: Vec<Bytes>,
    /// The time it happens at: when the table was created or updated, and when the feed items were posted.
    pub at: Millis,
    /// How the table is listed from now on. A new table needs it; its owner never changes.
    pub listing: Option<Listing>,
    /// The table's new place. A new table needs it.
    pub place: Option<NewPlace>,
    /// The owner's request that creates the table. If it has made one already, the append is refused and says which.
    pub request: Option<String>,
    /// What owners are told with this commit.
    pub feed: Vec<Post>,
}

impl Append {
    /// Just entries.
    #[must_use]
    pub fn new(table: TableId, expected: u64, at: Millis, entries: Vec<Bytes>) -> Append {
        Append { table, expected, entries, at, listing: None, place: None, request: None, feed: Vec::new() }
    }

    /// The bytes that wait in a queue with this append.
    pub(super) fn bytes(&self) -> usize {
        let entries = self.entries.iter().map(Bytes::len).sum::<usize>();
        let feed = self.feed.iter().map(|post| post.payload.len()).sum::<usize>();
        let record = match &self.place {
            Some(NewPlace::Finished { record }) => record.len(),
            _ => 0,
        };
        entries + feed + record
    }

    /// Refuses what no log takes, whatever is in it.
    pub(super) fn validate(&self) -> Result<(), LogError> {
        require(self.at.0 <= limits::TIME, "time", "below 2^63 milliseconds")?;
        require(self.entries.len() <= limits::PER_APPEND, "entries", "at most 1024 in an append")?;
        require(self.entries.iter().all(|entry| entry.len() <= limits::PAYLOAD), "entry", "at most 1 MiB")?;
        validate_feed(&self.feed)?;
        let mut bytes = self.bytes();
        if let Some(NewPlace::Finished { record }) = &self.place {
            require(record.len() <= limits::RECORD, "record", "at most 16 MiB")?;
            bytes -= record.len();
        }
        require(bytes <= limits::APPEND, "append", "at most 4 MiB")?;
        if let Some(NewPlace::AtRest { wakes_at: Some(time) }) = self.place {
            require(time.0 <= limits::TIME, "waking time", "below 2^63 milliseconds")?;
        }
        if let Some(listing) = &self.listing {
            let game = listing.game.len();
            require((1..=limits::GAME_LENGTH).contains(&game), "game", "a name of 1 to 64 bytes")?;
            validate_tags(&listing.tags)?;
        }
        if let Some(request) = &self.request {
            require(
                (1..=limits::REQUEST_LENGTH).contains(&request.len()),
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
    // A space would end a tag where they are stored, and a dot begins those that a store makes for itself.
    let is_good = |tag: &String| {
        (1..=limits::TAG_LENGTH).contains(&tag.len()) && !tag.starts_with('.') && !tag.contains(' ')
    };
    require(tags.len() <= limits::TAGS, "tags", "at most 8")?;
    require(
        tags.iter().all(is_good),
        "tag",
        "1 to 128 bytes long, without spaces and a dot at the beginning",
    )?;
    let is_once = |(at, tag)| !tags[..at].contains(tag);
    require(tags.iter().enumerate().all(is_once), "tags", "different from each other")
}

fn validate_feed(feed: &[Post]) -> Result<(), LogError> {
    require(feed.len() <= limits::PER_APPEND, "feed", "at most 1024 items in an append")?;
    require(feed.iter().all(|post| post.payload.len() <= limits::PAYLOAD), "feed item", "at most 1 MiB")
}

fn require(condition: bool, what: &'static str, allowed: &'static str) -> Result<(), LogError> {
    if condition { Ok(()) } else { Err(LogError::Invalid { what, allowed }) }
}

/// What an append is judged by: the table as it is.
pub(super) struct Current<'a> {
    pub(super) length: u64,
    pub(super) place: Place,
    /// `None` where nobody asks for it: when the append brings no listing.
    pub(super) listing: Option<&'a Listing>,
}

/// Whether the append can follow on the table as it is. `None`: there is no such table.
pub(super) fn admit(append: &Append, current: Option<Current<'_>>) -> Result<(), LogError> {
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

/// What a log is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Kind {
    /// A table. Where the log speaks of tables without more, the other kinds are meant, too.
    #[default]
    Table,
    /// A tournament.
    Tournament,
    /// An agent that is registered.
    Agent,
}

/// How a table is listed. The numbers mean what the tables above the log say they mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// What it is. It never changes.
    pub kind: Kind,
    /// Who created it.
    pub owner: OwnerId,
    /// The name of the game.
    pub game: String,
    /// Its state, to be filtered by.
    pub state: u8,
    /// Who may see it, to be filtered by.
    pub visibility: u8,
    /// What it can be found by, beside all that: up to [`limits::TAGS`], each once. They never change.
    pub tags: Vec<String>,
}

/// Where a table goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewPlace {
    /// In play: it is read at start-up.
    InPlay,
    /// At rest, until somebody comes or the clock wakes it.
    AtRest {
        /// When the clock does.
        wakes_at: Option<Millis>,
    },
    /// Finished for good.
    Finished {
        /// The record of the game.
        record: Bytes,
    },
}

impl NewPlace {
    /// The place itself.
    #[must_use]
    pub fn place(&self) -> Place {
        match self {
            NewPlace::InPlay => Place::InPlay,
            NewPlace::AtRest { wakes_at } => Place::AtRest { wakes_at: *wakes_at },
            NewPlace::Finished { .. } => Place::Finished,
        }
    }
}

/// Something an owner is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Post {
    /// Who is told.
    pub owner: OwnerId,
    /// What.
    pub payload: Bytes,
}

/// What an append did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Appended {
    /// How many entries the log has now.
    pub length: u64,
    /// The hash of the last one.
    pub head: Hash,
    /// The numbers of the feed items, in the order in which they were given.
    pub feed: Vec<u64>,
}

/// The end of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delete {
    /// The table.
    pub table: TableId,
    /// The time it happens at.
    pub at: Millis,
    /// What owners are told with this commit.
    pub feed: Vec<Post>,
}

impl Delete {
    /// Refuses what no log takes, whatever is in it.
    pub(super) fn validate(&self) -> Result<(), LogError> {
        require(self.at.0 <= limits::TIME, "time", "below 2^63 milliseconds")?;
        validate_feed(&self.feed)
    }
}
