use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Which certificate authorities are trusted.
#[derive(Clone, Debug, Default)]
pub enum TrustedRoots {
    /// The roots of the operating system.
    #[default]
    Platform,
    /// Only these roots.
    Only(Vec<CertificateDer<'static>>),
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsSetupError {
    /// The roots of the operating system cannot be read, or there are none.
    #[error("cannot read the system's trusted root certificates")]
    PlatformRoots(#[source] rustls::Error),
    /// A given root is not a certificate, or none was given.
    #[error("a trusted root is not a certificate")]
    Root(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The cryptography library has neither TLS 1.2 nor TLS 1.3.
    #[error("no TLS version is available")]
    Versions(#[source] rustls::Error),
}

/// Reads the roots of the operating system now, so that the first attempt does not wait for them. After an error, the
/// first use reads them again.
pub fn read_platform_roots() {
    let _ = platform_verifier();
}

/// TLS for a client of HTTP/1.1 that trusts the roots of the operating system.
///
/// # Errors
///
/// When TLS cannot be set up.
pub fn platform_client_config() -> Result<ClientConfig, TlsSetupError> {
    let mut config = client_config(&TrustedRoots::Platform)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The verifier with the roots of the operating system. They are read once: they are hundreds of files on many systems,
/// and each reading takes milliseconds of the start.
fn platform_verifier() -> Result<Arc<Verifier>, TlsSetupError> {
    static READ: Mutex<Option<Arc<Verifier>>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(verifier) = &*read {
        return Ok(Arc::clone(verifier));
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Arc::new(Verifier::new(provider).map_err(TlsSetupError::PlatformRoots)?);
    Ok(Arc::clone(read.insert(verifier)))
}

/// TLS 1.2 and 1.3 with verified certificates, and HTTP/2 or HTTP/1.1 as the receiver prefers.
pub(crate) fn client_config(roots: &TrustedRoots) -> Result<ClientConfig, TlsSetupError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match roots {
        TrustedRoots::Platform => platform_verifier()?,
        TrustedRoots::Only(certificates) => {
            let mut store = RootCertStore::empty();
            for certificate in certificates {
                store.add(certificate.clone()).map_err(|error| TlsSetupError::Root(error.into()))?;
            }
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider))
                .build()
                .map_err(|error| TlsSetupError::Root(error.into()))?
        }
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsSetupError::Versions)?
        .dangerous() // the name of the method: both verifiers check in full
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roots_of_the_system_are_read_once() {
        read_platform_roots();
        assert!(Arc::ptr_eq(&platform_verifier().unwrap(), &platform_verifier().unwrap()));
    }

    #[test]
    fn a_client_of_http_1_offers_no_other_protocol() {
        assert_eq!(platform_client_config().unwrap().alpn_protocols, [b"http/1.1"]);
    }
}
