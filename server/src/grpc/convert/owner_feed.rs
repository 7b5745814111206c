//! Items of the owner feed (FollowTables).

use parlor_host::{OwnerEvent, OwnerFeedItem, TurnChange};
use parlor_proto::convert::seat_number;
use parlor_proto::v1;
use parlor_proto::v1::table_news::News as Wire;

use super::ToMessage;
use super::table::{house_bot, occupied_seat, player, table, timestamp};

/// A seat that a table began or stopped to wait for.
#[must_use]
pub fn turn_change(change: &TurnChange) -> v1::TurnChange {
    let TurnChange { table, seat, asked } = change;
    v1::TurnChange { table_id: table.to_string(), seat: seat_number(*seat), asked: *asked }
}

/// An item of the feed, with the owner-only fields.
#[must_use]
pub fn table_news(item: &OwnerFeedItem) -> v1::TableNews {
    let OwnerFeedItem { number, table: id, at, event } = item;
    let news = match event {
        OwnerEvent::Created(summary) => Wire::Created(v1::NewsCreated { table: Some(table(summary, true)) }),
        OwnerEvent::Joined { seat, user, name } => {
            let player = player(user.clone().unwrap_or_default(), name);
            Wire::Joined(v1::NewsJoined { seat: Some(occupied_seat(*seat, player)) })
        }
        OwnerEvent::Started => Wire::Started(v1::NewsStarted {}),
        OwnerEvent::Forfeited { seat, finish } => {
            Wire::Forfeited(v1::NewsForfeited { seat: seat_number(*seat), why: finish.to_message().into() })
        }
        OwnerEvent::Replaced { seat, bot } => {
            Wire::Replaced(v1::NewsReplaced { seat: Some(occupied_seat(*seat, house_bot(bot))) })
        }
        OwnerEvent::Over(summary) => Wire::Over(v1::NewsOver {
            state: summary.state.to_message().into(),
            result: summary.ending.as_ref().map(ToMessage::to_message),
            shuffle: Some(summary.shuffle.to_message()),
        }),
        OwnerEvent::Deleted => Wire::Deleted(v1::NewsDeleted {}),
    };
    v1::TableNews { number: *number, table_id: id.to_string(), time: Some(timestamp(*at)), news: Some(news) }
}
