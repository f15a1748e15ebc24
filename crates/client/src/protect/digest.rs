use sha2::{Digest, Sha256};

/// The longest presented key that is looked at, in bytes: what Gatepost itself takes.
const PRESENTED_LENGTH_MAX: usize = 512;

/// SHA-256 of a presented key: what the cache knows a key by. It does not print.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// The digest; `None` when Gatepost would refuse the text unseen: empty, over 512 bytes, or other than visible
    /// ASCII.
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
            assert!(KeyDigest::of_presented(&wrong).is_none(), "{wrong:?}");
        }
        assert!(KeyDigest::of_presented(&"a".repeat(512)).is_some());
        assert!(KeyDigest::of_presented("a") != KeyDigest::of_presented("b"));
    }
}
