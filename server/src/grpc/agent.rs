//! AgentService: connecting agents, and listing them.
//!
//! The messages of Connect are encoded where they are made, so the method has a codec of its own ([`EncodedCodec`]) and is
//! routed here instead of by generated code.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use parlor_fields::InvalidField;
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
use super::routes::{AnswerFuture, no_such_method};
use super::table::{caller, with_scope};
use super::{AppState, Failure, convert};
use crate::identity::{Caller, Scope};

/// AgentService.
#[derive(Clone, Debug)]
pub struct Agents(pub Arc<AppState>);

impl NamedService for Agents {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for Agents {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = AnswerFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> AnswerFuture {
        let agents = self.clone();
        let limit = self.0.settings.limits.message_bytes.bytes();
        match request.uri().path() {
            "/parlor.v1.AgentService/Connect" => Box::pin(async move {
                let mut grpc = Grpc::new(EncodedCodec::default()).max_decoding_message_size(limit);
                Ok(grpc.streaming(service_fn(|request| agents.connect(request)), request).await)
            }),
            "/parlor.v1.AgentService/ListAgents" => Box::pin(async move {
                let mut grpc = Grpc::new(Codec::default()).max_decoding_message_size(limit);
                Ok(grpc.unary(service_fn(|request| agents.list_agents(request)), request).await)
            }),
            _ => no_such_method(),
        }
    }
}

/// An agent that was let in, and what it has said already.
struct Arrived {
    agent: AgentStream,
    outbox: StreamReceiver,
    first: Vec<v1::PlayRequestItem>,
    requests: Streaming<v1::ConnectRequest>,
}

impl Agents {
    /// BlockedOn for the hello of an agent, and lets it in.
    async fn arrive(
        &self,
        caller: &Caller,
        mut requests: Streaming<v1::ConnectRequest>,
    ) -> Result<Arrived, Status> {
        let within = self.0.settings.agents.hello_within.get();
        let hello = tokio::select! {
            hello = requests.message() => hello?,
            () = self.0.host.sleep(within) => None,
        };
        let Some(hello) = hello else {
            let why = "must be set in the first message, which must come soon";
            return Err(Failure::from(InvalidField::at("hello", why)).into());
        };
        let (arrival, first) = convert::hello(hello, caller)?;
        let (agent, outbox) = self.0.host.connect(arrival).await.map_err(Failure::from)?;
        Ok(Arrived { agent, outbox, first, requests })
    }

    /// All that an agent is responses, its welcome first.
    fn responses(&self, arrived: Arrived) -> impl Stream<Item = Result<EncodedMessage, Status>> + use<> {
        let Arrived { agent, outbox, first, requests } = arrived;
        let welcome = v1::ConnectResponse { welcome: Some(convert::welcome(&agent)), ..Default::default() };
        let welcome = EncodedMessage(welcome.encode_to_vec());
        let inbound = InboundStream::Agent(Box::new(agent));
        stream::iter([Ok(welcome)])
            .chain(bidirectional::<_, v1::ConnectResponse>(inbound, outbox, first, requests))
    }
}

impl Agents {
    async fn connect(
        &self,
        request: Request<Streaming<v1::ConnectRequest>>,
    ) -> Result<Response<BoxStream<'static, Result<EncodedMessage, Status>>>, Status> {
        let caller = with_scope(&request, Scope::Agents)?;
        let (agents, requests, span) = (self.clone(), request.into_inner(), Span::current());
        // The call is answered at once: some clients send nothing before it is.
        let arriving = async move {
            let arrived = agents.arrive(&caller, requests).await?;
            Ok::<_, Status>(agents.responses(arrived))
        };
        Ok(Response::new(stream::once(arriving.instrument(span)).try_flatten().boxed()))
    }

    async fn list_agents(
        &self,
        request: Request<v1::ListAgentsRequest>,
    ) -> Result<Response<v1::ListAgentsResponse>, Status> {
        let caller = caller(&request);
        let convert::AgentPage { filter, after, size } = convert::list_agents(request.into_inner())?;
        let (looks, is_more) = self.0.host.agents().list(&filter, after.as_deref(), size);
        let next = looks.last().filter(|_| is_more).map(|look| look.identity.name.clone());
        Ok(Response::new(v1::ListAgentsResponse {
            agents: looks.iter().map(|look| convert::agent(look, caller.as_ref())).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }
}
