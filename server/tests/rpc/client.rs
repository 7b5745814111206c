//! `Client`: a gRPC client with or without an API key, with one method per RPC.

use std::{collections::HashMap, time::Duration};

use parlor_proto::v1::{
    self, ErrorReason, agent_service_client::AgentServiceClient,
    catalogue_service_client::CatalogueServiceClient, play_service_client::PlayServiceClient,
    record_service_client::RecordServiceClient, table_service_client::TableServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use parlor_server::grpc::{ERROR_DOMAIN, reason_name, status_code};
use tonic::{
    Request, Response, Status, Streaming,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};
use tonic_types::StatusExt;

use crate::test_server::with_timeout;

/// The error of a failed call, with its details.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(crate) reason: ErrorReason,
    pub(crate) metadata: HashMap<String, String>,
    /// Paths of the invalid fields.
    pub(crate) fields: Vec<String>,
    pub(crate) retry: Option<Duration>,
    pub(crate) message: String,
}

impl RpcError {
    /// Decodes a status, and checks the contract of every error of the server: a known reason with its status
    /// code, a message of one line, a description of each field violation.
    pub(crate) fn from_status(status: &Status) -> RpcError {
        let details = status.get_error_details();
        let info = details.error_info().unwrap_or_else(|| panic!("an error without a reason: {status:?}"));
        assert_eq!(info.domain, ERROR_DOMAIN);
        let all = (0..).map_while(|number| ErrorReason::try_from(number).ok());
        let reason = all.into_iter().find(|reason| reason_name(*reason) == info.reason);
        let reason = reason.unwrap_or_else(|| panic!("unknown reason: {}", info.reason));
        assert_eq!(status.code(), status_code(reason), "{reason:?}");
        let message = status.message().to_owned();
        assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
        let violations = details.bad_request().map(|bad| bad.field_violations.clone()).unwrap_or_default();
        let all_described = violations.iter().all(|violation| !violation.description.is_empty());
        assert!(all_described, "{violations:?}");
        RpcError {
            reason,
            metadata: info.metadata.clone(),
            fields: violations.into_iter().map(|violation| violation.field).collect(),
            retry: details.retry_info().and_then(|info| info.retry_delay),
            message,
        }
    }
}

/// The reason of a call that must have failed.
pub(crate) fn error_reason<T>(result: Result<T, RpcError>) -> ErrorReason {
    match result {
        Ok(_) => panic!("the call should have failed"),
        Err(error) => error.reason,
    }
}

/// Adds the `authorization` header, if there is an API key.
#[derive(Clone, Debug)]
pub(crate) struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert("authorization", key.clone());
        }
        Ok(request)
    }
}

type AuthorizedChannel = InterceptedService<Channel, Bearer>;

/// A client of every service, over one connection.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    channel: Channel,
    bearer: Bearer,
}

macro_rules! calls {
    ($($service:ident: $($call:ident($request:ident) -> $response:ident),*;)*) => {
        $($(
            pub(crate) async fn $call(&self, request: v1::$request) -> Result<v1::$response, RpcError> {
                let response = with_timeout(self.$service().$call(request)).await;
                response.map(Response::into_inner).map_err(|status| RpcError::from_status(&status))
            }
        )*)*
    };
}

impl Client {
    pub(crate) fn new(channel: Channel, key: Option<&str>) -> Client {
        let bearer = key.map(|key| format!("Bearer {key}").parse().expect("printable text"));
        Client { channel, bearer: Bearer(bearer) }
    }

    pub(crate) fn catalogue(&self) -> CatalogueServiceClient<AuthorizedChannel> {
        CatalogueServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn tables(&self) -> TableServiceClient<AuthorizedChannel> {
        TableServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn play(&self) -> PlayServiceClient<AuthorizedChannel> {
        PlayServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn records(&self) -> RecordServiceClient<AuthorizedChannel> {
        RecordServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn agents(&self) -> AgentServiceClient<AuthorizedChannel> {
        AgentServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn tournaments(&self) -> TournamentServiceClient<AuthorizedChannel> {
        TournamentServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    calls! {
        catalogue:
            list_games(ListGamesRequest) -> ListGamesResponse,
            get_rules(GetRulesRequest) -> GetRulesResponse,
            list_house_bots(ListHouseBotsRequest) -> ListHouseBotsResponse;
        tables:
            create_table(CreateTableRequest) -> CreateTableResponse,
            join_table(JoinTableRequest) -> JoinTableResponse,
            get_table(GetTableRequest) -> GetTableResponse,
            list_tables(ListTablesRequest) -> ListTablesResponse,
            replace_seat(ReplaceSeatRequest) -> ReplaceSeatResponse,
            rematch(RematchRequest) -> RematchResponse,
            resign_seat(ResignSeatRequest) -> ResignSeatResponse,
            cancel_table(CancelTableRequest) -> CancelTableResponse,
            delete_table(DeleteTableRequest) -> DeleteTableResponse,
            create_spectator_token(CreateSpectatorTokenRequest) -> CreateSpectatorTokenResponse,
            reissue_seat_token(ReissueSeatTokenRequest) -> ReissueSeatTokenResponse,
            create_invite(CreateInviteRequest) -> CreateInviteResponse,
            list_invites(ListInvitesRequest) -> ListInvitesResponse,
            revoke_invite(RevokeInviteRequest) -> RevokeInviteResponse;
        play:
            act(ActRequest) -> ActResponse,
            reveal_entropy(RevealEntropyRequest) -> RevealEntropyResponse;
        records:
            get_record(GetRecordRequest) -> GetRecordResponse,
            list_records(ListRecordsRequest) -> ListRecordsResponse;
        agents:
            list_agents(ListAgentsRequest) -> ListAgentsResponse;
        tournaments:
            create_tournament(CreateTournamentRequest) -> CreateTournamentResponse,
            start_tournament(StartTournamentRequest) -> StartTournamentResponse,
            reveal_tournament_entropy(RevealTournamentEntropyRequest) -> RevealTournamentEntropyResponse,
            get_tournament(GetTournamentRequest) -> GetTournamentResponse,
            list_tournaments(ListTournamentsRequest) -> ListTournamentsResponse,
            get_standings(GetStandingsRequest) -> GetStandingsResponse,
            list_tournament_tables(ListTournamentTablesRequest) -> ListTournamentTablesResponse,
            pause_tournament(PauseTournamentRequest) -> PauseTournamentResponse,
            resume_tournament(ResumeTournamentRequest) -> ResumeTournamentResponse,
            cancel_tournament(CancelTournamentRequest) -> CancelTournamentResponse,
            withdraw_entrant(WithdrawEntrantRequest) -> WithdrawEntrantResponse,
            void_group(VoidGroupRequest) -> VoidGroupResponse;
    }

    /// Opens FollowTables: the news of the tables that the caller owns.
    pub(crate) async fn follow_tables(&self, after: Option<u64>) -> Result<TableNewsStream, RpcError> {
        let response =
            with_timeout(self.tables().follow_tables(v1::FollowTablesRequest { after, turns: false })).await;
        response
            .map(|news| TableNewsStream::new(news.into_inner()))
            .map_err(|status| RpcError::from_status(&status))
    }
}

/// Reads FollowTables.
pub(crate) struct TableNewsStream {
    stream: Streaming<v1::FollowTablesResponse>,
    /// News that were received and not yet taken.
    buffered: std::collections::VecDeque<v1::TableNews>,
    /// The number of the last message: the client has all news up to it.
    pub(crate) number: u64,
}

impl TableNewsStream {
    fn new(stream: Streaming<v1::FollowTablesResponse>) -> TableNewsStream {
        TableNewsStream { stream, buffered: Default::default(), number: 0 }
    }

    /// Reads one message into the buffer.
    pub(crate) async fn read(&mut self) -> Result<(), RpcError> {
        let message =
            with_timeout(self.stream.message()).await.map_err(|status| RpcError::from_status(&status))?;
        let message = message.expect("an open stream");
        assert!(message.number >= self.number, "{} after {}", message.number, self.number);
        if let Some(last) = message.news.last() {
            assert_eq!(last.number, message.number);
        }
        self.number = message.number;
        self.buffered.extend(message.news);
        Ok(())
    }

    /// The next feed item.
    pub(crate) async fn next(&mut self) -> v1::TableNews {
        while self.buffered.is_empty() {
            self.read().await.expect("news");
        }
        self.buffered.pop_front().expect("a buffered item")
    }

    /// Reads until the stream fails, and returns its error.
    pub(crate) async fn error(&mut self) -> RpcError {
        loop {
            if let Err(error) = self.read().await {
                return error;
            }
        }
    }
}
