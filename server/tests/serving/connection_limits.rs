//! Limits and timeouts of connections: silent clients, clients that do not read, and floods.

use std::net::{Ipv4Addr, SocketAddr};

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, catalogue_service_client::CatalogueServiceClient, table_service_client::TableServiceClient,
};
use parlor_server::config::{Count, Span};
use parlor_testkit::{ServerProcess, server_command, wait_until, with_timeout};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::support::{Program, TestServer, channel, settings};

/// Loopback addresses of an attacker and of honest clients.
const ATTACKER: u8 = 9;
const HONEST: u8 = 2;

/// Connects from the address 127.0.0.`from`.
async fn connect(server: SocketAddr, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 0, from), 0))).expect("a loopback address");
    with_timeout(socket.connect(server)).await.expect("a connection")
}

/// True if the server has closed a connection on which the client has sent nothing, or does so now.
async fn is_closed(stream: &mut TcpStream) -> bool {
    // Zero bytes or a reset, where an open connection is silent.
    let mut buffer = [0; 1];
    !matches!(with_timeout(stream.read(&mut buffer)).await, Ok(1..))
}

/// The status code of a request over HTTP/1, or "" if the connection is closed.
async fn get(mut stream: TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let mut response = Vec::new();
    // A closed connection may fail either.
    let _written = stream.write_all(request.as_bytes()).await;
    let _read = with_timeout(stream.read_to_end(&mut response)).await;
    String::from_utf8_lossy(&response).split(' ').nth(1).unwrap_or_default().to_owned()
}

/// True if a client of this address is served.
async fn is_served(server: SocketAddr, from: u8) -> bool {
    // There is no page at this path, which the server says in HTTP.
    !get(connect(server, from).await, "/").await.is_empty()
}

#[tokio::test]
async fn silent_connection_is_closed_after_the_first_bytes_timeout() {
    let mut settings = settings();
    settings.connections.first_bytes_within = Span::from_ms(200);
    let server = TestServer::start(&settings).await;
    let mut idle = CatalogueServiceClient::new(server.channel().await);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for first in [&b""[..], b"P", &preface[..preface.len() - 1]] {
        let mut stream = connect(server.address(), ATTACKER).await;
        stream.write_all(first).await.expect("an open connection");
        assert!(is_closed(&mut stream).await, "{first:?}");
    }
    // A connection that began before all of these and is idle since then goes on.
    let listed = with_timeout(idle.list_games(v1::ListGamesRequest {})).await.expect("an answer");
    assert_eq!(listed.into_inner().games.len(), GameId::published().count());
}

#[tokio::test]
async fn connections_of_an_address_are_limited() {
    let mut settings = settings();
    settings.connections.max_per_address = Count::new(3);
    let server = TestServer::start(&settings).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(connect(server.address(), ATTACKER).await);
    }
    let mut fourth = connect(server.address(), ATTACKER).await;
    assert!(is_closed(&mut fourth).await, "one more than an address may have");
    assert!(is_served(server.address(), HONEST).await, "another address");
    held.pop();
    wait_until("a connection can be opened again", async || is_served(server.address(), ATTACKER).await)
        .await;
}

#[tokio::test]
async fn connections_in_total_are_limited_and_half_of_them_stay_for_others() {
    let mut settings = settings();
    settings.connections.max_total = Count::new(4);
    settings.connections.max_per_address = Count::new(3);
    let server = TestServer::start(&settings).await;
    let one = (connect(server.address(), ATTACKER).await, connect(server.address(), ATTACKER).await);
    assert!(!is_served(server.address(), ATTACKER).await, "half of all connections");
    assert!(is_served(server.address(), HONEST).await);
    let two = (connect(server.address(), 3).await, connect(server.address(), 3).await);
    assert!(!is_served(server.address(), HONEST).await, "all connections");
    drop(two);
    wait_until("others are served again", async || is_served(server.address(), HONEST).await).await;
    drop(one);
}

/// A client over HTTP/1 that asks again and again and reads no answer.
#[tokio::test]
async fn connection_of_a_client_that_reads_nothing_is_closed() {
    let mut settings = settings();
    settings.connections.write_timeout = Span::from_ms(300);
    settings.limits.requests_per_second = Count::new(1_000_000);
    settings.limits.request_burst = Count::new(1_000_000);
    let server = TestServer::start(&settings).await;
    let mut stream = connect(server.address(), ATTACKER).await;
    let mut message = vec![0, 0, 0, 0, 5, 0x0a, 3];
    message.extend_from_slice(b"gap");
    let mut request = format!(
        "POST /parlor.v1.CatalogueService/GetRules HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/grpc-web+proto\r\ncontent-length: {}\r\n\r\n",
        message.len()
    )
    .into_bytes();
    request.extend_from_slice(&message);
    let flood = async { while stream.write_all(&request).await.is_ok() {} };
    with_timeout(flood).await;
}

/// The real program with few file descriptors, under more silent connections than it has.
#[tokio::test(flavor = "multi_thread")]
async fn flood_of_connections_leaves_files_for_honest_clients_and_the_readiness_page() {
    const OPEN_FILES: usize = 256;
    let program = Program::new();
    let mut command = server_command("sh");
    command.args(["-c", &format!(r#"ulimit -n {OPEN_FILES}; exec "$0" "$@""#)]);
    command.arg(env!("CARGO_BIN_EXE_parlor-server"));
    command.args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]);
    let server = ServerProcess::start(command.current_dir(program.folder.path()));
    server.log.wait_for("fewer connections than connections.max_total");
    let (address, metrics) = (server.address(), server.metrics());
    let mut flood = Vec::new();
    for _ in 0..OPEN_FILES + 50 {
        flood.push(connect(address, ATTACKER).await);
    }
    for _ in 0..3 {
        assert!(is_served(address, HONEST).await, "an honest client");
        assert_eq!(get(connect(metrics, HONEST).await, "/ready").await, "200");
    }
    // The store opens its files, too.
    let mut tables = TableServiceClient::new(channel(&format!("http://{address}")).await);
    with_timeout(tables.list_tables(v1::ListTablesRequest::default())).await.expect("an empty list");
    drop(flood);
}
