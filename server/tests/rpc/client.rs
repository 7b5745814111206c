//! Somebody who calls the server, with an API key or without: one method an RPC.

use std::{collections::HashMap, time::Duration};

use parlor_proto::v1::{
    self, ErrorReason, agent_service_client::AgentServiceClient,
    catalogue_service_client::CatalogueServiceClient, play_service_client::PlayServiceClient,
    record_service_client::RecordServiceClient, table_service_client::TableServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use parlor_server::grpc::{DOMAIN, code, name};
use tonic::{
    Request, Response, Status, Streaming,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};
use tonic_types::StatusExt;

use crate::test_server::soon;

/// A call that was refused, with all that a client is told about why.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) reason: ErrorReason,
    pub(crate) metadata: HashMap<String, String>,
    /// The wrong fields, by their paths.
    pub(crate) fields: Vec<String>,
    pub(crate) retry: Option<Duration>,
    pub(crate) message: String,
}

impl Refused {
    /// Reads what every error of this server has: a reason, its status, and one line for a person.
    pub(crate) fn of(status: &Status) -> Refused {
        let details = status.get_error_details();
        let info = details.error_info().unwrap_or_else(|| panic!("an error without a reason: {status:?}"));
        assert_eq!(info.domain, DOMAIN);
        let all = (0..).map_while(|number| ErrorReason::try_from(number).ok());
        let reason = all.into_iter().find(|reason| name(*reason) == info.reason);
        let reason = reason.unwrap_or_else(|| panic!("a reason that no client knows: {}", info.reason));
        assert_eq!(status.code(), code(reason), "{reason:?}");
        let message = status.message().to_owned();
        assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
        let violations = details.bad_request().map(|bad| bad.field_violations.clone()).unwrap_or_default();
        let is_told = violations.iter().all(|violation| !violation.description.is_empty());
        assert!(is_told, "{violations:?}");
        Refused {
            reason,
            metadata: info.metadata.clone(),
            fields: violations.into_iter().map(|violation| violation.field).collect(),
            retry: details.retry_info().and_then(|info| info.retry_delay),
            message,
        }
    }
}

/// Why a call was refused, which it was.
pub(crate) fn why<T>(answer: Result<T, Refused>) -> ErrorReason {
    match answer {
        Ok(_) => panic!("this should have been refused"),
        Err(refused) => refused.reason,
    }
}

/// The key, if there is one.
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

type Way = InterceptedService<Channel, Bearer>;

/// Somebody who calls.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    channel: Channel,
    bearer: Bearer,
}

macro_rules! calls {
    ($($service:ident: $($call:ident($request:ident) -> $response:ident),*;)*) => {
        $($(
            pub(crate) async fn $call(&self, request: v1::$request) -> Result<v1::$response, Refused> {
                let answer = soon(self.$service().$call(request)).await;
                answer.map(Response::into_inner).map_err(|status| Refused::of(&status))
            }
        )*)*
    };
}

impl Caller {
    pub(crate) fn new(channel: Channel, key: Option<&str>) -> Caller {
        let bearer = key.map(|key| format!("Bearer {key}").parse().expect("printable text"));
        Caller { channel, bearer: Bearer(bearer) }
    }

    pub(crate) fn catalogue(&self) -> CatalogueServiceClient<Way> {
        CatalogueServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn tables(&self) -> TableServiceClient<Way> {
        TableServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn play(&self) -> PlayServiceClient<Way> {
        PlayServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn records(&self) -> RecordServiceClient<Way> {
        RecordServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn agents(&self) -> AgentServiceClient<Way> {
        AgentServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    pub(crate) fn tournaments(&self) -> TournamentServiceClient<Way> {
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
            reissue_seat_token(ReissueSeatTokenRequest) -> ReissueSeatTokenResponse;
        play:
            act(ActRequest) -> ActResponse;
        records:
            get_record(GetRecordRequest) -> GetRecordResponse,
            list_records(ListRecordsRequest) -> ListRecordsResponse;
        agents:
            list_agents(ListAgentsRequest) -> ListAgentsResponse;
        tournaments:
            create_tournament(CreateTournamentRequest) -> CreateTournamentResponse,
            start_tournament(StartTournamentRequest) -> StartTournamentResponse,
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

    /// The life of the caller's tables.
    pub(crate) async fn follow_tables(&self, after: Option<u64>) -> Result<News, Refused> {
        let answer = soon(self.tables().follow_tables(v1::FollowTablesRequest { after })).await;
        answer.map(|news| News::new(news.into_inner())).map_err(|status| Refused::of(&status))
    }
}

/// The life of somebody's tables, as it comes.
pub(crate) struct News {
    stream: Streaming<v1::FollowTablesResponse>,
    /// What has come and was not asked for yet.
    waiting: std::collections::VecDeque<v1::TableNews>,
    /// The number up to which the client is informed.
    pub(crate) number: u64,
}

impl News {
    fn new(stream: Streaming<v1::FollowTablesResponse>) -> News {
        News { stream, waiting: Default::default(), number: 0 }
    }

    /// Reads one message.
    pub(crate) async fn read(&mut self) -> Result<(), Refused> {
        let message = soon(self.stream.message()).await.map_err(|status| Refused::of(&status))?;
        let message = message.expect("news go on");
        assert!(message.number >= self.number, "{} after {}", message.number, self.number);
        if let Some(last) = message.news.last() {
            assert_eq!(last.number, message.number);
        }
        self.number = message.number;
        self.waiting.extend(message.news);
        Ok(())
    }

    /// The next news.
    pub(crate) async fn next(&mut self) -> v1::TableNews {
        while self.waiting.is_empty() {
            self.read().await.expect("news");
        }
        self.waiting.pop_front().expect("some are there")
    }

    /// Why the stream ends, when it does so with an error.
    pub(crate) async fn refused(&mut self) -> Refused {
        loop {
            if let Err(refused) = self.read().await {
                return refused;
            }
        }
    }
}
