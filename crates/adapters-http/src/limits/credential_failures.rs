use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::RateLimit;
use quick_cache::sync::Cache;

use super::keyed_limiter::{KeyedLimiter, network_of};

/// The most addresses over the limit with a count of refusals.
const COUNTED_MAX: usize = 4_096;

/// Limits how often credentials from an address may fail.
///
/// Only failures count, and only failures are refused: a client with a valid credential behind the same address is not
/// affected. Sign-ins are the exception. They have a separate count, and count before the call of the identity
/// provider, until they succeed. See decision 107.
pub(crate) struct CredentialFailures {
    limiter: KeyedLimiter<IpAddr>,
    /// How many failures were refused since an address went over the limit.
    refused: Cache<IpAddr, Arc<AtomicU64>>,
}

impl CredentialFailures {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limiter: KeyedLimiter::new(limit), refused: Cache::new(COUNTED_MAX) }
    }

    /// Counts a failure. Returns how long the client must wait when its address is over the limit. Logs once when an
    /// address goes over the limit, and once with a count when it is within the limit again.
    pub(crate) fn count(&self, client: IpAddr) -> Option<Duration> {
        let address = network_of(client);
        let retry_after = self.limiter.spend(&address).retry_after;
        match retry_after {
            Some(_) => self.count_refusal(address),
            None => self.report_end(address),
        }
        retry_after
    }

    /// Takes back a failure that [`Self::count`] counted in advance, and that did not happen.
    pub(crate) fn give_back(&self, client: IpAddr) {
        self.limiter.give_back(&network_of(client));
    }

    fn count_refusal(&self, address: IpAddr) {
        let count = self.refused.get_or_insert_with(&address, || Ok::<_, Infallible>(Arc::default()));
        let count = count.unwrap_or_else(|never| match never {});
        if count.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(%address, "too many failed credentials from one address, answering 429 to further ones");
        }
    }

    fn report_end(&self, address: IpAddr) {
        if let Some((_, refused)) = self.refused.remove(&address) {
            let refused = refused.load(Ordering::Relaxed);
            tracing::info!(%address, refused, "failed credentials from this address are within the limit again");
        }
    }
}
