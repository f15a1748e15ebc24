use super::sealed_secret::SealedSecret;
use crate::Timestamp;

/// The signing secrets of a subscription as stores keep them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecrets {
    /// The secret that signs now.
    pub current: SealedSecret,
    /// The secret before the last rotation. It signs too, before this time.
    pub previous: Option<(SealedSecret, Timestamp)>,
}

impl SealedSecrets {
    /// The secrets that sign at `at`, newest first.
    pub fn signing_at(&self, at: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| at < *until);
        [&self.current].into_iter().chain(previous.map(|(secret, _)| secret))
    }
}
