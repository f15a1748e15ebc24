use std::sync::Arc;

use adapters_egress::{InterfaceAddresses, Resolver};
use domain::webhooks::{EgressPolicy, EgressPolicySettings, FailureReason, InvalidTargetUrl, TargetUrl};

use crate::canary::Canary;
use crate::exchange::{Sending, failed, send};
use crate::scripted_resolver::{Lookup, ScriptedResolver};

/// Literal addresses in every spelling, and names that mean this machine, in `http` URLs with the port of the canary. No
/// resolver may ever see them.
const HOSTS: &str = "
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 2130706433. 0x7f000001 0X7F000001 0x7f.0x0.0x0.0x1
    0x7f.1 017700000001 0177.0.0.1 0177.0.0.01 00000000177.0.0.1 0 0.0.0.0 0x0 00
    %31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127\u{ff0e}0\u{ff0e}0\u{ff0e}1 1\u{ad}27.0.0.1
    [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001]
    [::ffff:0:127.0.0.1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::]
    [2001:0:4136:e378:8000:63bf:80ff:fffe] [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [2001:db8::1]
    10.0.0.1 172.16.0.1 192.168.0.1 255.255.255.255 224.0.0.1
    localhost LOCALHOST localhost. a.localhost lo%63alhost ｌｏｃａｌｈｏｓｔ localh\u{ad}ost
    a..b a!b a'b a(b)
";

/// The same with other schemes, ports, paths and user info. `{p}` is the port of the canary.
const LITERALS: &[&str] = &[
    "http://1\t2\n7.0.0.1:{p}/",
    " http://127.0.0.1:{p}/",
    "http:127.0.0.1:{p}/",
    "http:/127.0.0.1:{p}/",
    "http:////127.0.0.1:{p}/",
    "http:\\\\127.0.0.1:{p}\\",
    "http://169.254.169.254/latest/meta-data/",
    "http://0xa9fea9fe/latest/meta-data/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "https://127.0.0.1:{p}/",
    "https://[::1]:{p}/",
    "https://2130706433:{p}/",
    "http://user@127.0.0.1:{p}/",
    "http://example.com@127.0.0.1:{p}/",
    "http://127.0.0.1:{p}@example.com/",
    "http://example.com:{p}@example.com/",
    "http://user:@example.com:{p}/",
    "http://:secret@example.com:{p}/",
    "http://example.com:22/",
    "http://example.com:25/",
    "http://example.com:0/",
    "http://example.com:1023/",
    "ftp://127.0.0.1:{p}/",
    "ws://127.0.0.1:{p}/",
    "wss://127.0.0.1:{p}/",
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "gopher://127.0.0.1:{p}/_POST",
    "dict://127.0.0.1:{p}/",
    "httpx://127.0.0.1:{p}/",
    "unix:///var/run/docker.sock",
    "data:text/plain,x",
    "javascript:alert(1)",
    "blob:http://127.0.0.1:{p}/x",
    "view-source:http://127.0.0.1:{p}/",
    "jar:http://127.0.0.1:{p}/!/",
];

/// Names that the resolver of the test resolves to this machine.
const NAMES: &[(&str, &str)] = &[
    ("http://rebind.example:{p}/", "rebind.example."),
    ("http://rebind.example.:{p}/", "rebind.example."),
    ("http://REBIND.example:{p}/", "rebind.example."),
    ("http://127.0.0.1.nip.example:{p}/", "127.0.0.1.nip.example."),
    ("http://localhost.example:{p}/", "localhost.example."),
    ("http://metadata:{p}/", "metadata."),
    ("http://metadata.google.internal/", "metadata.google.internal."),
    ("http://xn--mnchen-3ya.example:{p}/", "xn--mnchen-3ya.example."),
    ("http://münchen.example:{p}/", "xn--mnchen-3ya.example."),
    ("http://MÜNCHEN.example:{p}/", "xn--mnchen-3ya.example."),
    ("http://a_b.example:{p}/", "a_b.example."),
    ("http://127.0.0.1%40evil.example:{p}/", ""),
    ("http://evil.example#@127.0.0.1:{p}/", "evil.example."),
    ("http://evil.example?@127.0.0.1:{p}/", "evil.example."),
    ("http://evil.example\\@127.0.0.1:{p}/", "evil.example."),
    ("https://rebind.example:{p}/", "rebind.example."),
];

/// Strings that the URL standard refuses, so that they never become a target.
const NO_URLS: &[&str] = &[
    "",
    "127.0.0.1",
    "//127.0.0.1/",
    "/hook",
    "http://",
    "http:///",
    "http://256.256.256.256/",
    "http://127.0.0.1.1.1/",
    "http://1.2.3.08/",
    "http://4294967296/",
    "http://0x100000000/",
    "http://a.1/",
    "http://[::1%25lo]/",
    "http://[fe80::1%eth0]/",
    "http://[::1/",
    "http://[127.0.0.1]/",
    "http://exa mple.com/",
    "http://a<b/",
    "http://a^b/",
    "http://a%00b/",
    "http://%zz/",
    "http://example.com:99999/",
    "http://example.com:-1/",
    "http://example.com:8o/",
    "http://xn--zz--a.example\u{0}/",
];

#[tokio::test]
async fn no_literal_reaches_a_resolver_or_a_socket() {
    let canary = Canary::everywhere().await;
    let resolver = ScriptedResolver::new(&[Lookup::Addresses(&["127.0.0.1"])]);
    let sender = bare(&resolver).sender();
    for url in literals(canary.port()) {
        assert_eq!(send(&sender, &url).await, failed(FailureReason::AddressRefused), "{url:?}");
    }
    assert_eq!(resolver.asked(), Vec::<String>::new());
    canary.assert_untouched().await;
}

#[tokio::test(start_paused = true)]
async fn no_name_reaches_a_socket_and_all_are_resolved_as_absolute() {
    let canary = Canary::everywhere().await;
    for (template, asked) in NAMES {
        let resolver = ScriptedResolver::new(&[Lookup::Addresses(&["127.0.0.1"])]);
        let url = template.replace("{p}", &canary.port().to_string());
        if TargetUrl::from_stored(&url).is_none() {
            assert_eq!(*asked, "", "{url:?} is not a URL");
            continue;
        }
        assert_eq!(bare(&resolver).send(&url).await, failed(FailureReason::Dns), "{url:?}");
        assert_eq!(resolver.asked(), [asked.to_owned()], "{url:?}");
    }
    canary.assert_untouched().await;
}

#[test]
fn what_is_no_url_is_no_target() {
    for text in NO_URLS {
        assert_eq!(TargetUrl::parse(text, &policy()), Err(InvalidTargetUrl::NotAbsolute), "{text:?}");
    }
}

#[test]
fn what_the_sender_refuses_cannot_be_saved_either() {
    for url in literals(8080) {
        let saved = TargetUrl::parse(&url, &policy());
        assert!(matches!(saved, Err(InvalidTargetUrl::Refused(_))), "{url:?}: {saved:?}");
    }
}

#[test]
fn there_are_enough_of_them() {
    assert!(literals(8080).len() + NAMES.len() + NO_URLS.len() >= 60);
}

#[tokio::test]
async fn this_machines_own_addresses_are_refused() {
    let canary = Canary::everywhere().await;
    let resolver = ScriptedResolver::new(&[Lookup::NoSuchName]);
    let sender = Sending { allowed_networks: &[], resolver, ..Sending::default() }.sender();
    for interface in if_addrs::get_if_addrs().unwrap() {
        let url = match interface.ip() {
            std::net::IpAddr::V4(address) => format!("http://{address}:{}/", canary.port()),
            std::net::IpAddr::V6(address) => format!("http://[{address}]:{}/", canary.port()),
        };
        assert_eq!(send(&sender, &url).await, failed(FailureReason::AddressRefused), "{url}");
    }
    canary.assert_untouched().await;
}

fn literals(port: u16) -> Vec<String> {
    let of_hosts = HOSTS.split_whitespace().map(|host| format!("http://{host}:{port}/"));
    of_hosts.chain(LITERALS.iter().map(|template| template.replace("{p}", &port.to_string()))).collect()
}

fn bare(resolver: &Arc<ScriptedResolver>) -> Sending {
    let resolver: Arc<dyn Resolver> = Arc::clone(resolver) as _;
    Sending { allowed_networks: &[], resolver, ..Sending::default() }
}

fn policy() -> EgressPolicy {
    EgressPolicy::new(EgressPolicySettings {
        allow_http: true,
        allowed_networks: Vec::new(),
        own_addresses: Arc::new(InterfaceAddresses::read().unwrap()),
    })
}
