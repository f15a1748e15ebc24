use super::sealed_secret::SealedSecret;
use crate::Timestamp;

/// A subscription's signing secrets as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecrets {
    /// Signs.
    pub current: SealedSecret,
    /// Signs as well, until then (exclusive): the secret before the last rotation.
    pub previous: Option<(SealedSecret, Timestamp)>,
}

impl SealedSecrets {
    /// Those that sign at `at`, the newest first.
    pub fn signing_at(&self, at: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| at < *until);
        [&self.current].into_iter().chain(previous.map(|(secret, _)| secret))
    }
}
