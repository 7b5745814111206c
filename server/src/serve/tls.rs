//! TLS from the files that the settings name, by rustls.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
        server::WebPkiClientVerifier,
    },
    server::TlsStream,
};

use crate::config::TlsFiles;

/// How long a client has to agree on how to encrypt.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);

/// TLS cannot be used as the settings say.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{setting} = {} cannot be read ({why}): give the path of a PEM file that the server may read", path.display())]
    Unreadable {
        /// The key of the settings.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// The files are not what they should be, or do not belong together.
    #[error("TLS cannot be used with {} and {} ({why}): the first must be a certificate in PEM, the second its private key", certificate.display(), key.display())]
    Certificate {
        /// The certificate.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
        /// What the library says.
        why: String,
    },
    /// There is no certificate in the file.
    #[error("tls.client_ca = {} has no certificate in PEM: give the one that signs those of the clients", path.display())]
    ClientCa {
        /// The file.
        path: PathBuf,
    },
}

/// Whether TLS could be used with these files.
pub fn check(files: TlsFiles<'_>) -> Result<(), TlsError> {
    Acceptor::new(files).map(drop)
}

/// Agrees with clients on how to encrypt.
pub(super) struct Acceptor(TlsAcceptor);

impl Acceptor {
    /// With these files.
    pub(super) fn new(files: TlsFiles<'_>) -> Result<Acceptor, TlsError> {
        let certificate = read("tls.certificate", files.certificate)?;
        let key = read("tls.key", files.key)?;
        let authority = files.client_ca.map(|path| Ok((path, read("tls.client_ca", path)?))).transpose()?;
        let clients = match &authority {
            Some((path, pem)) => {
                Some(roots(pem).ok_or_else(|| TlsError::ClientCa { path: (*path).to_owned() })?)
            }
            None => None,
        };
        let config = config(&certificate, &key, clients).map_err(|why| TlsError::Certificate {
            certificate: files.certificate.to_owned(),
            key: files.key.to_owned(),
            why,
        })?;
        Ok(Acceptor(TlsAcceptor::from(Arc::new(config))))
    }

    /// A connection that is encrypted, if the client agrees in time.
    pub(super) async fn accept<IO>(&self, io: IO) -> io::Result<TlsStream<IO>>
    where
        IO: AsyncRead + AsyncWrite + Unpin,
    {
        tokio::time::timeout(HANDSHAKE_WITHIN, self.0.accept(io)).await?
    }
}

/// Those who sign the certificates of clients; none if there is no certificate.
fn roots(pem: &str) -> Option<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<Vec<_>, _>>().ok()?;
    roots.add_parsable_certificates(certificates);
    (!roots.is_empty()).then_some(roots)
}

/// The settings of the library, or what is wrong with the files.
fn config(certificate: &str, key: &str, clients: Option<RootCertStore>) -> Result<ServerConfig, String> {
    let chain = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| error.to_string())?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| error.to_string())?;
    let provider = Arc::new(ring::default_provider());
    let with_key = || -> Result<ServerConfig, rustls::Error> {
        let builder =
            ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
        let builder = match clients {
            Some(roots) => {
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                builder.with_client_cert_verifier(
                    verifier.map_err(|error| rustls::Error::General(error.to_string()))?,
                )
            }
            None => builder.with_no_client_auth(),
        };
        builder.with_single_cert(chain, key)
    };
    let mut config = with_key().map_err(|error| error.to_string())?;
    config.alpn_protocols.push(b"h2".to_vec());
    Ok(config)
}

fn read(setting: &'static str, path: &Path) -> Result<String, TlsError> {
    fs::read_to_string(path).map_err(|why| TlsError::Unreadable { setting, path: path.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    struct Files {
        folder: tempfile::TempDir,
    }

    impl Files {
        fn new(files: &[(&str, &str)]) -> Files {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            Files { folder }
        }

        fn check(&self, certificate: &str, key: &str, client_ca: Option<&str>) -> Result<(), String> {
            let path = |name: &str| self.folder.path().join(name);
            let (certificate, key, client_ca) = (path(certificate), path(key), client_ca.map(path));
            let files = TlsFiles { certificate: &certificate, key: &key, client_ca: client_ca.as_deref() };
            let folder = format!("{}/", self.folder.path().display());
            check(files).map_err(|error| error.to_string().replace(&folder, ""))
        }
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let make = || generate_simple_self_signed([String::from("localhost")]).unwrap();
        let (one, other): (CertifiedKey<_>, CertifiedKey<_>) = (make(), make());
        let files = Files::new(&[
            ("one.pem", &one.cert.pem()),
            ("one.key", &one.signing_key.serialize_pem()),
            ("other.key", &other.signing_key.serialize_pem()),
            ("text", "hello"),
        ]);
        assert_eq!(files.check("one.pem", "one.key", None), Ok(()));
        assert_eq!(files.check("one.pem", "one.key", Some("one.pem")), Ok(()));
        let wrong = |certificate, key, client_ca, expected: &str| {
            let error = files.check(certificate, key, client_ca).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains('\n'), "{error}");
        };
        wrong("none.pem", "one.key", None, "tls.certificate = none.pem cannot be read");
        wrong("one.pem", "none.key", None, "tls.key = none.key cannot be read");
        wrong("one.pem", "one.key", Some("none.pem"), "tls.client_ca = none.pem cannot be read");
        wrong("one.pem", "other.key", None, "TLS cannot be used with one.pem and other.key");
        wrong("text", "one.key", None, "TLS cannot be used with text and one.key");
        wrong("one.pem", "text", None, "TLS cannot be used with one.pem and text");
        wrong("one.pem", "one.key", Some("text"), "tls.client_ca = text has no certificate");
    }
}
