//! Start to ready, memory at rest, size of the binary.

use std::time::Duration;

use crate::gatepost::{Gatepost, binary};
use crate::table::{median, milliseconds, print};

const STARTS: usize = 9;
/// Long enough for the work after a start to end.
const REST: Duration = Duration::from_secs(3);

pub(crate) async fn measure() -> anyhow::Result<()> {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let mut resident = Vec::new();
    for _ in 0..STARTS {
        let mut gatepost = Gatepost::new()?;
        first.push(milliseconds(gatepost.start().await?));
        gatepost.stop()?;
        again.push(milliseconds(gatepost.start().await?));
        if resident.is_empty() {
            tokio::time::sleep(REST).await;
            resident.push(gatepost.usage()?.resident_kib()?);
        }
    }
    let (now, peak) = resident[0];
    let size = std::fs::metadata(binary()?)?.len();
    let row = |what: &str, value: String, bar: &str| vec![what.to_owned(), format!("**{value}**"), bar.to_owned()];
    print(
        &format!("Start, memory, size (`dev` on SQLite, medians of {STARTS} starts)"),
        &["what", "measured", "bar"],
        &[
            row("start to ready, new database", format!("{:.0} ms", median(&first)), "300 ms"),
            row("start to ready, existing database", format!("{:.0} ms", median(&again)), "300 ms"),
            row("resident, idle", format!("{} MiB", now / 1024), "40 MiB"),
            row("resident, peak until then", format!("{} MiB", peak / 1024), "–"),
            row("release binary", format!("{} MB", size / 1_000_000), "40 MB"),
        ],
    );
    Ok(())
}
