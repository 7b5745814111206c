//! AgentService: connecting agents, and listing them.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use parlor_proto::convert::WrongField;
use parlor_proto::frame::Frame;
use parlor_proto::v1::{self, agent_service_server::AgentService};
use tonic::{Request, Response, Status, Streaming, async_trait};
use tracing::{Instrument, Span};

use super::ear::{Speaker, converse};
use super::framed::{Nothing, framed};
use super::heard::Heard;
use super::table::{caller, with_scope};
use super::{Failure, Parlour};
use crate::host::{AgentStream, Outbox};
use crate::identity::{Caller, Scope};
use crate::wire;

/// Agents.
#[derive(Clone, Debug)]
pub struct Agents(pub Arc<Parlour>);

/// An agent that was let in, and what it has said already.
struct Arrived {
    agent: AgentStream,
    outbox: Outbox,
    first: Vec<v1::PlayRequestItem>,
    requests: Heard<v1::ConnectRequest>,
}

impl Agents {
    /// Waits for the hello of an agent, and lets it in.
    async fn arrive(
        &self,
        caller: &Caller,
        mut requests: Heard<v1::ConnectRequest>,
    ) -> Result<Arrived, Status> {
        let within = self.0.settings.agents.hello_within.get();
        let hello = tokio::select! {
            hello = requests.message() => hello?,
            () = self.0.host.wait(within) => None,
        };
        let Some(hello) = hello else {
            let why = "must be set in the first message, which must come soon";
            return Err(Failure::from(WrongField::at("hello", why)).into());
        };
        let (arrival, first) = wire::hello(hello, caller)?;
        let (agent, outbox) = self.0.host.connect(arrival).await.map_err(Failure::from)?;
        Ok(Arrived { agent, outbox, first, requests })
    }

    /// All that an agent is told, its welcome first.
    fn told(&self, arrived: Arrived) -> impl Stream<Item = Result<Bytes, Status>> + use<> {
        let Arrived { agent, outbox, first, requests } = arrived;
        let welcome = v1::ConnectResponse { welcome: Some(wire::welcome(&agent)), ..Default::default() };
        let welcome = Frame::default().finish(&welcome);
        let speaker = Speaker::Agent(Box::new(agent));
        stream::iter([Ok(welcome)])
            .chain(converse::<_, v1::ConnectResponse>(speaker, outbox, first, requests))
    }
}

#[async_trait]
impl AgentService for Agents {
    type ConnectStream = Nothing<v1::ConnectResponse>;

    async fn connect(
        &self,
        request: Request<Streaming<v1::ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let caller = with_scope(&request, Scope::Agents)?;
        let (agents, requests, span) = (self.clone(), Heard::of(request)?, Span::current());
        // The call is answered at once: some clients say nothing before it is.
        let arriving = async move {
            let arrived = agents.arrive(&caller, requests).await?;
            Ok::<_, Status>(agents.told(arrived))
        };
        Ok(framed(Box::pin(stream::once(arriving.instrument(span)).try_flatten())))
    }

    async fn list_agents(
        &self,
        request: Request<v1::ListAgentsRequest>,
    ) -> Result<Response<v1::ListAgentsResponse>, Status> {
        let caller = caller(&request);
        let wire::AgentPage { filter, after, size } = wire::list_agents(request.into_inner())?;
        let (looks, is_more) = self.0.host.agents().list(&filter, after.as_deref(), size);
        let next = looks.last().filter(|_| is_more).map(|look| look.who.name.clone());
        Ok(Response::new(v1::ListAgentsResponse {
            agents: looks.iter().map(|look| wire::agent(look, caller.as_ref())).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }
}
