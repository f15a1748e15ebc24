use std::net::IpAddr;

use url::{Host, Url};

use crate::finding::Finding;

/// Names that no public server answers for (RFC 6761, RFC 6762, RFC 9476).
const PRIVATE_NAMES: [&str; 7] = ["localhost", "test", "local", "internal", "alt", "example", "invalid"];

/// Checks the URL at which browsers and clients find the service.
pub fn check_public_url(public_url: &str) -> Option<Finding> {
    let url = Url::parse(public_url).ok()?;
    (url.scheme() == "http" && is_public(&url.host()?)).then(|| Finding {
        check: "configuration",
        what: format!("PUBLIC_URL is {public_url}: clients send keys and sessions to it without encryption"),
        why: "anyone on the way can read the credentials, and browsers keep no secure cookie",
        cure: format!(
            "`PUBLIC_URL=https{}`, and serve HTTPS, with TLS_CERT and TLS_KEY or a proxy",
            public_url.trim_start_matches("http")
        ),
    })
}

/// Checks the networks that `WEBHOOK_ALLOWED_NETWORKS` allows. `all` are the ones that contain every address.
pub fn check_allowed_networks(all: impl IntoIterator<Item = String>) -> Option<Finding> {
    let all: Vec<String> = all.into_iter().collect();
    (!all.is_empty()).then(|| Finding {
        check: "configuration",
        what: format!("WEBHOOK_ALLOWED_NETWORKS has {}: every address", all.join(" and ")),
        why: "users can make the service call this machine, its network and the metadata of its cloud",
        cure: "list only the networks of your receivers, such as `WEBHOOK_ALLOWED_NETWORKS=10.1.2.0/24`; public addresses \
               need no entry"
            .to_owned(),
    })
}

fn is_public(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let top = name.rsplit('.').next().unwrap_or_default();
            // A name without a dot is one of the local network.
            name.contains('.') && !PRIVATE_NAMES.contains(&top)
        }
        Host::Ipv4(ip) => !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()),
        Host::Ipv6(ip) => !(ip.is_loopback() || ip.is_unique_local() || IpAddr::V6(*ip).is_unspecified()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_is_for_private_names() {
        for (url, is_found) in [
            ("http://keys.example.com", true),
            ("http://203.0.113.7:8080", true),
            ("http://[2001:db8::1]", true),
            ("https://keys.example.com", false),
            ("http://localhost:8080", false),
            ("http://gatepost:8080", false),
            ("http://keys.internal", false),
            ("http://10.0.0.7", false),
            ("http://127.0.0.1:8080", false),
            ("http://[::1]:8080", false),
        ] {
            assert_eq!(check_public_url(url).is_some(), is_found, "{url}");
        }
        let finding = check_public_url("http://keys.example.com").unwrap();
        assert!(finding.cure.starts_with("`PUBLIC_URL=https://keys.example.com`"), "{finding:?}");
    }

    #[test]
    fn a_network_with_every_address_is_found() {
        assert_eq!(check_allowed_networks([]), None);
        let finding = check_allowed_networks(["0.0.0.0/0".to_owned(), "::/0".to_owned()]).unwrap();
        assert!(finding.what.contains("0.0.0.0/0 and ::/0"), "{finding:?}");
    }
}
