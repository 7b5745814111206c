//! The gRPC service that the agent connects to, over connections that can be cut.

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

/// Maximum time for the first message of a client.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// Capacity of the queues of new connections and of outgoing messages.
const QUEUE_CAPACITY: usize = 16;

/// A listening server for agents. Its tasks end when it is dropped.
pub(crate) struct ExamServer {
    address: SocketAddr,
    arrivals: mpsc::Receiver<AgentConnection>,
    cut: watch::Sender<u64>,
    tasks: [AbortHandle; 2],
    /// Set once the agent's process has ended; `None` if the process is somebody else's.
    ended: Option<watch::Receiver<bool>>,
}

impl Drop for ExamServer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl ExamServer {
    /// Binds an address and starts serving.
    pub(crate) async fn bind(address: SocketAddr) -> io::Result<ExamServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (cut, cuts) = watch::channel(0);
        let (connected, connections) = mpsc::channel(QUEUE_CAPACITY);
        let accepting = tokio::spawn(accept(listener, cuts, connected)).abort_handle();
        let (arrived, arrivals) = mpsc::channel(QUEUE_CAPACITY);
        let connections = stream::unfold(connections, async |mut connections| {
            Some((Ok::<_, io::Error>(connections.recv().await?), connections))
        });
        let service = AgentServiceServer::new(Service { arrived });
        let serving = Server::builder().add_service(service).serve_with_incoming(connections);
        let serving = tokio::spawn(async move {
            // It runs until it is aborted.
            let _ = serving.await;
        });
        Ok(ExamServer { address, arrivals, cut, tasks: [accepting, serving.abort_handle()], ended: None })
    }

    /// The bound address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for no connection any longer once this is set: the agent's process has ended.
    pub(crate) fn expect_end(&mut self, ended: watch::Receiver<bool>) {
        self.ended = Some(ended);
    }

    /// Returns whether the agent's process has ended.
    pub(super) fn has_agent_ended(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| *ended.borrow())
    }

    /// The next connection, or `None` after the timeout or the end of the agent's process.
    pub(super) async fn next(&mut self, within: Duration) -> Option<AgentConnection> {
        let ended = self.ended.clone();
        let end = async {
            if let Some(mut ended) = ended
                && ended.wait_for(|ended| *ended).await.is_ok()
            {
                return;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            arrival = timeout(within, self.arrivals.recv()) => arrival.ok().flatten(),
            () = end => None,
        }
    }

    /// A connection that is already waiting.
    pub(super) fn try_next(&mut self) -> Option<AgentConnection> {
        self.arrivals.try_recv().ok()
    }

    /// Cuts all connections, as a network failure would.
    pub(super) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

/// Accepts connections, and forwards each to the service until it is cut.
async fn accept(listener: TcpListener, cuts: watch::Receiver<u64>, connected: mpsc::Sender<DuplexStream>) {
    let mut open = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        // An error only costs latency.
        let _ = client.set_nodelay(true);
        while open.try_join_next().is_some() {}
        let (server, other) = duplex(256 * 1024);
        let mut cuts = cuts.clone();
        cuts.mark_unchanged();
        open.spawn(forward(client, other, cuts));
        if connected.send(server).await.is_err() {
            return;
        }
    }
}

async fn forward(mut client: TcpStream, mut server: DuplexStream, mut cuts: watch::Receiver<u64>) {
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = cuts.changed() => {}
    }
}

/// A connected agent, after its first message.
pub(super) struct AgentConnection {
    /// First message.
    pub(super) first: wire::ConnectRequest,
    /// Set if the call carried an API key.
    pub(super) has_key: bool,
    requests: Streaming<wire::ConnectRequest>,
    responses: mpsc::Sender<Result<wire::ConnectResponse, Status>>,
}

impl AgentConnection {
    /// Sends a message. A closed connection is detected by the next read.
    pub(super) async fn send(&self, response: wire::ConnectResponse) {
        let _ = self.responses.send(Ok(response)).await;
    }

    /// The next message; `None` if the stream has ended.
    pub(super) async fn next(&mut self) -> Option<wire::ConnectRequest> {
        self.requests.message().await.ok().flatten()
    }
}

struct Service {
    arrived: mpsc::Sender<AgentConnection>,
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
        let first = timeout(HELLO_TIMEOUT, requests.message()).await;
        let first =
            first.map_err(|_| Status::deadline_exceeded("no message received: send hello first"))??;
        let first = first.ok_or_else(|| Status::invalid_argument("no message received: send hello first"))?;
        let (responses, sent) = mpsc::channel(QUEUE_CAPACITY);
        let connection = AgentConnection { first, has_key, requests, responses };
        self.arrived.send(connection).await.map_err(|_| Status::unavailable("the checks are over"))?;
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
