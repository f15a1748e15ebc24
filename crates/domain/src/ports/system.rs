use async_trait::async_trait;

use super::store_error::BoxError;
use crate::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// Draws randomness fit for secrets.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}

/// Something without which this instance cannot serve: a database, an identity provider.
#[async_trait]
pub trait ReadinessCheck: Send + Sync {
    /// What is checked, in one word of lower case: `database`, `identity-provider`.
    fn name(&self) -> &'static str;

    /// Succeeds when it works now. The error's text may be shown to whoever asks, so it holds no address and no
    /// credential; what the log needs is in its source.
    async fn check(&self) -> Result<(), NotReady>;
}

/// A readiness check failed.
#[derive(Debug, thiserror::Error)]
#[error("{summary}")]
pub struct NotReady {
    /// What is wrong, for anybody to read.
    pub summary: &'static str,
    /// What the log needs to know.
    #[source]
    pub source: Option<BoxError>,
}
