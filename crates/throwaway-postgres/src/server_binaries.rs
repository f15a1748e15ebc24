use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::account;

const INSTALL: &str = "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y postgresql";

/// The folder with the programs of a Postgres server.
#[derive(Clone, Debug)]
pub struct ServerBinaries {
    folder: PathBuf,
}

impl ServerBinaries {
    /// Finds the programs, or installs them as root on Debian and similar systems.
    ///
    /// # Errors
    ///
    /// No server is installed, and this user cannot install one; the error names the command to run.
    pub fn find_or_install() -> anyhow::Result<Self> {
        if let Some(found) = Self::find() {
            return Ok(found);
        }
        if !account::is_root() || !Path::new("/usr/bin/apt-get").exists() {
            bail!("no Postgres server is installed. On Debian and Ubuntu: sudo sh -c '{INSTALL}'");
        }
        install()?;
        Self::find().with_context(|| format!("found no Postgres server after: {INSTALL}"))
    }

    /// The path of one program, such as `pgbench`.
    pub fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }

    fn find() -> Option<Self> {
        let asked = std::iter::once_with(configured_folder).flatten();
        let folders = packaged_folders().into_iter().chain(search_path()).chain(asked);
        let mut complete = folders.filter(|f| ["initdb", "postgres", "psql"].iter().all(|name| f.join(name).exists()));
        complete.next().map(|folder| Self { folder })
    }
}

/// The folders of Debian, newest version first.
fn packaged_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<(u32, PathBuf)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().parse().unwrap_or(0), entry.path().join("bin")))
        .collect();
    folders.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    folders.into_iter().map(|(_, folder)| folder).collect()
}

#[expect(clippy::disallowed_methods, reason = "the path of a program does not configure Gatepost")]
fn search_path() -> Vec<PathBuf> {
    std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect()
}

fn configured_folder() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

/// Runs in one process at a time, because each test has its own process. The others find the installed server.
fn install() -> anyhow::Result<()> {
    let path = std::env::temp_dir().join("throwaway-postgres-install.lock");
    let lock = File::create(path).context("cannot create the lock of the installation")?;
    lock.lock().context("cannot take the lock of the installation")?;
    if ServerBinaries::find().is_some() {
        return Ok(());
    }
    let output = Command::new("sh").args(["-c", INSTALL]).stdin(Stdio::null()).output().context("cannot run sh")?;
    if !output.status.success() {
        bail!("{INSTALL}\nfailed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
