use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio_rustls::TlsAcceptor;

/// A certificate authority for one test.
pub(crate) struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self { certificate: params.self_signed(&key).unwrap(), issuer: Issuer::new(params, key) }
    }

    pub(crate) fn roots(&self) -> Vec<CertificateDer<'static>> {
        vec![self.certificate.der().clone()]
    }

    /// A server with a certificate for `names` and these protocols.
    pub(crate) fn acceptor(&self, names: &[&str], protocols: &[&[u8]]) -> TlsAcceptor {
        self.acceptor_of(&params(names), protocols)
    }

    /// A server with a certificate that has expired.
    pub(crate) fn expired_acceptor(&self, names: &[&str]) -> TlsAcceptor {
        let mut params = params(names);
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
        self.acceptor_of(&params, &[])
    }

    /// A server that requires the certificate of a client of this authority.
    pub(crate) fn requiring_acceptor(
        &self,
        name: &str,
        protocol: &[u8],
        version: &'static SupportedProtocolVersion,
    ) -> TlsAcceptor {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
        let (certificate, key) = self.signed(&params(&[name]));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_client_cert_verifier(clients.unwrap())
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();
        config.alpn_protocols = vec![protocol.to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }

    /// The certificate of a client, and its key, in PEM.
    pub(crate) fn client(&self, name: &str) -> (String, String) {
        let mut params = params(&[]);
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_after = date_time_ymd(2046, 2, 3);
        let (certificate, key) = self.signed(&params);
        (pem("CERTIFICATE", certificate.der()), pem("PRIVATE KEY", &key.serialize_der()))
    }

    fn signed(&self, params: &CertificateParams) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    fn acceptor_of(&self, params: &CertificateParams, protocols: &[&[u8]]) -> TlsAcceptor {
        let (certificate, key) = self.signed(params);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}
