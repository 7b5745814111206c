//! TLS server that requires a client certificate.

use std::fs;
use std::path::Path;

use parlor_testkit::Authority;

use crate::support::{Parlor, Server};

/// Writes a CA certificate, and certificates signed by it for the server and a client.
fn certificates(folder: &Path) {
    let authority = Authority::new("Parlor tests");
    fs::write(folder.join("ca.pem"), authority.pem()).unwrap();
    authority.issue("parlor.test").write_to(folder, "server");
    authority.issue("ada").write_to(folder, "client");
}

#[test]
fn mutual_tls_requires_client_and_ca_certificates() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (certificate, key, ca) = (file("server.pem"), file("server.key"), file("ca.pem"));
    let server = Server::with_settings(&format!(
        "[tls]\ncertificate = '{certificate}'\nkey = '{key}'\nclient_ca = '{ca}'"
    ));
    let url = format!("https://{}", server.address());
    let parlor = Parlor::with_server(&url);
    let trust = ["games", "--ca", &ca, "--server-name", "parlor.test"];
    let (client, client_key) = (file("client.pem"), file("client.key"));
    let known = ["--client-cert", &client, "--client-key", &client_key];
    assert!(parlor.ok(&[&trust[..], &known].concat()).contains("GAP"));
    // A client without a valid certificate is refused after the handshake, so the program retries for a
    // while.
    let parlor = parlor.with_variable("PARLOR_CLI_TIMEOUT", "2s");
    for args in [&["games"][..], &[&["games"][..], &known].concat(), &trust] {
        let done = parlor.run(args);
        assert_eq!((done.code, done.stderr.lines().count()), (3, 1), "{done:?}");
    }
    let by_variables = Parlor::with_server(&url)
        .with_variable("PARLOR_CLI_CA", &ca)
        .with_variable("PARLOR_CLI_SERVER_NAME", "parlor.test")
        .with_variable("PARLOR_CLI_CLIENT_CERT", &client)
        .with_variable("PARLOR_CLI_CLIENT_KEY", &client_key);
    assert!(by_variables.ok(&["games"]).contains("GAP"));
}
