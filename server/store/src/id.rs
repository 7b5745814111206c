//! Owner names and timestamps of the log.

use std::fmt;
use std::sync::Arc;

use super::LogError;
use super::append::limits;

/// Milliseconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(pub u64);

/// Name of an owner of tables: the owner of the API key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(Arc<str>);

impl OwnerId {
    /// Creates an owner name of 1 to [`limits::MAX_OWNER_BYTES`] bytes.
    pub fn new(name: &str) -> Result<OwnerId, LogError> {
        if name.is_empty() || name.len() > limits::MAX_OWNER_BYTES {
            return Err(LogError::Invalid { what: "owner", allowed: "1 to 128 bytes long" });
        }
        Ok(OwnerId(name.into()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnerId({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owner_name_length_is_bounded() {
        assert!(OwnerId::new("").is_err());
        assert!(OwnerId::new(&"x".repeat(limits::MAX_OWNER_BYTES)).is_ok());
        assert!(OwnerId::new(&"x".repeat(limits::MAX_OWNER_BYTES + 1)).is_err());
    }
}
