//! The kernel's figures of this process, from `/proc`. Without `/proc`, these metrics are missing.

use std::fs;
use std::time::Duration;

use rustix::param::{clock_ticks_per_second, page_size};

use crate::catalogue::{CPU_SECONDS, MAX_FILES, OPEN_FILES, RESIDENT_BYTES, START_TIME, VIRTUAL_BYTES};
use crate::page::{Page, exact, seconds};

/// Writes the metrics of the process.
pub(crate) fn write(page: &mut Page) {
    let status = Status::read();
    page.number(&CPU_SECONDS, status.as_ref().map(|status| seconds(status.cpu)));
    page.number(&START_TIME, status.as_ref().and_then(Status::start_time));
    page.number(&RESIDENT_BYTES, status.as_ref().map(|status| exact(status.resident_bytes)));
    page.number(&VIRTUAL_BYTES, status.as_ref().map(|status| exact(status.virtual_bytes)));
    page.number(&OPEN_FILES, open_files().map(exact));
    page.number(&MAX_FILES, max_files().map(exact));
}

/// A part of `/proc/self/stat`. See proc(5).
struct Status {
    cpu: Duration,
    /// From the start of the machine to the start of the process.
    started_after: Duration,
    virtual_bytes: u64,
    resident_bytes: u64,
}

impl Status {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// The fields come after the name of the program, which may contain anything. The first of them is field 3.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let pages = field(24)?.saturating_mul(u64::try_from(page_size()).ok()?);
        Some(Self {
            cpu: ticks(field(14)? + field(15)?),
            started_after: ticks(field(22)?),
            virtual_bytes: field(23)?,
            resident_bytes: pages,
        })
    }

    /// Seconds since 1970.
    fn start_time(&self) -> Option<f64> {
        let kernel = fs::read_to_string("/proc/stat").ok()?;
        let boot: u64 = kernel.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
        Some(exact(boot) + seconds(self.started_after))
    }
}

fn ticks(count: u64) -> Duration {
    Duration::from_millis(count.saturating_mul(1_000) / clock_ticks_per_second().max(1))
}

fn open_files() -> Option<u64> {
    // One of them is the folder that is being read.
    u64::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?.checked_sub(1)
}

/// The soft limit; `None` without a limit.
fn max_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_may_contain_anything() {
        let fields: Vec<String> = (4..=52).map(|number| (number * 100).to_string()).collect();
        let status = Status::parse(&format!("42 (gate) (post) 7) S {}", fields.join(" "))).unwrap();
        let ticks_of = |number: u64| ticks(number * 100);
        assert_eq!((status.cpu, status.started_after), (ticks_of(14) + ticks_of(15), ticks_of(22)));
        assert_eq!((status.virtual_bytes, status.resident_bytes), (2_300, 2_400 * page_size() as u64));
        assert!(Status::parse("42 (gatepost) S 1 2").is_none());
    }
}
