//! Where a cluster runs: its folder and its port.

use std::hash::{BuildHasher, RandomState};
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;

/// A folder in memory, on Linux.
pub(crate) const MEMORY: &str = "/dev/shm";

/// The free memory that a run of tests needs.
const KIB_MIN: u64 = 2 * 1024 * 1024;

/// Where clusters have their folders: in memory, if there is room and no cluster must survive a crash of the machine.
/// Making a database there takes a seventh of the processor time that a disk takes, most of which is the file system's.
pub(crate) fn place(durable: bool) -> PathBuf {
    if !durable && free_kib(Path::new(MEMORY)).is_some_and(|free| free >= KIB_MIN) {
        return PathBuf::from(MEMORY);
    }
    std::env::temp_dir()
}

/// The fourth column of the last line that `df` prints.
fn free_kib(folder: &Path) -> Option<u64> {
    let output = Command::new("df").args(["-P", "-k"]).arg(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().last()?.split_whitespace().nth(3)?.parse().ok()
}

/// A port of 127.0.0.1 that no process listens on, for a server of a test that starts later, and starts again. It is below the
/// range of outgoing connections (32768 and up), and no other caller gets it until this process ends: this holds the UDP
/// port of the same number.
///
/// # Errors
///
/// No port from 12000 to 31999 is free.
pub fn free_port() -> anyhow::Result<u16> {
    static HELD: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());
    let start = RandomState::new().hash_one(std::process::id()) % 20_000;
    let candidates =
        (0..20_000).map(|step| 12_000 + (start + step) % 20_000).filter_map(|port| u16::try_from(port).ok());
    let mut free = candidates.filter_map(|port| {
        let held = UdpSocket::bind(("127.0.0.1", port)).ok()?;
        TcpListener::bind(("127.0.0.1", port)).ok()?;
        Some((port, held))
    });
    let (port, held) = free.next().context("no port from 12000 to 31999 is free")?;
    HELD.lock().unwrap_or_else(PoisonError::into_inner).push(held);
    Ok(port)
}
