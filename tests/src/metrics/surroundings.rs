use std::path::Path;
use std::time::Duration;

use super::exposition::{TEXT, scrape};
use crate::harness::{Connection, Setup, Storage, eventually, free_address, run_gatepost, seconds_since_1970};
use crate::reload::Files;

/// The end of a certificate that the library makes by default: 4096-01-01.
const EXPIRY: f64 = 67_090_118_400.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_disk_the_certificate_and_the_last_backup_are_shown() {
    let (files, storage, address) = (Files::new(), Storage::sqlite(), free_address());
    files.certify();
    let setup = files.securing(Setup::serve(&storage).await).with("METRICS_LISTEN", &address.to_string());
    let gatepost = setup.start_unready().await;
    eventually("the listener of metrics is open", async || Connection::open(address).await.ok()).await;
    let before = scrape(address, TEXT).await;
    assert!(before.value("gatepost_data_free_bytes", &[]) > 0.0);
    assert!((before.value("gatepost_certificate_expiry_time_seconds", &[]) - EXPIRY).abs() < 1.0);
    assert!(before.value("gatepost_last_backup_time_seconds", &[]).abs() < f64::EPSILON, "there is no backup");

    let (copy, began) = (gatepost.folder().join("copy.db"), now());
    let backup = || run_gatepost(Path::new("/"), &["backup", copy.to_str().unwrap()], &storage.settings());
    assert!(backup().status.success());
    let noted = scrape(address, TEXT).await.value("gatepost_last_backup_time_seconds", &[]);
    assert!(noted > began - 1.0 && noted < now() + 1.0, "{noted}");
    assert!(!backup().status.success(), "the copy exists");
    let after = scrape(address, TEXT).await.value("gatepost_last_backup_time_seconds", &[]);
    assert!((after - noted).abs() < f64::EPSILON, "a backup that failed does not count");
}

fn now() -> f64 {
    Duration::from_secs(seconds_since_1970()).as_secs_f64()
}
