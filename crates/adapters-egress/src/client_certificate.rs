use std::sync::Arc;

use domain::Timestamp;
use domain::ports::CertificateReader;
use domain::webhooks::{CertificateFacts, ClientCertificate, InvalidClientCertificate};
use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::pki_types::pem::{PemObject as _, SectionKind};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, Error, InconsistentKeys};
use sha2::{Digest as _, Sha256};
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

/// Reads client certificates for the sender.
pub struct TlsCertificates;

impl CertificateReader for TlsCertificates {
    fn read(&self, chain: &str, key: &str) -> Result<CertificateFacts, InvalidClientCertificate> {
        let chain = certificates_in(chain).ok_or(InvalidClientCertificate::Chain)?;
        let facts = chain.iter().map(facts_of).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().next());
        let facts = facts.ok_or(InvalidClientCertificate::Chain)?;
        certified(chain, &key_in(key)?)?;
        Ok(facts)
    }
}

/// The configuration of TLS with this certificate. It keeps no session, which would stand for the certificate of an earlier
/// connection: clones of a configuration share their sessions.
pub(crate) fn with_certificate(
    config: &ClientConfig,
    certificate: &ClientCertificate,
) -> Result<ClientConfig, InvalidClientCertificate> {
    let pem = certificate.expose_pem();
    let chain = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>();
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| InvalidClientCertificate::Key)?;
    let certified = certified(chain.map_err(|_| InvalidClientCertificate::Chain)?, &key)?;
    let mut config = config.clone();
    config.client_auth_cert_resolver = Arc::new(SingleCertAndKey::from(certified));
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'_>,
) -> Result<CertifiedKey, InvalidClientCertificate> {
    let key = any_supported_type(key).map_err(|_| InvalidClientCertificate::KeyKind)?;
    let certified = CertifiedKey::new(chain, key);
    certified.keys_match().map_err(|error| match error {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => InvalidClientCertificate::OtherKey,
        _ => InvalidClientCertificate::Chain,
    })?;
    Ok(certified)
}

/// The certificates of a chain; `None` if it has none, too many, or another section of PEM.
fn certificates_in(chain: &str) -> Option<Vec<CertificateDer<'static>>> {
    let sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(chain.as_bytes()).collect::<Result<Vec<_>, _>>().ok()?;
    let is_good = (1..=ClientCertificate::CERTIFICATES_MAX).contains(&sections.len())
        && sections.iter().all(|(kind, _)| *kind == SectionKind::Certificate);
    is_good.then(|| sections.into_iter().map(|(_, der)| CertificateDer::from(der)).collect())
}

/// The private key. It must be the only section of PEM that the sender can read.
fn key_in(text: &str) -> Result<PrivateKeyDer<'static>, InvalidClientCertificate> {
    // As in `ENCRYPTED PRIVATE KEY`, and in the header `Proc-Type` of older forms.
    if text.contains("ENCRYPTED") {
        return Err(InvalidClientCertificate::Encrypted);
    }
    let mut sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(text.as_bytes());
    let (Some(Ok(_)), None) = (sections.next(), sections.next()) else { return Err(InvalidClientCertificate::Key) };
    PrivateKeyDer::from_pem_slice(text.as_bytes()).map_err(|_| InvalidClientCertificate::Key)
}

fn facts_of(certificate: &CertificateDer<'_>) -> Option<CertificateFacts> {
    let read = Certificate::from_der(certificate).ok()?.tbs_certificate;
    let expires_at = Timestamp::from_unix_millis(0)?.plus(read.validity.not_after.to_unix_duration());
    let subject = read.subject.to_string().chars().take(CertificateFacts::SUBJECT_LENGTH_MAX).collect();
    Some(CertificateFacts { subject, expires_at, fingerprint: Sha256::digest(certificate).into() })
}
