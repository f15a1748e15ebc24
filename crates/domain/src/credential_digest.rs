use std::fmt;
use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::OwnerId;
use crate::webhooks::OwnerNumber;

/// The SHA-256 of an API key or of a session's secret, the only form in which they are stored. It is compared in constant
/// time, and has no `Display`.
///
/// Keys and sessions have one type of digest, because one feed reports the changes of both. See decision 64.
#[derive(Clone, Copy)]
pub struct CredentialDigest([u8; 32]);

impl CredentialDigest {
    /// The most digests in one look-up of a store.
    pub const LOOK_UP_MAX: usize = 1_000;
    /// The longest string that is hashed, in bytes. Longer strings are not credentials.
    pub const PRESENTED_LENGTH_MAX: usize = 512;

    /// The digest of the string that a caller sent as its key or session. `None` if a credential cannot look like this:
    /// the string is empty, is longer than [`Self::PRESENTED_LENGTH_MAX`], or has characters other than visible ASCII.
    /// The check of a key is not verified: imported keys may have none.
    pub fn of_presented(secret: &str) -> Option<Self> {
        let plausible =
            (1..=Self::PRESENTED_LENGTH_MAX).contains(&secret.len()) && secret.bytes().all(|b| b.is_ascii_graphic());
        plausible.then(|| Self::of(secret))
    }

    /// The digest with these 32 bytes, which is how stores keep it.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reports to a [`ChangeFeed`](crate::ports::ChangeFeed) that all credentials of this owner have changed. No secret has this digest:
    /// 24 of its bytes are zero, and the others are the number of the owner.
    pub fn of_owner(owner: &OwnerId) -> Self {
        let mut bytes = [0; 32];
        bytes[24..].copy_from_slice(&OwnerNumber::of(owner).number().to_be_bytes());
        Self(bytes)
    }

    /// The number of the owner, if this is [`CredentialDigest::of_owner`].
    pub fn owner(&self) -> Option<OwnerNumber> {
        let number = self.0.strip_prefix(&[0; 24])?;
        Some(OwnerNumber::from_number(i64::from_be_bytes(number.try_into().ok()?)))
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest of a secret that Gatepost has generated.
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }
}

impl PartialEq for CredentialDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for CredentialDigest {}

impl Hash for CredentialDigest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for CredentialDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CredentialDigest")
    }
}
