//! The speed of the disk, which limits everything that is durable before it is answered.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

const TIME: Duration = Duration::from_secs(1);
/// The size of a small transaction.
const COMMIT: [u8; 4096] = [7; 4096];

/// Appends of 4 KiB, each flushed to disk before the next, in one second.
pub(crate) fn commits_per_second(folder: &Path) -> anyhow::Result<f64> {
    let path = folder.join("commits");
    let mut file = File::create(&path)?;
    let began = Instant::now();
    let mut commits = 0;
    while began.elapsed() < TIME {
        file.write_all(&COMMIT)?;
        file.sync_data()?;
        commits += 1;
    }
    let rate = f64::from(commits) / began.elapsed().as_secs_f64();
    std::fs::remove_file(path)?;
    Ok(rate)
}
