use std::io;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::webhooks::OwnAddresses;
use tokio::time::Instant;

/// The maximum age of the list of addresses. Reading it takes a few microseconds.
const AGE_MAX: Duration = Duration::from_secs(5);

/// The addresses of this machine's interfaces. The list is read again regularly, because interfaces change.
#[derive(Debug)]
pub struct InterfaceAddresses(Mutex<Snapshot>);

#[derive(Debug)]
struct Snapshot {
    addresses: Vec<IpAddr>,
    read_at: Instant,
}

impl InterfaceAddresses {
    /// Reads the addresses for the first time.
    ///
    /// # Errors
    ///
    /// When the system does not list them.
    pub fn read() -> io::Result<Self> {
        Ok(Self(Mutex::new(Snapshot { addresses: interface_addresses()?, read_at: Instant::now() })))
    }
}

impl OwnAddresses for InterfaceAddresses {
    fn contains(&self, address: IpAddr) -> bool {
        let mut snapshot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if snapshot.read_at.elapsed() > AGE_MAX {
            match interface_addresses() {
                Ok(addresses) => snapshot.addresses = addresses,
                Err(error) => tracing::warn!(%error, "cannot read this machine's addresses, using the last known"),
            }
            snapshot.read_at = Instant::now();
        }
        snapshot.addresses.as_slice().contains(&address)
    }
}

fn interface_addresses() -> io::Result<Vec<IpAddr>> {
    Ok(if_addrs::get_if_addrs()?.into_iter().map(|interface| interface.ip()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_addresses_of_this_machine() {
        let own = InterfaceAddresses::read().unwrap();
        assert!(own.contains("127.0.0.1".parse().unwrap()));
        assert!(!own.contains("8.8.8.8".parse().unwrap()));
    }

    #[tokio::test(start_paused = true)]
    async fn reads_them_again_when_they_have_aged() {
        let own = InterfaceAddresses(Mutex::new(Snapshot { addresses: Vec::new(), read_at: Instant::now() }));
        let loopback = "127.0.0.1".parse().unwrap();
        tokio::time::advance(AGE_MAX).await;
        assert!(!own.contains(loopback));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(own.contains(loopback));
    }
}
