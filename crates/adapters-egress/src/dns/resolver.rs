use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use domain::webhooks::HostName;
use tokio::time::Instant;

/// Why a name was not resolved.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ResolveError {
    /// The name does not exist, or has no address. The receiver is responsible.
    #[error("the name does not exist or has no address")]
    NoSuchName,
    /// The resolver works, but gets no answer for this name. The receiver is responsible.
    #[error("the name servers of the name do not answer")]
    Unanswered(#[source] Arc<io::Error>),
    /// The resolver failed. The receiver is not responsible.
    #[error("the resolver does not answer")]
    Unavailable(#[source] Arc<io::Error>),
}

/// Resolves names into addresses, and checks none of them.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// All addresses of `name` as an absolute name: no search domain is appended. The caller waits until `by`, and
    /// treats a later answer as a failure of the resolver.
    ///
    /// # Errors
    ///
    /// When the name has no address, or no name server says which ones it has.
    async fn resolve(&self, name: &HostName, by: Instant) -> Result<Vec<IpAddr>, ResolveError>;
}
