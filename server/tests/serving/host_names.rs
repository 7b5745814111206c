//! Names under which a server without API keys may be called: DNS rebinding over HTTP/1 and HTTP/2.

use std::net::SocketAddr;

use parlor_engine::GameId;
use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_testkit::with_timeout;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Status, transport::Endpoint};

use crate::support::{TestServer, api_key, settings};

/// The HTTP status code of ListGames by a web page that its browser knows under this name (gRPC-Web over HTTP/1).
async fn browser_call(address: SocketAddr, host: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    // An empty message: a flag byte and a length of four bytes.
    let request = format!(
        "POST /parlor.v1.CatalogueService/ListGames HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n\
         content-type: application/grpc-web+proto\r\ncontent-length: 5\r\nconnection: close\r\n\r\n\0\0\0\0\0"
    );
    stream.write_all(request.as_bytes()).await.expect("an open connection");
    let mut response = Vec::new();
    with_timeout(stream.read_to_end(&mut response)).await.expect("a response");
    let response = String::from_utf8_lossy(&response).into_owned();
    response.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// ListGames of a gRPC client (HTTP/2) that calls the server under this name.
async fn grpc_call(address: SocketAddr, name: &str) -> Result<usize, Status> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("a URL");
    let endpoint = endpoint.origin(format!("http://{name}").parse().expect("a URL"));
    let channel = with_timeout(endpoint.connect()).await.expect("a connection");
    let listed =
        with_timeout(CatalogueServiceClient::new(channel).list_games(v1::ListGamesRequest {})).await?;
    Ok(listed.into_inner().games.len())
}

#[tokio::test]
async fn page_of_another_name_cannot_call_a_server_without_keys() {
    let mut settings = settings();
    settings.connections.host_names = serde_json::from_str(r#"["parlor.test"]"#).unwrap();
    let server = TestServer::start(&settings).await;
    let address = server.address();
    let port = address.port();
    let all = GameId::published().count();
    for own in ["localhost", "127.0.0.1", "[::1]", "parlor.test"] {
        for name in [own.to_owned(), format!("{own}:{port}")] {
            assert_eq!(browser_call(address, &name).await, "200", "{name}");
            assert_eq!(grpc_call(address, &name).await.unwrap(), all, "{name}");
        }
    }
    for foreign in ["attacker.test", "localhost.attacker.test", "192.0.2.1"] {
        let name = format!("{foreign}:{port}");
        assert_eq!(browser_call(address, &name).await, "403", "{name}");
        let refused = grpc_call(address, &name).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{name}");
        assert!(refused.message().contains("connections.host_names"), "{refused:?}");
    }
}

#[tokio::test]
async fn server_with_keys_may_be_called_under_every_name() {
    let mut settings = settings();
    settings.keys = vec![api_key("anna").entry];
    let server = TestServer::start(&settings).await;
    assert_eq!(browser_call(server.address(), "parlor.example").await, "200");
    assert!(grpc_call(server.address(), "parlor.example").await.is_ok());
}
