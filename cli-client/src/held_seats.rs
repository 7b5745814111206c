//! The seats that the user holds, kept in the data folder until their tables are over.

use serde::{Deserialize, Serialize};

use parlor_sdk::SeatToken;

use crate::context::Context;
use crate::data_folder::DataFolder;
use crate::errors::Failure;

/// The file of the data folder.
const FILE: &str = "seats.json";

/// Maximum number of seats kept. The oldest are forgotten first.
const MAX_SEATS: usize = 200;

/// A seat at a table.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeldSeat {
    /// URL of the server.
    pub(crate) server: String,
    /// Id of the table.
    pub(crate) table: String,
    /// Game id.
    pub(crate) game: String,
    /// Seat number, from 0.
    pub(crate) seat: u32,
    /// Seat token.
    token: String,
}

impl HeldSeat {
    /// A seat of a table on the server of this context.
    pub(crate) fn new(table: &str, game: &str, seat: u32, token: &SeatToken, context: &Context) -> HeldSeat {
        HeldSeat {
            server: context.settings.server.clone(),
            table: table.to_owned(),
            game: game.to_owned(),
            seat,
            token: token.reveal().to_owned(),
        }
    }

    /// The token.
    pub(crate) fn token(&self) -> SeatToken {
        SeatToken::new(&self.token)
    }

    fn is_at(&self, server: &str, table: &str) -> bool {
        self.server == server && self.table == table
    }
}

/// The seats of the user.
pub(crate) struct HeldSeats<'a> {
    folder: DataFolder,
    context: &'a Context,
}

impl HeldSeats<'_> {
    /// Locates the seats.
    pub(crate) fn locate(context: &Context) -> Result<HeldSeats<'_>, Failure> {
        Ok(HeldSeats { folder: DataFolder::locate(&context.environment)?, context })
    }

    /// The seats on the server of the context, the one that was used last first.
    pub(crate) fn all(&self) -> Result<Vec<HeldSeat>, Failure> {
        let mut seats: Vec<HeldSeat> = self.folder.read(FILE)?.unwrap_or_default();
        seats.retain(|seat| seat.server == self.context.settings.server);
        seats.reverse();
        Ok(seats)
    }

    /// The seat at a table.
    pub(crate) fn at(&self, table: &str) -> Result<Option<HeldSeat>, Failure> {
        Ok(self.all()?.into_iter().find(|seat| seat.table == table))
    }

    /// Keeps a seat as the one that was used last.
    pub(crate) fn keep(&self, seat: HeldSeat) -> Result<(), Failure> {
        self.folder.update(FILE, |seats: &mut Vec<HeldSeat>| {
            seats.retain(|known| !known.is_at(&seat.server, &seat.table));
            seats.push(seat);
            let surplus = seats.len().saturating_sub(MAX_SEATS);
            seats.drain(..surplus);
        })
    }

    /// Forgets the seat at a table.
    pub(crate) fn forget(&self, table: &str) -> Result<(), Failure> {
        // Nothing is written where nothing changes.
        if self.at(table)?.is_none() {
            return Ok(());
        }
        let server = &self.context.settings.server;
        self.folder.update(FILE, |seats: &mut Vec<HeldSeat>| seats.retain(|seat| !seat.is_at(server, table)))
    }
}
