//! File formats of records: protobuf, JSON and text.

use std::fmt;

use parlor_proto::reflect;
use prost::Message;

use super::text;
use crate::wire;

/// Version of records that this crate reads and writes.
pub const VERSION: u32 = 1;

/// File format of a record. A file may hold several records, all in the same format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Protobuf: one `Record`, or several as one `ExportRecordsResponse`.
    Binary,
    /// Canonical proto3 JSON: one document per record.
    Json,
    /// Human-readable lines. See [the module](super).
    Text,
}

/// A record that cannot be read, written or replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable(String);

impl Unreadable {
    pub(super) fn new(why: impl Into<String>) -> Unreadable {
        Unreadable(why.into())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

/// First byte of an `ExportRecordsResponse`: field 1, length-delimited. A `Record` starts differently.
const RECORDS_TAG: u8 = 0x0a;

/// UTF-8 byte order mark, which some editors prepend.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Form {
    /// Detects the format of a file by its first bytes.
    ///
    /// ```
    /// use parlor_sdk::record::Form;
    /// assert_eq!(Form::of(b"parlor record\nversion: 1\n"), Form::Text);
    /// assert_eq!(Form::of(br#" {"version": 1}"#), Form::Json);
    /// assert_eq!(Form::of(b"\x08\x01"), Form::Binary);
    /// ```
    #[must_use]
    pub fn of(file: &[u8]) -> Form {
        let start = without_mark(file).trim_ascii_start();
        match start {
            [b'{', ..] => Form::Json,
            // A comment above the title, or the title.
            [b'#', ..] => Form::Text,
            start if start.starts_with(text::TITLE.as_bytes()) => Form::Text,
            _ => Form::Binary,
        }
    }

    /// Encodes a file with one record.
    ///
    /// # Errors
    ///
    /// JSON cannot represent a timestamp of the record.
    pub fn write(self, record: &wire::Record) -> Result<Vec<u8>, Unreadable> {
        Ok(match self {
            Form::Binary => record.encode_to_vec(),
            Form::Json => format!("{:#}\n", json(record)?).into_bytes(),
            Form::Text => text::write(record).into_bytes(),
        })
    }

    /// Encodes a record for a file of several: the concatenation of such encodings is a valid file.
    ///
    /// # Errors
    ///
    /// JSON cannot represent a timestamp of the record.
    pub fn write_one_of_many(self, record: &wire::Record) -> Result<Vec<u8>, Unreadable> {
        Ok(match self {
            Form::Binary => wire::ExportRecordsResponse { records: vec![record.clone()] }.encode_to_vec(),
            Form::Json => format!("{}\n", json(record)?).into_bytes(),
            Form::Text => format!("{}\n", text::write(record)).into_bytes(),
        })
    }

    /// File name extension, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Form::Binary => "binpb",
            Form::Json => "json",
            Form::Text => "txt",
        }
    }
}

fn json(record: &wire::Record) -> Result<serde_json::Value, Unreadable> {
    reflect::to_canonical_json(record).map_err(|error| {
        Unreadable(format!("the record cannot be written as JSON ({error}): use another format"))
    })
}

fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(file)
}

/// Reads all records of a file in any format: at least one.
///
/// # Errors
///
/// The file is empty, malformed, or of another version.
///
/// ```
/// use parlor_sdk::record;
/// let records = record::read(b"parlor record\nversion: 1\ngame: \"gap\"\n")?;
/// assert_eq!(records[0].game, "gap");
/// assert!(record::read(b"Dear diary").is_err());
/// # Ok::<(), record::Unreadable>(())
/// ```
pub fn read(file: &[u8]) -> Result<Vec<wire::Record>, Unreadable> {
    if file.trim_ascii().is_empty() {
        return Err(Unreadable("empty file".to_owned()));
    }
    let records = match Form::of(file) {
        Form::Binary => read_binary(file)?,
        Form::Json => read_json(without_mark(file))?,
        Form::Text => read_text(without_mark(file))?,
    };
    for record in &records {
        match record.version {
            VERSION => {}
            0 => return Err(Unreadable("not a record: it has no version".to_owned())),
            newer => {
                return Err(Unreadable(format!(
                    "record version {newer} is not supported: this program reads version {VERSION}; update it"
                )));
            }
        }
    }
    Ok(records)
}

fn read_binary(file: &[u8]) -> Result<Vec<wire::Record>, Unreadable> {
    let records = if file.first() == Some(&RECORDS_TAG) {
        wire::ExportRecordsResponse::decode(file).map(|export| export.records)
    } else {
        wire::Record::decode(file).map(|record| vec![record])
    };
    records.map_err(|error| Unreadable(format!("not a record in text, JSON or protobuf ({error})")))
}

fn read_json(file: &[u8]) -> Result<Vec<wire::Record>, Unreadable> {
    let unreadable = |error: serde_json::Error| Unreadable(format!("not a record in JSON: {error}"));
    let mut json = serde_json::Deserializer::from_slice(file);
    let mut records = Vec::new();
    loop {
        records.push(reflect::from_json(&mut json).map_err(unreadable)?);
        if json.end().is_ok() {
            return Ok(records);
        }
    }
}

fn read_text(file: &[u8]) -> Result<Vec<wire::Record>, Unreadable> {
    let file = std::str::from_utf8(file).map_err(|error| {
        let line = 1 + file[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Unreadable(format!("line {line}: not valid UTF-8"))
    })?;
    let lines: Vec<(usize, &str)> = (1..)
        .zip(file.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .collect();
    let is_title = |line: &(usize, &str)| line.1.trim_end() == text::TITLE;
    // Only comments may precede the first title.
    let mut parts = lines.split(is_title);
    if let Some([(number, line), ..]) = parts.next() {
        let begins = text::TITLE;
        return Err(Unreadable(format!("line {number}: a record starts with {begins:?}, not with {line:?}")));
    }
    let records = parts.map(|part| text::read(part.iter().copied()));
    records.collect::<Result<_, _>>().map_err(|(line, why)| Unreadable(format!("line {line}: {why}")))
}
