//! Certificate authorities and certificates.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// A certificate authority with a key of its own.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its private key, as PEM.
pub struct IssuedCertificate {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

impl Authority {
    /// An authority with this common name.
    pub fn new(name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        Authority(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// The certificate of the authority as PEM.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// Issues a certificate for a host name.
    ///
    /// # Panics
    /// If it is not a host name.
    pub fn issue(&self, host: &str) -> IssuedCertificate {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([host.to_owned()]).expect("a host name");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        IssuedCertificate { certificate: certificate.pem(), key: key.serialize_pem() }
    }
}

impl IssuedCertificate {
    /// Writes `NAME.pem` and `NAME.key` into a folder, and returns the paths of both.
    ///
    /// # Panics
    /// If the folder cannot be written.
    pub fn write_to(&self, folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let write = |extension: &str, text: &str| {
            let path = folder.join(format!("{name}.{extension}"));
            std::fs::write(&path, text).expect("a writable folder");
            path
        };
        (write("pem", &self.certificate), write("key", &self.key))
    }
}
