//! The binary under measurement.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::connection::Connection;
use crate::process::{Running, Usage};

/// The same for all, so that several can share a database.
const ENCRYPTION_KEY: &str = "YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtMDE=";
const READY: &[u8] = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// `gatepost dev`, which has an identity provider and serves as `serve` does. Its data folder survives a restart.
pub(crate) struct Gatepost {
    /// Ends before its folder is removed.
    process: Option<Running>,
    folder: TempDir,
    settings: Vec<(String, String)>,
    address: SocketAddr,
}

impl Gatepost {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let address = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        Ok(Self { process: None, folder: TempDir::new()?, settings: Vec::new(), address })
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.into(), value.into()));
    }

    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts the process, and returns the time until `/readyz` succeeds.
    pub(crate) async fn start(&mut self) -> anyhow::Result<Duration> {
        let mut command = self.command(&["dev"])?;
        let log = File::create(self.folder.path().join("log"))?;
        command.stdout(Stdio::null()).stderr(log);
        let start = Instant::now();
        self.process = Some(Running(command.spawn()?));
        while !self.is_ready().await {
            ensure!(start.elapsed() < Duration::from_secs(30), "gatepost did not become ready");
            sleep(Duration::from_millis(1)).await;
        }
        Ok(start.elapsed())
    }

    async fn is_ready(&self) -> bool {
        let Ok(mut connection) = Connection::open(self.address).await else { return false };
        connection.exchange(READY).await.is_ok_and(|(status, _)| status == 200)
    }

    /// Runs another command of the binary to its end, and returns its output.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.command(arguments)?.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// ID tokens of this many users of the running development provider.
    pub(crate) fn tokens(&self, users: usize) -> anyhow::Result<Vec<String>> {
        (0..users).map(|user| self.run(&["token", "--user", &format!("user-{user}")])).collect()
    }

    /// The resources that the process uses.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        Ok(Usage(self.process.as_ref().context("gatepost is not running")?.0.id()))
    }

    /// The data folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn stop(&mut self) -> anyhow::Result<()> {
        if let Some(mut process) = self.process.take() {
            Command::new("sh").args(["-c", &format!("kill -TERM {}", process.0.id())]).status()?;
            process.0.wait()?;
        }
        Ok(())
    }

    fn command(&self, arguments: &[&str]) -> anyhow::Result<Command> {
        let mut command = Command::new(binary()?);
        command.args(arguments).env_clear().env("LISTEN", self.address.to_string()).current_dir(self.folder.path());
        command.env("ENCRYPTION_KEY", ENCRYPTION_KEY);
        // The load comes from few users.
        command.env("USER_RATE_LIMIT", "off");
        command.env("METRICS_LISTEN", "");
        command.envs(self.settings.iter().map(|(name, value)| (name, value))).stdin(Stdio::null());
        Ok(command)
    }
}

/// The release binary in the folder of this program: `cargo xtask bench` builds both.
pub(crate) fn binary() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let binary = own.parent().unwrap_or(Path::new(".")).join("gatepost");
    ensure!(binary.exists(), "{} is not built: run `cargo xtask bench`", binary.display());
    Ok(binary)
}
