use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind, SockType, getaddrinfo};
use domain::webhooks::HostName;
use tokio::sync::Semaphore;

/// Lookups at the same time: each blocks a thread of the runtime's pool, and storage needs that pool too.
const LOOKUPS_MAX: usize = 64;

/// A name was not resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The name does not exist, or has no address: the receiver's matter.
    #[error("the name does not exist or has no address")]
    NoSuchName,
    /// The resolver cannot tell: not charged to the receiver.
    #[error("the resolver gave no verdict")]
    Unavailable(#[source] io::Error),
}

/// Turns names into addresses, and judges nothing.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// All addresses of `name`, taken as an absolute name: no search domain is ever appended.
    ///
    /// # Errors
    ///
    /// When there is none, or nobody can tell now.
    async fn resolve(&self, name: &HostName) -> Result<Vec<IpAddr>, ResolveError>;
}

/// The operating system's resolver.
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
        // The permit goes with the thread: a caller who gives up does not free the thread.
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
        // Which of both depends on whether a name server can be reached from here; an address would be wrong.
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

    /// The numbers of `<netdb.h>` on Linux.
    mod libc_codes {
        pub(super) const NO_NAME: i32 = -2;
        pub(super) const AGAIN: i32 = -3;
        pub(super) const FAIL: i32 = -4;
        pub(super) const NO_DATA: i32 = -5;
    }
}
