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
use super::{BadStored, PayloadCodec, decode};
use crate::TableId;
use crate::table::Look;
use crate::{News, NewsItem};
use parlor_store::FeedItem;

/// The bytes of what an owner is told of a table.
#[must_use]
pub fn encode_news(table: TableId, news: &News, codec: &dyn PayloadCodec) -> Bytes {
    let event = match news {
        News::Created(look) => Event::Created(encode_look(look, codec)),
        News::Joined { seat, user, name } => Event::Joined(store::NewsJoined {
            seat: seat_number(*seat),
            player: Some(store::Player { user: user.clone(), name: name.clone() }),
        }),
        News::Started => Event::Started(store::Started {}),
        News::Forfeited { seat, conduct } => Event::Forfeited(store::NewsForfeited {
            seat: seat_number(*seat),
            why: encode_seat_finish(*conduct).into(),
        }),
        News::Replaced { seat, bot } => {
            Event::Replaced(store::NewsReplaced { seat: seat_number(*seat), bot: bot.clone() })
        }
        News::Over(look) => Event::Over(encode_look(look, codec)),
        News::Deleted => Event::Deleted(store::NewsDeleted {}),
    };
    store::News { table_id: table.as_bytes().to_vec(), event: Some(event) }.encode_to_vec().into()
}

/// An item of an owner's feed.
pub fn decode_news(item: &FeedItem, codec: &dyn PayloadCodec) -> Result<NewsItem, BadStored> {
    decode("item of news", &item.payload, |stored: store::News| {
        let table = table_id(&stored.table_id, "table_id")?;
        let event = stored.event.ok_or_else(|| WrongField::new("must have an event"))?;
        let news = match event {
            Event::Created(look) => News::Created(of_table(table, look, "created", codec)?),
            Event::Joined(stored) => joined(stored).map_err(|wrong| wrong.within("joined"))?,
            Event::Started(store::Started {}) => News::Started,
            Event::Forfeited(stored) => forfeited(&stored).map_err(|wrong| wrong.within("forfeited"))?,
            Event::Replaced(store::NewsReplaced { seat: number, bot }) => {
                News::Replaced { seat: seat(number, "replaced.seat")?, bot }
            }
            Event::Over(look) => News::Over(over(table, look, codec)?),
            Event::Deleted(store::NewsDeleted {}) => News::Deleted,
        };
        Ok(NewsItem { number: item.number, table, at: item.at.0, news })
    })
}

fn of_table(
    table: TableId,
    stored: store::Look,
    field: &str,
    codec: &dyn PayloadCodec,
) -> Result<Arc<Look>, WrongField> {
    let look = decode_look(stored, codec).map_err(|wrong| wrong.within(field))?;
    if look.setup.table == table {
        return Ok(Arc::new(look));
    }
    Err(WrongField::at("setup.table_id", "must be that of the news").within(field))
}

fn over(table: TableId, stored: store::Look, codec: &dyn PayloadCodec) -> Result<Arc<Look>, WrongField> {
    let look = of_table(table, stored, "over", codec)?;
    if look.ending.is_some() { Ok(look) } else { Err(WrongField::at("over.result", "must be set")) }
}

fn joined(stored: store::NewsJoined) -> Result<News, WrongField> {
    let seat = seat(stored.seat, "seat")?;
    let Some(store::Player { user, name }) = stored.player else {
        return Err(WrongField::at("player", "must be set"));
    };
    Ok(News::Joined { seat, user, name })
}

fn forfeited(stored: &store::NewsForfeited) -> Result<News, WrongField> {
    Ok(News::Forfeited { seat: seat(stored.seat, "seat")?, conduct: decode_forfeit(stored.why, "why")? })
}
