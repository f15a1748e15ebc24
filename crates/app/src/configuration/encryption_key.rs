use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::ports::Entropy;
use zeroize::Zeroizing;

/// A key of 256 bits for secrets at rest. It cannot be printed and is wiped on drop.
#[derive(Clone)]
pub(crate) struct EncryptionKey(Zeroizing<[u8; 32]>);

impl EncryptionKey {
    /// What [`EncryptionKey::parse`] takes.
    pub(crate) const ALLOWED: &str = "32 random bytes in base64, as `openssl rand -base64 32` prints them; several \
                                      separated by commas, the first one for new secrets";

    /// Reads 32 bytes in base64.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let decoded = Zeroizing::new(STANDARD.decode(text).ok()?);
        let mut bytes = Zeroizing::new([0; 32]);
        if decoded.len() != bytes.len() {
            return None;
        }
        bytes.copy_from_slice(&decoded);
        Some(Self(bytes))
    }

    /// Draws a new key.
    pub(crate) fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        entropy.fill(bytes.as_mut());
        Self(bytes)
    }

    /// The bytes, for whoever seals secrets with them.
    pub(crate) fn bytes(&self) -> Zeroizing<[u8; 32]> {
        self.0.clone()
    }

    /// The form that [`EncryptionKey::parse`] reads, for the file that keeps it.
    pub(crate) fn to_base64(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.0.as_ref()))
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EncryptionKey")
    }
}
