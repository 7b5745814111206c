//! An encrypted server that wants to see a certificate of the client too.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::support::{Parlor, Server};

/// Writes an authority, and what it has signed: a certificate for the server and one for a client.
fn certificates(folder: &Path) {
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    write("ca.pem", authority.pem());
    for (name, host) in [("server", "parlor.test"), ("client", "ada")] {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([host.to_owned()]).unwrap();
        write(&format!("{name}.pem"), params.signed_by(&key, &authority).unwrap().pem());
        write(&format!("{name}.key"), key.serialize_pem());
    }
}

#[test]
fn a_server_with_tls_is_reached_with_certificates_and_not_without() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (certificate, key, ca) = (file("server.pem"), file("server.key"), file("ca.pem"));
    let server = Server::with_settings(&format!(
        "[tls]\ncertificate = '{certificate}'\nkey = '{key}'\nclient_ca = '{ca}'"
    ));
    let url = format!("https://{}", server.address());
    let parlor = Parlor::of(&url);
    let trust = ["games", "--ca", &ca, "--server-name", "parlor.test"];
    let (client, client_key) = (file("client.pem"), file("client.key"));
    let known = ["--client-cert", &client, "--client-key", &client_key];
    assert!(parlor.ok(&[&trust[..], &known].concat()).contains("GAP"));
    // One that is not let in is turned away after the handshake, so that the program tries again for a while.
    let parlor = parlor.with("PARLOR_CLI_TIMEOUT", "2s");
    for args in [&["games"][..], &[&["games"][..], &known].concat(), &trust] {
        let done = parlor.run(args);
        assert_eq!((done.code, done.stderr.lines().count()), (3, 1), "{done:?}");
    }
    let by_variables = Parlor::of(&url)
        .with("PARLOR_CLI_CA", &ca)
        .with("PARLOR_CLI_SERVER_NAME", "parlor.test")
        .with("PARLOR_CLI_CLIENT_CERT", &client)
        .with("PARLOR_CLI_CLIENT_KEY", &client_key);
    assert!(by_variables.ok(&["games"]).contains("GAP"));
}
