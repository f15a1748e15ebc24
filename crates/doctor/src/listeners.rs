use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};

use crate::finding::Finding;
use crate::health::get;

/// Whether a running Gatepost has this address: its API, or its metrics.
pub async fn is_served(address: SocketAddr) -> bool {
    let shows = async |over_tls, path, text: &str| {
        get(address, over_tls, path).await.is_ok_and(|(status, body)| status == 200 && body.contains(text))
    };
    let alive = r#"{"status":"ok"}"#;
    let metrics = shows(false, "/metrics", "gatepost_build_info");
    let (plain, secure, metrics) = tokio::join!(shows(false, "/livez", alive), shows(true, "/livez", alive), metrics);
    plain || secure || metrics
}

/// Checks that the address that a setting names is free, or that Gatepost has it already.
pub async fn check_listener(setting: &'static str, address: SocketAddr) -> Option<Finding> {
    let error = TcpListener::bind(address).err()?;
    let (what, cure) = match error.kind() {
        ErrorKind::AddrInUse if is_served(address).await => return None,
        ErrorKind::AddrInUse => {
            let what = format!("another program listens on {address}");
            (
                what,
                format!(
                    "find it with `ss -ltnp '( sport = :{} )'`, or set {setting} to another address",
                    address.port()
                ),
            )
        }
        ErrorKind::AddrNotAvailable => {
            let what = format!("this machine does not have the address {}", address.ip());
            (
                what,
                format!(
                    "set {setting} to an address that `ip -brief address` shows, or `{setting}=0.0.0.0:{}`",
                    address.port()
                ),
            )
        }
        ErrorKind::PermissionDenied => {
            let what = format!("this user may not listen on {address}");
            (what, format!("set {setting} to a port from 1024 on"))
        }
        _ => (format!("cannot listen on {address}: {error}"), format!("set {setting} to another address")),
    };
    Some(Finding { check: "listeners", what, why: "`gatepost serve` ends at its start", cure })
}

/// The finding that the instance at this address has another database.
pub fn foreign_instance(setting: &str, address: SocketAddr) -> Finding {
    Finding {
        check: "listeners",
        what: format!("another Gatepost, with another database, listens on {address}"),
        why: "`gatepost serve` ends at its start",
        cure: format!("find it with `ss -ltnp '( sport = :{} )'`, or set {setting} to another address", address.port()),
    }
}
