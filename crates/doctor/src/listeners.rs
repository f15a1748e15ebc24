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
    let (ip, port) = (address.ip(), address.port());
    let (what, cure) = match error.kind() {
        ErrorKind::AddrInUse if is_served(address).await => return None,
        ErrorKind::AddrInUse => (format!("another program listens on {address}"), other_listener(setting, port)),
        ErrorKind::AddrNotAvailable => (
            format!("this machine does not have the address {ip}"),
            format!("set {setting} to an address that `ip -brief address` shows, or `{setting}=0.0.0.0:{port}`"),
        ),
        ErrorKind::PermissionDenied => {
            (format!("this user may not listen on {address}"), format!("set {setting} to a port from 1024 on"))
        }
        _ => (format!("cannot listen on {address}: {error}"), format!("set {setting} to another address")),
    };
    Some(finding(what, cure))
}

/// The finding that the instance at this address has another database.
pub fn foreign_instance(setting: &str, address: SocketAddr) -> Finding {
    let what = format!("another Gatepost, with another database, listens on {address}");
    finding(what, other_listener(setting, address.port()))
}

fn finding(what: String, cure: String) -> Finding {
    Finding { check: "listeners", what, why: "`gatepost serve` ends at its start", cure }
}

/// The cure if another process has the port.
fn other_listener(setting: &str, port: u16) -> String {
    format!("find it with `ss -ltnp '( sport = :{port} )'`, or set {setting} to another address")
}
