//! Tables of the address ranges that the egress policy refuses.

use std::net::{Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// A range and its purpose, as the IANA special-purpose address registries name it.
pub(super) type Named<Net> = (Net, &'static str);

/// IPv4 ranges without servers on the public internet: RFC 6890 and its successors, multicast, and the platform
/// endpoint that one large cloud offers inside every virtual machine.
pub(super) const REFUSED_IPV4: &[Named<Ipv4Net>] = &[
    (v4(0, 0, 0, 0, 8), "this network"),
    (v4(10, 0, 0, 0, 8), "private use"),
    (v4(100, 64, 0, 0, 10), "shared address space"),
    (v4(127, 0, 0, 0, 8), "loopback"),
    (v4(168, 63, 129, 16, 32), "cloud platform"),
    (v4(169, 254, 0, 0, 16), "link local"),
    (v4(172, 16, 0, 0, 12), "private use"),
    (v4(192, 0, 0, 0, 24), "protocol assignments"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 88, 99, 0, 24), "6to4 relay"),
    (v4(192, 168, 0, 0, 16), "private use"),
    (v4(198, 18, 0, 0, 15), "benchmarking"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(240, 0, 0, 0, 4), "reserved"),
];

/// The only IPv6 range that is assigned as global unicast (RFC 4291). Loopback, unique local, link local, multicast,
/// IPv4-compatible and IPv4-mapped addresses are outside of it.
pub(super) const GLOBAL_IPV6: Ipv6Net = v6([0x2000, 0], 3);

/// Ranges inside [`GLOBAL_IPV6`] without servers on the public internet.
pub(super) const REFUSED_IPV6: &[Named<Ipv6Net>] = &[
    (v6([0x2001, 0], 23), "protocol assignments"),
    (v6([0x2001, 0xdb8], 32), "documentation"),
    (v6([0x2002, 0], 16), "6to4"),
    (v6([0x3fff, 0], 20), "documentation"),
];

/// NAT64's well-known prefix (RFC 6052): the last 32 bits are the IPv4 address that will be reached.
pub(super) const NAT64: Ipv6Net = v6([0x64, 0xff9b], 96);

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix_length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix_length)
}

const fn v6([first, second]: [u16; 2], prefix_length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), prefix_length)
}
