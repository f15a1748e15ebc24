use std::net::IpAddr;

/// The addresses of this machine's own interfaces, whatever range they lie in.
pub trait OwnAddresses: Send + Sync {
    /// Whether `address` is one of ours now.
    fn contains(&self, address: IpAddr) -> bool;
}

/// A fixed list.
impl OwnAddresses for Vec<IpAddr> {
    fn contains(&self, address: IpAddr) -> bool {
        self.as_slice().contains(&address)
    }
}
