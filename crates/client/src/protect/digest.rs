use sha2::{Digest, Sha256};

/// The longest key that is checked, in bytes. Gatepost has the same limit.
const PRESENTED_LENGTH_MAX: usize = 512;

/// SHA-256 of a presented key, which identifies the key in the cache. It cannot be printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CredentialDigest([u8; 32]);

impl CredentialDigest {
    /// The digest; `None` for a string that Gatepost refuses without a look-up: empty, over 512 bytes, or with
    /// characters other than visible ASCII.
    pub(super) fn of_presented(key: &str) -> Option<Self> {
        let plausible = (1..=PRESENTED_LENGTH_MAX).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
        plausible.then(|| Self(Sha256::digest(key.as_bytes()).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implausible_keys_are_not_asked_about() {
        for wrong in [String::new(), "a".repeat(513), "a b".into(), "a\u{e9}".into(), "a\t".into()] {
            assert!(CredentialDigest::of_presented(&wrong).is_none(), "{wrong:?}");
        }
        assert!(CredentialDigest::of_presented(&"a".repeat(512)).is_some());
        assert!(CredentialDigest::of_presented("a") != CredentialDigest::of_presented("b"));
    }
}
