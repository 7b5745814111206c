//! TLS configuration from PEM files.

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};

use crate::config::TlsFiles;

/// The TLS settings are unusable.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{setting} = {} cannot be read ({why}): give the path of a PEM file that the server may read", path.display())]
    Unreadable {
        /// The setting with the path.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// The system error.
        why: io::Error,
    },
    /// The files are not a certificate and a private key, or do not match.
    #[error("TLS cannot be used with {} and {} ({why}): the first must be a certificate in PEM, the second its private key", certificate.display(), key.display())]
    Certificate {
        /// The certificate.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
        /// The error of the TLS library.
        why: String,
    },
    /// The file with the client CA contains no certificate.
    #[error("tls.client_ca = {} has no certificate in PEM: give the one that signs those of the clients", path.display())]
    ClientCa {
        /// The file.
        path: PathBuf,
    },
}

/// Checks that these files are a usable TLS configuration.
pub fn check(files: TlsFiles<'_>) -> Result<(), TlsError> {
    let config = config(files)?;
    Server::builder().tls_config(config).map(drop).map_err(|error| unusable(files, &error))
}

/// Reads the files into tonic's TLS configuration.
pub(super) fn config(files: TlsFiles<'_>) -> Result<ServerTlsConfig, TlsError> {
    let certificate = read("tls.certificate", files.certificate)?;
    let key = read("tls.key", files.key)?;
    let mut config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    if let Some(path) = files.client_ca {
        let authority = read("tls.client_ca", path)?;
        // tonic accepts a file without certificates and would then refuse every client.
        let mut certificates = CertificateDer::pem_slice_iter(authority.as_bytes());
        if certificates.next().is_none_or(|first| first.is_err()) {
            return Err(TlsError::ClientCa { path: path.to_owned() });
        }
        config = config.client_ca_root(Certificate::from_pem(authority));
    }
    Ok(config)
}

/// The error for a certificate and key that tonic refuses.
pub(super) fn unusable(files: TlsFiles<'_>, error: &tonic::transport::Error) -> TlsError {
    let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    TlsError::Certificate { certificate: files.certificate.to_owned(), key: files.key.to_owned(), why }
}

fn read(setting: &'static str, path: &Path) -> Result<String, TlsError> {
    fs::read_to_string(path).map_err(|why| TlsError::Unreadable { setting, path: path.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    struct PemFiles {
        folder: tempfile::TempDir,
    }

    impl PemFiles {
        fn new(files: &[(&str, &str)]) -> PemFiles {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            PemFiles { folder }
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
    fn tls_errors_name_the_unusable_files() {
        let make = || generate_simple_self_signed([String::from("localhost")]).unwrap();
        let (one, other): (CertifiedKey<_>, CertifiedKey<_>) = (make(), make());
        let files = PemFiles::new(&[
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
