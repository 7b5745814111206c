//! Pages for browsers: routes, caching, encodings, security headers, and the port shared with gRPC.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http_body_util::BodyExt;
use parlor_engine::GameId;
use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_server::config::Settings;
use parlor_testkit::{Authority, with_timeout};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tower::ServiceExt;

use crate::http1::{HttpResponse, exchange, send, send_to};
use crate::support::{Program, TestServer, api_key, settings};

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
const TABLE: &str = "01m7jpjh457gb3wsktabxkrwzg";
const DEFAULT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src \
                              'self'; worker-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
                              form-action 'none'; frame-ancestors 'none'";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web/dist")
}

fn index() -> Vec<u8> {
    fs::read(folder().join("index.html")).expect("the built page")
}

/// Request paths of the assets.
fn assets() -> Vec<String> {
    let entries = fs::read_dir(folder().join("assets")).expect("the assets");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    names.map(|name| format!("/assets/{name}")).collect()
}

async fn get(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> HttpResponse {
    send(server.address(), "GET", path, headers, b"").await
}

fn check_security_headers(response: &HttpResponse, policy: &str) {
    assert_eq!(response.header("content-security-policy"), Some(policy), "{}", response.head);
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{}", response.head);
    assert_eq!(response.header("referrer-policy"), Some("no-referrer"), "{}", response.head);
}

#[tokio::test]
async fn every_route_is_the_page_and_is_revalidated() {
    let server = TestServer::start(&settings()).await;
    let page = index();
    let mut paths: Vec<String> =
        ["/", "/?lang=de", "/tournaments", "/agents", "/join"].map(str::to_owned).to_vec();
    paths.extend(["t", "watch", "replay", "tournaments", "rules"].map(|view| format!("/{view}/{TABLE}")));
    for path in paths {
        let response = get(&server, &path, &[HTML]).await;
        assert_eq!(response.status(), "200", "{path}: {}", response.head);
        assert!(response.body == page, "{path}");
        assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(response.header("cache-control"), Some("no-cache"), "{path}");
        assert_eq!(response.header("vary"), Some("accept-encoding"), "{path}");
        check_security_headers(&response, DEFAULT_POLICY);

        let tag = response.header("etag").expect("an entity tag");
        let again = get(&server, &path, &[HTML, ("if-none-match", tag)]).await;
        assert_eq!(again.status(), "304", "{path}: {}", again.head);
        assert!(again.body.is_empty(), "{path}");
        assert_eq!(again.header("etag"), Some(tag), "{path}");
        let other = get(&server, &path, &[HTML, ("if-none-match", "\"other\"")]).await;
        assert_eq!(other.status(), "200", "{path}");
    }
}

#[tokio::test]
async fn assets_are_immutable_and_have_their_type() {
    let server = TestServer::start(&settings()).await;
    let assets = assets();
    assert!(!assets.is_empty());
    for path in assets {
        let response = get(&server, &path, &[]).await;
        assert_eq!(response.status(), "200", "{path}: {}", response.head);
        assert_eq!(response.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
        assert!(response.body == fs::read(folder().join(&path[1..])).expect("the asset"), "{path}");
        let content_type = match path.rsplit_once('.').expect("an extension").1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => response.header("content-type").expect("a type"),
        };
        assert_eq!(response.header("content-type"), Some(content_type), "{path}");
        check_security_headers(&response, DEFAULT_POLICY);
    }
    let icon = get(&server, "/favicon.svg", &[]).await;
    assert_eq!((icon.status(), icon.header("content-type")), ("200", Some("image/svg+xml")), "{}", icon.head);
    let robots = get(&server, "/robots.txt", &[]).await;
    assert_eq!((robots.status(), robots.header("content-type")), ("200", Some("text/plain; charset=utf-8")));
    assert!(robots.text().contains("Disallow: /t/\n"), "{}", robots.text());
}

#[tokio::test]
async fn encodings_are_negotiated_and_have_their_own_entity_tags() {
    let server = TestServer::start(&settings()).await;
    let page = index();
    let mut tags = Vec::new();
    for (accepted, encoding) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip, deflate", Some("gzip")),
        ("br;q=0, gzip;q=0.5", Some("gzip")),
        ("identity", None),
    ] {
        let response = get(&server, "/", &[HTML, ("accept-encoding", accepted)]).await;
        assert_eq!(response.header("content-encoding"), encoding, "{accepted}");
        let length: usize = response.header("content-length").expect("a length").parse().expect("a number");
        assert_eq!(length, response.body.len(), "{accepted}");
        let mut decoded = Vec::new();
        match encoding {
            Some("br") => {
                brotli::Decompressor::new(&response.body[..], 4096)
                    .read_to_end(&mut decoded)
                    .expect("brotli");
            }
            Some(_) => {
                flate2::read::GzDecoder::new(&response.body[..]).read_to_end(&mut decoded).expect("gzip");
            }
            None => decoded.clone_from(&response.body),
        }
        assert!(decoded == page, "{accepted}");
        let tag = response.header("etag").expect("an entity tag").to_owned();
        // The tag of one encoding is not that of another.
        let again = get(&server, "/", &[("accept-encoding", accepted), ("if-none-match", &tag)]).await;
        assert_eq!(again.status(), "304", "{accepted}");
        tags.push(tag);
    }
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 3, "{tags:?}");
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let server = TestServer::start(&settings()).await;
    for path in ["/", &assets()[0], "/robots.txt", "/nothing"] {
        let body = get(&server, path, &[HTML]).await.body;
        let head = send(server.address(), "HEAD", path, &[HTML], b"").await;
        assert!(head.body.is_empty(), "{path}");
        assert_eq!(
            head.header("content-length"),
            Some(body.len().to_string().as_str()),
            "{path}: {}",
            head.head
        );
        check_security_headers(&head, DEFAULT_POLICY);
    }
}

#[tokio::test]
async fn unknown_paths_are_a_page_for_browsers_and_a_sentence_for_programs() {
    let server = TestServer::start(&settings()).await;
    for path in [
        "/nothing",
        "/t",
        "/t/",
        "/t/a/b",
        "/index.html",
        "/assets/none-12345678.js",
        "/assets/../index.html",
    ] {
        let page = get(&server, path, &[HTML]).await;
        assert_eq!(page.status(), "404", "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(page.body == index(), "{path}");
        let text = get(&server, path, &[("accept", "*/*")]).await;
        assert_eq!(
            (text.status(), text.header("content-type")),
            ("404", Some("text/plain; charset=utf-8")),
            "{path}"
        );
        assert_eq!(text.text(), "There is nothing at this address.\n");
        for response in [page, text] {
            assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
            assert_eq!(response.header("etag"), None, "{path}");
            check_security_headers(&response, DEFAULT_POLICY);
        }
    }
}

#[tokio::test]
async fn pages_can_only_be_read() {
    let server = TestServer::start(&settings()).await;
    for method in ["POST", "PUT", "DELETE"] {
        let refused = send(server.address(), method, "/", &[HTML], b"").await;
        assert_eq!((refused.status(), refused.header("allow")), ("405", Some("get, head")), "{method}");
        assert_eq!(refused.header("cache-control"), Some("no-store"), "{method}");
    }
}

#[tokio::test]
async fn server_without_pages_answers_browsers_with_a_sentence() {
    let mut settings = settings();
    settings.web.enabled = Some(false);
    let server = TestServer::start(&settings).await;
    for path in ["/", "/t/x", &assets()[0], "/nothing"] {
        let response = get(&server, path, &[HTML]).await;
        assert_eq!(response.status(), "404", "{path}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
        let text = response.text();
        assert!(text.starts_with("This is a Parlor server.") && text.contains("web.enabled"), "{text}");
        check_security_headers(&response, DEFAULT_POLICY);
    }
    let mut catalogue = CatalogueServiceClient::new(server.channel().await);
    let games = catalogue.list_games(v1::ListGamesRequest {});
    assert_eq!(with_timeout(games).await.unwrap().into_inner().games.len(), GameId::published().count());
}

#[test]
fn pages_are_off_where_other_machines_can_reach_them_unless_set() {
    let program = Program::new();
    let sentence = |arguments: &[&str]| {
        let running = program.start(arguments);
        let port = running.address().port();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
        let response = runtime.block_on(send(address, "GET", "/", &[HTML], b""));
        (response.status().to_owned(), running.stdout.wait_for("play "))
    };
    let (status, play) = sentence(&["--store", "memory"]);
    assert!(status == "200" && play.contains("play     http://127.0.0.1:"), "{status} {play}");
    let open = ["--store", "memory", "--insecure", "--listen", "0.0.0.0:0"];
    let (status, play) = sentence(&open);
    assert!(status == "404" && play.contains("play     parlor play gap"), "{status} {play}");
    let (status, play) = sentence(&[&open[..], &["--set", "web.enabled=true"]].concat());
    assert!(status == "200" && play.contains("play     http://127.0.0.1:"), "{status} {play}");
}

#[tokio::test]
async fn configured_sites_may_embed_the_pages() {
    let mut settings = settings();
    settings.web.frame_ancestors =
        serde_json::from_str(r#"["https://cards.example", "https://play.example:8443"]"#).unwrap();
    let server = TestServer::start(&settings).await;
    let policy = DEFAULT_POLICY
        .replace("frame-ancestors 'none'", "frame-ancestors https://cards.example https://play.example:8443");
    check_security_headers(&get(&server, "/", &[HTML]).await, &policy);
    check_security_headers(&get(&server, &format!("/t/{TABLE}"), &[HTML]).await, &policy);
}

#[tokio::test]
async fn page_of_another_name_gets_nothing_from_a_server_without_keys() {
    let server = TestServer::start(&settings()).await;
    let port = server.address().port();
    for path in ["/", &assets()[0], "/robots.txt", "/nothing"] {
        let foreign =
            send_to(server.address(), &format!("attacker.test:{port}"), "GET", path, &[HTML], b"").await;
        assert_eq!(foreign.status(), "403", "{path}");
        assert!(foreign.text().contains("connections.host_names"), "{path}");
        check_security_headers(&foreign, DEFAULT_POLICY);
    }
    let own = send_to(server.address(), &format!("localhost:{port}"), "GET", "/", &[HTML], b"").await;
    assert_eq!(own.status(), "200");

    let with_keys = Settings { keys: vec![api_key("anna").entry], ..settings() };
    let server = TestServer::start(&with_keys).await;
    let named = send_to(server.address(), "parlor.example", "GET", "/", &[HTML], b"").await;
    assert_eq!(named.status(), "200", "keys protect it under every name");
}

/// GET over HTTP/2: the status, and the body.
async fn get_over_http2(channel: Channel, path: &str) -> (u16, Vec<u8>) {
    let request = http::Request::get(path).header(HTML.0, HTML.1).body(tonic::body::Body::empty());
    let request = request.expect("a request");
    let response = with_timeout(channel.oneshot(request)).await.expect("a response");
    assert_eq!(response.version(), http::Version::HTTP_2);
    let (head, body) = response.into_parts();
    (head.status.as_u16(), with_timeout(body.collect()).await.expect("a body").to_bytes().to_vec())
}

#[tokio::test]
async fn pages_and_grpc_share_http2_connections() {
    let server = TestServer::start(&settings()).await;
    let channel = server.channel().await;
    let url = format!("http://{}", server.address());
    assert_eq!(get_over_http2(channel.clone(), &format!("{url}/")).await, (200, index()));
    assert_eq!(get_over_http2(channel.clone(), &format!("{url}/nothing")).await.0, 404);
    let mut catalogue = CatalogueServiceClient::new(channel);
    let games = catalogue.list_games(v1::ListGamesRequest {});
    assert!(with_timeout(games).await.is_ok());
}

#[tokio::test]
async fn pages_work_over_tls_with_http1_and_http2() {
    let authority = Authority::new("ours");
    let program = Program::new();
    let (certificate, key) = authority.issue("localhost").write_to(program.folder.path(), "server");
    let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    let running = program.start(&["--store", "memory", "--tls-certificate", certificate, "--tls-key", key]);
    let port = running.address().port();
    assert!(running.stdout.wait_for("play ").contains("play     https://127.0.0.1:"));

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let stream = with_timeout(TcpStream::connect(running.address())).await.unwrap();
    let connected =
        TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream);
    let stream = with_timeout(connected).await.expect("a TLS session");
    let response = exchange(stream, &format!("localhost:{port}"), "GET", "/", &[HTML], b"").await;
    assert_eq!(response.status(), "200");
    assert!(response.body == index());

    let url = format!("https://localhost:{port}");
    let tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(authority.pem()))
        .domain_name("localhost");
    let endpoint = Endpoint::from_shared(url.clone()).unwrap().tls_config(tls).unwrap();
    let channel = with_timeout(endpoint.connect()).await.expect("a connection");
    assert_eq!(get_over_http2(channel, &format!("{url}/")).await, (200, index()));
}
