//! The resources that a process uses, from `/proc`.

use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::time::sleep;

/// The kernel counts processor time in hundredths of a second (`USER_HZ`, which is 100 on every Linux).
const TICK: Duration = Duration::from_millis(10);

/// A process that is killed on drop.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process by its id.
#[derive(Clone, Copy)]
pub(crate) struct Usage(pub(crate) u32);

impl Usage {
    /// Processor time of all its threads so far, in the kernel included.
    pub(crate) fn processor_time(self) -> anyhow::Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0))?;
        // The name in parentheses may contain spaces. After it, `utime` and `stime` are fields 12 and 13.
        let fields: Vec<&str> = stat.rsplit(") ").next().context("no fields")?.split(' ').collect();
        let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<u32>().ok()).context("no processor time");
        Ok(TICK * (ticks(11)? + ticks(12)?))
    }

    /// Processor time of the process and of its children that run, in the kernel included.
    pub(crate) fn processor_time_of_family(self) -> anyhow::Result<Duration> {
        let mut total = self.processor_time()?;
        for task in fs::read_dir(format!("/proc/{}/task", self.0))? {
            let children = fs::read_to_string(task?.path().join("children"))?;
            for child in children.split_whitespace() {
                // A child may have ended.
                total += Self(child.parse()?).processor_time().unwrap_or_default();
            }
        }
        Ok(total)
    }

    /// Resident memory in KiB, now and at its peak.
    pub(crate) fn resident_kib(self) -> anyhow::Result<(u64, u64)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).context("no such field")
        };
        Ok((field("VmRSS:")?, field("VmHWM:")?))
    }

    /// Pauses the process, so that it uses no resources during a measurement.
    pub(crate) fn pause(self) -> anyhow::Result<()> {
        self.signal("STOP")
    }

    /// Resumes the process, and waits until it has caught up: its HTTP server reads the time every half second, and it
    /// trusts its cache after it has read the change feed.
    pub(crate) async fn resume(self) -> anyhow::Result<()> {
        self.signal("CONT")?;
        sleep(Duration::from_millis(700)).await;
        Ok(())
    }

    fn signal(self, name: &str) -> anyhow::Result<()> {
        let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.0)]).status()?;
        ensure!(status.success(), "cannot signal process {}", self.0);
        Ok(())
    }
}

/// Keeps this process, and the processes that it starts from now on, to one core.
pub(crate) fn pin(core: usize) -> anyhow::Result<()> {
    let mut pinning = Command::new("taskset");
    pinning.args(["--all-tasks", "--cpu-list", "--pid", &core.to_string(), &std::process::id().to_string()]);
    let output = pinning.output().context("taskset (util-linux) is needed")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
