use std::fmt;
use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The SHA-256 of a full key: the only form that is stored. Compared in constant time, never printed.
#[derive(Clone, Copy)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// The longest presented key that is looked at, in bytes.
    pub const PRESENTED_LENGTH_MAX: usize = 512;

    /// The digest of a key as a caller presented it; `None` when no key of ours can look like this: empty, over
    /// 512 bytes, or other than visible ASCII. The check characters are not asked: imported keys may have none.
    pub fn of_presented(key: &str) -> Option<Self> {
        let plausible =
            (1..=Self::PRESENTED_LENGTH_MAX).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
        plausible.then(|| Self::of(key))
    }

    /// The digest of these 32 bytes, as storage keeps them.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 raw bytes, for storage.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest of a key that was made here.
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
