use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, ensure};
use tempfile::TempDir;

use crate::account::Account;
use crate::place::free_port;
use crate::wait_until;
use crate::{Cluster, Database};

/// Ends the pooler when the pipe from this process is closed, however the process ends.
const SCRIPT: &str = "./pgbouncer pgbouncer.ini 2> log & cat > /dev/null; kill -KILL $!";

/// A running PgBouncer in front of a cluster, which ends on drop, and when the process ends.
#[derive(Debug)]
pub struct Pooler {
    address: SocketAddr,
    server: u16,
    folder: TempDir,
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Pooler {
    /// Starts PgBouncer with these lines of its configuration, such as `pool_mode = transaction`.
    ///
    /// # Errors
    ///
    /// PgBouncer is not installed, or does not start.
    pub fn start(cluster: &Cluster, settings: &str) -> anyhow::Result<Self> {
        Self::start_before(cluster.port(), settings)
    }

    /// The same in front of any server on this port of 127.0.0.1, such as a proxy that leads to a cluster.
    ///
    /// # Errors
    ///
    /// As [`Pooler::start`].
    pub fn start_before(server: u16, settings: &str) -> anyhow::Result<Self> {
        loop {
            if let Some(pooler) = Self::start_at(([127, 0, 0, 1], free_port()?).into(), server, settings)? {
                return Ok(pooler);
            }
        }
    }

    /// `None` if another process listens there, which would answer until it ends.
    fn start_at(address: SocketAddr, server: u16, settings: &str) -> anyhow::Result<Option<Self>> {
        let (account, folder) = (Account::choose()?, tempfile::tempdir().context("no temporary folder")?);
        let program = folder.path().join("pgbouncer");
        // The account may not be able to read the folder of the program.
        fs::copy(find()?, &program).context("cannot copy PgBouncer")?;
        write(&folder, address, server, settings)?;
        account.own(folder.path())?;
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT]).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        account.apply(&mut command);
        let mut shell = command.spawn().context("cannot run sh")?;
        let pipe = shell.stdin.take();
        let pooler = Self { address, server, folder, shell, pipe };
        let listens = || pooler.log().contains(&format!("listening on {address}"));
        let is_taken = || pooler.log().contains("Address already in use");
        ensure!(wait_until(|| listens() || is_taken()), "PgBouncer did not start: {}", pooler.log());
        Ok(listens().then_some(pooler))
    }

    /// The database, reached through the pooler.
    pub fn before(&self, database: &Database) -> Database {
        let name = database.name.clone();
        Database { url: format!("postgres://postgres@{}/{name}?sslmode=disable", self.address), name }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Changes the configuration of the running PgBouncer, and returns when it has read it.
    ///
    /// # Errors
    ///
    /// PgBouncer has ended.
    pub fn change(&self, settings: &str) -> anyhow::Result<()> {
        write(&self.folder, self.address, self.server, settings)?;
        let readings = || self.log().matches("re-reading config").count();
        let before = readings();
        let hang_up = "kill -HUP $(cat pid)";
        let status = Command::new("sh").args(["-c", hang_up]).current_dir(self.folder.path()).status();
        ensure!(status.context("cannot run sh")?.success(), "PgBouncer has ended");
        ensure!(wait_until(|| readings() > before), "PgBouncer does not read its configuration: {}", self.log());
        Ok(())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.shell.wait();
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "the log of PgBouncer:\n{}", self.log());
        }
    }
}

fn write(folder: &TempDir, address: SocketAddr, server: u16, settings: &str) -> anyhow::Result<()> {
    let (host, port) = (address.ip(), address.port());
    let text = format!(
        "[databases]\n* = host=127.0.0.1 port={server} user=postgres\n[pgbouncer]\nlisten_addr = {host}\n\
         listen_port = {port}\nunix_socket_dir =\nauth_type = any\nmax_client_conn = 1000\npidfile = pid\n{settings}\n"
    );
    fs::write(folder.path().join("pgbouncer.ini"), text).context("cannot write the configuration of PgBouncer")
}

#[expect(clippy::disallowed_methods, reason = "the path of a program does not configure Gatepost")]
fn find() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let mut found = folders.map(|folder| folder.join("pgbouncer")).filter(|program| program.is_file());
    found.next().context(
        "PgBouncer is not installed: `cargo xtask test` gets it where it can, and skips its tests by name elsewhere",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pgbouncer_is_not_believed_to_listen_where_another_process_does() {
        let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(Pooler::start_at(other.local_addr().unwrap(), 1, "").unwrap().is_none());
    }
}
