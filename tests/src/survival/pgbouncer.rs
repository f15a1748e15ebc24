//! Postgres behind a real PgBouncer. Only session mode gives each connection a session for itself.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use throwaway_postgres::{Cluster, Database};
use tokio::task::JoinSet;

use crate::harness::{Connection, Request, Setup, Storage, eventually, free_address, program};

/// Refused with one session for all, where each statement finds its settings, and with many.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_connections_share_are_refused_at_the_start() {
    for settings in [
        "pool_mode = transaction\ndefault_pool_size = 1",
        "pool_mode = transaction\ndefault_pool_size = 20\nmin_pool_size = 5",
        "pool_mode = transaction\ndefault_pool_size = 20\nmin_pool_size = 5\nserver_round_robin = 1",
        "pool_mode = transaction\ndefault_pool_size = 1\nserver_reset_query_always = 1",
        "pool_mode = statement\ndefault_pool_size = 20",
        "pool_mode = session\ndefault_pool_size = 20\nserver_reset_query =",
    ] {
        let pooled = Pooled::start(settings).await;
        let setup = Setup::serve(&pooled.storage).await;
        for migrate in ["true", "false"] {
            let (status, written) = setup.clone().with("MIGRATE", migrate).start_refused().await;
            assert_eq!(status.code(), Some(1), "{settings}: {written}");
            assert!(written.contains("use pool_mode=session, or connect to Postgres itself"), "{settings}: {written}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn session_mode_works_until_it_is_changed() {
    let pooled = Pooled::start("pool_mode = session\ndefault_pool_size = 60").await;
    let mut gatepost = Setup::serve(&pooled.storage).await.with("API_KEYS_MAX_ACTIVE", "100").start().await;
    let alice = gatepost.user("alice");
    let mut calls = JoinSet::new();
    for number in 0..40 {
        let user = alice.clone();
        calls.spawn(async move { user.created(&format!("key {number}")).await });
    }
    let keys = calls.join_all().await;
    assert_eq!(alice.keys().await.len(), keys.len());
    gatepost.kill().await;
    gatepost.start_again().await;
    for (full_key, _) in &keys {
        assert_eq!(gatepost.whoami(full_key).await.status, 200);
    }
    pooled.change("pool_mode = transaction\ndefault_pool_size = 60");
    pooled.end_sessions().await;
    eventually("new connections are refused", async || {
        let response = gatepost.send(&Request::new("GET", "/readyz")).await;
        (response.status == 503 && gatepost.written().contains("use pool_mode=session")).then_some(())
    })
    .await;
    gatepost.assert_healthy();
}

/// A database behind its own PgBouncer.
pub(crate) struct Pooled {
    pub(crate) storage: Storage,
    pgbouncer: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Pooled {
    pub(crate) async fn start(settings: &str) -> Self {
        let cluster = Cluster::shared().await.expect("a Postgres server").clone();
        let name = cluster.database().await.expect("a database").name;
        let (folder, address) = (TempDir::new().expect("a temporary folder"), free_address());
        let server = cluster.port();
        write(folder.path(), address, server, settings);
        let mut command = program::without_rights(&program::find("pgbouncer"), folder.path());
        let command = command.current_dir(folder.path()).args(["-q", "pgbouncer.ini"]);
        let pgbouncer = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("PgBouncer starts");
        let url = format!("postgres://postgres@{address}/{name}");
        let storage = Storage::on_server(cluster, Database { url, name });
        eventually("PgBouncer listens", async || Connection::open(address).await.ok()).await;
        Self { storage, pgbouncer, address, folder }
    }

    /// Changes the settings of the running PgBouncer.
    fn change(&self, settings: &str) {
        let (cluster, _) = self.storage.server().expect("Postgres");
        write(self.folder.path(), self.address, cluster.port(), settings);
        let hang_up = format!("kill -HUP {}", self.pgbouncer.id());
        assert!(Command::new("sh").args(["-c", &hang_up]).status().expect("sh runs").success());
    }

    async fn end_sessions(&self) {
        let (cluster, database) = self.storage.server().expect("Postgres");
        let end = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{}'",
            database.name
        );
        cluster.execute("postgres", &end).await.expect("ends the sessions");
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let _ = self.pgbouncer.kill();
        let _ = self.pgbouncer.wait();
    }
}

fn write(folder: &Path, address: SocketAddr, server: u16, settings: &str) {
    let (host, port) = (address.ip(), address.port());
    let text = format!(
        "[databases]\n* = host=127.0.0.1 port={server} user=postgres\n[pgbouncer]\nlisten_addr = {host}\n\
         listen_port = {port}\nunix_socket_dir =\nauth_type = any\n{settings}\n"
    );
    fs::write(folder.join("pgbouncer.ini"), text).expect("writes the settings");
}
