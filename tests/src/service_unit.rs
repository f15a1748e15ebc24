//! Gatepost under systemd: its messages to the manager, and the confinement by the unit.

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tokio::task::spawn_blocking;

use crate::harness::{Setup, Storage};

const UNIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/systemd/gatepost.service");
/// Ten times the exposure that `systemd-analyze security` may compute.
const EXPOSURE_MAX: &str = "19";

/// `READY=1` only when the service answers, `STOPPING=1` when it begins to stop.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manager_is_told_when_the_service_is_ready_and_when_it_stops() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let storage = Storage::sqlite();
    let setup = Setup::serve(&storage).await.with("NOTIFY_SOCKET", socket.to_str().unwrap());
    let mut gatepost = setup.start().await;
    let (manager, state) = next_state(manager).await;
    assert_eq!(state, "READY=1");
    gatepost.signal("TERM");
    let (_, state) = next_state(manager).await;
    assert_eq!(state, "STOPPING=1");
    assert_eq!(gatepost.exited().await.code(), Some(0));
}

async fn next_state(manager: UnixDatagram) -> (UnixDatagram, String) {
    let receive = move || {
        let mut buffer = [0; 64];
        let length = manager.recv(&mut buffer).expect("a state");
        (manager, String::from_utf8(buffer[..length].to_vec()).unwrap())
    };
    spawn_blocking(receive).await.unwrap()
}

#[test]
#[expect(clippy::print_stdout, reason = "a test that cannot run says so")]
fn the_unit_confines_the_service() {
    if !Path::new("/usr/bin/systemd-analyze").exists() {
        println!("SKIPPED: systemd-analyze is not installed");
        return;
    }
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    let output =
        Command::new("/usr/bin/systemd-analyze").args(["security", "--offline=true", &threshold, UNIT]).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", said.lines().last().unwrap_or_default());
    assert!(said.contains("exposure level"), "{said}");
}
