//! The service that agents connect to, over connections that can be cut.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use futures_util::stream::{self, Stream};
use parlor_proto::v1::agent_service_server::{AgentService, AgentServiceServer};
use parlor_sdk::wire;
use tokio::io::{DuplexStream, copy_bidirectional, duplex};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

/// How long a client has for its first message.
const HELLO: Duration = Duration::from_secs(10);

/// How many connections wait to be looked at, and how many messages wait to be sent.
const WAITING: usize = 16;

/// Where agents connect.
pub(crate) struct Line {
    address: SocketAddr,
    arrivals: mpsc::Receiver<Connection>,
    cut: watch::Sender<u64>,
    tasks: [AbortHandle; 2],
}

impl Drop for Line {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Line {
    /// Listens at an address.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Line> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (cut, cuts) = watch::channel(0);
        let (connected, connections) = mpsc::channel(WAITING);
        let accepting = tokio::spawn(accept(listener, cuts, connected)).abort_handle();
        let (tell, arrivals) = mpsc::channel(WAITING);
        let connections = stream::unfold(connections, async |mut connections| {
            Some((Ok::<_, io::Error>(connections.recv().await?), connections))
        });
        let service = AgentServiceServer::new(Service { tell });
        let serving = Server::builder().add_service(service).serve_with_incoming(connections);
        let serving = tokio::spawn(async move {
            // It ends with this program.
            let _ = serving.await;
        });
        Ok(Line { address, arrivals, cut, tasks: [accepting, serving.abort_handle()] })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next one who connects, if somebody does in time.
    pub(super) async fn next(&mut self, within: Duration) -> Option<Connection> {
        timeout(within, self.arrivals.recv()).await.ok().flatten()
    }

    /// Somebody who has connected already.
    pub(super) fn waiting(&mut self) -> Option<Connection> {
        self.arrivals.try_recv().ok()
    }

    /// Breaks every connection there is, as a network does.
    pub(super) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

/// Passes every connection on to the service until they are cut.
async fn accept(listener: TcpListener, cuts: watch::Receiver<u64>, connected: mpsc::Sender<DuplexStream>) {
    let mut open = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        // What cannot be set is only slower.
        let _ = client.set_nodelay(true);
        while open.try_join_next().is_some() {}
        let (server, other) = duplex(256 * 1024);
        let mut cuts = cuts.clone();
        cuts.mark_unchanged();
        open.spawn(pass(client, other, cuts));
        if connected.send(server).await.is_err() {
            return;
        }
    }
}

async fn pass(mut client: TcpStream, mut server: DuplexStream, mut cuts: watch::Receiver<u64>) {
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = cuts.changed() => {}
    }
}

/// An agent that has connected, and has said its first word.
pub(super) struct Connection {
    /// The first message.
    pub(super) first: wire::ConnectRequest,
    /// Whether the call came with an API key.
    pub(super) has_key: bool,
    requests: Streaming<wire::ConnectRequest>,
    responses: mpsc::Sender<Result<wire::ConnectResponse, Status>>,
}

impl Connection {
    /// Sends a message. If nobody is there any more, that shows when the next one is read.
    pub(super) async fn send(&self, response: wire::ConnectResponse) {
        let _ = self.responses.send(Ok(response)).await;
    }

    /// What the agent says next; none when it has gone.
    pub(super) async fn next(&mut self) -> Option<wire::ConnectRequest> {
        self.requests.message().await.ok().flatten()
    }
}

struct Service {
    tell: mpsc::Sender<Connection>,
}

#[tonic::async_trait]
impl AgentService for Service {
    type ConnectStream = Pin<Box<dyn Stream<Item = Result<wire::ConnectResponse, Status>> + Send>>;

    async fn connect(
        &self,
        request: Request<Streaming<wire::ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let has_key = request.metadata().contains_key("authorization");
        let mut requests = request.into_inner();
        let first = timeout(HELLO, requests.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("nothing was said: say hello first"))??;
        let first = first.ok_or_else(|| Status::invalid_argument("nothing was said: say hello first"))?;
        let (responses, sent) = mpsc::channel(WAITING);
        let connection = Connection { first, has_key, requests, responses };
        self.tell.send(connection).await.map_err(|_| Status::unavailable("the checks are over"))?;
        let sent = stream::unfold(sent, async |mut sent| Some((sent.recv().await?, sent)));
        Ok(Response::new(Box::pin(sent)))
    }

    async fn list_agents(
        &self,
        _: Request<wire::ListAgentsRequest>,
    ) -> Result<Response<wire::ListAgentsResponse>, Status> {
        Ok(Response::new(wire::ListAgentsResponse::default()))
    }
}
