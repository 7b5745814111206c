//! The protocol over HTTP: one address, `/mcp`, for local clients, or for those that know a bearer token.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::server::McpServer;

/// The only path.
const PATH: &str = "/mcp";
/// Pages whose requests are answered: those of this machine. Programs other than browsers name no origin.
const LOCAL_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
/// Maximum number of connections at once; further ones wait.
const MAX_CONNECTIONS: usize = 256;
/// Maximum size of a request.
const MAX_REQUEST_BYTES: usize = 256 * 1024;
/// Time for the headers of a request.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// Pause after an accept failure, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

type McpService = StreamableHttpService<McpServer, NeverSessionManager>;
type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Settings of the listener.
pub(crate) struct HttpSettings {
    /// Token that requests must carry; `None` for anybody who can connect.
    pub(crate) token: Option<String>,
    /// True if only this machine can connect: then only requests for its own names are answered, because a page in a browser
    /// could be made to send others.
    pub(crate) loopback: bool,
}

/// Serves connections until the future is dropped.
pub(crate) async fn serve_http(
    listener: TcpListener,
    server: McpServer,
    settings: HttpSettings,
) -> Infallible {
    let mut config = StreamableHttpServerConfig::default()
        // A handle is all the state there is, for clients of older revisions, too.
        .with_legacy_session_mode(false)
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
        .with_allowed_origins(LOCAL_ORIGINS);
    if !settings.loopback {
        config = config.disable_allowed_hosts();
    }
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config);
    let token = settings.token.map(|token| token_digest(&token));
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&connections).acquire_owned().await else {
            return std::future::pending().await;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = service.clone();
        let answer = service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, Infallible>(answer(&service, token, request).await) }
        });
        tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
            // A client that breaks off is no failure.
            let _ = http.serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}

async fn answer(service: &McpService, token: Option<[u8; 32]>, request: Request<Incoming>) -> HttpResponse {
    if let Some(token) = token
        && !has_token(&request, token)
    {
        let mut refused = plain_response(StatusCode::UNAUTHORIZED, "this server needs its bearer token\n");
        refused.headers_mut().insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
        return refused;
    }
    if request.uri().path() != PATH {
        return plain_response(StatusCode::NOT_FOUND, "the Model Context Protocol is spoken at /mcp\n");
    }
    service.handle(request).await
}

fn has_token(request: &Request<Incoming>, token: [u8; 32]) -> bool {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.split_once(' '));
    // Digests are compared, whose common beginning tells nothing about the token.
    given.is_some_and(|(scheme, given)| scheme.eq_ignore_ascii_case("bearer") && token_digest(given) == token)
}

fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.trim()).into()
}

fn plain_response(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
