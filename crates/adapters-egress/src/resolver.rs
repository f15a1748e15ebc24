use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind, SockType, getaddrinfo};
use domain::webhooks::HostName;
use tokio::sync::Semaphore;

/// The most look-ups at the same time. Each one blocks a thread of the runtime's pool, which storage needs as well.
const LOOKUPS_MAX: usize = 64;

/// Why a name was not resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The name does not exist, or has no address. The receiver is responsible.
    #[error("the name does not exist or has no address")]
    NoSuchName,
    /// The resolver failed. The receiver is not responsible.
    #[error("the resolver could not resolve the name")]
    Unavailable(#[source] io::Error),
}

/// Resolves names into addresses, and checks none of them.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// All addresses of `name` as an absolute name: no search domain is appended.
    ///
    /// # Errors
    ///
    /// When the name has no address, or the resolver fails.
    async fn resolve(&self, name: &HostName) -> Result<Vec<IpAddr>, ResolveError>;
}

/// The resolver of the operating system.
#[derive(Clone, Debug)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(LOOKUPS_MAX)) }
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &HostName) -> Result<Vec<IpAddr>, ResolveError> {
        let unavailable = |error| ResolveError::Unavailable(io::Error::other(error));
        let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(|error| unavailable(error.to_string()))?;
        let absolute = name.absolute();
        // The permit belongs to the thread: dropping the call does not free the thread.
        let lookup = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            look_up(&absolute)
        });
        lookup.await.map_err(|error| unavailable(error.to_string()))?
    }
}

fn look_up(absolute: &str) -> Result<Vec<IpAddr>, ResolveError> {
    let hints = AddrInfoHints { socktype: SockType::Stream.into(), ..AddrInfoHints::default() };
    let answer = getaddrinfo(Some(absolute), None, Some(hints)).map_err(resolve_error)?;
    answer
        .map(|entry| entry.map(|entry| entry.sockaddr.ip()))
        .collect::<io::Result<_>>()
        .map_err(ResolveError::Unavailable)
}

fn resolve_error(error: LookupError) -> ResolveError {
    match error.kind() {
        LookupErrorKind::NoName | LookupErrorKind::NoData => ResolveError::NoSuchName,
        _ => ResolveError::Unavailable(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_that_cannot_exist_has_no_address_or_no_verdict() {
        // The result depends on whether a name server answers on this machine; only an address would be wrong.
        let name = HostName::parse("no-such-name.invalid").unwrap();
        assert!(SystemResolver::default().resolve(&name).await.is_err());
    }

    #[test]
    fn only_an_answer_about_the_name_is_charged_to_the_receiver() {
        let of = |code| resolve_error(LookupError::new(code));
        assert!(matches!(of(libc_codes::NO_NAME), ResolveError::NoSuchName));
        assert!(matches!(of(libc_codes::NO_DATA), ResolveError::NoSuchName));
        assert!(matches!(of(libc_codes::AGAIN), ResolveError::Unavailable(_)));
        assert!(matches!(of(libc_codes::FAIL), ResolveError::Unavailable(_)));
    }

    /// The error codes of `<netdb.h>` on Linux.
    mod libc_codes {
        pub(super) const NO_NAME: i32 = -2;
        pub(super) const AGAIN: i32 = -3;
        pub(super) const FAIL: i32 = -4;
        pub(super) const NO_DATA: i32 = -5;
    }
}
