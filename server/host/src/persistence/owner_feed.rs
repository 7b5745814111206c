//! The items of an owner's feed, as they are stored.

use std::sync::Arc;

use bytes::Bytes;
use parlor_fields::WrongField;
use parlor_store::v1 as store;
use parlor_store::v1::news::Event;
use prost::Message;

use super::codes::{decode_forfeit, encode_seat_finish, seat, seat_number};
use super::setup::table_id;
use super::summary::{decode_look, encode_look};
use super::{CorruptData, PayloadCodec, decode};
use crate::TableId;
use crate::table::TableSummary;
use crate::{OwnerEvent, OwnerFeedItem};
use parlor_store::FeedItem;

/// The bytes of what an owner is told of a table.
#[must_use]
pub fn encode_news(table: TableId, news: &OwnerEvent, codec: &dyn PayloadCodec) -> Bytes {
    let event = match news {
        OwnerEvent::Created(look) => Event::Created(encode_look(look, codec)),
        OwnerEvent::Joined { seat, user, name } => Event::Joined(store::NewsJoined {
            seat: seat_number(*seat),
            player: Some(store::Player { user: user.clone(), name: name.clone() }),
        }),
        OwnerEvent::Started => Event::Started(store::Started {}),
        OwnerEvent::Forfeited { seat, finish } => Event::Forfeited(store::NewsForfeited {
            seat: seat_number(*seat),
            why: encode_seat_finish(*finish).into(),
        }),
        OwnerEvent::Replaced { seat, bot } => {
            Event::Replaced(store::NewsReplaced { seat: seat_number(*seat), bot: bot.clone() })
        }
        OwnerEvent::Over(look) => Event::Over(encode_look(look, codec)),
        OwnerEvent::Deleted => Event::Deleted(store::NewsDeleted {}),
    };
    store::News { table_id: table.as_bytes().to_vec(), event: Some(event) }.encode_to_vec().into()
}

/// An item of an owner's feed.
pub fn decode_news(item: &FeedItem, codec: &dyn PayloadCodec) -> Result<OwnerFeedItem, CorruptData> {
    decode("item of news", &item.payload, |stored: store::News| {
        let table = table_id(&stored.table_id, "table_id")?;
        let event = stored.event.ok_or_else(|| WrongField::new("must have an event"))?;
        let news = match event {
            Event::Created(look) => OwnerEvent::Created(of_table(table, look, "created", codec)?),
            Event::Joined(stored) => joined(stored).map_err(|wrong| wrong.within("joined"))?,
            Event::Started(store::Started {}) => OwnerEvent::Started,
            Event::Forfeited(stored) => forfeited(&stored).map_err(|wrong| wrong.within("forfeited"))?,
            Event::Replaced(store::NewsReplaced { seat: number, bot }) => {
                OwnerEvent::Replaced { seat: seat(number, "replaced.seat")?, bot }
            }
            Event::Over(look) => OwnerEvent::Over(over(table, look, codec)?),
            Event::Deleted(store::NewsDeleted {}) => OwnerEvent::Deleted,
        };
        Ok(OwnerFeedItem { number: item.number, table, at: item.at.0, event: news })
    })
}

fn of_table(
    table: TableId,
    stored: store::Look,
    field: &str,
    codec: &dyn PayloadCodec,
) -> Result<Arc<TableSummary>, WrongField> {
    let look = decode_look(stored, codec).map_err(|wrong| wrong.within(field))?;
    if look.setup.table == table {
        return Ok(Arc::new(look));
    }
    Err(WrongField::at("setup.table_id", "must be that of the news").within(field))
}

fn over(
    table: TableId,
    stored: store::Look,
    codec: &dyn PayloadCodec,
) -> Result<Arc<TableSummary>, WrongField> {
    let look = of_table(table, stored, "over", codec)?;
    if look.ending.is_some() { Ok(look) } else { Err(WrongField::at("over.result", "must be set")) }
}

fn joined(stored: store::NewsJoined) -> Result<OwnerEvent, WrongField> {
    let seat = seat(stored.seat, "seat")?;
    let Some(store::Player { user, name }) = stored.player else {
        return Err(WrongField::at("player", "must be set"));
    };
    Ok(OwnerEvent::Joined { seat, user, name })
}

fn forfeited(stored: &store::NewsForfeited) -> Result<OwnerEvent, WrongField> {
    Ok(OwnerEvent::Forfeited { seat: seat(stored.seat, "seat")?, finish: decode_forfeit(stored.why, "why")? })
}
