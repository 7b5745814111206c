//! TLS and client certificates (mTLS), with the real program.

use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_testkit::{Authority, IssuedCertificate, ServerProcess, with_timeout};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

use crate::support::Program;

/// Starts the program with a certificate of this authority; with `clients`, clients need a certificate of
/// that one.
fn start(authority: &Authority, clients: Option<&Authority>) -> (Program, ServerProcess) {
    let program = Program::new();
    let (certificate, key) = authority.issue("localhost").write_to(program.folder.path(), "server");
    let mut arguments = vec![
        "--tls-certificate",
        certificate.to_str().expect("a path"),
        "--tls-key",
        key.to_str().expect("a path"),
    ];
    let client_ca = clients.map(|clients| program.write("clients.pem", &clients.pem()));
    if let Some(file) = &client_ca {
        arguments.extend(["--tls-client-ca", file.to_str().expect("a path")]);
    }
    let running = program.start(&arguments);
    (program, running)
}

async fn connect(running: &ServerProcess, tls: ClientTlsConfig) -> Result<Channel, tonic::transport::Error> {
    let url = format!("https://localhost:{}", running.address().port());
    let endpoint = Endpoint::from_shared(url).expect("a URL").tls_config(tls.domain_name("localhost"))?;
    with_timeout(endpoint.connect()).await
}

/// True if a call succeeds.
async fn call_succeeds(running: &ServerProcess, tls: ClientTlsConfig) -> bool {
    // With TLS 1.3 a client may complete its handshake before the server has verified its certificate.
    let Ok(channel) = connect(running, tls).await else { return false };
    with_timeout(CatalogueServiceClient::new(channel).list_games(v1::ListGamesRequest {})).await.is_ok()
}

fn trusting(authority: &Authority) -> ClientTlsConfig {
    ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority.pem()))
}

fn with_identity(tls: ClientTlsConfig, authority: &Authority) -> ClientTlsConfig {
    let IssuedCertificate { certificate, key } = authority.issue("localhost");
    tls.identity(Identity::from_pem(certificate, key))
}

#[tokio::test]
async fn tls_server_refuses_plaintext_and_untrusting_clients() {
    let (ours, others) = (Authority::new("ours"), Authority::new("others"));
    let (_program, running) = start(&ours, None);
    assert!(running.stdout.wait_for("listens on").contains("(TLS, no API keys)"));
    assert!(call_succeeds(&running, trusting(&ours)).await);
    assert!(
        !call_succeeds(&running, trusting(&others)).await,
        "a client of another authority does not trust the server"
    );

    let url = format!("http://{}", running.address());
    let plain = with_timeout(Endpoint::from_shared(url).unwrap().connect()).await;
    let answered = match plain {
        Ok(channel) => with_timeout(CatalogueServiceClient::new(channel).list_games(v1::ListGamesRequest {}))
            .await
            .is_ok(),
        Err(_) => false,
    };
    assert!(!answered, "a plaintext call succeeded");
}

#[tokio::test]
async fn mtls_accepts_only_certificates_of_the_client_ca() {
    let (ours, clients, others) =
        (Authority::new("ours"), Authority::new("clients"), Authority::new("others"));
    let (_program, running) = start(&ours, Some(&clients));
    assert!(running.stdout.wait_for("listens on").contains("(TLS on both sides, no API keys)"));
    assert!(call_succeeds(&running, with_identity(trusting(&ours), &clients)).await);
    assert!(!call_succeeds(&running, trusting(&ours)).await, "without a certificate");
    assert!(
        !call_succeeds(&running, with_identity(trusting(&ours), &others)).await,
        "a certificate of another authority"
    );
}

#[test]
fn mismatched_tls_key_is_reported_before_startup() {
    let program = Program::new();
    let ours = Authority::new("ours");
    ours.issue("localhost").write_to(program.folder.path(), "server");
    ours.issue("localhost").write_to(program.folder.path(), "other");
    let arguments = ["--tls-certificate", "server.pem", "--tls-key", "other.key"];
    for command in ["run", "check-config"] {
        let mut line = vec![command];
        line.extend(arguments);
        line.extend(["--listen", "127.0.0.1:0", "--metrics", ""]);
        let (code, _, error) = program.run(&line);
        assert_eq!(code, Some(1), "{error}");
        let last = error.lines().last().unwrap();
        assert!(last.contains("TLS cannot be used with server.pem and other.key"), "{error}");
    }
}

#[tokio::test]
async fn connection_without_tls_handshake_does_not_block_calls_or_shutdown() {
    let ours = Authority::new("ours");
    let (_program, running) = start(&ours, None);
    let mut silent = tokio::net::TcpStream::connect(running.address()).await.unwrap();
    assert!(call_succeeds(&running, trusting(&ours)).await, "accepted after the silent connection");
    running.signal("TERM");
    let mut received = Vec::new();
    // Both an end of file and an error are fine.
    let _ended = with_timeout(tokio::io::AsyncReadExt::read_to_end(&mut silent, &mut received)).await;
    let (status, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(received.is_empty() && !log.contains("cut off"), "{log}");
}
