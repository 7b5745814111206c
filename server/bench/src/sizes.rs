//! How many bytes a move is, on Parlor's own wire: a few games are played message by message, and weighed.

use anyhow::{Context, Result};
use parlor_proto::v1 as wire;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use wire::play_request_item::Item as Say;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as Hear;
use wire::table_service_client::TableServiceClient;

use crate::bare::Sizes;

/// How many games are weighed.
const GAMES: u32 = 10;

/// The mean bytes of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bytes {
    /// All that is sent to both players.
    pub(crate) sent: f64,
    /// The views in it, of both players together.
    views: f64,
    /// The events in it, of both players together.
    events: f64,
}

impl Bytes {
    /// The sizes of the baseline's messages: a view and events for each of the two players.
    pub(crate) fn sizes(self) -> Sizes {
        Sizes { view: (self.views / 2.0).round() as usize, events: (self.events / 2.0).round() as usize }
    }

    /// Sizes that make as many bytes as Parlor sends, where the views come with the decisions.
    pub(crate) fn packed(self) -> Sizes {
        let events = (self.events / 2.0).round() as usize;
        Sizes { view: (self.sent / 2.0).round() as usize - events, events }
    }
}

/// What a client that looks at everything wants.
pub(crate) const FULL: wire::Wants = wire::Wants {
    events: true,
    update_views: true,
    decision_views: false,
    legal_actions: true,
    rematch: false,
    time_left: false,
};

/// What a client wants that keeps the game itself: what happened, and nothing else.
pub(crate) const LEAN: wire::Wants = wire::Wants {
    events: true,
    update_views: false,
    decision_views: false,
    legal_actions: false,
    rematch: false,
    time_left: false,
};

/// What an agent wants that says nothing about it.
pub(crate) const AGENT: wire::Wants = wire::Wants {
    events: true,
    update_views: false,
    decision_views: true,
    legal_actions: true,
    rematch: false,
    time_left: false,
};

/// Plays some games of gap for two, and weighs them.
pub(crate) async fn weigh(address: &str, wants: wire::Wants) -> Result<Bytes> {
    let channel = Channel::from_shared(format!("http://{address}"))?.connect().await?;
    let (mut bytes, mut moves) = (Bytes::default(), 0.0);
    for _ in 0..GAMES {
        play(&channel, wants, &mut bytes, &mut moves).await?;
    }
    Ok(Bytes { sent: bytes.sent / moves, views: bytes.views / moves, events: bytes.events / moves })
}

async fn play(channel: &Channel, wants: wire::Wants, bytes: &mut Bytes, moves: &mut f64) -> Result<()> {
    let mut tables = TableServiceClient::new(channel.clone());
    let options = wire::game_options::Game::Gap(wire::GapOptions::default());
    let create = wire::CreateTableRequest {
        options: Some(wire::GameOptions { game: Some(options) }),
        seats: vec![wire::SeatSetup::default(); 2],
        ..wire::CreateTableRequest::default()
    };
    let table = tables.create_table(create).await?.into_inner().table.context("a table")?;
    let (say, said) = mpsc::channel(16);
    for channel in 0..2 {
        let join = wire::JoinTableRequest { table_id: table.table_id.clone(), ..Default::default() };
        let token = tables.join_table(join).await?.into_inner().seat_token;
        let viewer = Some(wire::attach::Viewer::SeatToken(token));
        let attach = wire::Attach { viewer, after: None, wants: Some(wants) };
        say.send(request(channel, Say::Attach(attach))).await?;
    }
    let mut heard =
        PlayServiceClient::new(channel.clone()).play(ReceiverStream::new(said)).await?.into_inner();
    let mut closed = 0;
    while closed < 2
        && let Some(message) = heard.message().await?
    {
        for item in message.items {
            let weight = item.encoded_len() as f64;
            match item.item {
                Some(Hear::Update(update)) => {
                    bytes.sent += weight;
                    bytes.views += update.view.map_or(0, |view| view.encoded_len()) as f64;
                    let events = update.events.iter().map(Message::encoded_len).sum::<usize>();
                    bytes.events += events as f64;
                    *moves += f64::from(u8::from(update.decided.is_some()));
                }
                Some(Hear::Decision(decision)) => {
                    bytes.sent += weight;
                    let index = decision.id % decision.legal_count;
                    let choice = Some(wire::answer::Choice::Index(index));
                    let answer = wire::Answer { decision_id: decision.id, choice, think_ms: None };
                    say.send(request(item.channel, Say::Answer(answer))).await?;
                }
                Some(Hear::Answered(_)) => bytes.sent += weight,
                Some(Hear::Closed(_)) => closed += 1,
                _ => {}
            }
        }
    }
    Ok(())
}

fn request(channel: u32, item: Say) -> wire::PlayRequest {
    wire::PlayRequest { items: vec![wire::PlayRequestItem { channel, item: Some(item) }] }
}
