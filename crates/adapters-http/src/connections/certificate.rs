use std::sync::{Arc, PoisonError, RwLock};

use domain::Timestamp;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{self, Ticketer};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

use super::certificate_expiry::expiry_of;

/// The certificate of the server and its key. Clones are the same certificate, which can be replaced while it is used:
/// connections that are open keep the old one.
#[derive(Clone, Debug)]
pub struct ServerCertificate(Arc<RwLock<Arc<CertifiedKey>>>);

/// The problem of a certificate or its key.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The chain cannot be read.
    #[error("the chain of certificates is not valid PEM: {0}")]
    Chain(#[source] rustls::pki_types::pem::Error),
    /// The text is valid, but has no certificate.
    #[error("the chain has no certificate: it begins with the line -----BEGIN CERTIFICATE-----")]
    NoCertificate,
    /// The key cannot be read, or there is none.
    #[error("the private key is not a valid PEM of PKCS #8, PKCS #1 or SEC 1: {0}")]
    Key(#[source] rustls::pki_types::pem::Error),
    /// The key is of a kind that TLS cannot use, or is not that of the first certificate.
    #[error("the private key does not fit the first certificate of the chain: {0}")]
    Unfit(#[source] rustls::Error),
}

impl ServerCertificate {
    /// Reads a chain of certificates, the server's first, and the key of the first, both in PEM.
    ///
    /// # Errors
    ///
    /// When one of them is not valid, or they do not belong together.
    pub fn from_pem(chain: &str, key: &str) -> Result<Self, CertificateError> {
        Ok(Self(Arc::new(RwLock::new(Arc::new(certified_key(chain, key)?)))))
    }

    /// Uses another certificate for connections from now on.
    pub fn replace(&self, other: &Self) {
        let other = other.get();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = other;
    }

    /// When the first of the chain expires; `None` if it cannot be read.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.get().cert.iter().filter_map(|certificate| expiry_of(certificate)).min()
    }

    /// Whether both have the same chain of certificates.
    pub fn is_same(&self, other: &Self) -> bool {
        self.get().cert == other.get().cert
    }

    /// TLS 1.2 and 1.3 with this certificate, and HTTP/1.1 inside. Clients resume sessions by tickets, so the server
    /// keeps no state for them.
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor, rustls::Error> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(self.clone()));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.ticketer = Ticketer::new()?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn get(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ResolvesServerCert for ServerCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get())
    }
}

fn certified_key(chain: &str, key: &str) -> Result<CertifiedKey, CertificateError> {
    let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(CertificateError::Chain)?;
    if chain.is_empty() {
        return Err(CertificateError::NoCertificate);
    }
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(CertificateError::Key)?;
    let provider: CryptoProvider = aws_lc_rs::default_provider();
    CertifiedKey::from_der(chain, key, &provider).map_err(CertificateError::Unfit)
}
