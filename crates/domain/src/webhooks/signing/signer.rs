use zeroize::Zeroizing;

use super::key_pair::{PublicKey, SigningKeyPair};
use super::signing_secret::SigningSecret;
use crate::named::named;
use crate::ports::Entropy;

named! {
    /// The kinds of signatures on webhooks.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum SigningKind: as_str, parse {
        /// `v1`, by a secret that the receiver shares.
        #[default]
        Hmac = "hmac",
        /// `v1a`, by a private key that never leaves the service.
        Ed25519 = "ed25519",
        /// Both, `v1` first.
        Both = "both",
    }
}

/// What signs the webhooks of a subscription. It has no `Display`, and its memory is cleared on drop. See decision 136.
#[derive(Clone, Debug)]
pub enum Signer {
    /// Makes signatures of version `v1`.
    Hmac(SigningSecret),
    /// Makes signatures of version `v1a`.
    Ed25519(SigningKeyPair),
    /// Makes both.
    Both(SigningSecret, SigningKeyPair),
}

/// What everybody may know about a [`Signer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PublicSigner {
    /// Of [`Signer::Hmac`].
    #[default]
    Hmac,
    /// Of [`Signer::Ed25519`].
    Ed25519(PublicKey),
    /// Of [`Signer::Both`].
    Both(PublicKey),
}

impl Signer {
    /// The shared secret.
    pub fn secret(&self) -> Option<&SigningSecret> {
        match self {
            Self::Hmac(secret) | Self::Both(secret, _) => Some(secret),
            Self::Ed25519(_) => None,
        }
    }

    /// The key pair.
    pub fn key_pair(&self) -> Option<&SigningKeyPair> {
        match self {
            Self::Ed25519(pair) | Self::Both(_, pair) => Some(pair),
            Self::Hmac(_) => None,
        }
    }

    /// What everybody may know about it.
    pub fn public(&self) -> PublicSigner {
        match self {
            Self::Hmac(_) => PublicSigner::Hmac,
            Self::Ed25519(pair) => PublicSigner::Ed25519(pair.public_key()),
            Self::Both(_, pair) => PublicSigner::Both(pair.public_key()),
        }
    }
}

impl From<SigningSecret> for Signer {
    fn from(secret: SigningSecret) -> Self {
        Self::Hmac(secret)
    }
}

impl PublicSigner {
    /// The kind.
    pub fn kind(&self) -> SigningKind {
        match self {
            Self::Hmac => SigningKind::Hmac,
            Self::Ed25519(_) => SigningKind::Ed25519,
            Self::Both(_) => SigningKind::Both,
        }
    }

    /// The key that verifies its signatures of version `v1a`.
    pub fn key(&self) -> Option<&PublicKey> {
        match self {
            Self::Ed25519(key) | Self::Both(key) => Some(key),
            Self::Hmac => None,
        }
    }
}

/// A secret was given for a subscription that shares none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be absent: a subscription with ed25519 signatures has no shared secret")]
pub struct NoSharedSecret;

/// The signer that an owner asks for.
#[derive(Clone, Debug, Default)]
pub struct SignerWish {
    kind: SigningKind,
    secret: Option<SigningSecret>,
}

impl SignerWish {
    /// A signer of this kind with this secret; `None` to generate one. Key pairs are always generated.
    ///
    /// # Errors
    ///
    /// If there is a secret, and the kind has none.
    pub fn new(kind: SigningKind, secret: Option<SigningSecret>) -> Result<Self, NoSharedSecret> {
        if kind == SigningKind::Ed25519 && secret.is_some() { Err(NoSharedSecret) } else { Ok(Self { kind, secret }) }
    }

    /// The signer, with what it draws at random.
    pub(in crate::webhooks) fn drawn(&self, entropy: &dyn Entropy) -> ChosenSigner {
        self.made(|| SigningSecret::generate(entropy), || SigningKeyPair::generate(entropy))
    }

    /// The signer, with keys that were derived.
    pub(super) fn derived(&self, derive: impl Fn(SigningKind) -> Zeroizing<[u8; 32]>) -> ChosenSigner {
        let secret = || SigningSecret::of_key(Zeroizing::new(derive(SigningKind::Hmac).to_vec()));
        self.made(secret, || SigningKeyPair::of_seed(derive(SigningKind::Ed25519)))
    }

    fn made(&self, secret: impl FnOnce() -> SigningSecret, pair: impl FnOnce() -> SigningKeyPair) -> ChosenSigner {
        let is_given = self.secret.is_some();
        let secret = || self.secret.clone().unwrap_or_else(secret);
        let signer = match self.kind {
            SigningKind::Hmac => Signer::Hmac(secret()),
            SigningKind::Ed25519 => Signer::Ed25519(pair()),
            SigningKind::Both => Signer::Both(secret(), pair()),
        };
        ChosenSigner { signer, is_given }
    }
}

/// A signer as its owner asked for it. Only a generated secret is shown: its owner does not know it yet.
pub(in crate::webhooks) struct ChosenSigner {
    signer: Signer,
    is_given: bool,
}

impl ChosenSigner {
    pub(in crate::webhooks) fn signer(&self) -> &Signer {
        &self.signer
    }

    pub(in crate::webhooks) fn into_shown(self) -> Option<SigningSecret> {
        self.signer.secret().filter(|_| !self.is_given).cloned()
    }

    /// Whether the call that asked for `stored` asked for the same. Beside a secret, the key pair does not count: it
    /// may have been drawn at random for a secret that was given.
    pub(super) fn repeats(&self, stored: &Signer) -> bool {
        match (&self.signer, stored) {
            (Signer::Hmac(one), Signer::Hmac(other)) | (Signer::Both(one, _), Signer::Both(other, _)) => {
                one.expose() == other.expose()
            }
            (Signer::Ed25519(one), Signer::Ed25519(other)) => one.public_key() == other.public_key(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    #[test]
    fn a_kind_makes_what_it_signs_with() {
        for kind in SigningKind::ALL {
            assert_eq!(SigningKind::parse(kind.as_str()), Some(kind));
            let chosen = SignerWish::new(kind, None).unwrap().drawn(&SeededEntropy::new(1));
            let signer = chosen.signer().clone();
            assert_eq!((signer.public().kind(), signer.secret().is_some()), (kind, kind != SigningKind::Ed25519));
            assert_eq!(signer.public().key(), signer.key_pair().map(SigningKeyPair::public_key).as_ref());
            assert!(chosen.repeats(&signer) && !chosen.repeats(&Signer::Hmac(SigningSecret::parse("x").unwrap())));
            assert_eq!(chosen.into_shown().is_some(), kind != SigningKind::Ed25519);
        }
        assert_eq!(SigningKind::parse("HMAC"), None);
    }

    #[test]
    fn a_given_secret_is_not_shown_and_needs_a_kind_with_a_secret() {
        let wish = |kind| SignerWish::new(kind, Some(SigningSecret::parse("swordfish").unwrap()));
        assert_eq!(wish(SigningKind::Ed25519).err(), Some(NoSharedSecret));
        for kind in [SigningKind::Hmac, SigningKind::Both] {
            let (one, again) = (SeededEntropy::new(1), SeededEntropy::new(2));
            let chosen = wish(kind).unwrap().drawn(&one);
            assert_eq!(chosen.signer().secret().map(SigningSecret::expose), Some("swordfish"));
            assert!(wish(kind).unwrap().drawn(&again).repeats(chosen.signer()));
            assert!(chosen.into_shown().is_none());
        }
    }
}
