//! The house bots by the names that clients use.

use parlor_bots::{HouseBot, MAX_ITERATIONS};
use parlor_proto::convert::field::InvalidField;
use parlor_proto::v1;

use crate::config::Bots;
use crate::grpc::Failure;
use parlor_host::HostError;

/// The whole name of a house bot: with the number of its playouts, so that a table keeps it whatever becomes of the
/// settings. A search is given no more of them than the settings say.
pub(super) fn house_bot(wire: &v1::HouseBotSeat, bots: &Bots) -> Result<String, Failure> {
    let most = bots.search_iterations.get().min(MAX_ITERATIONS);
    if wire.name == "search" {
        return Ok(format!("search:{most}"));
    }
    let bot = HouseBot::by_name(&wire.name).map_err(HostError::from)?.to_string();
    let playouts = bot.strip_prefix("search:").and_then(|number| number.parse::<u32>().ok());
    match playouts {
        Some(playouts) if playouts > most => {
            let why = format!("must be a search of up to {most} playouts on this server, not {playouts}");
            Err(InvalidField::at("name", why).into())
        }
        _ => Ok(bot),
    }
}
