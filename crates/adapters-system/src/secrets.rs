use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::ports::Entropy;
use zeroize::Zeroizing;

/// The replacement for a secret in any output.
pub const MASK: &str = "***";

/// A secret string. `Debug` prints a mask, and dropping it wipes the memory.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The secret in clear.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

/// A key of 256 bits that encrypts stored secrets. `Debug` prints only the type, and dropping the key wipes the memory.
#[derive(Clone)]
pub struct EncryptionKey(Zeroizing<[u8; 32]>);

impl EncryptionKey {
    /// The values that [`EncryptionKey::parse`] accepts.
    pub const ALLOWED: &str = "32 random bytes in base64, as `openssl rand -base64 32` prints them";

    /// Parses 32 bytes in base64; `None` if the string is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let decoded = Zeroizing::new(STANDARD.decode(text).ok()?);
        let mut bytes = Zeroizing::new([0; 32]);
        if decoded.len() != bytes.len() {
            return None;
        }
        bytes.copy_from_slice(&decoded);
        Some(Self(bytes))
    }

    /// Draws a new key.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        entropy.fill(bytes.as_mut());
        Self(bytes)
    }

    /// The bytes of the key.
    pub fn bytes(&self) -> Zeroizing<[u8; 32]> {
        self.0.clone()
    }

    /// The key in base64, as [`EncryptionKey::parse`] reads it, for the file that stores the key.
    pub fn to_base64(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.0.as_ref()))
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EncryptionKey")
    }
}
