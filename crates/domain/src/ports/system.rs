use async_trait::async_trait;

use super::store_error::BoxError;
use crate::Timestamp;

/// The clock. Adapters and tests implement it; rules read no other clock. See decision 54.
pub trait Clock: Send + Sync {
    /// The present time, in UTC, for everything that is stored. All instances that share a store agree on it.
    fn now(&self) -> Timestamp;

    /// The present time, in UTC, for values that other systems check: ID tokens and signatures.
    fn world_time(&self) -> Timestamp {
        self.now()
    }

    /// The time of this machine, which also counts while the machine is suspended. It may be wrong, and may be set at any
    /// time.
    fn machine_time(&self) -> Timestamp {
        self.now()
    }

    /// Whether [`Clock::now`] agrees with the other instances. Otherwise this instance claims no deliveries.
    fn is_certain(&self) -> bool {
        true
    }

    /// How many milliseconds the clocks of further database servers are ahead of [`Clock::now`], which follows the
    /// first server. Each with the number of its server, from 2 on; without servers with unread clocks.
    fn servers_ahead(&self) -> Vec<(usize, i64)> {
        Vec::new()
    }
}

/// A generator of random bytes that are good enough for secrets.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// Which lines the log of this process has.
pub trait LogFilters: Send + Sync {
    /// The filter that applies.
    fn present(&self) -> String;

    /// Parses the text. A call of the answer applies the filter from the next line on.
    ///
    /// # Errors
    ///
    /// See [`InvalidLogFilter`].
    fn parse(&self, filter: &str) -> Result<Box<dyn FnOnce() + Send>, InvalidLogFilter>;
}

/// The text is not a filter of the log. Has the form of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {0}")]
pub struct InvalidLogFilter(pub &'static str);

/// A dependency without which this instance cannot serve: a database, an identity provider.
#[async_trait]
pub trait ReadinessCheck: Send + Sync {
    /// Succeeds if it works now. Everyone may see the message of the error, so it contains no address and no
    /// credential. The details for the log are in its source.
    async fn check(&self) -> Result<(), NotReady>;
}

/// A readiness check failed.
#[derive(Debug, thiserror::Error)]
#[error("{summary}")]
pub struct NotReady {
    /// The problem. Everyone may read this.
    pub summary: &'static str,
    /// The cause, for the log.
    #[source]
    pub source: Option<BoxError>,
}
