//! Crowds of spectators: attaching and detaching one costs the server the same, however many there are.

use std::path::Path;

use anyhow::{Context, Result, bail};
use parlor_engine::GameId;
use parlor_proto::v1 as wire;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use wire::play_request_item::Item as RequestItem;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as ResponseItem;
use wire::table_service_client::TableServiceClient;

use crate::process::{ServerProcess, ServerProgram};
use crate::server_address::{endpoint, within_timeout};

/// Settings that allow the crowd.
const SETTINGS: [&str; 3] = [
    "limits.spectators_per_table=100000",
    "limits.spectators_per_caller=100000",
    "limits.channels_per_stream=100000",
];
/// Numbers of spectators that are compared.
const FEW: u32 = 500;
const MANY: u32 = 20_000;
/// Number of times that spectators detach and attach again at each size of the crowd.
const CYCLES: u32 = 10_000;
/// Maximum number of items in a message, and of those whose replies are not read yet.
const BATCH: u32 = 500;
/// Maximum cost of an attach and a detach with many spectators, in units of those with few.
const MAX_COST_RATIO: f64 = 3.0;

/// Compares the costs and prints them.
pub(crate) async fn report(program: &ServerProgram, data: &Path) -> Result<()> {
    let (server, address) = program.start_and_wait(data, &SETTINGS).await?;
    let channel = endpoint(address)?.connect().await?;
    let create = wire::CreateTableRequest {
        options: Some(GameId::Gap.default_options().into()),
        seats: (0..2).map(|_| wire::SeatSetup::default()).collect(),
        ..wire::CreateTableRequest::default()
    };
    let created = TableServiceClient::new(channel.clone()).create_table(create).await?.into_inner();
    let (sender, requests) = mpsc::channel(1);
    let stream = PlayServiceClient::new(channel).play(ReceiverStream::new(requests)).await?.into_inner();
    let table = created.table.context("a table")?.table_id;
    let mut crowd = Crowd { table, sender, stream, size: 0 };
    crowd.grow_to(FEW).await?;
    let with_few = crowd.cycle_cost(&server).await?;
    crowd.grow_to(MANY).await?;
    let with_many = crowd.cycle_cost(&server).await?;
    server.stop().await?;
    let ratio = with_many / with_few;
    println!(
        "faults spectators cost_ratio={ratio:.2} us_with_{FEW}={with_few:.0} us_with_{MANY}={with_many:.0}"
    );
    if ratio > MAX_COST_RATIO {
        bail!("a spectator costs {ratio:.1} times as much when there are {MANY} of them");
    }
    Ok(())
}

/// Spectators of one table, on the channels of one stream.
struct Crowd {
    table: String,
    sender: mpsc::Sender<wire::PlayRequest>,
    stream: Streaming<wire::PlayResponse>,
    size: u32,
}

impl Crowd {
    /// Attaches spectators until there are so many.
    async fn grow_to(&mut self, size: u32) -> Result<()> {
        while self.size < size {
            let more = BATCH.min(size - self.size);
            let items = (self.size..self.size + more).map(|channel| self.attach(channel)).collect();
            self.exchange(items).await?;
            self.size += more;
        }
        Ok(())
    }

    /// CPU time in microseconds that the server takes to detach a spectator and to attach it again.
    async fn cycle_cost(&mut self, server: &ServerProcess) -> Result<f64> {
        let before = server.cpu_ticks()?;
        for first in (0..CYCLES).step_by(BATCH as usize) {
            let channels = (first..first + BATCH).map(|cycle| cycle * 7 % self.size);
            let detach =
                |channel| wire::PlayRequestItem { channel, item: Some(RequestItem::Detach(wire::Detach {})) };
            let items: Vec<_> =
                channels.flat_map(|channel| [detach(channel), self.attach(channel)]).collect();
            self.exchange(items).await?;
        }
        Ok((server.cpu_ticks()? - before) as f64 * 10_000.0 / f64::from(CYCLES))
    }

    fn attach(&self, channel: u32) -> wire::PlayRequestItem {
        let viewer = Some(wire::attach::Viewer::TableId(self.table.clone()));
        let wants = Some(wire::Wants { time_left: Some(true), ..wire::Wants::default() });
        let attach = wire::Attach { viewer, after: None, wants };
        wire::PlayRequestItem { channel, item: Some(RequestItem::Attach(attach)) }
    }

    /// Sends items, and reads until each has its reply.
    async fn exchange(&mut self, items: Vec<wire::PlayRequestItem>) -> Result<()> {
        let mut replies = items.len();
        self.sender.send(wire::PlayRequest { items }).await?;
        while replies > 0 {
            let message = within_timeout("replies arrive", self.stream.message()).await??;
            let message = message.context("the stream ended")?;
            if let Some(ending) = message.ending {
                bail!("the stream ended: {}", ending.message);
            }
            for item in message.items {
                match item.item {
                    Some(ResponseItem::Snapshot(_)) => replies -= 1,
                    Some(ResponseItem::Closed(closed)) if closed.message.is_empty() => replies -= 1,
                    other => bail!("an unexpected reply: {other:?}"),
                }
            }
        }
        Ok(())
    }
}
