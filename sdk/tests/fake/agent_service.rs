//! The fake AgentService: one agent, which is assigned every seat.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::StreamExt;
use parlor_proto::v1::agent_service_server::AgentService;
use parlor_sdk::wire;
use parlor_testkit::Proxy;
use tonic::{Request, Response, Status, Streaming};
use wire::stream_item::Item;

use super::fake_host::{AttachedChannel, FakeHost};
use super::play_service::{FakeStream, Responses};

pub(crate) struct FakeAgents {
    pub(crate) host: Arc<FakeHost>,
    pub(crate) proxy: Arc<Proxy>,
}

#[tonic::async_trait]
impl AgentService for FakeAgents {
    type ConnectStream = Responses<wire::ConnectResponse>;

    async fn connect(
        &self,
        request: Request<Streaming<wire::ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let make = |items, ending| wire::ConnectResponse { items, ending, ..Default::default() };
        let (mut stream, responses) = FakeStream::open(&self.host, &self.proxy, make)?;
        let mut requests = request.into_inner();
        let first = requests.message().await?.ok_or_else(|| Status::invalid_argument("no hello"))?;
        let hello = first.hello.expect("the first message says hello");
        assert!(first.items.is_empty(), "no items before the welcome");
        let seats = self.host.change(|state| {
            state.hellos.push(hello.clone());
            let bookmarks = hello.bookmarks.iter();
            bookmarks.for_each(|bookmark| assert_eq!(bookmark.seat, 1, "bookmarks name assigned seats"));
            state.seats.iter().filter(|(token, seat)| is_given(state, seat, token, Some(&hello))).count()
        });
        let welcome = wire::AgentWelcome { max_tables: 7, seats: seats as u32, set_aside: None };
        let response = wire::ConnectResponse { welcome: Some(welcome), ..Default::default() };
        stream.out.send(Ok(response)).await.expect("the client is connected");
        if self.host.look().suspends_agents {
            let set_aside = Some(wire::SetAside { message: "too slow".into(), ..Default::default() });
            let response = wire::ConnectResponse { set_aside, ..Default::default() };
            stream.out.send(Ok(response)).await.expect("the client is connected");
        }
        stream.given = Some(BTreeSet::new());
        let requests = requests.map(|request| {
            let request = request?;
            assert_eq!(request.hello, None, "only the first message has a hello");
            Ok(request.items)
        });
        tokio::spawn(stream.run(Box::pin(requests)));
        Ok(Response::new(responses))
    }

    async fn list_agents(
        &self,
        request: Request<wire::ListAgentsRequest>,
    ) -> Result<Response<wire::ListAgentsResponse>, Status> {
        let request = request.into_inner();
        let first: usize = request.page_token.parse().unwrap_or(0);
        let agent =
            |number: usize| wire::Agent { name: format!("{} {number}", request.game), ..Default::default() };
        let last = (first + request.page_size as usize).min(7);
        let next_page_token = if last < 7 { last.to_string() } else { String::new() };
        Ok(Response::new(wire::ListAgentsResponse {
            agents: (first..last).map(agent).collect(),
            next_page_token,
        }))
    }
}

/// True if a seat is assigned on a stream: a finished one only if the agent has a bookmark of it.
fn is_given(
    state: &super::fake_host::HostState,
    seat: &super::fake_host::Seat,
    token: &str,
    hello: Option<&wire::AgentHello>,
) -> bool {
    !seat.over || (!state.forgets_finished_tables && bookmark(hello, token).is_some())
}

fn bookmark(hello: Option<&wire::AgentHello>, token: &str) -> Option<u32> {
    let bookmarks = &hello?.bookmarks;
    bookmarks.iter().find(|known| known.table_id == format!("table of {token}")).map(|known| known.after)
}

impl<T: Send + 'static> FakeStream<T> {
    /// Assigns the seats not yet assigned on this stream, if it is an agent's.
    pub(crate) fn give(&mut self) -> Vec<wire::StreamItem> {
        let Some(given) = &mut self.given else { return Vec::new() };
        let state = self.host.look();
        let hello = state.hellos.last();
        let mut items = Vec::new();
        for (token, seat) in &state.seats {
            if !is_given(&state, seat, token, hello) || !given.insert(token.clone()) {
                continue;
            }
            let channel = 1000 + given.len() as u32;
            let table_id = format!("table of {token}");
            let (game, tournament_id) = (String::from("gap"), String::new());
            let item = Item::SeatGiven(wire::SeatGiven { table_id, seat: 1, game, tournament_id });
            items.push(wire::StreamItem { channel, item: Some(item) });
            self.channels.insert(channel, AttachedChannel::new(token.clone(), bookmark(hello, token)));
        }
        items
    }
}
