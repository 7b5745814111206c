//! TLS and API keys.

use std::path::{Path, PathBuf};

use parlor_sdk::{Client, ClientBuilder, NewTable, Reason};
use parlor_server::identity::{NewKey, Scope};
use parlor_testkit::{Authority, IssuedCertificate};

use super::test_server::TestServer;
use super::with_timeout;

fn file(folder: &Path, name: &str, text: &str) -> Option<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    Some(path)
}

/// True if a call succeeds.
async fn calls(builder: ClientBuilder) -> bool {
    // With TLS 1.3 a client may count as connected before the server has checked its certificate.
    let Ok(client) = with_timeout(builder.deadline(std::time::Duration::from_secs(20)).connect()).await
    else {
        return false;
    };
    with_timeout(client.games()).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mutual_tls_rejects_untrusted_certificates() {
    let (ours, others) = (Authority::new("ours"), Authority::new("others"));
    let server = TestServer::start_with(|settings, folder| {
        let IssuedCertificate { certificate, key } = ours.issue("localhost");
        settings.tls.certificate = file(folder, "server.pem", &certificate);
        settings.tls.key = file(folder, "server.key", &key);
        settings.tls.client_ca = file(folder, "clients.pem", &ours.pem());
    })
    .await;
    let address = server.proxy.url().replace("http://", "https://");
    let builder = || Client::builder(&address).server_name("localhost");
    let IssuedCertificate { certificate, key } = ours.issue("localhost");
    let full = builder().ca_certificate(ours.pem()).client_certificate(&certificate, &key);
    let client = with_timeout(full.connect()).await.unwrap();
    let table = NewTable::new("gap").house_bot("random").open_seat();
    let table = with_timeout(client.create_table(table)).await.unwrap();
    with_timeout(client.session().watch(table.table_id)).await.unwrap();

    assert!(
        !calls(builder().ca_certificate(others.pem()).client_certificate(&certificate, &key)).await,
        "a server signed by another authority"
    );
    assert!(
        !calls(builder().client_certificate(&certificate, &key)).await,
        "a server unknown to the system's roots"
    );
    let error = with_timeout(builder().ca_certificate(ours.pem()).server_name("example.org").connect())
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Reason::Unreachable, "a certificate with another name: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_keys_grant_their_scopes_only() {
    let key = |owner: &str, scopes| NewKey::generate(owner.parse().unwrap(), scopes, None, None).unwrap();
    let (platform, viewer) =
        (key("platform", vec![Scope::Tables, Scope::Play]), key("viewer", vec![Scope::Play]));
    let entries = [platform.entry.clone(), viewer.entry.clone()];
    let server = TestServer::start_with(|settings, _| settings.keys = entries.into()).await;
    let table = || NewTable::new("gap").open_seats(2);

    let owner =
        with_timeout(server.builder().api_key(platform.text.reveal().as_str()).connect()).await.unwrap();
    let made = with_timeout(owner.create_table(table().private())).await.unwrap();
    with_timeout(owner.session().watch(made.table_id.as_str())).await.unwrap();
    assert!(with_timeout(owner.follow_tables(Some(0))).await.is_ok());

    let other =
        with_timeout(server.builder().api_key(viewer.text.reveal().as_str()).connect()).await.unwrap();
    let error = with_timeout(other.create_table(table())).await.unwrap_err();
    assert_eq!((error.reason(), error.missing_scope()), (Reason::ScopeMissing, Some("tables")), "{error:?}");
    assert_eq!(
        with_timeout(other.table(made.table_id.as_str())).await.unwrap_err().reason(),
        Reason::TableNotFound
    );
    let error = with_timeout(other.session().watch(made.table_id.as_str())).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TableNotFound);

    let stranger = with_timeout(server.builder().api_key("swordfish").connect()).await.unwrap();
    let error = with_timeout(stranger.create_table(table())).await.unwrap_err();
    assert_eq!(error.reason(), Reason::KeyInvalid);
    let error = with_timeout(stranger.session().watch(made.table_id.as_str())).await.unwrap_err();
    assert_eq!(error.reason(), Reason::KeyInvalid, "the session ends instead of retrying forever");
    let anonymous = server.client().await;
    assert_eq!(
        with_timeout(anonymous.create_table(table())).await.unwrap_err().reason(),
        Reason::CredentialsMissing
    );
    with_timeout(anonymous.games()).await.unwrap();
}
