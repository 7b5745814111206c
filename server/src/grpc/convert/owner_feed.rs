//! What an owner is told of its tables.

use parlor_proto::convert::seat_number;
use parlor_proto::v1;
use parlor_proto::v1::table_news::News as Wire;

use super::ToMessage;
use super::table::{house_bot, player, table, taken, timestamp};
use parlor_host::{OwnerEvent, OwnerFeedItem};

/// One item of an owner's news. It is for the owner, so it has what is the owner's alone.
#[must_use]
pub fn news(item: &OwnerFeedItem) -> v1::TableNews {
    let news = match &item.event {
        OwnerEvent::Created(look) => Wire::Created(v1::NewsCreated { table: Some(table(look, true)) }),
        OwnerEvent::Joined { seat, user, name } => {
            let player = player(user.clone().unwrap_or_default(), name);
            Wire::Joined(v1::NewsJoined { seat: Some(taken(*seat, player)) })
        }
        OwnerEvent::Started => Wire::Started(v1::NewsStarted {}),
        OwnerEvent::Forfeited { seat, finish } => {
            Wire::Forfeited(v1::NewsForfeited { seat: seat_number(*seat), why: finish.to_message().into() })
        }
        OwnerEvent::Replaced { seat, bot } => {
            Wire::Replaced(v1::NewsReplaced { seat: Some(taken(*seat, house_bot(bot))) })
        }
        OwnerEvent::Over(look) => Wire::Over(v1::NewsOver {
            state: look.state.to_message().into(),
            result: look.ending.as_ref().map(ToMessage::to_message),
            shuffle: Some(look.shuffle.to_message()),
        }),
        OwnerEvent::Deleted => Wire::Deleted(v1::NewsDeleted {}),
    };
    v1::TableNews {
        number: item.number,
        table_id: item.table.to_string(),
        time: Some(timestamp(item.at)),
        news: Some(news),
    }
}
