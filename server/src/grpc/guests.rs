//! Guests: callers without an API key, on a server that has keys and lets them in.
//!
//! The tables of all guests of one network address have one owner, a name that is derived from the address with the server
//! key. Nobody calls as that owner, so guests behind one address do not see each other's private tables: a guest
//! acts on its table with the owner token of that table alone.

use std::net::IpAddr;
use std::sync::Arc;

use parlor_host::NewTable;
use parlor_host::clock::Clock;
use parlor_host::limits::{LimitExceeded, Rate, RateLimiter};
use parlor_host::table::{SeatSetup, TimeControl};
use parlor_proto::convert::InvalidField;
use tonic::Request;

use super::Failure;
use super::peer::Peer;
use crate::config::{Limits, Web};
use crate::identity::{ApiKeyError, Owner, ServerKey};

/// Longest decision time, bank and grace of a guest's table, in milliseconds.
const MAX_CLOCK_MS: u32 = 10 * 60 * 1_000;
/// Longest time for which a guest's table waits for players, in milliseconds.
const MAX_FILL_MS: u64 = 60 * 60 * 1_000;
/// Most timeouts after which a seat of a guest's table forfeits.
const MAX_FORFEIT_AFTER: u32 = 3;

/// Quotas of guests, and their use of them.
#[derive(Debug)]
pub struct Guests {
    are_admitted: bool,
    max_tables: u32,
    per_hour: u32,
    rates: RateLimiter<Option<IpAddr>>,
}

impl Guests {
    /// The limits of these settings.
    #[must_use]
    pub fn new(settings: &Web, limits: &Limits, clock: Arc<dyn Clock>) -> Guests {
        Guests {
            are_admitted: settings.guests,
            max_tables: settings.guest_tables.get(),
            per_hour: settings.guest_tables_per_hour.get(),
            rates: RateLimiter::new(clock, limits.callers.get() as usize),
        }
    }

    /// True if the server lets guests in.
    pub(super) const fn are_admitted(&self) -> bool {
        self.are_admitted
    }

    /// Maximum open tables of the guests of one address.
    pub(super) const fn max_tables(&self) -> u32 {
        self.max_tables
    }

    /// Refuses a caller without a key if the server lets no guests in.
    pub(super) fn admit(&self) -> Result<(), Failure> {
        if self.are_admitted { Ok(()) } else { Err(ApiKeyError::Missing.into()) }
    }

    /// Takes a new table from the hourly rate of the request's address.
    pub(super) fn take_table<T>(&self, request: &Request<T>) -> Result<(), Failure> {
        let burst = self.per_hour.min(self.max_tables);
        self.rates.take(&address(request), Rate::per_hour(self.per_hour, burst)).map_err(|error| {
            let error = match error {
                LimitExceeded::Rate { retry_after, .. } => {
                    LimitExceeded::GuestTables { per_hour: self.per_hour, retry_after }
                }
                other => other,
            };
            error.into()
        })
    }
}

/// The owner of the tables that a guest makes with this request.
pub(super) fn guest_owner<T>(request: &Request<T>, key: &ServerKey) -> Owner {
    // On a network without addresses all guests are one.
    key.guest_owner(&address(request).map(|address| address.to_string()).unwrap_or_default())
}

fn address<T>(request: &Request<T>) -> Option<IpAddr> {
    request.extensions().get::<Peer>().and_then(Peer::network_address)
}

/// Limits the table of a guest. It has a clock, so that a guest who walks away does not hold it for ever.
pub(super) fn limit_table(new: &mut NewTable) -> Result<(), Failure> {
    for (index, seat) in new.seats.iter().enumerate() {
        if !matches!(seat, SeatSetup::Open | SeatSetup::House { .. }) {
            let wrong = InvalidField::new("must be open or a house bot's at the table of a guest");
            return Err(wrong.within(&format!("seats[{index}]")).into());
        }
    }
    if !new.metadata.is_empty() {
        return Err(InvalidField::at("metadata", "must be empty for the table of a guest").into());
    }
    let TimeControl { decision, bank, grace, forfeit_after, .. } = &mut new.time;
    *decision = if *decision == 0 { MAX_CLOCK_MS } else { (*decision).min(MAX_CLOCK_MS) };
    *bank = (*bank).min(MAX_CLOCK_MS);
    *grace = (*grace).min(MAX_CLOCK_MS);
    *forfeit_after = (*forfeit_after).clamp(1, MAX_FORFEIT_AFTER);
    new.fill = new.fill.min(MAX_FILL_MS);
    Ok(())
}
