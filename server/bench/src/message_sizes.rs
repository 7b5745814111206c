//! BytesPerMove per move in Parlor's protocol, measured by playing a few games message by message.

use anyhow::{Context, Result};
use parlor_proto::v1 as wire;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use wire::play_request_item::Item as RequestItem;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as ResponseItem;
use wire::table_service_client::TableServiceClient;

use crate::baseline::Sizes;

/// Number of games to measure.
const GAMES: u32 = 10;

/// Mean bytes per move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BytesPerMove {
    /// Total sent to both players.
    pub(crate) sent: f64,
    /// Views of both players.
    views: f64,
    /// Events of both players.
    events: f64,
}

impl BytesPerMove {
    /// Message sizes for the baseline: a view and events for each of the two players.
    pub(crate) fn sizes(self) -> Sizes {
        Sizes { view: (self.views / 2.0).round() as usize, events: (self.events / 2.0).round() as usize }
    }

    /// Message sizes with the same total bytes as Parlor sends, where views come with the decisions.
    pub(crate) fn sizes_of_total(self) -> Sizes {
        let events = (self.events / 2.0).round() as usize;
        Sizes { view: (self.sent / 2.0).round() as usize - events, events }
    }
}

/// Stream contents of a client that uses everything.
pub(crate) const FULL: wire::Wants = wire::Wants {
    events: Some(true),
    update_views: Some(true),
    decision_views: Some(false),
    legal_actions: Some(true),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

/// Stream contents of a client that tracks the game itself: events only.
pub(crate) const LEAN: wire::Wants = wire::Wants {
    events: Some(true),
    update_views: Some(false),
    decision_views: Some(false),
    legal_actions: Some(false),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

/// Default stream contents of an agent.
pub(crate) const AGENT: wire::Wants = wire::Wants {
    events: Some(true),
    update_views: Some(false),
    decision_views: Some(true),
    legal_actions: Some(true),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

/// Plays games of GAP for two, and measures the bytes.
pub(crate) async fn measure(address: &str, wants: wire::Wants) -> Result<BytesPerMove> {
    let channel = Channel::from_shared(format!("http://{address}"))?.connect().await?;
    let (mut bytes, mut moves) = (BytesPerMove::default(), 0.0);
    for _ in 0..GAMES {
        play(&channel, wants, &mut bytes, &mut moves).await?;
    }
    Ok(BytesPerMove { sent: bytes.sent / moves, views: bytes.views / moves, events: bytes.events / moves })
}

async fn play(
    channel: &Channel,
    wants: wire::Wants,
    bytes: &mut BytesPerMove,
    moves: &mut f64,
) -> Result<()> {
    let mut tables = TableServiceClient::new(channel.clone());
    let options = wire::game_options::Game::Gap(wire::GapOptions::default());
    let create = wire::CreateTableRequest {
        options: Some(wire::GameOptions { game: Some(options) }),
        seats: vec![wire::SeatSetup::default(); 2],
        ..wire::CreateTableRequest::default()
    };
    let table = tables.create_table(create).await?.into_inner().table.context("a table")?;
    let (requests, request_stream) = mpsc::channel(16);
    for channel in 0..2 {
        let join = wire::JoinTableRequest { table_id: table.table_id.clone(), ..Default::default() };
        let token = tables.join_table(join).await?.into_inner().seat_token;
        let viewer = Some(wire::attach::Viewer::SeatToken(token));
        let attach = wire::Attach { viewer, after: None, wants: Some(wants) };
        requests.send(request(channel, RequestItem::Attach(attach))).await?;
    }
    let mut responses =
        PlayServiceClient::new(channel.clone()).play(ReceiverStream::new(request_stream)).await?.into_inner();
    let mut closed = 0;
    while closed < 2
        && let Some(message) = responses.message().await?
    {
        for item in message.items {
            let length = item.encoded_len() as f64;
            match item.item {
                Some(ResponseItem::Update(update)) => {
                    bytes.sent += length;
                    bytes.views += update.view.map_or(0, |view| view.encoded_len()) as f64;
                    let events = update.events.iter().map(Message::encoded_len).sum::<usize>();
                    bytes.events += events as f64;
                    *moves += f64::from(u8::from(update.decided.is_some()));
                }
                Some(ResponseItem::Decision(decision)) => {
                    bytes.sent += length;
                    let index = decision.id % decision.legal_count;
                    let choice = Some(wire::answer::Choice::Index(index));
                    let answer = wire::Answer { decision_id: decision.id, choice, think_ms: None };
                    requests.send(request(item.channel, RequestItem::Answer(answer))).await?;
                }
                Some(ResponseItem::Answered(_)) => bytes.sent += length,
                Some(ResponseItem::Closed(_)) => closed += 1,
                _ => {}
            }
        }
    }
    Ok(())
}

fn request(channel: u32, item: RequestItem) -> wire::PlayRequest {
    wire::PlayRequest { items: vec![wire::PlayRequestItem { channel, item: Some(item) }] }
}
