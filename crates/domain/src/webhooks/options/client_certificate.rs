use std::fmt;

use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::Timestamp;

/// Why a certificate and a key are not a valid [`ClientCertificate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidClientCertificate {
    /// They are too long together.
    #[error("must have at most {} bytes in chain and key together", ClientCertificate::BYTES_MAX)]
    TooLong,
    /// The chain has no certificates, too many, or something else in PEM.
    #[error(
        "must be 1 to {} X.509 certificates of version 3 in PEM, the client's first",
        ClientCertificate::CERTIFICATES_MAX
    )]
    Chain,
    /// The first certificate has expired.
    #[error("must not have expired")]
    Expired,
    /// The key cannot be read.
    #[error("must be one private key in PEM: PKCS #8, SEC 1 or PKCS #1")]
    Key,
    /// The key is encrypted.
    #[error("must not be encrypted")]
    Encrypted,
    /// TLS cannot use the key.
    #[error("must be an ECDSA key (P-256, P-384 or P-521), an Ed25519 key, or an RSA key of 2,048 to 8,192 bits")]
    KeyKind,
    /// The key is that of another certificate.
    #[error("must be the key of the first certificate of the chain")]
    OtherKey,
}

impl InvalidClientCertificate {
    /// The name that the API gives the part; `None` for both parts.
    pub const fn part(self) -> Option<&'static str> {
        match self {
            Self::TooLong => None,
            Self::Chain | Self::Expired => Some("chain"),
            Self::Key | Self::Encrypted | Self::KeyKind | Self::OtherKey => Some("key"),
        }
    }
}

/// The public facts about a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFacts {
    /// The subject (RFC 4514), at most [`CertificateFacts::SUBJECT_LENGTH_MAX`] characters of it.
    pub subject: String,
    /// When it expires.
    pub expires_at: Timestamp,
    /// The SHA-256 of the certificate.
    pub fingerprint: [u8; 32],
}

impl CertificateFacts {
    /// The most characters of a subject that are kept.
    pub const SUBJECT_LENGTH_MAX: usize = 256;

    /// The fingerprint in hexadecimal digits.
    pub fn fingerprint_hex(&self) -> String {
        let digits = |half: &[u8]| half.iter().fold(0_u128, |number, byte| (number << 8) | u128::from(*byte));
        let (first, last) = self.fingerprint.split_at(16);
        format!("{:032x}{:032x}", digits(first), digits(last))
    }

    /// The fingerprint of these [digits](CertificateFacts::fingerprint_hex); `None` if they are not 64 hexadecimal digits.
    pub fn parse_fingerprint(digits: &str) -> Option<[u8; 32]> {
        let (first, last) = digits.split_at_checked(32).filter(|(_, last)| last.len() == 32)?;
        let half = |digits| u128::from_str_radix(digits, 16).ok().map(u128::to_be_bytes);
        [half(first)?, half(last)?].concat().try_into().ok()
    }
}

/// The certificate with which the service authenticates in the TLS handshakes of a subscription, and its private key.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The public facts about it.
    pub facts: CertificateFacts,
    /// The chain, and then the key.
    pem: Zeroizing<String>,
    identity: u128,
}

impl ClientCertificate {
    /// The most bytes of chain and key together, so that they fit into the body of a request.
    pub const BYTES_MAX: usize = 12_288;
    /// The most certificates of a chain.
    pub const CERTIFICATES_MAX: usize = 10;

    /// A certificate that a [`CertificateReader`](crate::ports::CertificateReader) has read.
    pub fn new(facts: CertificateFacts, chain: &str, key: &str) -> Self {
        let mut pem = Zeroizing::new(String::with_capacity(chain.len() + key.len() + 1));
        pem.extend([chain, "\n", key]);
        Self::of_pem(facts, pem)
    }

    /// The certificate that is stored with this sealed form.
    pub(super) fn of_pem(facts: CertificateFacts, pem: Zeroizing<String>) -> Self {
        let digest = Sha256::digest(pem.as_bytes());
        let (half, _) = digest.split_first_chunk().expect("a SHA-256 has 32 bytes");
        Self { facts, identity: u128::from_be_bytes(*half), pem }
    }

    /// Equal for equal chains with equal keys, and for no others. It is derived from the key, so it is not shown.
    pub fn identity(&self) -> u128 {
        self.identity
    }

    /// The certificates and the private key. Only sealing and the sender call this.
    pub fn expose_pem(&self) -> &str {
        &self.pem
    }
}

/// Shows no key.
impl fmt::Debug for ClientCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientCertificate").field("facts", &self.facts).finish_non_exhaustive()
    }
}
