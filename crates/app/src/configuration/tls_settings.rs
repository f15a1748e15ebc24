use adapters_http::{CertificateError, ServerCertificate};
use adapters_system::{MASK, Secret};

use super::settings::{Secrecy, Setting, not_empty};
use super::{Configuration, Problem};

/// The settings of TLS.
pub(super) const TLS_SETTINGS: &[Setting] = &[
    Setting::new(
        "TLS_CERT",
        "The certificate of this server in PEM, followed by those of the authorities between: with it, `LISTEN` speaks \
              HTTPS. Usually a file that `TLS_CERT_FILE` names. `serve` uses a new certificate without a restart, see \
              [TLS](operations/start.md#tls). `dev` speaks plain HTTP.",
        || "a chain of certificates in PEM".into(),
        |draft, given| given.optional(not_empty).map(|chain| draft.configuration.tls.chain = chain),
        |configuration| configuration.tls.chain.as_ref().map(|_| "a chain of certificates".to_owned()),
    )
    .when_unset("plain HTTP"),
    Setting::new(
        "TLS_KEY",
        "The private key of the certificate, in PEM. Usually a file that `TLS_KEY_FILE` names.",
        || "a private key in PEM".into(),
        |draft, given| given.optional(not_empty).map(|key| draft.configuration.tls.key = key.map(Secret::new)),
        |configuration| configuration.tls.key.as_ref().map(|_| MASK.to_owned()),
    )
    .showing(Secrecy::Secret),
];

/// `TLS_CERT` and `TLS_KEY`, as they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsConfiguration {
    pub(super) chain: Option<String>,
    pub(super) key: Option<Secret>,
}

impl TlsConfiguration {
    /// Whether the server speaks HTTPS.
    pub(crate) fn is_on(&self) -> bool {
        self.chain.is_some()
    }

    /// The certificate with its key; `None` if neither is set.
    ///
    /// # Errors
    ///
    /// When one of the two is missing, or they do not belong together.
    pub(crate) fn certificate(&self) -> Result<Option<ServerCertificate>, Problem> {
        let missing = |name, what: &str| Problem::Missing { name, what: what.to_owned() };
        match (&self.chain, &self.key) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(missing("TLS_KEY", "the private key of the certificate in TLS_CERT")),
            (None, Some(_)) => Err(missing("TLS_CERT", "the certificate of the private key in TLS_KEY")),
            (Some(chain), Some(key)) => {
                ServerCertificate::from_pem(chain, key.expose()).map(Some).map_err(|error| unusable(&error))
            }
        }
    }
}

impl Configuration {
    /// What is wrong with the certificate.
    pub(crate) fn tls_problem(&self) -> Option<Problem> {
        self.tls.certificate().err()
    }
}

fn unusable(error: &CertificateError) -> Problem {
    let name = match error {
        CertificateError::Chain(_) | CertificateError::NoCertificate => "TLS_CERT",
        CertificateError::Key(_) | CertificateError::Unfit(_) => "TLS_KEY",
    };
    Problem::Unusable { name, reason: error.to_string() }
}
