use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::webhooks::HostName;
use tokio::time::Instant;

/// The longest time for which addresses are kept, whatever their name servers say.
const AGE_MAX: Duration = Duration::from_secs(30);
/// The most names that are kept.
const NAMES_MAX: usize = 1_024;

/// The addresses that names had a moment ago. A name without an address is not kept.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<HashMap<HostName, Entry>>);

#[derive(Debug)]
struct Entry {
    addresses: Vec<IpAddr>,
    until: Instant,
}

impl Cache {
    pub(super) fn get(&self, name: &HostName) -> Option<Vec<IpAddr>> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(name).filter(|entry| Instant::now() < entry.until).map(|entry| entry.addresses.clone())
    }

    pub(super) fn keep(&self, name: &HostName, addresses: Vec<IpAddr>, holds: Duration) {
        let now = Instant::now();
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= NAMES_MAX {
            entries.retain(|_, entry| now < entry.until);
        }
        if entries.len() >= NAMES_MAX {
            entries.clear();
        }
        entries.insert(name.clone(), Entry { addresses, until: now + holds.min(AGE_MAX) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> HostName {
        HostName::parse(&format!("name{number}.example")).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_kept_as_long_as_they_hold_and_30_s_at_most() {
        let cache = Cache::default();
        let address = vec![IpAddr::from([8, 8, 8, 8])];
        for (number, seconds) in [(0, 0), (1, 10), (2, 3_600)] {
            cache.keep(&name(number), address.clone(), Duration::from_secs(seconds));
        }
        let known = || [0, 1, 2].map(|number| cache.get(&name(number)).is_some());
        assert_eq!(known(), [false, true, true]);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(known(), [false, false, true]);
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(known(), [false, false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_cache_is_bounded() {
        let cache = Cache::default();
        for number in 0..=NAMES_MAX {
            cache.keep(&name(number), Vec::new(), AGE_MAX);
        }
        assert!(cache.0.lock().unwrap().len() <= NAMES_MAX);
        assert!(cache.get(&name(NAMES_MAX)).is_some());
    }
}
