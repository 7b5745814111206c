//! The fake TableService and CatalogueService, and the whole fake server.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use parlor_proto::v1::agent_service_server::AgentServiceServer;
use parlor_proto::v1::play_service_server::PlayServiceServer;
use parlor_proto::v1::record_service_server::RecordServiceServer;
use parlor_proto::v1::table_service_server::{TableService, TableServiceServer};
use parlor_sdk::{Client, ClientBuilder, wire};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use super::connect::FakeAgents;
use super::host::Host;
use super::net::Network;
use super::play::FakePlay;
use super::records::Records;

/// A server whose every fault is planned.
pub(crate) struct Fake {
    pub(crate) host: Arc<Host>,
    pub(crate) network: Arc<Network>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) records: Arc<Records>,
    server: tokio::task::JoinHandle<()>,
}

impl Fake {
    pub(crate) async fn start() -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let network = Network::before(listener.local_addr().unwrap()).await;
        let (host, tables) = (Host::new(), Arc::new(Tables::default()));
        let records = Arc::new(Records::default());
        let agents = FakeAgents { host: Arc::clone(&host), network: Arc::clone(&network) };
        let play = FakePlay { host: Arc::clone(&host), network: Arc::clone(&network) };
        let router = Server::builder()
            .add_service(PlayServiceServer::new(play))
            .add_service(AgentServiceServer::new(agents))
            .add_service(TableServiceServer::from_arc(Arc::clone(&tables)))
            .add_service(RecordServiceServer::from_arc(Arc::clone(&records)));
        let server = tokio::spawn(async {
            router.serve_with_incoming(TcpIncoming::from(listener)).await.unwrap();
        });
        Fake { host, network, tables, records, server }
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        // A machine that stands still for a while is no fault of the server's.
        let patience = Duration::from_secs(600);
        Client::builder(self.network.address())
            .keepalive(patience, patience)
            .deadline(patience)
            .attempt_timeout(patience)
            .connect_timeout(patience)
    }

    pub(crate) async fn client(&self) -> Client {
        self.builder().connect().await.unwrap()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// What the next call does instead of answering.
#[derive(Debug)]
pub(crate) enum Mishap {
    /// It is carried out, and then fails with this.
    Done(Status),
    /// It fails with this before anything is done.
    NotDone(Status),
}

/// The tables: only what the tests need of them.
#[derive(Default)]
pub(crate) struct Tables {
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) mishaps: VecDeque<Mishap>,
    /// The request ids of all calls, in order.
    pub(crate) request_ids: Vec<String>,
    pub(crate) joins: Vec<wire::JoinTableRequest>,
    pub(crate) deleted: Vec<String>,
    pub(crate) authorizations: Vec<Option<String>>,
    /// How many tables there are to list.
    pub(crate) listed: u32,
    /// The news that there will be, and how many of them each stream gives before it breaks.
    pub(crate) news: u64,
    pub(crate) stretches: VecDeque<usize>,
    pub(crate) followed_after: Vec<Option<u64>>,
}

impl Tables {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Carries out a call, with the next mishap.
    async fn carry_out<T>(
        &self,
        act: impl FnOnce(&mut State) -> Result<T, Status>,
    ) -> Result<Response<T>, Status> {
        let mishap = self.state().mishaps.pop_front();
        match mishap {
            None => act(&mut self.state()).map(Response::new),
            Some(Mishap::NotDone(status)) => Err(status),
            Some(Mishap::Done(status)) => {
                act(&mut self.state())?;
                Err(status)
            }
        }
    }
}

fn table(table_id: &str) -> Option<wire::Table> {
    Some(wire::Table { table_id: table_id.into(), ..Default::default() })
}

#[tonic::async_trait]
impl TableService for Tables {
    async fn create_table(
        &self,
        request: Request<wire::CreateTableRequest>,
    ) -> Result<Response<wire::CreateTableResponse>, Status> {
        let authorization =
            request.metadata().get("authorization").map(|key| key.to_str().unwrap().to_owned());
        let id = request.into_inner().request_id;
        // What was asked is seen, whether it is carried out or not.
        self.state().request_ids.push(id.clone());
        self.state().authorizations.push(authorization);
        self.carry_out(|_| Ok(wire::CreateTableResponse { table: table(&id) })).await
    }

    async fn join_table(
        &self,
        request: Request<wire::JoinTableRequest>,
    ) -> Result<Response<wire::JoinTableResponse>, Status> {
        let request = request.into_inner();
        self.state().joins.push(request.clone());
        let token = String::from("swordfish");
        let reply = wire::JoinTableResponse { seat: 1, seat_token: token, table: table(&request.table_id) };
        self.carry_out(|_| Ok(reply)).await
    }

    async fn get_table(
        &self,
        request: Request<wire::GetTableRequest>,
    ) -> Result<Response<wire::GetTableResponse>, Status> {
        let request = request.into_inner();
        self.carry_out(|_| Ok(wire::GetTableResponse { table: table(&request.table_id) })).await
    }

    async fn list_tables(
        &self,
        request: Request<wire::ListTablesRequest>,
    ) -> Result<Response<wire::ListTablesResponse>, Status> {
        let request = request.into_inner();
        self.carry_out(|state| {
            let first = request.page_token.parse().unwrap_or(0);
            let last = (first + request.page_size).min(state.listed);
            Ok(wire::ListTablesResponse {
                tables: (first..last).filter_map(|number| table(&number.to_string())).collect(),
                next_page_token: if last < state.listed { last.to_string() } else { String::new() },
            })
        })
        .await
    }

    type FollowTablesStream = Pin<Box<dyn Stream<Item = Result<wire::FollowTablesResponse, Status>> + Send>>;

    async fn follow_tables(
        &self,
        request: Request<wire::FollowTablesRequest>,
    ) -> Result<Response<Self::FollowTablesStream>, Status> {
        let after = request.into_inner().after;
        self.carry_out(|state| {
            state.followed_after.push(after);
            let first = after.unwrap_or(5);
            let news =
                move |number| wire::TableNews { number, table_id: number.to_string(), ..Default::default() };
            let start = wire::FollowTablesResponse { news: Vec::new(), number: first };
            let rest = (first + 1..=state.news).collect::<Vec<_>>();
            let messages = rest.chunks(3).map(|numbers| wire::FollowTablesResponse {
                // Each message tells the last of the one before again.
                news: std::iter::once(numbers[0].saturating_sub(1))
                    .chain(numbers.iter().copied())
                    .map(news)
                    .collect(),
                number: numbers[numbers.len() - 1],
            });
            let messages: Vec<_> = std::iter::once(start).chain(messages).map(Ok).collect();
            let stream: Self::FollowTablesStream = match state.stretches.pop_front() {
                Some(stretch) => {
                    let broken = stream::iter([Err(Status::unavailable("the fake breaks off"))]);
                    Box::pin(stream::iter(messages).take(stretch).chain(broken))
                }
                None => Box::pin(stream::iter(messages).chain(stream::pending())),
            };
            Ok(stream)
        })
        .await
    }

    async fn replace_seat(
        &self,
        request: Request<wire::ReplaceSeatRequest>,
    ) -> Result<Response<wire::ReplaceSeatResponse>, Status> {
        let request = request.into_inner();
        self.state().request_ids.push(request.request_id);
        self.carry_out(|_| Ok(wire::ReplaceSeatResponse { table: table(&request.table_id) })).await
    }

    async fn rematch(
        &self,
        request: Request<wire::RematchRequest>,
    ) -> Result<Response<wire::RematchResponse>, Status> {
        let request = request.into_inner();
        self.state().request_ids.push(request.request_id);
        self.carry_out(|_| Ok(wire::RematchResponse { table: table(&request.seat_token) })).await
    }

    async fn resign_seat(
        &self,
        request: Request<wire::ResignSeatRequest>,
    ) -> Result<Response<wire::ResignSeatResponse>, Status> {
        assert!(request.into_inner().seat.is_some());
        self.carry_out(|_| Ok(wire::ResignSeatResponse {})).await
    }

    async fn cancel_table(
        &self,
        request: Request<wire::CancelTableRequest>,
    ) -> Result<Response<wire::CancelTableResponse>, Status> {
        let request = request.into_inner();
        self.carry_out(|_| Ok(wire::CancelTableResponse { table: table(&request.note) })).await
    }

    async fn delete_table(
        &self,
        request: Request<wire::DeleteTableRequest>,
    ) -> Result<Response<wire::DeleteTableResponse>, Status> {
        let id = request.into_inner().table_id;
        self.carry_out(|state| {
            if state.deleted.contains(&id) {
                return Err(super::calls::reasoned(tonic::Code::NotFound, "TABLE_NOT_FOUND"));
            }
            state.deleted.push(id);
            Ok(wire::DeleteTableResponse {})
        })
        .await
    }

    async fn create_spectator_token(
        &self,
        _: Request<wire::CreateSpectatorTokenRequest>,
    ) -> Result<Response<wire::CreateSpectatorTokenResponse>, Status> {
        let spectator_token = String::from("swordfish");
        self.carry_out(|_| Ok(wire::CreateSpectatorTokenResponse { spectator_token })).await
    }

    async fn reissue_seat_token(
        &self,
        request: Request<wire::ReissueSeatTokenRequest>,
    ) -> Result<Response<wire::ReissueSeatTokenResponse>, Status> {
        self.state().request_ids.push(request.into_inner().request_id);
        let seat_token = String::from("swordfish");
        self.carry_out(|_| Ok(wire::ReissueSeatTokenResponse { seat_token })).await
    }
}
