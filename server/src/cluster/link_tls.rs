//! TLS of links: both nodes show certificates of the cluster's own authority.

use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use super::link::LinkError;

/// Certificates of a node, all in PEM.
#[derive(Clone)]
pub struct LinkTls {
    /// The certificate of this node, for the host by which others reach it.
    pub certificate: String,
    /// Its private key.
    pub key: String,
    /// The authority that signs the certificates of all nodes. No other is trusted.
    pub authority: String,
}

impl std::fmt::Debug for LinkTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkTls(..)")
    }
}

impl LinkTls {
    /// Checks that links can be opened with these certificates.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn check(&self) -> Result<(), String> {
        self.connector().map(drop).map_err(|error| error.to_string())
    }

    pub(super) fn server_config(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .identity(Identity::from_pem(&self.certificate, &self.key))
            .client_ca_root(Certificate::from_pem(&self.authority))
    }

    pub(super) fn connector(&self) -> Result<TlsConnector, LinkError> {
        let unusable = |why: String| LinkError::Certificate { why };
        let certificates = |pem: &str| -> Result<Vec<CertificateDer<'static>>, LinkError> {
            let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
            all.map_err(|error| unusable(format!("{error:?}")))
        };
        let mut roots = RootCertStore::empty();
        for authority in certificates(&self.authority)? {
            roots.add(authority).map_err(|error| unusable(error.to_string()))?;
        }
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes());
        let key = key.map_err(|error| unusable(format!("{error:?}")))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(error.to_string()))?
            .with_root_certificates(roots)
            .with_client_auth_cert(certificates(&self.certificate)?, key)
            .map_err(|error| unusable(error.to_string()))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(TlsConnector::from(Arc::new(config)))
    }
}
