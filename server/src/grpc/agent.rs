//! AgentService: Connect and ListAgents.
//!
//! The host encodes the messages of Connect, so the method uses [`EncodedCodec`] and is routed here instead
//! of by generated code.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use parlor_fields::InvalidField;
use parlor_host::limits::StreamAllowance;
use parlor_host::{AgentStream, StreamReceiver};
use parlor_proto::codec::{Codec, EncodedCodec, EncodedMessage};
use parlor_proto::v1::{self, agent_service_server::SERVICE_NAME};
use prost::Message;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService};
use tonic::{Request, Response, Status, Streaming};
use tower::{Service, service_fn};
use tracing::{Instrument, Span};

use super::inbound::{InboundStream, bidirectional};
use super::layer::limits::stream_allowance;
use super::revocation::until_revoked;
use super::routes::{ResponseFuture, unknown_method};
use super::table::{caller, with_scope};
use super::{AppState, Failure, convert};
use crate::identity::{Caller, Scope};

/// Implementation of AgentService.
#[derive(Clone, Debug)]
pub struct Agents(pub Arc<AppState>);

impl NamedService for Agents {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for Agents {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> ResponseFuture {
        let agents = self.clone();
        let max_bytes = self.0.settings.limits.message_bytes.bytes();
        match request.uri().path() {
            "/parlor.v1.AgentService/Connect" => Box::pin(async move {
                let mut grpc = Grpc::new(EncodedCodec::default()).max_decoding_message_size(max_bytes);
                Ok(grpc.streaming(service_fn(|request| agents.connect(request)), request).await)
            }),
            "/parlor.v1.AgentService/ListAgents" => Box::pin(async move {
                let mut grpc = Grpc::new(Codec::default()).max_decoding_message_size(max_bytes);
                Ok(grpc.unary(service_fn(|request| agents.list_agents(request)), request).await)
            }),
            _ => unknown_method(),
        }
    }
}

/// A connected agent with the items of its first message.
struct ConnectedAgent {
    agent: AgentStream,
    outbox: StreamReceiver,
    first_items: Vec<v1::PlayRequestItem>,
    requests: Streaming<v1::ConnectRequest>,
}

impl Agents {
    /// Waits for the hello of an agent and connects it.
    async fn handshake(
        &self,
        caller: &Caller,
        allowance: StreamAllowance,
        mut requests: Streaming<v1::ConnectRequest>,
    ) -> Result<ConnectedAgent, Status> {
        let timeout = self.0.settings.agents.hello_within.get();
        let hello = tokio::select! {
            hello = requests.message() => hello?,
            () = self.0.host.sleep(timeout) => None,
        };
        let Some(hello) = hello else {
            let why = "must be set in the first message, which must come soon";
            return Err(Failure::from(InvalidField::at("hello", why)).into());
        };
        let (arrival, first_items) = convert::hello(hello, caller)?;
        arrival.profile.games.iter().try_for_each(|game| self.0.games().check(*game))?;
        let (agent, outbox) = self.0.host.connect(arrival, allowance).await.map_err(Failure::from)?;
        Ok(ConnectedAgent { agent, outbox, first_items, requests })
    }

    /// The response stream of an agent: the welcome, then its items.
    fn responses(
        &self,
        connected: ConnectedAgent,
    ) -> impl Stream<Item = Result<EncodedMessage, Status>> + use<> {
        let ConnectedAgent { agent, outbox, first_items, requests } = connected;
        let welcome = v1::ConnectResponse { welcome: Some(convert::welcome(&agent)), ..Default::default() };
        let welcome = EncodedMessage(welcome.encode_to_vec());
        let inbound = InboundStream::Agent(Box::new(agent));
        stream::iter([Ok(welcome)]).chain(bidirectional::<_, v1::ConnectResponse>(
            inbound,
            outbox,
            first_items,
            requests,
        ))
    }
}

impl Agents {
    async fn connect(
        &self,
        request: Request<Streaming<v1::ConnectRequest>>,
    ) -> Result<Response<BoxStream<'static, Result<EncodedMessage, Status>>>, Status> {
        let caller = with_scope(&request, Scope::Agents)?;
        let allowance = stream_allowance(&request);
        let (agents, requests, span) = (self.clone(), request.into_inner(), Span::current());
        // Response headers are sent before the hello arrives: some clients send nothing until they have them.
        let connecting = async move {
            let connected = agents.handshake(&caller, allowance, requests).await?;
            Ok::<_, Status>(until_revoked(agents.responses(connected), Some(caller)))
        };
        Ok(Response::new(stream::once(connecting.instrument(span)).try_flatten().boxed()))
    }

    async fn list_agents(
        &self,
        request: Request<v1::ListAgentsRequest>,
    ) -> Result<Response<v1::ListAgentsResponse>, Status> {
        let caller = caller(&request);
        let convert::AgentPage { filter, after, size } = convert::list_agents(request.into_inner())?;
        filter.game.map_or(Ok(()), |game| self.0.games().check(game))?;
        let owner = caller.as_ref().map(|caller| caller.owner().as_str());
        let (summaries, has_more) = self.0.host.agents().list(&filter, owner, after.as_deref(), size);
        let next = summaries.last().filter(|_| has_more).map(|agent| agent.identity.name.clone());
        Ok(Response::new(v1::ListAgentsResponse {
            agents: summaries.iter().map(|agent| convert::agent(agent, caller.as_ref())).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }
}
