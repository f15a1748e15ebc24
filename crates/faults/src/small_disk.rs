//! A file system of a few megabytes that a fault can fill.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use tempfile::TempDir;

const SIZE_MEGABYTES: usize = 48;
const FILLER: &str = "filler";

/// A file system in memory, mounted until this is dropped.
pub(crate) struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// # Errors
    ///
    /// When this user may not mount file systems.
    pub(crate) fn mount() -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={SIZE_MEGABYTES}m"), "tmpfs"]).arg(folder.path());
        let status = mount.stderr(Stdio::null()).status().context("cannot run mount")?;
        ensure!(status.success(), "cannot mount a small file system");
        Ok(Self { folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file until the disk is full.
    pub(crate) fn fill(&self) {
        let _ = fs::write(self.filler(), vec![0; SIZE_MEGABYTES * 1024 * 1024]);
    }

    pub(crate) fn free(&self) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.filler())?)
    }

    fn filler(&self) -> PathBuf {
        self.path().join(FILLER)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: the process under test may end a moment later.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
