use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use actix_web::dev::RequestHead;
use actix_web::http::header;
use ipnet::IpNet;

/// The address of the client: the socket's peer or, behind trusted proxies, the address that the proxies report.
///
/// `X-Forwarded-For` is read from the right, where the nearest proxy appends. The first address that is not a trusted
/// proxy is the client. Anybody can forge the addresses to the left of it.
pub(crate) fn peer_address(head: &RequestHead, trusted_proxies: &[IpNet]) -> Option<IpAddr> {
    let is_trusted = |address: &IpAddr| trusted_proxies.iter().any(|network| network.contains(address));
    let socket = head.peer_addr?.ip().to_canonical();
    if !is_trusted(&socket) {
        return Some(socket);
    }
    let named: Vec<&str> = head
        .headers()
        .get_all(header::X_FORWARDED_FOR)
        .flat_map(|value| value.to_str().unwrap_or_default().split(','))
        .collect();
    let mut client = socket;
    for text in named.into_iter().rev() {
        let Some(address) = address_in(text.trim()) else {
            break;
        };
        client = address.to_canonical();
        if !is_trusted(&client) {
            break;
        }
    }
    Some(client)
}

/// The address in an entry. Some proxies append the port of the client, or put an IPv6 address in brackets.
fn address_in(entry: &str) -> Option<IpAddr> {
    let in_brackets = || entry.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::from);
    let with_port = || entry.parse().ok().map(|address: SocketAddr| address.ip());
    entry.parse().ok().or_else(with_port).or_else(in_brackets)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn peer(socket: &str, forwarded_for: &[&str]) -> String {
        let mut request = TestRequest::default().peer_addr(format!("{socket}:1").parse().unwrap());
        for value in forwarded_for {
            request = request.append_header((header::X_FORWARDED_FOR, *value));
        }
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        peer_address(request.to_http_request().head(), &trusted).unwrap().to_string()
    }

    #[test]
    fn believes_only_trusted_proxies_and_reads_from_the_right() {
        assert_eq!(peer("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(peer("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(peer("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1", "198.51.100.1,10.0.0.2"]), "198.51.100.1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, nonsense, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(peer("[::ffff:10.0.0.1]", &["::ffff:198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn an_entry_may_have_a_port_or_brackets() {
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, 198.51.100.1:50123"]), "198.51.100.1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, 198.51.100.1:50123, 10.0.0.2:443, [fd00::2]:443"]), "198.51.100.1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, [2001:db8::1]:50123"]), "2001:db8::1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, [2001:db8::1]"]), "2001:db8::1");
        assert_eq!(peer("10.0.0.1", &["1.1.1.1, [::ffff:198.51.100.1]:1"]), "198.51.100.1");
        for nonsense in ["198.51.100.1:", "198.51.100.1:x", "198.51.100.1:99999", "[198.51.100.1]", "[2001:db8::1", ""]
        {
            assert_eq!(peer("10.0.0.1", &[nonsense]), "10.0.0.1", "{nonsense}");
        }
    }
}
