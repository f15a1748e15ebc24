use super::key_pair::PublicKey;
use super::sealed_secret::SealedSecret;
use super::signer::{PublicSigner, SigningKind};
use crate::Timestamp;
use crate::webhooks::options::sealed_options::SealedOptions;

/// The secrets of a subscription as stores keep them: those that sign, and those that its requests carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecrets {
    /// The secret or the key pair that signs now, or both.
    pub current: SealedSecret,
    /// What signed before the last rotation. It signs too, before this time.
    pub previous: Option<(SealedSecret, Timestamp)>,
    /// The headers and the authentication.
    pub options: SealedOptions,
}

/// What everybody may know about the signers of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signing {
    /// The one that signs now.
    pub current: PublicSigner,
    /// The one before the last rotation, which signs too, before this time; `None` if it has no public key.
    pub previous: Option<(PublicSigner, Timestamp)>,
}

impl Signing {
    /// The keys that verify signatures of version `v1a` at `at`, newest first.
    pub fn public_keys_at(&self, at: Timestamp) -> impl Iterator<Item = &PublicKey> {
        let previous = self.previous.as_ref().filter(|(_, until)| at < *until);
        let (current, previous) = (self.current.key(), previous.and_then(|(signer, _)| signer.key()));
        // A rotation that is repeated later, with its key, makes its signer again.
        current.into_iter().chain(previous.filter(|previous| Some(*previous) != current))
    }
}

impl SealedSecrets {
    /// What everybody may know about them.
    pub fn signing(&self) -> Signing {
        let previous = self.previous.as_ref().map(|(secret, until)| (secret.public(), *until));
        Signing { current: self.current.public(), previous: previous.filter(|(signer, _)| signer.key().is_some()) }
    }

    /// The secrets of a subscription with this one alone.
    pub fn of(current: SealedSecret) -> Self {
        Self { current, previous: None, options: SealedOptions::default() }
    }

    /// Whether the current signer is of this kind.
    pub fn is_of(&self, kind: SigningKind) -> bool {
        self.current.public().kind() == kind
    }

    /// The secrets that sign at `at`, newest first.
    pub fn signing_at(&self, at: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| at < *until);
        [&self.current].into_iter().chain(previous.map(|(secret, _)| secret))
    }

    /// Whether the secrets may be rotated at `at` with an overlap until `until`. An earlier rotation that is in its
    /// overlap allows only a rotation without an overlap: the third secret is deleted, and receivers may know no other.
    /// See decision 56.
    pub fn allow_rotation(&self, at: Timestamp, until: Timestamp) -> bool {
        until <= at || self.previous.as_ref().is_none_or(|(_, earlier_until)| *earlier_until <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::at;

    #[test]
    fn an_earlier_overlap_allows_only_a_rotation_without_one() {
        let secrets = |previous: Option<i64>| SealedSecrets {
            current: SealedSecret::from_bytes(vec![1]),
            previous: previous.map(|until| (SealedSecret::from_bytes(vec![2]), at(until))),
            options: SealedOptions::default(),
        };
        for (previous, until, is_allowed) in [
            (None, 900, true),
            (Some(500), 900, true),
            (Some(501), 900, false),
            (Some(501), 501, false),
            (Some(501), 500, true),
        ] {
            assert_eq!(secrets(previous).allow_rotation(at(500), at(until)), is_allowed, "{previous:?}, {until}");
        }
    }

    #[test]
    fn public_keys_are_those_that_sign() {
        let pair = |byte| SealedSecret::from_bytes([vec![2], vec![byte; 60]].concat());
        let secret = || SealedSecret::from_bytes(vec![1; 60]);
        let keys = |current: SealedSecret, previous: Option<SealedSecret>, now| -> Vec<u8> {
            let previous = previous.map(|secret| (secret, at(500)));
            let signing = SealedSecrets { previous, ..SealedSecrets::of(current) }.signing();
            signing.public_keys_at(at(now)).map(|key| key.as_bytes()[0]).collect()
        };
        assert_eq!(keys(pair(7), Some(pair(8)), 499), [7, 8]);
        assert_eq!(keys(pair(7), Some(pair(8)), 500), [7]);
        assert_eq!(keys(pair(7), Some(secret()), 499), [7]);
        assert_eq!(keys(secret(), Some(pair(8)), 499), [8]);
        assert_eq!(keys(secret(), Some(secret()), 499), []);
        assert_eq!(SealedSecrets::of(secret()).signing(), Signing::default());
    }
}
