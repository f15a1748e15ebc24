use url::{Host, Url};

/// Whether the host is always this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
pub(crate) fn is_loopback(host: &Host<impl AsRef<str>>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref().eq_ignore_ascii_case("localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Whether the host of the URL is always this machine.
pub(crate) fn is_on_loopback(url: &Url) -> bool {
    url.host().is_some_and(|host| is_loopback(&host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for here in ["http://localhost", "http://LOCALHOST:1", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]:2"]
        {
            assert!(is_on_loopback(&Url::parse(here).unwrap()), "{here}");
        }
        for elsewhere in [
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://0.0.0.0",
            "http://[::]",
            "http://10.0.0.1",
            "http://notlocalhost",
            "data:text/plain,x",
        ] {
            assert!(!is_on_loopback(&Url::parse(elsewhere).unwrap()), "{elsewhere}");
        }
    }
}
