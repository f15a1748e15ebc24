use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::idempotency_key::IdempotencyKey;
use super::key_pair::{PublicKey, SigningKeyPair};
use super::signer::{PublicSigner, Signer, SigningKind};
use super::signing_secret::SigningSecret;
use crate::ports::Entropy;
use crate::{SealingKeys, SubscriptionId};

/// Begins every message from which a secret is derived, so that no other use of a key gives the same bytes.
const DERIVATION: &[u8] = b"gatepost rotate-secret 1\0";
/// The same for key pairs.
const DERIVATION_OF_PAIRS: &[u8] = b"gatepost rotate-secret ed25519 1\0";

/// The first byte of a sealed key pair. What begins otherwise is a sealed secret.
const ED25519: u8 = 2;
/// The first byte of a secret and a key pair that are sealed together.
const BOTH: u8 = 3;

/// None of the keys opens the sealed secret. It was sealed under another key or for another subscription, or it is
/// damaged: AES-GCM does not show which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sealed secret does not open with any of the keys")]
pub struct UnsealError;

/// A signer as stores keep it: encrypted by AES-256-GCM with a random nonce, and bound to its subscription.
///
/// Before what is encrypted, the public key is in clear, so that it is shown without a key. It is bound to the private key
/// by the tag.
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

    /// What everybody may know about the signer.
    pub fn public(&self) -> PublicSigner {
        self.parts().0
    }

    /// The public part in clear, and what is encrypted.
    fn parts(&self) -> (PublicSigner, &[u8]) {
        let with_key = |public: fn(PublicKey) -> PublicSigner, rest: &'_ [u8]| {
            let (key, _) = rest.split_first_chunk::<{ PublicKey::BYTES }>()?;
            Some(public(PublicKey::from_bytes(*key)))
        };
        let public = match self.0.split_first() {
            Some((&ED25519, rest)) => with_key(PublicSigner::Ed25519, rest),
            Some((&BOTH, rest)) => with_key(PublicSigner::Both, rest),
            _ => None,
        };
        let clear_bytes = if public.is_some() { 1 + PublicKey::BYTES } else { 0 };
        (public.unwrap_or_default(), &self.0[clear_bytes..])
    }
}

/// The part in clear.
fn clear(public: &PublicSigner) -> Vec<u8> {
    let mark = match public.kind() {
        SigningKind::Hmac => return Vec::new(),
        SigningKind::Ed25519 => ED25519,
        SigningKind::Both => BOTH,
    };
    let key = public.key().map(|key| key.as_bytes().as_slice());
    [&[mark], key.unwrap_or_default()].concat()
}

/// What is encrypted is bound to the subscription and to the part in clear.
fn purpose(subscription: SubscriptionId, clear: &[u8]) -> Vec<u8> {
    let name: &[u8] = if clear.is_empty() { b"" } else { b"signer " };
    [subscription.as_bytes(), name, clear].concat()
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealedSecret")
    }
}

/// A signer that was opened.
#[derive(Debug)]
pub struct Unsealed {
    /// The signer.
    pub signer: Signer,
    /// Whether an older key opened it, so that it should be sealed again under the newest.
    pub under_older_key: bool,
}

impl SealingKeys {
    /// Seals `signer` for `subscription` under the newest key.
    pub fn seal(&self, signer: &Signer, subscription: SubscriptionId, entropy: &dyn Entropy) -> SealedSecret {
        let seed = signer.key_pair().map(|pair| pair.seed().as_slice());
        let text = signer.secret().map(|secret| secret.expose().as_bytes());
        let content = Zeroizing::new([seed.unwrap_or_default(), text.unwrap_or_default()].concat());
        let clear = clear(&signer.public());
        let sealed = self.seal_bytes(&content, &purpose(subscription, &clear), entropy);
        SealedSecret([clear, sealed].concat())
    }

    /// Opens a signer that was sealed for `subscription`.
    ///
    /// # Errors
    ///
    /// If none of the keys opens it.
    pub fn unseal(&self, sealed: &SealedSecret, subscription: SubscriptionId) -> Result<Unsealed, UnsealError> {
        let (public, encrypted) = sealed.parts();
        let opened = self.open_bytes(encrypted, &purpose(subscription, &clear(&public))).ok_or(UnsealError)?;
        let signer = signer_of(public.kind(), &opened.content).filter(|signer| signer.public() == public);
        Ok(Unsealed { signer: signer.ok_or(UnsealError)?, under_older_key: opened.under_older_key })
    }

    /// What derives keys for a rotation with this idempotency key, from each sealing key, newest first: HMAC-SHA256 of the
    /// subscription and the idempotency key. The same rotation gets the same secret and the same key pair, without
    /// stored state. See decision 56.
    pub(super) fn derivations(
        &self,
        subscription: SubscriptionId,
        key: &IdempotencyKey,
    ) -> impl Iterator<Item = impl Fn(SigningKind) -> Zeroizing<[u8; 32]>> {
        self.iter().map(move |sealing_key| {
            move |kind| {
                let begin = if kind == SigningKind::Hmac { DERIVATION } else { DERIVATION_OF_PAIRS };
                let mut mac = Hmac::<Sha256>::new_from_slice(sealing_key).expect("HMAC takes a key of any length");
                for part in [begin, subscription.as_bytes(), key.as_str().as_bytes()] {
                    mac.update(part);
                }
                Zeroizing::new(mac.finalize().into_bytes().into())
            }
        })
    }
}

/// The signer whose content this is; `None` if it is none.
fn signer_of(kind: SigningKind, content: &[u8]) -> Option<Signer> {
    let secret = |text: &[u8]| SigningSecret::parse(str::from_utf8(text).ok()?).ok();
    let (seed, text) = match kind {
        SigningKind::Hmac => return secret(content).map(Signer::Hmac),
        SigningKind::Ed25519 | SigningKind::Both => content.split_first_chunk()?,
    };
    let pair = SigningKeyPair::of_seed(Zeroizing::new(*seed));
    match kind {
        SigningKind::Both => Some(Signer::Both(secret(text)?, pair)),
        _ => text.is_empty().then_some(Signer::Ed25519(pair)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::signer::SignerWish;
    use super::*;
    use crate::memory::SeededEntropy;
    use crate::test_samples::sealing_keys;

    const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_bytes([9; 16]);

    fn sealed(keys: &SealingKeys, seed: u64) -> SealedSecret {
        keys.seal(&SigningSecret::parse("swordfish").unwrap().into(), SUBSCRIPTION, &SeededEntropy::new(seed))
    }

    #[test]
    fn opens_what_it_sealed_and_shows_nothing_of_it() {
        let keys = sealing_keys(&[1]);
        let sealed = sealed(&keys, 3);
        let unsealed = keys.unseal(&SealedSecret::from_bytes(sealed.as_bytes().to_vec()), SUBSCRIPTION).unwrap();
        assert_eq!(unsealed.signer.secret().map(SigningSecret::expose), Some("swordfish"));
        assert!(!unsealed.under_older_key);
        assert_eq!(sealed.as_bytes().len(), 1 + 12 + 9 + 16);
        assert!(!sealed.as_bytes().windows(9).any(|window| window == b"swordfish"));
        assert_eq!(format!("{sealed:?} {keys:?}"), "SealedSecret SealingKeys");
    }

    #[test]
    fn the_same_secret_never_looks_the_same() {
        let keys = sealing_keys(&[1]);
        assert_ne!(sealed(&keys, 3), sealed(&keys, 4));
    }

    #[test]
    fn a_secret_moved_to_another_subscription_does_not_open() {
        let keys = sealing_keys(&[1]);
        assert_eq!(keys.unseal(&sealed(&keys, 3), SubscriptionId::from_bytes([8; 16])).err(), Some(UnsealError));
    }

    /// A signer of each kind.
    fn signers() -> [Signer; 3] {
        SigningKind::ALL.map(|kind| SignerWish::new(kind, None).unwrap().drawn(&SeededEntropy::new(7)).signer().clone())
    }

    fn content(signer: &Signer) -> (PublicSigner, Option<String>) {
        (signer.public(), signer.secret().map(|secret| secret.expose().to_owned()))
    }

    /// Older keys open, and the newest seals. The public key needs no opening.
    #[test]
    fn every_kind_opens_as_it_was_sealed() {
        let (newest, both) = (sealing_keys(&[2]), sealing_keys(&[2, 1]));
        for signer in signers() {
            let old = sealing_keys(&[1]).seal(&signer, SUBSCRIPTION, &SeededEntropy::new(3));
            assert_eq!(old.public(), signer.public());
            assert_eq!(newest.unseal(&old, SUBSCRIPTION).err(), Some(UnsealError));
            let unsealed = both.unseal(&old, SUBSCRIPTION).unwrap();
            assert!(unsealed.under_older_key);
            assert_eq!(content(&unsealed.signer), content(&signer));
            let renewed = both.seal(&unsealed.signer, SUBSCRIPTION, &SeededEntropy::new(4));
            let unsealed = newest.unseal(&renewed, SUBSCRIPTION).unwrap();
            assert_eq!((content(&unsealed.signer), unsealed.under_older_key), (content(&signer), false));
            if let Some(pair) = signer.key_pair() {
                assert!(!old.as_bytes().windows(32).any(|window| window == pair.seed()));
            }
        }
    }

    #[test]
    fn a_damaged_signer_does_not_open() {
        let keys = sealing_keys(&[1]);
        for signer in signers() {
            let whole = keys.seal(&signer, SUBSCRIPTION, &SeededEntropy::new(3)).as_bytes().to_vec();
            for index in 0..whole.len() {
                let mut damaged = whole.clone();
                // The lowest bit makes each of the two kinds with a key pair the other.
                damaged[index] ^= 1;
                for wrong in [damaged, whole[..index].to_vec()] {
                    let opened = keys.unseal(&SealedSecret(wrong), SUBSCRIPTION);
                    assert_eq!(opened.err(), Some(UnsealError), "{index}");
                }
            }
        }
    }

    #[test]
    fn derived_keys_depend_on_every_part() {
        let derive = |bytes: &[u8], subscription, key: &str| -> Vec<[u8; 32]> {
            let (keys, key) = (sealing_keys(bytes), IdempotencyKey::parse(key).unwrap());
            let derivations = keys.derivations(subscription, &key);
            derivations.flat_map(|derive| [SigningKind::Hmac, SigningKind::Ed25519].map(|kind| *derive(kind))).collect()
        };
        let both = derive(&[2, 1], SUBSCRIPTION, "one");
        assert_eq!(both, [derive(&[2], SUBSCRIPTION, "one"), derive(&[1], SUBSCRIPTION, "one")].concat());
        let other = SubscriptionId::from_bytes([8; 16]);
        let all = [both, derive(&[1], SUBSCRIPTION, "two"), derive(&[1], other, "one")].concat();
        let distinct: std::collections::HashSet<&[u8; 32]> = all.iter().collect();
        assert_eq!(distinct.len(), 8);
    }
}
