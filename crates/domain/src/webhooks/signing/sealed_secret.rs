use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::idempotency_key::IdempotencyKey;
use super::signing_secret::SigningSecret;
use crate::ports::Entropy;
use crate::{SealingKeys, SubscriptionId};

/// Begins every message from which a secret is derived, so that no other use of a key gives the same bytes.
const DERIVATION: &[u8] = b"gatepost rotate-secret 1\0";

/// None of the keys opens the sealed secret. It was sealed under another key or for another subscription, or it is
/// damaged: AES-GCM does not show which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sealed secret does not open with any of the keys")]
pub struct UnsealError;

/// A signing secret as stores keep it: encrypted by AES-256-GCM with a random nonce, and bound to its subscription.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(Vec<u8>);

impl SealedSecret {
    /// The sealed secret with these bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The sealed secret whose bytes this is in base64; `None` if it is none.
    pub fn from_base64(text: &str) -> Option<Self> {
        STANDARD.decode(text).ok().map(Self)
    }

    /// Its bytes in base64, for stores that keep text.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(&self.0)
    }

    /// The bytes that stores keep.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealedSecret")
    }
}

/// A signing secret that was opened.
#[derive(Debug)]
pub struct Unsealed {
    /// The secret.
    pub secret: SigningSecret,
    /// Whether an older key opened it, so that it should be sealed again under the newest.
    pub under_older_key: bool,
}

impl SealingKeys {
    /// Seals `secret` for `subscription` under the newest key.
    pub fn seal(&self, secret: &SigningSecret, subscription: SubscriptionId, entropy: &dyn Entropy) -> SealedSecret {
        SealedSecret(self.seal_bytes(secret.expose().as_bytes(), subscription.as_bytes(), entropy))
    }

    /// Opens a secret that was sealed for `subscription`.
    ///
    /// # Errors
    ///
    /// If none of the keys opens it.
    pub fn unseal(&self, sealed: &SealedSecret, subscription: SubscriptionId) -> Result<Unsealed, UnsealError> {
        let opened = self.open_bytes(&sealed.0, subscription.as_bytes()).ok_or(UnsealError)?;
        let text = str::from_utf8(&opened.content).map_err(|_| UnsealError)?;
        let secret = SigningSecret::parse(text).map_err(|_| UnsealError)?;
        Ok(Unsealed { secret, under_older_key: opened.under_older_key })
    }

    /// The secret for a rotation with this idempotency key from each sealing key, newest first: HMAC-SHA256 of the
    /// subscription and the idempotency key. The same rotation gets the same secret, without stored state. See
    /// decision 56.
    pub(super) fn derive(&self, subscription: SubscriptionId, key: &IdempotencyKey) -> Vec<SigningSecret> {
        let derive = |sealing_key: &[u8; 32]| {
            let mut mac = Hmac::<Sha256>::new_from_slice(sealing_key).expect("HMAC takes a key of any length");
            for part in [DERIVATION, subscription.as_bytes(), key.as_str().as_bytes()] {
                mac.update(part);
            }
            SigningSecret::of_key(Zeroizing::new(mac.finalize().into_bytes().to_vec()))
        };
        self.iter().map(derive).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_bytes([9; 16]);

    fn keys(bytes: &[u8]) -> SealingKeys {
        SealingKeys::new(bytes.iter().map(|byte| Zeroizing::new([*byte; 32])).collect()).unwrap()
    }

    fn sealed(keys: &SealingKeys, seed: u64) -> SealedSecret {
        keys.seal(&SigningSecret::parse("swordfish").unwrap(), SUBSCRIPTION, &SeededEntropy::new(seed))
    }

    #[test]
    fn opens_what_it_sealed_and_shows_nothing_of_it() {
        let keys = keys(&[1]);
        let sealed = sealed(&keys, 3);
        let unsealed = keys.unseal(&SealedSecret::from_bytes(sealed.as_bytes().to_vec()), SUBSCRIPTION).unwrap();
        assert_eq!(unsealed.secret.expose(), "swordfish");
        assert!(!unsealed.under_older_key);
        assert_eq!(sealed.as_bytes().len(), 1 + 12 + 9 + 16);
        assert!(!sealed.as_bytes().windows(9).any(|window| window == b"swordfish"));
        assert_eq!(format!("{sealed:?} {keys:?}"), "SealedSecret SealingKeys");
    }

    #[test]
    fn the_same_secret_never_looks_the_same() {
        let keys = keys(&[1]);
        assert_ne!(sealed(&keys, 3), sealed(&keys, 4));
    }

    #[test]
    fn older_keys_open_and_the_newest_seals() {
        let old = sealed(&keys(&[1]), 3);
        let rotated = keys(&[2, 1]);
        let unsealed = rotated.unseal(&old, SUBSCRIPTION).unwrap();
        assert!(unsealed.under_older_key);
        let renewed = rotated.seal(&unsealed.secret, SUBSCRIPTION, &SeededEntropy::new(5));
        assert!(!keys(&[2]).unseal(&renewed, SUBSCRIPTION).unwrap().under_older_key);
        assert_eq!(keys(&[2]).unseal(&old, SUBSCRIPTION).err(), Some(UnsealError));
    }

    #[test]
    fn a_secret_moved_to_another_subscription_does_not_open() {
        let keys = keys(&[1]);
        assert_eq!(keys.unseal(&sealed(&keys, 3), SubscriptionId::from_bytes([8; 16])).err(), Some(UnsealError));
    }

    #[test]
    fn a_damaged_secret_does_not_open() {
        let keys = keys(&[1]);
        let whole = sealed(&keys, 3).as_bytes().to_vec();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            let shortened = whole[..index].to_vec();
            for wrong in [damaged, shortened] {
                assert_eq!(
                    keys.unseal(&SealedSecret::from_bytes(wrong), SUBSCRIPTION).err(),
                    Some(UnsealError),
                    "{index}"
                );
            }
        }
    }

    #[test]
    fn a_derived_secret_depends_on_every_part() {
        let derive = |bytes: &[u8], subscription, key: &str| -> Vec<String> {
            let derived = keys(bytes).derive(subscription, &IdempotencyKey::parse(key).unwrap());
            derived.iter().map(|secret| secret.expose().to_owned()).collect()
        };
        let both = derive(&[2, 1], SUBSCRIPTION, "one");
        assert_eq!(both, [derive(&[2], SUBSCRIPTION, "one"), derive(&[1], SUBSCRIPTION, "one")].concat());
        let other = SubscriptionId::from_bytes([8; 16]);
        let all = [both, derive(&[1], SUBSCRIPTION, "two"), derive(&[1], other, "one")].concat();
        let distinct: std::collections::HashSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), 4);
        assert!(all.iter().all(|text| text.starts_with("whsec_") && text.len() == 6 + 44));
    }
}
