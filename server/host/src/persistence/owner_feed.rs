//! Stored form of owner feed items.

use std::sync::Arc;

use bytes::Bytes;
use parlor_fields::InvalidField;
use parlor_store::v1 as store;
use parlor_store::v1::owner_feed_item::Event;
use prost::Message;

use super::codes::{decode_forfeit, decode_seat, encode_seat, encode_seat_finish};
use super::setup::decode_table_id;
use super::summary::{decode_summary, encode_summary};
use super::{CorruptData, PayloadCodec, decode};
use crate::TableId;
use crate::table::TableSummary;
use crate::{OwnerEvent, OwnerFeedItem};
use parlor_store::FeedItem;

/// Encodes an event of a table in its owner's feed.
#[must_use]
pub fn encode_feed_item(table: TableId, event: &OwnerEvent, codec: &dyn PayloadCodec) -> Bytes {
    let event = match event {
        OwnerEvent::Created(summary) => Event::Created(encode_summary(summary, codec)),
        OwnerEvent::Joined { seat, user, name } => Event::Joined(store::FeedJoined {
            seat: encode_seat(*seat),
            player: Some(store::Player { user: user.clone(), name: name.clone() }),
        }),
        OwnerEvent::Started => Event::Started(store::Started {}),
        OwnerEvent::Forfeited { seat, finish } => Event::Forfeited(store::FeedForfeited {
            seat: encode_seat(*seat),
            why: encode_seat_finish(*finish).into(),
        }),
        OwnerEvent::Replaced { seat, bot } => {
            Event::Replaced(store::FeedReplaced { seat: encode_seat(*seat), bot: bot.clone() })
        }
        OwnerEvent::Over(summary) => Event::Over(encode_summary(summary, codec)),
        OwnerEvent::Deleted => Event::Deleted(store::FeedDeleted {}),
    };
    store::OwnerFeedItem { table_id: table.as_bytes().to_vec(), event: Some(event) }.encode_to_vec().into()
}

/// Decodes an item of an owner's feed.
pub fn decode_feed_item(item: &FeedItem, codec: &dyn PayloadCodec) -> Result<OwnerFeedItem, CorruptData> {
    decode("feed item", &item.payload, |stored: store::OwnerFeedItem| {
        let table = decode_table_id(&stored.table_id, "table_id")?;
        let event = stored.event.ok_or_else(|| InvalidField::new("must have an event"))?;
        let news = match event {
            Event::Created(summary) => {
                OwnerEvent::Created(decode_summary_of(table, summary, "created", codec)?)
            }
            Event::Joined(stored) => decode_joined(stored).map_err(|wrong| wrong.within("joined"))?,
            Event::Started(store::Started {}) => OwnerEvent::Started,
            Event::Forfeited(stored) => {
                decode_forfeited(&stored).map_err(|wrong| wrong.within("forfeited"))?
            }
            Event::Replaced(store::FeedReplaced { seat: number, bot }) => {
                OwnerEvent::Replaced { seat: decode_seat(number, "replaced.seat")?, bot }
            }
            Event::Over(summary) => OwnerEvent::Over(decode_over(table, summary, codec)?),
            Event::Deleted(store::FeedDeleted {}) => OwnerEvent::Deleted,
        };
        Ok(OwnerFeedItem { number: item.number, table, at: item.at.0, event: news })
    })
}

/// Decodes the summary in `field`, which must be of this table.
fn decode_summary_of(
    table: TableId,
    stored: store::TableSummary,
    field: &str,
    codec: &dyn PayloadCodec,
) -> Result<Arc<TableSummary>, InvalidField> {
    let summary = decode_summary(stored, codec).map_err(|wrong| wrong.within(field))?;
    if summary.setup.table == table {
        return Ok(Arc::new(summary));
    }
    Err(InvalidField::at("setup.table_id", "must be that of the item").within(field))
}

fn decode_over(
    table: TableId,
    stored: store::TableSummary,
    codec: &dyn PayloadCodec,
) -> Result<Arc<TableSummary>, InvalidField> {
    let summary = decode_summary_of(table, stored, "over", codec)?;
    if summary.ending.is_some() { Ok(summary) } else { Err(InvalidField::at("over.result", "must be set")) }
}

fn decode_joined(stored: store::FeedJoined) -> Result<OwnerEvent, InvalidField> {
    let seat = decode_seat(stored.seat, "seat")?;
    let Some(store::Player { user, name }) = stored.player else {
        return Err(InvalidField::at("player", "must be set"));
    };
    Ok(OwnerEvent::Joined { seat, user, name })
}

fn decode_forfeited(stored: &store::FeedForfeited) -> Result<OwnerEvent, InvalidField> {
    Ok(OwnerEvent::Forfeited {
        seat: decode_seat(stored.seat, "seat")?,
        finish: decode_forfeit(stored.why, "why")?,
    })
}
