//! Encryption: TLS, and clients that must show certificates, with the real program.

use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

use crate::support::{Program, Up, soon};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

/// A certificate for `localhost`, and its private key.
fn issue(authority: &Authority) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new([String::from("localhost")]).expect("names");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

/// The program with a certificate of its authority's; clients need one of `clients`, if given.
fn start(authority: &Authority, clients: Option<&Authority>) -> (Program, Up) {
    let program = Program::new();
    let (certificate, key) = issue(authority);
    let (certificate, key) = (program.write("server.pem", &certificate), program.write("server.key", &key));
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
    let up = program.start(&arguments);
    (program, up)
}

async fn connect(up: &Up, tls: ClientTlsConfig) -> Result<Channel, tonic::transport::Error> {
    let url = format!("https://localhost:{}", up.address().port());
    let endpoint = Endpoint::from_shared(url).expect("a URL").tls_config(tls.domain_name("localhost"))?;
    soon(endpoint.connect()).await
}

/// Whether a call gets through.
async fn calls(up: &Up, tls: ClientTlsConfig) -> bool {
    // With TLS 1.3 a client may believe that it is connected before the server has seen its certificate.
    let Ok(channel) = connect(up, tls).await else { return false };
    soon(CatalogueServiceClient::new(channel).list_games(v1::ListGamesRequest {})).await.is_ok()
}

fn trusting(authority: &Authority) -> ClientTlsConfig {
    ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority.pem()))
}

fn with(tls: ClientTlsConfig, (certificate, key): (String, String)) -> ClientTlsConfig {
    tls.identity(Identity::from_pem(certificate, key))
}

#[tokio::test]
async fn calls_are_encrypted() {
    let (ours, others) = (authority("ours"), authority("others"));
    let (_program, up) = start(&ours, None);
    assert!(up.printed.wait_for("listens on").contains("(TLS, no API keys)"));
    assert!(calls(&up, trusting(&ours)).await);
    assert!(!calls(&up, trusting(&others)).await, "a client does not trust any server");

    let url = format!("http://{}", up.address());
    let plain = soon(Endpoint::from_shared(url).unwrap().connect()).await;
    let answered = match plain {
        Ok(channel) => {
            soon(CatalogueServiceClient::new(channel).list_games(v1::ListGamesRequest {})).await.is_ok()
        }
        Err(_) => false,
    };
    assert!(!answered, "nothing is said in the clear");
}

#[tokio::test]
async fn clients_show_their_certificates() {
    let (ours, clients, others) = (authority("ours"), authority("clients"), authority("others"));
    let (_program, up) = start(&ours, Some(&clients));
    assert!(up.printed.wait_for("listens on").contains("(TLS on both sides, no API keys)"));
    assert!(calls(&up, with(trusting(&ours), issue(&clients))).await);
    assert!(!calls(&up, trusting(&ours)).await, "none");
    assert!(!calls(&up, with(trusting(&ours), issue(&others))).await, "another's");
}

#[test]
fn files_that_do_not_fit_are_said_before_anything_starts() {
    let program = Program::new();
    let ours = authority("ours");
    let ((certificate, _), (_, key)) = (issue(&ours), issue(&ours));
    program.write("server.pem", &certificate);
    program.write("other.key", &key);
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
async fn whoever_never_begins_to_encrypt_holds_nobody_up() {
    let ours = authority("ours");
    let (_program, up) = start(&ours, None);
    let mut silent = tokio::net::TcpStream::connect(up.address()).await.unwrap();
    assert!(calls(&up, trusting(&ours)).await, "the silent one was taken before");
    up.signal("TERM");
    let mut heard = Vec::new();
    // It may be cut off in any way.
    let _ended = soon(tokio::io::AsyncReadExt::read_to_end(&mut silent, &mut heard)).await;
    let (status, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(heard.is_empty() && !log.contains("cut off"), "{log}");
}
