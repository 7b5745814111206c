//! Values that all nodes of a database share: keys, which are made once.

use super::connect::{PgAddress, PgConnection};
use super::schema;
use crate::LogError;
use crate::journal::errors::StoreErrors;

/// Connection to the shared values of a database.
pub struct SharedValues {
    connection: PgConnection,
    address: PgAddress,
}

impl SharedValues {
    /// Connects, and creates or migrates the schema.
    ///
    /// # Errors
    /// The database cannot be reached, or has a newer schema.
    pub async fn open(address: &PgAddress) -> Result<SharedValues, LogError> {
        let mut connection = address.connect().await?;
        schema::migrate(&mut connection.client, StoreErrors(address.name())).await?;
        Ok(SharedValues { connection, address: address.clone() })
    }

    /// Name of the database, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.address.name().display().to_string()
    }

    /// The value of a name; `None` if it has none.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, LogError> {
        let select = "SELECT value FROM shared_values WHERE name = $1";
        let row = self.errors().pg(self.connection.client.query_opt(select, &[&name]).await)?;
        Ok(row.map(|row| row.get(0)))
    }

    /// Gives a name this value unless it has one, and returns the value that it has then: nodes that start together
    /// agree.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn get_or_put(&self, name: &str, value: &[u8]) -> Result<Vec<u8>, LogError> {
        let insert = "INSERT INTO shared_values (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        self.errors().pg(self.connection.client.execute(insert, &[&name, &value]).await)?;
        self.get(name).await?.ok_or(LogError::Closed)
    }

    /// Replaces the value of a name. Returns whether it still had the old one.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn replace(&self, name: &str, old: &[u8], new: &[u8]) -> Result<bool, LogError> {
        let update = "UPDATE shared_values SET value = $3 WHERE name = $1 AND value = $2";
        let changed = self.connection.client.execute(update, &[&name, &old, &new]).await;
        Ok(self.errors().pg(changed)? == 1)
    }

    fn errors(&self) -> StoreErrors<'_> {
        StoreErrors(self.address.name())
    }
}
