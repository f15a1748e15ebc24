//! Processes of the binary under test.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use gatepost_client::Client;
use tempfile::TempDir;
use throwaway_postgres::free_port;
use tokio::time::{Instant, sleep};

/// How long a process may take to start, and to end after SIGTERM.
const PATIENCE: Duration = Duration::from_mins(1);

/// One process, with the settings with which it starts again.
pub(crate) struct Gatepost {
    /// Ends before its folder is removed.
    process: Option<Running>,
    folder: TempDir,
    binary: PathBuf,
    command: &'static str,
    settings: Vec<(String, String)>,
    address: SocketAddr,
}

impl Gatepost {
    /// `gatepost dev` or `gatepost serve` of this binary, which does not run yet.
    pub(crate) fn new(binary: &Path, command: &'static str) -> anyhow::Result<Self> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let (folder, binary) = (TempDir::new()?, binary.to_owned());
        Ok(Self { process: None, folder, binary, command, settings: Vec::new(), address })
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.unset(name);
        self.settings.push((name.into(), value.into()));
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.settings.retain(|(known, _)| known != name);
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client without a credential.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        Ok(Client::new(&self.url())?)
    }

    /// Starts the process, and waits until it accepts connections.
    pub(crate) async fn start(&mut self) -> anyhow::Result<()> {
        let log = File::options().create(true).append(true).open(self.folder.path().join("log"))?;
        let mut command = self.command(&[self.command]);
        self.process = Some(Running(command.stdout(Stdio::null()).stderr(log).spawn()?));
        let start = Instant::now();
        while tokio::net::TcpStream::connect(self.address).await.is_err() {
            let status = self.process.as_mut().context("was started")?.0.try_wait()?;
            ensure!(status.is_none(), "gatepost ended at its start:\n{}", self.log());
            ensure!(start.elapsed() < PATIENCE, "gatepost did not start:\n{}", self.log());
            sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }

    /// Runs another command of the binary to its end, and returns its output.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.command(arguments).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Sends a signal; `name` is without SIG.
    pub(crate) fn signal(&self, name: &str) -> anyhow::Result<()> {
        let process = self.process.as_ref().context("gatepost is not running")?;
        let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", process.0.id())]).status()?;
        ensure!(status.success(), "cannot send SIG{name}");
        Ok(())
    }

    /// The most memory that the process has had, in MiB.
    pub(crate) fn resident_max(&self) -> anyhow::Result<u64> {
        let process = self.process.as_ref().context("gatepost is not running")?;
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id()))?;
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("/proc does not tell the memory")?;
        Ok(peak.trim().trim_end_matches(" kB").parse::<u64>()? / 1024)
    }

    /// Ends the process by this signal.
    pub(crate) async fn end(&mut self, signal: &str) -> anyhow::Result<()> {
        self.signal(signal)?;
        let start = Instant::now();
        while self.process.as_mut().context("gatepost is not running")?.0.try_wait()?.is_none() {
            ensure!(start.elapsed() < PATIENCE, "gatepost did not end after SIG{signal}");
            sleep(Duration::from_millis(2)).await;
        }
        self.process = None;
        Ok(())
    }

    /// Starts the process again with a clock that is off by this much, such as `+60s`, or with the machine's clock.
    pub(crate) async fn set_clock(&mut self, offset: Option<&str>) -> anyhow::Result<()> {
        self.end("TERM").await?;
        match offset {
            Some(offset) => {
                self.set("LD_PRELOAD", &faketime().unwrap_or_default().display().to_string());
                self.set("FAKETIME", offset);
                self.set("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            }
            None => self.unset("LD_PRELOAD"),
        }
        self.start().await
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).env_clear().env("LISTEN", self.address.to_string()).current_dir(self.folder.path());
        command.env("LOG", "warn").env("USER_RATE_LIMIT", "off").env("CREDENTIAL_FAILURE_LIMIT", "off");
        command.env("METRICS_LISTEN", "");
        command.envs(self.settings.iter().map(|(name, value)| (name, value))).stdin(Stdio::null());
        command
    }
}

/// A process that is killed on drop.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The binary in the folder of this program: `cargo xtask faults` builds both.
pub(crate) fn built_binary() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let binary = own.parent().unwrap_or(Path::new(".")).join("gatepost");
    ensure!(binary.exists(), "{} is not built: run `cargo xtask faults`", binary.display());
    Ok(binary)
}

/// The library that shifts a process's clock, if it is installed.
pub(crate) fn faketime() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/faketime"];
    folders.iter().map(|folder| PathBuf::from(folder).join("libfaketimeMT.so.1")).find(|path| path.exists())
}
