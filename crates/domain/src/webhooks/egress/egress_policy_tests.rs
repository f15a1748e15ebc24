use super::*;

fn policy(allowed_networks: &[&str], own_addresses: &[&str]) -> EgressPolicy {
    let own_addresses: Vec<IpAddr> = own_addresses.iter().map(|address| address.parse().unwrap()).collect();
    EgressPolicy::new(EgressPolicySettings {
        allow_http: true,
        allowed_networks: allowed_networks.iter().map(|network| network.parse().unwrap()).collect(),
        own_addresses: Arc::new(own_addresses),
    })
}

fn is_allowed(policy: &EgressPolicy, address: &str) -> bool {
    policy.judge_address(address.parse().unwrap()).is_ok()
}

/// Of each refused range: the address before it, its first and last, and the address after it. A neighbour is empty if
/// another range refuses it, or if it does not exist.
const REFUSED_RANGES: &[(&str, &str, &str, &str)] = &[
    ("", "0.0.0.0", "0.255.255.255", "1.0.0.0"),
    ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
    ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
    ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
    ("168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"),
    ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
    ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
    ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
    ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
    ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
    ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
    ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
    ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
    ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
    ("223.255.255.255", "224.0.0.0", "239.255.255.255", ""),
    ("", "240.0.0.0", "255.255.255.255", ""),
    ("", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
    ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
    ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"),
    ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
    ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
    ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""),
];

#[test]
fn each_range_is_refused_to_its_edges_and_no_further() {
    let policy = policy(&[], &[]);
    for (before, first, last, after) in REFUSED_RANGES {
        assert!(!is_allowed(&policy, first), "{first}");
        assert!(!is_allowed(&policy, last), "{last}");
        for neighbour in [before, after].into_iter().filter(|neighbour| !neighbour.is_empty()) {
            assert!(is_allowed(&policy, neighbour), "{neighbour}");
        }
    }
}

#[test]
fn well_known_places_are_refused() {
    let policy = policy(&[], &[]);
    for address in [
        "169.254.169.254", // cloud metadata
        "169.254.170.2",   // container credentials
        "100.100.100.200", // cloud metadata
        "192.0.0.192",     // cloud metadata
        "fd00:ec2::254",   // cloud metadata
        "fe80::1",
        "::1",
        "::",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",            // SIIT
        "64:ff9b:1::10.0.0.1",           // local-use NAT64
        "2001:0:53aa:64c:0:0:f5ff:fffe", // Teredo with 10.0.0.1 inside
        "2002:7f00:1::",                 // 6to4 with 127.0.0.1 inside
        "5f00::1",                       // segment routing
    ] {
        assert!(!is_allowed(&policy, address), "{address}");
    }
    for address in ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "2001:4860:4860::8888"] {
        assert!(is_allowed(&policy, address), "{address}");
    }
}

#[test]
fn nat64_inherits_the_verdict_of_the_address_inside() {
    let bare = policy(&[], &["9.9.9.9"]);
    for (inside, allowed) in [("8.8.8.8", true), ("127.0.0.1", false), ("10.0.0.1", false), ("9.9.9.9", false)] {
        assert_eq!(is_allowed(&bare, &format!("64:ff9b::{inside}")), allowed, "{inside}");
    }
    assert!(is_allowed(&policy(&["10.0.0.0/8"], &[]), "64:ff9b::10.0.0.1"));
    assert!(!is_allowed(&bare, "64:ff9b::1:8.8.8.8"), "outside the /96");
    let refused = bare.judge_address("64:ff9b::10.0.0.1".parse().unwrap()).unwrap_err();
    assert_eq!(refused.to_string(), "64:ff9b::a00:1 is refused: private use");
}

#[test]
fn this_machines_own_addresses_are_refused() {
    let policy = policy(&["9.9.9.10/32"], &["9.9.9.9", "9.9.9.10", "2606:4700::9"]);
    assert!(!is_allowed(&policy, "9.9.9.9"));
    assert!(!is_allowed(&policy, "2606:4700::9"));
    assert!(is_allowed(&policy, "9.9.9.8"));
    assert!(is_allowed(&policy, "9.9.9.10"), "the operator's exception holds for own addresses too");
}

#[test]
fn allowed_networks_are_the_exception_and_nothing_beside_them() {
    let office = policy(&["10.1.0.0/16", "fd12::/16", "::ffff:10.1.0.0/112"], &[]);
    for (address, allowed) in [
        ("10.1.0.0", true),
        ("10.1.255.255", true),
        ("10.0.255.255", false),
        ("10.2.0.0", false),
        ("fd12::1", true),
        ("fd13::1", false),
        ("::ffff:10.1.0.1", true), // named as such
        ("::ffff:10.2.0.1", false),
    ] {
        assert_eq!(is_allowed(&office, address), allowed, "{address}");
    }
    assert!(!is_allowed(&policy(&["127.0.0.0/8"], &[]), "::ffff:127.0.0.1"));
}

#[test]
fn one_refused_address_refuses_the_whole_answer() {
    let policy = policy(&[], &[]);
    let judge = |addresses: &[&str]| {
        let addresses: Vec<IpAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
        policy.judge_answer(&addresses).map_err(|refused| refused.address.to_string())
    };
    assert_eq!(judge(&["8.8.8.8", "2606:4700::1"]), Ok(()));
    assert_eq!(judge(&["8.8.8.8", "10.0.0.1", "1.1.1.1"]), Err("10.0.0.1".into()));
    assert_eq!(judge(&["2606:4700::1", "::1"]), Err("::1".into()));
    assert_eq!(judge(&[]), Ok(()));
}

#[test]
fn ports_and_schemes_are_limited() {
    let policy = policy(&[], &[]);
    let judge = |url: &str| policy.judge_url(&Url::parse(url).unwrap()).map(|to| (to.port, to.tls));
    for port in [1, 22, 25, 79, 81, 110, 442, 444, 993, 1023] {
        assert_eq!(judge(&format!("https://a.example:{port}")), Err(UrlRefused::Port), "{port}");
    }
    for port in [80, 443, 1024, 8443, 65535] {
        assert_eq!(judge(&format!("https://a.example:{port}")), Ok((port, true)), "{port}");
    }
    assert_eq!(judge("https://a.example:0"), Err(UrlRefused::Port));
    assert_eq!(judge("https://a.example"), Ok((443, true)));
    assert_eq!(judge("http://a.example"), Ok((80, false)));
    for scheme in ["ftp", "ws", "wss", "file", "gopher", "unix", "javascript", "httpx"] {
        assert_eq!(judge(&format!("{scheme}://a.example/")), Err(UrlRefused::Scheme), "{scheme}");
    }
    let settings = EgressPolicySettings { allow_http: false, ..policy.0.clone() };
    let refused = EgressPolicy::new(settings).judge_url(&Url::parse("http://a.example").unwrap());
    assert_eq!(refused, Err(UrlRefused::Scheme));
}

#[test]
fn localhost_is_refused_unless_loopback_is_allowed() {
    let url = |host: &str| Url::parse(&format!("http://{host}:3000/")).unwrap();
    for host in ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.", "loc%61lhost"] {
        assert_eq!(policy(&["10.0.0.0/8"], &[]).judge_url(&url(host)), Err(UrlRefused::Localhost), "{host}");
    }
    for (allowed, meant) in
        [(vec!["127.0.0.0/8"], vec!["127.0.0.1"]), (vec!["::1/128", "127.0.0.1/32"], vec!["127.0.0.1", "::1"])]
    {
        let judged = policy(&allowed, &[]).judge_url(&url("a.localhost")).unwrap();
        let meant = meant.iter().map(|address| address.parse().unwrap()).collect();
        assert_eq!(judged.host, DestinationHost::Localhost(HostName::parse("a.localhost").unwrap(), meant));
    }
}

#[test]
fn the_settings_show_in_debug_and_nothing_else() {
    let shown = format!("{:?}", policy(&["10.0.0.0/8"], &["9.9.9.9"]));
    assert_eq!(shown, "EgressPolicy { allow_http: true, allowed_networks: [10.0.0.0/8], .. }");
}
