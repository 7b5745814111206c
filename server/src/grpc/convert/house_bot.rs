//! Names of house bots.

use parlor_bots::{HouseBot, MAX_ITERATIONS};
use parlor_host::HostError;
use parlor_proto::convert::field::InvalidField;
use parlor_proto::v1;

use crate::config::Bots;
use crate::grpc::Failure;

/// The full name of a house bot. That of a search bot includes its number of playouts, so that later settings
/// do not change the bot of a table; the settings limit the number.
pub(super) fn house_bot(wire: &v1::HouseBotSeat, bots: &Bots) -> Result<String, Failure> {
    let v1::HouseBotSeat { name } = wire;
    let max_playouts = bots.search_iterations.get().min(MAX_ITERATIONS);
    if name == "search" {
        return Ok(format!("search:{max_playouts}"));
    }
    let bot = HouseBot::by_name(name).map_err(HostError::from)?.to_string();
    let playouts = bot.strip_prefix("search:").and_then(|number| number.parse::<u32>().ok());
    match playouts {
        Some(playouts) if playouts > max_playouts => {
            let why =
                format!("must be a search of up to {max_playouts} playouts on this server, not {playouts}");
            Err(InvalidField::at("name", why).into())
        }
        _ => Ok(bot),
    }
}
