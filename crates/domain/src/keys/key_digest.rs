use std::fmt;
use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The SHA-256 of a full key, the only form in which keys are stored. It is compared in constant time, and has no
/// `Display`.
#[derive(Clone, Copy)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// The longest key that is hashed, in bytes. Longer strings are not keys.
    pub const PRESENTED_LENGTH_MAX: usize = 512;

    /// The digest of the string that a caller sent as its key. `None` if a key cannot look like this: the string is
    /// empty, is longer than [`Self::PRESENTED_LENGTH_MAX`], or has characters other than visible ASCII. The check is
    /// not verified: imported keys may have none.
    pub fn of_presented(key: &str) -> Option<Self> {
        let plausible =
            (1..=Self::PRESENTED_LENGTH_MAX).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
        plausible.then(|| Self::of(key))
    }

    /// The digest with these 32 bytes, which is how stores keep it.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest of a key that Gatepost has generated.
    pub(super) fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }
}

impl PartialEq for KeyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for KeyDigest {}

impl Hash for KeyDigest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeyDigest")
    }
}
