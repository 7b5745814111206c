//! The hostile clients, each kind from an address of its own: floods of calls, slow readers, attach storms, list storms and
//! silent connections.

use std::future::Future;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use parlor_proto::v1 as wire;
use tokio::io::AsyncReadExt;
use tokio::net::TcpSocket;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use wire::play_request_item::Item as RequestItem;
use wire::play_service_client::PlayServiceClient;
use wire::table_service_client::TableServiceClient;

use crate::server_address::{RETRY_DELAY, endpoint};

/// The line that is printed when all kinds of clients are at work.
pub(crate) const AT_WORK: &str = "hostile clients are at work";

/// Clients of each kind, and calls that each has under way at a time.
const FLOODS: usize = 4;
const LISTS: usize = 4;
const CALLS: usize = 16;
const SLOW_READERS: usize = 16;
const ATTACHERS: usize = 8;
const SILENT: usize = 100;

/// Channels of a slow reader, and the time for which it does not read.
const CHANNELS: u32 = 512;
const STALL: Duration = Duration::from_secs(3);
/// Attach items in a message of an attach storm.
const ATTACHES: u32 = 256;

/// A kind of hostile clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// Calls as fast as they are answered.
    Flood,
    /// Lists of tables by filters that none passes.
    List,
    /// Streams with many channels that are not read.
    SlowReader,
    /// Channels that attach again and again.
    Attach,
    /// Connections that say nothing.
    Silent,
}

/// Runs hostile clients of these kinds, or of all, until the program is killed or its standard input ends.
pub(crate) async fn run(server: SocketAddr, only: &[Kind]) -> Result<ExitCode> {
    let kinds = [
        (Kind::Flood, FLOODS),
        (Kind::List, LISTS),
        (Kind::SlowReader, SLOW_READERS),
        (Kind::Attach, ATTACHERS),
        (Kind::Silent, SILENT),
    ];
    let kinds =
        kinds.map(|(kind, count)| (kind, if only.is_empty() || only.contains(&kind) { count } else { 0 }));
    let at_work = Arc::new(Semaphore::new(0));
    let mut clients = JoinSet::new();
    for (place, (kind, count)) in (0..).zip(kinds) {
        let client = Attacker { kind, server, from: Ipv4Addr::new(127, 0, 66, 1 + place).into() };
        for _ in 0..count {
            clients.spawn(client.attack(at_work.clone()));
        }
    }
    let all: usize = kinds.iter().map(|(_, count)| count).sum();
    at_work.acquire_many(u32::try_from(all)?).await?.forget();
    println!("{AT_WORK}");
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(ExitCode::SUCCESS)
}

/// A hostile client.
#[derive(Clone, Copy)]
struct Attacker {
    kind: Kind,
    server: SocketAddr,
    /// The address that it comes from.
    from: IpAddr,
}

impl Attacker {
    /// Attacks without end. Whatever the server does about it, the client begins anew.
    async fn attack(self, at_work: Arc<Semaphore>) {
        let started = OnceLock::new();
        let begun = || {
            started.get_or_init(|| at_work.add_permits(1));
        };
        loop {
            // An attack that fails is what the server is for.
            let _ended = match self.kind {
                Kind::Flood => self.flood(begun).await,
                Kind::List => self.list(begun).await,
                Kind::SlowReader => self.read_slowly(begun).await,
                Kind::Attach => self.attach_repeatedly(begun).await,
                Kind::Silent => self.be_silent(begun).await,
            };
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    async fn connect(self) -> Result<Channel> {
        Ok(endpoint(self.server)?.local_address(Some(self.from)).connect().await?)
    }

    /// Makes calls as fast as they are answered, several at a time, until the connection fails.
    async fn call_repeatedly<F: Future<Output = bool> + Send + 'static>(
        self,
        begun: impl Fn(),
        call: impl Fn(TableServiceClient<Channel>) -> F,
    ) -> Result<()> {
        let client = TableServiceClient::new(self.connect().await?);
        let mut calls = JoinSet::new();
        begun();
        loop {
            while calls.len() < CALLS {
                calls.spawn(call(client.clone()));
            }
            if calls.join_next().await.context("a call")?? {
                return Ok(());
            }
        }
    }

    async fn flood(self, begun: impl Fn()) -> Result<()> {
        self.call_repeatedly(begun, |mut client| async move {
            let request =
                wire::GetTableRequest { table_id: "0".repeat(26), ..wire::GetTableRequest::default() };
            is_disconnected(client.get_table(request).await)
        })
        .await
    }

    /// Lists tables by filters that none passes.
    async fn list(self, begun: impl Fn()) -> Result<()> {
        self.call_repeatedly(begun, |mut client| async move {
            let states = vec![wire::TableState::Finished.into(), wire::TableState::Playing.into()];
            let request = wire::ListTablesRequest { states, open_seat: true, ..playing() };
            is_disconnected(client.list_tables(request).await)
        })
        .await
    }

    /// Ids of tables in play.
    async fn tables(self, channel: &Channel) -> Result<Vec<String>> {
        let listed = TableServiceClient::new(channel.clone()).list_tables(playing()).await?.into_inner();
        Ok(listed.tables.into_iter().map(|table| table.table_id).collect())
    }

    /// Opens a stream and attaches channels to tables in play, with everything that there is to want.
    async fn open_attached(
        self,
        channel: &Channel,
        channels: u32,
    ) -> Result<(mpsc::Sender<wire::PlayRequest>, tonic::Streaming<wire::PlayResponse>)> {
        let (sender, requests) = mpsc::channel(1);
        let items = attaches(&self.tables(channel).await?, channels);
        sender.send(wire::PlayRequest { items }).await?;
        let stream = PlayServiceClient::new(channel.clone()).play(ReceiverStream::new(requests)).await?;
        Ok((sender, stream.into_inner()))
    }

    /// Watches tables on many channels and does not read.
    async fn read_slowly(self, begun: impl Fn()) -> Result<()> {
        let channel = self.connect().await?;
        let _unread = self.open_attached(&channel, CHANNELS).await?;
        begun();
        tokio::time::sleep(STALL).await;
        Ok(())
    }

    /// Attaches the same channels again and again, and reads.
    async fn attach_repeatedly(self, begun: impl Fn()) -> Result<()> {
        let channel = self.connect().await?;
        let tables = self.tables(&channel).await?;
        let (sender, mut stream) = self.open_attached(&channel, ATTACHES).await?;
        begun();
        loop {
            tokio::select! {
                permit = sender.reserve() => {
                    permit?.send(wire::PlayRequest { items: attaches(&tables, ATTACHES) });
                }
                message = stream.message() => drop(message?.context("the stream ended")?),
            }
        }
    }

    /// Opens a connection and says nothing, until the server closes it.
    async fn be_silent(self, begun: impl Fn()) -> Result<()> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(self.from, 0))?;
        let mut connection = socket.connect(self.server).await?;
        begun();
        connection.read_to_end(&mut Vec::new()).await?;
        Ok(())
    }
}

fn playing() -> wire::ListTablesRequest {
    let states = vec![wire::TableState::Playing.into()];
    wire::ListTablesRequest { states, page_size: 100, ..wire::ListTablesRequest::default() }
}

/// Items that attach this many channels, to the tables in turn.
fn attaches(tables: &[String], channels: u32) -> Vec<wire::PlayRequestItem> {
    let wants = wire::Wants {
        update_views: Some(true),
        rematch: Some(true),
        time_left: Some(true),
        texts: wire::Language::German.into(),
        board: Some(true),
        ..wire::Wants::default()
    };
    let attach = |(channel, table): (u32, &String)| wire::PlayRequestItem {
        channel,
        item: Some(RequestItem::Attach(wire::Attach {
            viewer: Some(wire::attach::Viewer::TableId(table.clone())),
            after: Some(0),
            wants: Some(wants),
        })),
    };
    (0..channels).zip(tables.iter().cycle()).map(attach).collect()
}

/// True if a call failed because of the connection: an error of the server has details.
fn is_disconnected<T>(answered: Result<T, tonic::Status>) -> bool {
    answered.is_err_and(|status| crate::server_address::reason(&status).is_none())
}
