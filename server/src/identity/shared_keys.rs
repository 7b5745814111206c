//! The server key and the signing keys of a server on PostgreSQL. They are in the database, so that every node has the
//! same, and a node with others in its data folder is refused.

use std::path::{Path, PathBuf};

use parlor_fair::{PublicKey, SigningKey};
use parlor_host::{RandomnessError, Secret, random_bytes};
use parlor_store::{LogError, SharedValues};

use super::key_file::{KeyFile, KeyFileError};
use super::signing_keys::{KeyRotation, SigningKeyParts};
use super::{ServerKey, SigningKeys, server_key, signing_keys};

/// Names of the values in the database.
const SERVER_KEY: &str = "server_key";
const SIGNING_KEYS: &str = "signing_keys";

/// The keys of a database.
#[derive(Debug)]
pub struct SharedKeys {
    /// Authenticates tokens.
    pub server_key: ServerKey,
    /// Sign records.
    pub signing_keys: SigningKeys,
}

/// The keys of a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SharedKeyError {
    /// The data folder has another key than the database.
    #[error("{} is not the {key} that {database} has: remove it to use the one of the database, or name another database", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// Name of the key.
        key: &'static str,
        /// The database.
        database: String,
    },
    /// The other database has another key.
    #[error("{database} has a {key} of its own: name a database that no server has used")]
    OtherDatabase {
        /// Name of the key.
        key: &'static str,
        /// The database.
        database: String,
    },
    /// The value in the database is no key.
    #[error("{database} has a damaged {key}: restore it from a backup")]
    Damaged {
        /// Name of the key.
        key: &'static str,
        /// The database.
        database: String,
    },
    /// Another command has changed the keys at the same time.
    #[error("the keys were changed by another command: repeat this one")]
    Changed,
    /// A file of the data folder.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// The database.
    #[error(transparent)]
    Database(#[from] LogError),
    /// No random bytes.
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
}

impl SharedKeys {
    /// Reads the keys of a database. If it has none, those of the data folder become its keys, or else new ones.
    ///
    /// # Errors
    /// The data folder has other keys, or either cannot be read.
    pub async fn load(values: &SharedValues, folder: &Path) -> Result<SharedKeys, SharedKeyError> {
        let own = server_key::FILE.load(folder)?;
        let offered = own.clone().map_or_else(fresh_secret, Ok)?;
        let stored = values.get_or_put(SERVER_KEY, offered.reveal()).await?;
        let server_key = decode_server_key(&stored, values)?;
        if own.is_some_and(|own| !own.equals(server_key.reveal())) {
            return Err(differs(server_key::FILE, folder, values));
        }
        let own = SigningKeys::load_parts(folder)?;
        let offered = match &own {
            Some((secret, retired)) => encode_signing_keys(secret.reveal(), retired),
            None => encode_signing_keys(fresh_secret()?.reveal(), &[]),
        };
        let stored = values.get_or_put(SIGNING_KEYS, &offered).await?;
        let (secret, retired) = decode_signing_keys(&stored, values)?;
        if let Some((own, _)) = own {
            // A key that was replaced in the database is still in the folder that it came from.
            let is_retired = retired.contains(&SigningKey::from_bytes(*own.reveal()).public_key());
            if !own.equals(secret.reveal()) && !is_retired {
                return Err(differs(signing_keys::FILE, folder, values));
            }
        }
        Ok(SharedKeys {
            server_key: ServerKey::from_bytes(*server_key.reveal()),
            signing_keys: SigningKeys::with_retired(*secret.reveal(), retired),
        })
    }

    /// Replaces the signing key of a database by a new one, and keeps its public key. Nodes that run sign with the new
    /// one from their next start on.
    ///
    /// # Errors
    /// The database cannot be used, or its keys are damaged.
    pub async fn rotate_signing(values: &SharedValues) -> Result<KeyRotation, SharedKeyError> {
        let new = fresh_secret()?;
        let current = SigningKey::from_bytes(*new.reveal()).public_key();
        let first = encode_signing_keys(new.reveal(), &[]);
        let stored = values.get_or_put(SIGNING_KEYS, &first).await?;
        if stored == first {
            return Ok(KeyRotation { retired: None, current });
        }
        let (old, mut retired) = decode_signing_keys(&stored, values)?;
        let old = SigningKey::from_bytes(*old.reveal()).public_key();
        retired.insert(0, old);
        let replaced = encode_signing_keys(new.reveal(), &retired);
        if !values.replace(SIGNING_KEYS, &stored, &replaced).await? {
            return Err(SharedKeyError::Changed);
        }
        Ok(KeyRotation { retired: Some(old), current })
    }

    /// Gives a data folder the keys of a database. A folder with keys must have the same.
    ///
    /// # Errors
    /// The data folder has other keys, or either cannot be used.
    pub async fn copy_to_folder(values: &SharedValues, folder: &Path) -> Result<(), SharedKeyError> {
        let stored = SharedKeys::load(values, folder).await?;
        if server_key::FILE.load(folder)?.is_none() {
            server_key::FILE.replace(folder, stored.server_key.reveal())?;
        }
        let (secret, retired) = match values.get(SIGNING_KEYS).await? {
            Some(stored) => decode_signing_keys(&stored, values)?,
            None => return Err(SharedKeyError::Changed),
        };
        SigningKeys::write_parts(folder, secret.reveal(), &retired)?;
        Ok(())
    }

    /// Gives a database the keys of another one.
    ///
    /// # Errors
    /// It has keys of its own, or either cannot be used.
    pub async fn copy_to_database(from: &SharedValues, to: &SharedValues) -> Result<(), SharedKeyError> {
        for (name, key) in [(SERVER_KEY, server_key::FILE.key), (SIGNING_KEYS, signing_keys::FILE.key)] {
            if let Some(value) = from.get(name).await?
                && to.get_or_put(name, &value).await? != value
            {
                return Err(SharedKeyError::OtherDatabase { key, database: to.name() });
            }
        }
        Ok(())
    }
}

fn fresh_secret() -> Result<Secret<[u8; 32]>, RandomnessError> {
    random_bytes().map(Secret::new)
}

fn differs(file: KeyFile, folder: &Path, values: &SharedValues) -> SharedKeyError {
    SharedKeyError::Differs { path: file.path(folder), key: file.key, database: values.name() }
}

fn decode_server_key(stored: &[u8], values: &SharedValues) -> Result<Secret<[u8; 32]>, SharedKeyError> {
    let damaged = |_| SharedKeyError::Damaged { key: server_key::FILE.key, database: values.name() };
    <[u8; 32]>::try_from(stored).map(Secret::new).map_err(damaged)
}

/// The secret key, and then the public keys of before, newest first.
fn encode_signing_keys(secret: &[u8; 32], retired: &[PublicKey]) -> Vec<u8> {
    let mut encoded = secret.to_vec();
    retired.iter().for_each(|key| encoded.extend_from_slice(key.as_bytes()));
    encoded
}

fn decode_signing_keys(stored: &[u8], values: &SharedValues) -> Result<SigningKeyParts, SharedKeyError> {
    let damaged = || SharedKeyError::Damaged { key: signing_keys::FILE.key, database: values.name() };
    let (keys, rest) = stored.as_chunks::<32>();
    let ([secret, retired @ ..], []) = (keys, rest) else { return Err(damaged()) };
    Ok((Secret::new(*secret), retired.iter().copied().map(PublicKey::from_bytes).collect()))
}
