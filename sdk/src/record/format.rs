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
pub enum RecordFormat {
    /// Protobuf: one `Record`, or several as one `ExportRecordsResponse`.
    Binary,
    /// Canonical proto3 JSON with default values: one document per record.
    Json,
    /// Human-readable lines. See [the module](super).
    Text,
}

/// A record that cannot be read, written or replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError(String);

impl RecordError {
    pub(super) fn new(why: impl Into<String>) -> RecordError {
        RecordError(why.into())
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RecordError {}

/// First byte of an `ExportRecordsResponse`: field 1, length-delimited. A `Record` starts differently.
const RECORDS_TAG: u8 = 0x0a;

/// UTF-8 byte order mark, which some editors prepend.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl RecordFormat {
    /// Detects the format of a file by its first bytes.
    ///
    /// ```
    /// use parlor_sdk::record::RecordFormat;
    /// assert_eq!(RecordFormat::detect(b"parlor record\nversion: 1\n"), RecordFormat::Text);
    /// assert_eq!(RecordFormat::detect(br#" {"version": 1}"#), RecordFormat::Json);
    /// assert_eq!(RecordFormat::detect(b"\x08\x01"), RecordFormat::Binary);
    /// ```
    #[must_use]
    pub fn detect(file: &[u8]) -> RecordFormat {
        let start = without_mark(file).trim_ascii_start();
        match start {
            [b'{', ..] => RecordFormat::Json,
            // A comment above the title, or the title.
            [b'#', ..] => RecordFormat::Text,
            start if start.starts_with(text::TITLE.as_bytes()) => RecordFormat::Text,
            _ => RecordFormat::Binary,
        }
    }

    /// Encodes a file with one record.
    ///
    /// # Errors
    ///
    /// JSON cannot represent a timestamp of the record.
    pub fn write(self, record: &wire::Record) -> Result<Vec<u8>, RecordError> {
        Ok(match self {
            RecordFormat::Binary => record.encode_to_vec(),
            RecordFormat::Json => format!("{:#}\n", json(record)?).into_bytes(),
            RecordFormat::Text => text::write(record).into_bytes(),
        })
    }

    /// Encodes a record for a file of several: the concatenation of such encodings is a valid file.
    ///
    /// # Errors
    ///
    /// JSON cannot represent a timestamp of the record.
    pub fn write_entry(self, record: &wire::Record) -> Result<Vec<u8>, RecordError> {
        Ok(match self {
            RecordFormat::Binary => {
                wire::ExportRecordsResponse { records: vec![record.clone()], manifest: None }.encode_to_vec()
            }
            RecordFormat::Json => format!("{}\n", json(record)?).into_bytes(),
            RecordFormat::Text => format!("{}\n", text::write(record)).into_bytes(),
        })
    }

    /// File name extension, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            RecordFormat::Binary => "binpb",
            RecordFormat::Json => "json",
            RecordFormat::Text => "txt",
        }
    }
}

fn json(record: &wire::Record) -> Result<serde_json::Value, RecordError> {
    let refused =
        |why: &str| RecordError(format!("the record cannot be written as JSON ({why}): use another format"));
    // Other nanoseconds would be carried to the seconds, and the record would read back as another one.
    let mut times = [record.create_time, record.start_time, record.end_time].into_iter().flatten();
    if times.any(|time| !(0..1_000_000_000).contains(&time.nanos)) {
        return Err(refused("the nanoseconds of a timestamp are out of range"));
    }
    reflect::to_canonical_json(record).map_err(|error| refused(&error.to_string()))
}

fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(file)
}

/// Encodes the manifest of an export, as JSON.
#[must_use]
pub fn write_manifest(manifest: &wire::ExportManifest) -> Vec<u8> {
    let json = reflect::to_canonical_json(manifest).expect("only timestamps can be out of range");
    format!("{json:#}\n").into_bytes()
}

/// Reads the manifest of an export from JSON.
///
/// # Errors
///
/// The file is not a manifest.
pub fn read_manifest(file: &[u8]) -> Result<wire::ExportManifest, RecordError> {
    let mut json = serde_json::Deserializer::from_slice(without_mark(file));
    let manifest: wire::ExportManifest = reflect::from_json(&mut json)
        .map_err(|error| RecordError(format!("not the manifest of an export: {error}")))?;
    if manifest.records_hash.is_empty() {
        return Err(RecordError("not the manifest of an export: it has no hash of records".to_owned()));
    }
    Ok(manifest)
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
/// # Ok::<(), record::RecordError>(())
/// ```
pub fn read(file: &[u8]) -> Result<Vec<wire::Record>, RecordError> {
    if file.trim_ascii().is_empty() {
        return Err(RecordError("empty file".to_owned()));
    }
    let records = match RecordFormat::detect(file) {
        RecordFormat::Binary => read_binary(file)?,
        RecordFormat::Json => read_json(without_mark(file))?,
        RecordFormat::Text => read_text(without_mark(file))?,
    };
    for record in &records {
        match record.version {
            VERSION => {}
            0 => return Err(RecordError("not a record: it has no version".to_owned())),
            newer => {
                return Err(RecordError(format!(
                    "record version {newer} is not supported: this program reads version {VERSION}; update it"
                )));
            }
        }
    }
    Ok(records)
}

fn read_binary(file: &[u8]) -> Result<Vec<wire::Record>, RecordError> {
    let records = if file.first() == Some(&RECORDS_TAG) {
        wire::ExportRecordsResponse::decode(file).map(|export| export.records)
    } else {
        wire::Record::decode(file).map(|record| vec![record])
    };
    records.map_err(|error| RecordError(format!("not a record in text, JSON or protobuf ({error})")))
}

fn read_json(file: &[u8]) -> Result<Vec<wire::Record>, RecordError> {
    let unreadable = |error: serde_json::Error| RecordError(format!("not a record in JSON: {error}"));
    let mut json = serde_json::Deserializer::from_slice(file);
    let mut records = Vec::new();
    loop {
        records.push(reflect::from_json(&mut json).map_err(unreadable)?);
        if json.end().is_ok() {
            return Ok(records);
        }
    }
}

fn read_text(file: &[u8]) -> Result<Vec<wire::Record>, RecordError> {
    let file = std::str::from_utf8(file).map_err(|error| {
        let line = 1 + file[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        RecordError(format!("line {line}: not valid UTF-8"))
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
        return Err(RecordError(format!(
            "line {number}: a record starts with {begins:?}, not with {line:?}"
        )));
    }
    let records = parts.map(|part| text::read(part.iter().copied()));
    records.collect::<Result<_, _>>().map_err(|(line, why)| RecordError(format!("line {line}: {why}")))
}
