//! The fake TableService, and the fake server as a whole.

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
use parlor_testkit::Proxy;
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use super::agent_service::FakeAgents;
use super::fake_host::FakeHost;
use super::play_service::FakePlay;
use super::records::FakeRecords;

/// A server that injects planned faults.
pub(crate) struct FakeServer {
    pub(crate) host: Arc<FakeHost>,
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) tables: Arc<FakeTables>,
    pub(crate) records: Arc<FakeRecords>,
    server: tokio::task::JoinHandle<()>,
}

impl FakeServer {
    pub(crate) async fn start() -> FakeServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Arc::new(Proxy::start(listener.local_addr().unwrap()));
        let (host, tables) = (FakeHost::new(), Arc::new(FakeTables::default()));
        let records = Arc::new(FakeRecords::default());
        let agents = FakeAgents { host: Arc::clone(&host), proxy: Arc::clone(&proxy) };
        let play = FakePlay { host: Arc::clone(&host), proxy: Arc::clone(&proxy) };
        let router = Server::builder()
            .add_service(PlayServiceServer::new(play))
            .add_service(AgentServiceServer::new(agents))
            .add_service(TableServiceServer::from_arc(Arc::clone(&tables)))
            .add_service(RecordServiceServer::from_arc(Arc::clone(&records)));
        let server = tokio::spawn(async {
            router.serve_with_incoming(TcpIncoming::from(listener)).await.unwrap();
        });
        FakeServer { host, proxy, tables, records, server }
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        // Slow machines must not trigger timeouts.
        let patience = Duration::from_secs(600);
        Client::builder(self.proxy.url())
            .keepalive(patience, patience)
            .deadline(patience)
            .attempt_timeout(patience)
            .connect_timeout(patience)
    }

    pub(crate) async fn client(&self) -> Client {
        self.builder().connect().await.unwrap()
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A fault of the next call.
#[derive(Debug)]
pub(crate) enum CallFault {
    /// Executed, then fails with this status.
    AfterExecution(Status),
    /// Fails with this status before it is executed.
    BeforeExecution(Status),
}

/// FakeServer tables: only what the tests need.
#[derive(Default)]
pub(crate) struct FakeTables {
    state: Mutex<TablesState>,
}

#[derive(Default)]
pub(crate) struct TablesState {
    pub(crate) call_faults: VecDeque<CallFault>,
    /// Request ids of all calls, in order.
    pub(crate) request_ids: Vec<String>,
    pub(crate) joins: Vec<wire::JoinTableRequest>,
    pub(crate) deleted: Vec<String>,
    pub(crate) authorizations: Vec<Option<String>>,
    /// Number of tables to list.
    pub(crate) listed: u32,
    /// Number of news in all.
    pub(crate) news: u64,
    /// Messages that each stream sends before it breaks.
    pub(crate) stream_lengths: VecDeque<usize>,
    pub(crate) followed_after: Vec<Option<u64>>,
}

impl FakeTables {
    pub(crate) fn state(&self) -> MutexGuard<'_, TablesState> {
        self.state.lock().unwrap()
    }

    /// Executes a call with the next fault.
    async fn execute<T>(
        &self,
        act: impl FnOnce(&mut TablesState) -> Result<T, Status>,
    ) -> Result<Response<T>, Status> {
        let fault = self.state().call_faults.pop_front();
        match fault {
            None => act(&mut self.state()).map(Response::new),
            Some(CallFault::BeforeExecution(status)) => Err(status),
            Some(CallFault::AfterExecution(status)) => {
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
impl TableService for FakeTables {
    async fn create_table(
        &self,
        request: Request<wire::CreateTableRequest>,
    ) -> Result<Response<wire::CreateTableResponse>, Status> {
        let authorization =
            request.metadata().get("authorization").map(|key| key.to_str().unwrap().to_owned());
        let id = request.into_inner().request_id;
        // Requests are recorded whether they are executed or not.
        self.state().request_ids.push(id.clone());
        self.state().authorizations.push(authorization);
        self.execute(|_| Ok(wire::CreateTableResponse { table: table(&id), ..Default::default() })).await
    }

    async fn join_table(
        &self,
        request: Request<wire::JoinTableRequest>,
    ) -> Result<Response<wire::JoinTableResponse>, Status> {
        let request = request.into_inner();
        self.state().joins.push(request.clone());
        let token = String::from("swordfish");
        let reply = wire::JoinTableResponse { seat: 1, seat_token: token, table: table(&request.table_id) };
        self.execute(|_| Ok(reply)).await
    }

    async fn get_table(
        &self,
        request: Request<wire::GetTableRequest>,
    ) -> Result<Response<wire::GetTableResponse>, Status> {
        let request = request.into_inner();
        self.execute(|_| Ok(wire::GetTableResponse { table: table(&request.table_id), result_texts: None }))
            .await
    }

    async fn list_tables(
        &self,
        request: Request<wire::ListTablesRequest>,
    ) -> Result<Response<wire::ListTablesResponse>, Status> {
        let request = request.into_inner();
        self.execute(|state| {
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
        self.execute(|state| {
            state.followed_after.push(after);
            let first = after.unwrap_or(5);
            let news =
                move |number| wire::TableNews { number, table_id: number.to_string(), ..Default::default() };
            let start = wire::FollowTablesResponse { number: first, ..Default::default() };
            let rest = (first + 1..=state.news).collect::<Vec<_>>();
            let messages = rest.chunks(3).map(|numbers| wire::FollowTablesResponse {
                // Each message repeats the last news of the one before.
                news: std::iter::once(numbers[0].saturating_sub(1))
                    .chain(numbers.iter().copied())
                    .map(news)
                    .collect(),
                number: numbers[numbers.len() - 1],
                ..Default::default()
            });
            let messages: Vec<_> = std::iter::once(start).chain(messages).map(Ok).collect();
            let stream: Self::FollowTablesStream = match state.stream_lengths.pop_front() {
                Some(length) => {
                    let broken =
                        stream::iter([Err(Status::unavailable("the fake server breaks the stream"))]);
                    Box::pin(stream::iter(messages).take(length).chain(broken))
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
        self.execute(|_| Ok(wire::ReplaceSeatResponse { table: table(&request.table_id) })).await
    }

    async fn rematch(
        &self,
        request: Request<wire::RematchRequest>,
    ) -> Result<Response<wire::RematchResponse>, Status> {
        let request = request.into_inner();
        self.state().request_ids.push(request.request_id);
        self.execute(|_| {
            Ok(wire::RematchResponse { table: table(&request.seat_token), ..Default::default() })
        })
        .await
    }

    async fn resign_seat(
        &self,
        request: Request<wire::ResignSeatRequest>,
    ) -> Result<Response<wire::ResignSeatResponse>, Status> {
        assert!(request.into_inner().seat.is_some());
        self.execute(|_| Ok(wire::ResignSeatResponse {})).await
    }

    async fn cancel_table(
        &self,
        request: Request<wire::CancelTableRequest>,
    ) -> Result<Response<wire::CancelTableResponse>, Status> {
        let request = request.into_inner();
        self.execute(|_| Ok(wire::CancelTableResponse { table: table(&request.note) })).await
    }

    async fn delete_table(
        &self,
        request: Request<wire::DeleteTableRequest>,
    ) -> Result<Response<wire::DeleteTableResponse>, Status> {
        let id = request.into_inner().table_id;
        self.execute(|state| {
            if state.deleted.contains(&id) {
                return Err(super::calls::status_with_reason(tonic::Code::NotFound, "TABLE_NOT_FOUND"));
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
        self.execute(|_| Ok(wire::CreateSpectatorTokenResponse { spectator_token })).await
    }

    async fn reissue_seat_token(
        &self,
        request: Request<wire::ReissueSeatTokenRequest>,
    ) -> Result<Response<wire::ReissueSeatTokenResponse>, Status> {
        self.state().request_ids.push(request.into_inner().request_id);
        let seat_token = String::from("swordfish");
        self.execute(|_| Ok(wire::ReissueSeatTokenResponse { seat_token })).await
    }

    async fn create_invite(
        &self,
        request: Request<wire::CreateInviteRequest>,
    ) -> Result<Response<wire::CreateInviteResponse>, Status> {
        self.state().request_ids.push(request.into_inner().request_id);
        let invite = Some(wire::Invite { number: 1, uses: 1, ..Default::default() });
        let secret = String::from("swordfish");
        self.execute(|_| Ok(wire::CreateInviteResponse { invite, secret })).await
    }

    async fn list_invites(
        &self,
        _: Request<wire::ListInvitesRequest>,
    ) -> Result<Response<wire::ListInvitesResponse>, Status> {
        self.execute(|_| Ok(wire::ListInvitesResponse::default())).await
    }

    async fn revoke_invite(
        &self,
        _: Request<wire::RevokeInviteRequest>,
    ) -> Result<Response<wire::RevokeInviteResponse>, Status> {
        self.execute(|_| Ok(wire::RevokeInviteResponse {})).await
    }
}
