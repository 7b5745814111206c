//! gRPC-Web over HTTP/1.1 (binary and base64), and CORS.

use base64::{Engine, engine::general_purpose::STANDARD};
use parlor_engine::GameId;
use parlor_proto::v1;
use parlor_server::config::Settings;
use prost::Message;

use crate::http1::send;
use crate::support::{Program, TestServer, settings};

/// Encodes a message as a gRPC frame.
fn encode_frame(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    let mut framed = vec![0];
    framed.extend((bytes.len() as u32).to_be_bytes());
    framed.extend(bytes);
    framed
}

/// Decodes the frames of a body: its messages, and its trailers as text.
fn decode_frames(mut body: &[u8]) -> (Vec<Vec<u8>>, String) {
    let (mut messages, mut trailers) = (Vec::new(), String::new());
    while let [kind, a, b, c, d, rest @ ..] = body {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (frame, next) = rest.split_at(length);
        match kind {
            0 => messages.push(frame.to_vec()),
            0x80 => trailers = String::from_utf8_lossy(frame).into_owned(),
            kind => panic!("unknown frame kind {kind}"),
        }
        body = next;
    }
    (messages, trailers)
}

const LIST: &str = "/parlor.v1.CatalogueService/ListGames";
const RULES: &str = "/parlor.v1.CatalogueService/GetRules";
const WEB: (&str, &str) = ("content-type", "application/grpc-web+proto");
const WEB_TEXT: (&str, &str) = ("content-type", "application/grpc-web-text+proto");
const PAGE: (&str, &str) = ("origin", "https://cards.example");

/// A server that allows one origin.
async fn server_with_cors() -> TestServer {
    let settings = Settings { connections: connections(&["https://cards.example"]), ..settings() };
    TestServer::start(&settings).await
}

/// Connection settings with these CORS origins, loaded from a file.
fn connections(origins: &[&str]) -> parlor_server::config::Connections {
    let program = Program::new();
    let list: Vec<String> = origins.iter().map(|origin| format!("\"{origin}\"")).collect();
    let text = format!("[connections]\ncors_origins = [{}]\n", list.join(", "));
    let file = program.write("parlor.toml", &text);
    let flags = parlor_server::config::Flags { config: Some(file), ..Default::default() };
    let sources = parlor_server::config::Sources { environment: Vec::new(), flags };
    Settings::load(&sources).expect("settings").connections
}

#[tokio::test]
async fn grpc_web_call_over_http1() {
    let server = server_with_cors().await;
    let answer =
        send(server.address(), "POST", LIST, &[WEB, PAGE], &encode_frame(&v1::ListGamesRequest {})).await;
    assert!(answer.head.starts_with("http/1.1 200"), "{}", answer.head);
    assert_eq!(answer.header("content-type"), Some("application/grpc-web+proto"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://cards.example"));
    let (messages, trailers) = decode_frames(&answer.body);
    let listed = v1::ListGamesResponse::decode(messages[0].as_slice()).unwrap();
    assert_eq!(listed.games.len(), GameId::published().count());
    assert!(trailers.contains("grpc-status:0"), "{trailers}");
}

#[tokio::test]
async fn grpc_web_text_is_base64() {
    let server = server_with_cors().await;
    let body = STANDARD.encode(encode_frame(&v1::ListGamesRequest {}));
    let headers = [WEB_TEXT, ("accept", "application/grpc-web-text+proto"), PAGE];
    let answer = send(server.address(), "POST", LIST, &headers, body.as_bytes()).await;
    assert_eq!(answer.header("content-type"), Some("application/grpc-web-text+proto"));
    // Each piece is encoded separately and may end with padding.
    let mut bytes = Vec::new();
    for piece in answer.body.split_inclusive(|byte| *byte == b'=').filter(|piece| *piece != b"=") {
        let piece: Vec<u8> = piece.iter().copied().filter(|byte| *byte != b'=').collect();
        bytes.extend(base64::engine::general_purpose::STANDARD_NO_PAD.decode(piece).unwrap());
    }
    let (messages, _) = decode_frames(&bytes);
    assert_eq!(
        v1::ListGamesResponse::decode(messages[0].as_slice()).unwrap().games.len(),
        GameId::published().count()
    );
}

#[tokio::test]
async fn grpc_web_errors_have_status_and_exposed_details() {
    let server = server_with_cors().await;
    let asked = encode_frame(&v1::GetRulesRequest { game: "chess".into(), language: 0 });
    let answer = send(server.address(), "POST", RULES, &[WEB, PAGE], &asked).await;
    assert_eq!(answer.header("grpc-status"), Some("5"), "{}", answer.head);
    let details = answer.header("grpc-status-details-bin");
    assert!(details.is_some(), "{}", answer.head);
    let exposed = answer.header("access-control-expose-headers").expect("exposed headers");
    for name in ["grpc-status", "grpc-message", "grpc-status-details-bin"] {
        assert!(exposed.contains(name), "{name} in {exposed}");
    }
    let key = ("authorization", "Bearer plr_wrong");
    let answer =
        send(server.address(), "POST", LIST, &[WEB, PAGE, key], &encode_frame(&v1::ListGamesRequest {}))
            .await;
    assert!(decode_frames(&answer.body).1.contains("grpc-status:0"), "a server without keys accepts any key");
}

#[tokio::test]
async fn middleware_errors_reach_grpc_web_clients() {
    let mut settings = Settings { connections: connections(&["https://cards.example"]), ..settings() };
    settings.keys = vec![crate::support::api_key("anna").entry];
    let server = TestServer::start(&settings).await;
    let key = ("authorization", "Bearer plr_wrong");
    let answer =
        send(server.address(), "POST", LIST, &[WEB, PAGE, key], &encode_frame(&v1::ListGamesRequest {}))
            .await;
    assert_eq!(answer.header("grpc-status"), Some("16"), "{}", answer.head);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://cards.example"));
}

#[tokio::test]
async fn cors_preflight_allows_configured_origins() {
    let server = server_with_cors().await;
    let preflight = async |origin: &str| {
        let headers = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type,x-grpc-web,authorization"),
        ];
        send(server.address(), "OPTIONS", LIST, &headers, b"").await
    };
    let allowed = preflight("https://cards.example").await;
    assert!(allowed.head.starts_with("http/1.1 200"), "{}", allowed.head);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://cards.example"));
    assert_eq!(allowed.header("access-control-allow-methods"), Some("post"));
    let headers = allowed.header("access-control-allow-headers").expect("headers");
    assert!(headers.contains("authorization") && headers.contains("x-grpc-web"), "{headers}");
    assert_eq!(preflight("https://elsewhere.example").await.header("access-control-allow-origin"), None);

    let open = Settings { connections: connections(&["*"]), ..settings() };
    let open = TestServer::start(&open).await;
    let headers = [("origin", "https://elsewhere.example"), ("access-control-request-method", "POST")];
    let answer = send(open.address(), "OPTIONS", LIST, &headers, b"").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn non_grpc_requests_are_refused() {
    let server = server_with_cors().await;
    let json = ("content-type", "application/json");
    let answer = send(server.address(), "POST", LIST, &[json], b"{}").await;
    assert!(answer.head.starts_with("http/1.1 400"), "{}", answer.head);
    let answer = send(server.address(), "GET", LIST, &[WEB], b"").await;
    assert!(answer.head.starts_with("http/1.1 405"), "{}", answer.head);
}
