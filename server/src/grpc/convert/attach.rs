//! Opening channels on a stream.

use std::collections::HashSet;

use parlor_proto::convert::field::{InvalidField, length};
use parlor_proto::v1;

use super::id::table_id;
use crate::grpc::Failure;
use crate::identity::{Caller, Scope, ServerKey};
use parlor_host::TableId;
use parlor_host::{Channel, ViewerCredential, Wants};

/// The most items of one message of a client.
pub const MAX_ITEMS: usize = 1024;
/// The most channels of one call of Follow.
const MAX_FOLLOWED: usize = 64;

/// A channel to be opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attaching {
    /// ViewerCredential wants to see which table.
    pub who: ViewerCredential,
    /// The number of the last update that the client has.
    pub after: Option<u64>,
    /// What the client wants to be sent.
    pub wants: Wants,
}

/// Opening a channel, for this caller.
pub fn attach(wire: v1::Attach, key: &ServerKey, caller: Option<&Caller>) -> Result<Attaching, Failure> {
    use v1::attach::Viewer;
    let who = match wire.viewer {
        Some(Viewer::SeatToken(token)) => ViewerCredential::Seat(key.verify_seat_token(&token)?),
        Some(Viewer::SpectatorToken(token)) => {
            ViewerCredential::Spectator(key.verify_spectator_token(&token)?)
        }
        Some(Viewer::TableId(id)) => rail(table_id(&id, "table_id")?, caller),
        None => {
            return Err(InvalidField::new("must have a seat_token, a table_id or a spectator_token").into());
        }
    };
    let wants = wire.wants.map_or_else(Wants::default, self::wants);
    Ok(Attaching { who, after: wire.after.map(u64::from), wants })
}

/// Somebody at the rail without a token.
pub(super) fn rail(table: TableId, caller: Option<&Caller>) -> ViewerCredential {
    ViewerCredential::NoToken {
        table,
        caller: caller.map(|caller| caller.owner().clone()),
        admin: caller.is_some_and(|caller| caller.has_scope(Scope::Admin)),
    }
}

/// What a client wants to be sent.
pub(super) fn wants(wire: v1::Wants) -> Wants {
    let v1::Wants { events, update_views, decision_views, legal_actions, rematch, time_left } = wire;
    Wants { events, update_views, decision_views, legal_actions, rematch, time_left }
}

/// The channels of a call of Follow, each with what is to be attached. What goes wrong with one of them closes that one
/// alone, so they are not looked into here.
pub fn follow_channels(wire: v1::FollowRequest) -> Result<Vec<(Channel, v1::Attach)>, InvalidField> {
    length(&wire.channels, 1..=MAX_FOLLOWED, "channels")?;
    let mut seen = HashSet::new();
    let channels = wire.channels.into_iter().enumerate().map(|(place, entry)| {
        let wrong = |field: &str, why: String| InvalidField::at(field, why).in_list(place).within("channels");
        if !seen.insert(entry.channel) {
            let why = format!("must be a number of its own: another entry has {}", entry.channel);
            return Err(wrong("channel", why));
        }
        let attach = entry.attach.ok_or_else(|| wrong("attach", "must be set".to_owned()))?;
        Ok((Channel(entry.channel), attach))
    });
    channels.collect()
}

/// The items of one message of a client.
pub fn play_items(wire: v1::PlayRequest) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
    items(wire.items)
}

pub(super) fn items(items: Vec<v1::PlayRequestItem>) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
    if items.len() > MAX_ITEMS {
        let why = format!("must have up to {MAX_ITEMS} entries, not {}", items.len());
        return Err(InvalidField::at("items", why));
    }
    Ok(items)
}
