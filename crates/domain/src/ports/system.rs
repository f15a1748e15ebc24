use async_trait::async_trait;

use super::store_error::BoxError;
use crate::Timestamp;

/// The clock. Adapters and tests implement it; rules read no other clock.
pub trait Clock: Send + Sync {
    /// The present time, in UTC.
    fn now(&self) -> Timestamp;
}

/// A generator of random bytes that are good enough for secrets.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// Something that this instance needs in order to serve: a database, an identity provider.
#[async_trait]
pub trait ReadinessCheck: Send + Sync {
    /// The name of what is checked, in lower case: `database`, `identity-provider`.
    fn name(&self) -> &'static str;

    /// Succeeds if it works now. Everyone may see the message of the error, so it contains no address and no
    /// credential. The details for the log are in its source.
    async fn check(&self) -> Result<(), NotReady>;
}

/// A readiness check failed.
#[derive(Debug, thiserror::Error)]
#[error("{summary}")]
pub struct NotReady {
    /// What is wrong. Everyone may read this.
    pub summary: &'static str,
    /// The cause, for the log.
    #[source]
    pub source: Option<BoxError>,
}
