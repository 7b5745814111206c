//! The items of an owner's feed, as they are stored.

use std::sync::Arc;

use bytes::Bytes;
use parlor_proto::convert::field::{WrongField, required};
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::store::v1 as store;
use parlor_proto::store::v1::news::Event;
use parlor_proto::v1;
use prost::Message;

use super::setup::table_id;
use super::{BadStored, decode};
use crate::TableId;
use crate::host::{News, NewsItem};
use crate::log::FeedItem;
use crate::table::Look;
use crate::wire::kind::forfeit;

/// The bytes of what an owner is told of a table.
#[must_use]
pub fn encode_news(table: TableId, news: &News) -> Bytes {
    let event = match news {
        News::Created(look) => Event::Created((&**look).into()),
        News::Joined { seat, user, name } => Event::Joined(store::NewsJoined {
            seat: seat_number(*seat),
            player: Some(store::Player { user: user.clone(), name: name.clone() }),
        }),
        News::Started => Event::Started(store::Started {}),
        News::Forfeited { seat, conduct } => Event::Forfeited(store::NewsForfeited {
            seat: seat_number(*seat),
            why: v1::SeatFinish::from(*conduct).into(),
        }),
        News::Replaced { seat, bot } => {
            Event::Replaced(store::NewsReplaced { seat: seat_number(*seat), bot: bot.clone() })
        }
        News::Over(look) => Event::Over((&**look).into()),
        News::Deleted => Event::Deleted(store::NewsDeleted {}),
    };
    store::News { table_id: table.as_bytes().to_vec(), event: Some(event) }.encode_to_vec().into()
}

/// An item of an owner's feed.
pub fn decode_news(item: &FeedItem) -> Result<NewsItem, BadStored> {
    decode("item of news", &item.payload, |stored: store::News| {
        let table = table_id(&stored.table_id, "table_id")?;
        let event = stored.event.ok_or_else(|| WrongField::new("must have an event"))?;
        let news = match event {
            Event::Created(look) => News::Created(of_table(table, look, "created")?),
            Event::Joined(stored) => joined(stored).map_err(|wrong| wrong.within("joined"))?,
            Event::Started(store::Started {}) => News::Started,
            Event::Forfeited(stored) => forfeited(&stored).map_err(|wrong| wrong.within("forfeited"))?,
            Event::Replaced(store::NewsReplaced { seat: number, bot }) => {
                News::Replaced { seat: seat(number, "replaced.seat")?, bot }
            }
            Event::Over(look) => News::Over(over(table, look)?),
            Event::Deleted(store::NewsDeleted {}) => News::Deleted,
        };
        Ok(NewsItem { number: item.number, table, at: item.at.0, news })
    })
}

fn of_table(table: TableId, stored: store::Look, field: &str) -> Result<Arc<Look>, WrongField> {
    let look: Look = required(Some(stored), field)?;
    if look.setup.table == table {
        return Ok(Arc::new(look));
    }
    Err(WrongField::at("setup.table_id", "must be that of the news").within(field))
}

fn over(table: TableId, stored: store::Look) -> Result<Arc<Look>, WrongField> {
    let look = of_table(table, stored, "over")?;
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
    Ok(News::Forfeited { seat: seat(stored.seat, "seat")?, conduct: forfeit(stored.why, "why")? })
}
