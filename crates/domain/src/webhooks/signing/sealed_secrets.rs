use super::sealed_secret::SealedSecret;
use crate::Timestamp;
use crate::webhooks::options::sealed_options::SealedOptions;

/// The secrets of a subscription as stores keep them: those that sign, and those that its requests carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecrets {
    /// The secret that signs now.
    pub current: SealedSecret,
    /// The secret before the last rotation. It signs too, before this time.
    pub previous: Option<(SealedSecret, Timestamp)>,
    /// The headers and the authentication.
    pub options: SealedOptions,
}

impl SealedSecrets {
    /// The secrets of a subscription with this one alone.
    pub fn of(current: SealedSecret) -> Self {
        Self { current, previous: None, options: SealedOptions::default() }
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

    #[test]
    fn an_earlier_overlap_allows_only_a_rotation_without_one() {
        let at = |millis| Timestamp::from_unix_millis(millis).unwrap();
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
}
