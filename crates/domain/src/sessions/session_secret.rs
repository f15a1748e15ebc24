use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::ports::Entropy;
use crate::{CredentialDigest, OwnerId, Placement};

/// 256 bits, which cannot be guessed.
const RANDOM_BYTES: usize = 32;

/// The secret of a session, which the browser keeps in a cookie: 43 characters of base64url.
///
/// It has no `Display`, and its memory is cleared on drop.
pub struct SessionSecret(Zeroizing<String>);

impl SessionSecret {
    /// A new random secret of a session of this owner.
    pub fn generate_for(owner: &OwnerId, placement: Placement, entropy: &dyn Entropy) -> Self {
        placement.draw(owner, Self::digest, || Self(random_text(entropy)))
    }

    /// The secret in clear. Only the answer that sets the cookie shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The form in which stores keep the secret.
    pub fn digest(&self) -> CredentialDigest {
        CredentialDigest::of(&self.0)
    }
}

impl fmt::Debug for SessionSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionSecret")
    }
}

/// 256 random bits as 43 characters of base64url.
pub(super) fn random_text(entropy: &dyn Entropy) -> Zeroizing<String> {
    let mut random = Zeroizing::new([0; RANDOM_BYTES]);
    entropy.fill(random.as_mut());
    // Enough capacity from the start: a string that grows leaves a copy of the secret in memory.
    let mut text = Zeroizing::new(String::with_capacity(RANDOM_BYTES.div_ceil(3) * 4));
    URL_SAFE_NO_PAD.encode_string(*random, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Home;
    use crate::memory::SeededEntropy;

    #[test]
    fn holds_256_random_bits_and_does_not_print() {
        let entropy = SeededEntropy::new(7);
        let owner = OwnerId::new("https://id.example", "alice").unwrap();
        let secret = || SessionSecret::generate_for(&owner, Placement::OneStore, &entropy);
        let (one, other) = (secret(), secret());
        assert_eq!(URL_SAFE_NO_PAD.decode(one.expose()).unwrap().len(), 32);
        assert_ne!(one.expose(), other.expose());
        assert_eq!(CredentialDigest::of_presented(one.expose()), Some(one.digest()));
        assert_eq!(format!("{one:?}"), "SessionSecret");
    }

    #[test]
    fn the_digest_names_the_store_of_the_owner() {
        let entropy = SeededEntropy::new(7);
        for owner in (0..40).map(|n| OwnerId::new("https://id.example", format!("user-{n}")).unwrap()) {
            let secret = SessionSecret::generate_for(&owner, Placement::Shards(16), &entropy);
            assert_eq!(Home::of_digest(&secret.digest()).shard(16), Home::of(&owner).shard(16));
        }
    }
}
