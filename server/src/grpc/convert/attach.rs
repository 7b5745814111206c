//! Attach items of streams, and the channels of Follow.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use parlor_host::TableId;
use parlor_host::{Channel, ViewerCredential, Wants};
use parlor_proto::convert::field::{InvalidField, length, number};
use parlor_proto::v1;

use super::id::table_id;
use super::texts::wanted_language;
use crate::grpc::Failure;
use crate::identity::{Caller, Scope, ServerKey};

/// Maximum number of items in one message of a client.
pub const MAX_ITEMS_PER_MESSAGE: usize = 1024;
/// Maximum number of channels in one call of Follow.
const MAX_FOLLOW_CHANNELS: usize = 64;
/// Range of the interval of heartbeats, in milliseconds.
const HEARTBEAT_RANGE_MS: RangeInclusive<u32> = 1_000..=600_000;

/// A decoded attach item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttachParams {
    /// The viewer and the table.
    pub credential: ViewerCredential,
    /// Cursor: the number of the last update that the client has.
    pub after: Option<u64>,
    /// Optional data that the client wants.
    pub wants: Wants,
}

/// Decodes an attach item of this caller.
pub fn attach(wire: v1::Attach, key: &ServerKey, caller: Option<&Caller>) -> Result<AttachParams, Failure> {
    use v1::attach::Viewer;
    let v1::Attach { viewer, after, wants } = wire;
    let credential = match viewer {
        Some(Viewer::SeatToken(token)) => ViewerCredential::Seat(key.verify_seat_token(&token)?),
        Some(Viewer::SpectatorToken(token)) => {
            ViewerCredential::Spectator(key.verify_spectator_token(&token)?)
        }
        Some(Viewer::TableId(id)) => rail_credential(table_id(&id, "table_id")?, caller),
        None => {
            return Err(InvalidField::new("must have a seat_token, a table_id or a spectator_token").into());
        }
    };
    let wants = self::wants(wants)?;
    Ok(AttachParams { credential, after: after.map(u64::from), wants })
}

/// The credential of a spectator without a token.
pub(super) fn rail_credential(table: TableId, caller: Option<&Caller>) -> ViewerCredential {
    ViewerCredential::NoToken {
        table,
        caller: caller.map(|caller| caller.owner().clone()),
        admin: caller.is_some_and(|caller| caller.has_scope(Scope::Admin)),
    }
}

/// Optional data that a client wants; what is not set has its default.
pub(super) fn wants(wire: Option<v1::Wants>) -> Result<Wants, InvalidField> {
    let v1::Wants { events, update_views, decision_views, legal_actions, rematch, time_left, texts, board } =
        wire.unwrap_or_default();
    let default = Wants::default();
    Ok(Wants {
        events: events.unwrap_or(default.events),
        update_views: update_views.unwrap_or(default.update_views),
        decision_views: decision_views.unwrap_or(default.decision_views),
        legal_actions: legal_actions.unwrap_or(default.legal_actions),
        rematch: rematch.unwrap_or(default.rematch),
        time_left: time_left.unwrap_or(default.time_left),
        texts: wanted_language(texts, "wants.texts")?,
        board: board.unwrap_or(default.board),
    })
}

/// A decoded Follow call.
#[derive(Clone, PartialEq, Debug)]
pub struct FollowParams {
    /// The channels with their attach items.
    pub channels: Vec<(Channel, v1::Attach)>,
    /// Time without a message after which the server sends an empty one; `None` for never.
    pub heartbeat: Option<Duration>,
}

/// The channels of a Follow call with their attach items. An invalid attach item closes only its channel, so
/// the items are not decoded here.
pub fn follow_channels(wire: v1::FollowRequest) -> Result<FollowParams, InvalidField> {
    let v1::FollowRequest { channels, heartbeat_ms } = wire;
    let heartbeat = heartbeat_ms.map(|interval| number::<u64>(interval, HEARTBEAT_RANGE_MS, "heartbeat_ms"));
    let heartbeat = heartbeat.transpose()?.map(Duration::from_millis);
    length(&channels, 1..=MAX_FOLLOW_CHANNELS, "channels")?;
    let mut seen = HashSet::new();
    let channels = channels.into_iter().enumerate().map(|(index, v1::FollowChannel { channel, attach })| {
        let wrong = |field: &str, why: String| InvalidField::at(field, why).in_list(index).within("channels");
        if !seen.insert(channel) {
            let why = format!("must be a number of its own: another entry has {channel}");
            return Err(wrong("channel", why));
        }
        let attach = attach.ok_or_else(|| wrong("attach", "must be set".to_owned()))?;
        Ok((Channel(channel), attach))
    });
    Ok(FollowParams { channels: channels.collect::<Result<_, _>>()?, heartbeat })
}

/// The items of a Play message.
pub fn play_items(wire: v1::PlayRequest) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
    let v1::PlayRequest { items } = wire;
    checked_items(items)
}

/// Checks the number of items of a message.
pub(super) fn checked_items(
    items: Vec<v1::PlayRequestItem>,
) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
    if items.len() > MAX_ITEMS_PER_MESSAGE {
        let why = format!("must have up to {MAX_ITEMS_PER_MESSAGE} entries, not {}", items.len());
        return Err(InvalidField::at("items", why));
    }
    Ok(items)
}
