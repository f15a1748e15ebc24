use std::net::IpAddr;

/// The addresses of this machine's network interfaces, in whatever ranges they are.
pub trait OwnAddresses: Send + Sync {
    /// Whether an interface has `address` now.
    fn contains(&self, address: IpAddr) -> bool;
}

/// A fixed list of addresses, for tests.
impl OwnAddresses for Vec<IpAddr> {
    fn contains(&self, address: IpAddr) -> bool {
        self.as_slice().contains(&address)
    }
}
