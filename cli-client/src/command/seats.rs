//! Seat assignments as text.

use std::str::FromStr;

use parlor_sdk::NewTable;

/// Seat assignment: `open`, `bot:NAME`, `agent:NAME`, `user:ID` or `user:ID=NAME`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SeatArg {
    Open,
    Bot(String),
    Agent(String),
    User { id: String, name: String },
}

impl SeatArg {
    /// Adds this seat to a new table.
    pub(super) fn add_to(&self, table: NewTable) -> NewTable {
        match self {
            SeatArg::Open => table.open_seat(),
            SeatArg::Bot(name) => table.house_bot(name),
            SeatArg::Agent(name) => table.agent(name),
            SeatArg::User { id, name } => table.reserved_seat(id, name),
        }
    }
}

impl FromStr for SeatArg {
    type Err = String;

    fn from_str(text: &str) -> Result<SeatArg, String> {
        let invalid = || "a seat is open, bot:NAME, agent:NAME, user:ID or user:ID=NAME".to_owned();
        match text.split_once(':') {
            None if text == "open" => Ok(SeatArg::Open),
            Some(("bot", name)) if !name.is_empty() => Ok(SeatArg::Bot(name.to_owned())),
            Some(("agent", name)) if !name.is_empty() => Ok(SeatArg::Agent(name.to_owned())),
            Some(("user", user)) => {
                let (id, name) = user.split_once('=').unwrap_or((user, ""));
                if id.is_empty() {
                    Err(invalid())
                } else {
                    Ok(SeatArg::User { id: id.into(), name: name.into() })
                }
            }
            _ => Err(invalid()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seat_arguments_are_parsed() {
        let user = |id: &str, name: &str| SeatArg::User { id: id.into(), name: name.into() };
        for (text, expected) in [
            ("open", Some(SeatArg::Open)),
            ("bot:greedy", Some(SeatArg::Bot("greedy".into()))),
            ("bot:search:500", Some(SeatArg::Bot("search:500".into()))),
            ("user:17", Some(user("17", ""))),
            ("user:17=Ada L.", Some(user("17", "Ada L."))),
            ("agent:ada", Some(SeatArg::Agent("ada".into()))),
            ("agent:", None),
            ("bot:", None),
            ("user:=Ada", None),
            ("greedy", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
    }
}
