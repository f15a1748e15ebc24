use std::process::Command;

use crate::canary::Canary;

const CHILD: &str = "answers::a_delivery_carries_the_bytes_and_the_headers";

/// A process whose environment names a proxy in every usual way delivers, and does not use the proxy.
#[tokio::test]
async fn no_proxy_is_taken_from_the_environment() {
    let canary = Canary::everywhere().await;
    let proxy = format!("http://127.0.0.1:{}", canary.port());
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", CHILD, "--nocapture"]).env("NO_PROXY", "").env("no_proxy", "");
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(name, &proxy);
    }
    let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
    canary.assert_untouched().await;
}
