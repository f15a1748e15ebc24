//! Each planted fault is named, and the first command of its cure works when it is pasted.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::Place;
use crate::harness::{ENCRYPTION_KEY, Setup, Storage, free_address, gatepost_binary, search_path, until};
use crate::survival::pgbouncer::pooled;
use crate::webhooks::host::Consumer;

/// 32 bytes that differ from [`ENCRYPTION_KEY`].
const OTHER_KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

/// The effect of the first command of a cure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cure {
    /// `doctor` has no findings afterwards.
    Cures,
    /// It succeeds, and shows the cure.
    Shows,
    /// It shows the error once more.
    Fails,
}
use Cure::{Cures, Fails, Shows};

impl Place {
    /// `doctor` names the fault with these words, and the cure has the expected effect.
    async fn has(self, fault: &str, cure: Cure) {
        let findings = self.findings();
        self.follow(&findings, fault, cure).await;
    }

    /// Checks the same, that the report has one finding only, and that its cure has these words.
    async fn has_only(self, fault: &str, words: &str, cure: Cure) {
        let findings = self.finds(fault, words);
        self.follow(&findings, fault, cure).await;
    }

    async fn follow(mut self, findings: &[(String, String)], fault: &str, cure: Cure) {
        let found = findings.iter().find(|(what, _)| what.contains(fault));
        let (what, text) = found.unwrap_or_else(|| panic!("{fault:?} is not found: {findings:?}"));
        let command = text.split('`').nth(1).unwrap_or_else(|| panic!("{what}: the cure has no command: {text}"));
        let succeeded = self.paste(command);
        assert_eq!(succeeded, cure != Fails, "{what}: {command}");
        if cure == Cures {
            until(&format!("{command} cures {what}"), async || self.findings().is_empty()).await;
        }
    }

    /// Follows a command or a setting as a person would. Returns whether it succeeded.
    fn paste(&mut self, command: &str) -> bool {
        if let Some(name) = command.strip_prefix("unset ") {
            self.settings.retain(|(known, _)| *known != name);
            return true;
        }
        if let Some((name, value)) = command.split_once('=').filter(|(name, _)| name.bytes().all(is_of_a_name)) {
            let name: &'static str = name.to_owned().leak();
            self.settings.retain(|(known, _)| *known != name);
            self.settings.push((name, value.to_owned()));
            return true;
        }
        let mut bash = Command::new("bash");
        bash.args(["-c", command]).current_dir(self.folder.path()).env_clear();
        bash.envs(self.settings.iter().cloned());
        let own = gatepost_binary().parent().expect("a folder").to_owned();
        let folders = [own, "/usr/sbin".into()].into_iter().chain(search_path());
        bash.env("PATH", std::env::join_paths(folders).expect("a search path"));
        bash.output().expect("bash runs").status.success()
    }
}

fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte == b'_'
}

async fn on_sqlite() -> Place {
    let storage = Storage::sqlite();
    let place = Place::new(&storage).await;
    Place { _storage: Some(storage), ..place }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_settings_and_files() {
    on_sqlite().await.without("ENCRYPTION_KEY").has("ENCRYPTION_KEY is missing", Shows).await;
    let misspelt = on_sqlite().await.with("GATEPOST_LISTN", "127.0.0.1:1");
    misspelt.has_only("GATEPOST_LISTN", "correct the name", Cures).await;
    for (mode, fault, words) in [
        (0o602, "which holds configuration: chmod o-w", "the rights of the file: `chmod o-w"),
        (0o604, "can read", "`chmod o-r"),
    ] {
        let place = on_sqlite().await.without("ENCRYPTION_KEY");
        let file = place.folder.path().join("a key");
        fs::write(&file, ENCRYPTION_KEY).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        place.with("ENCRYPTION_KEY_FILE", file.to_str().unwrap()).has_only(fault, words, Cures).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_values() {
    for (setting, value, fault, cure) in [
        ("PUBLIC_URL", "http://keys.example.com", "without encryption", Cures),
        ("WEBHOOK_ALLOWED_NETWORKS", "10.0.0.0/8,0.0.0.0/0", "0.0.0.0/0: every address", Cures),
        ("DATABASE_URL", "sqlite:///proc/gatepost.db", "has 0 MiB free", Shows),
        ("DATABASE_URL", "sqlite:///dev/null/gatepost.db", "DATABASE_URL: this user cannot", Shows),
        ("AUDIT_LOG", "/dev/null/audit.jsonl", "AUDIT_LOG: this user cannot write", Shows),
        ("AUDIT_LOG", "/tmp", "AUDIT_LOG: this user cannot write", Shows),
        ("AUDIT_LOG", "/tmp/no/such/folder", "No such file or directory", Fails),
    ] {
        on_sqlite().await.with(setting, value).has(fault, cure).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_machine() {
    // It never answers, so the doctor must give up after a time.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for setting in ["LISTEN", "METRICS_LISTEN"] {
        let fault = format!("another program listens on {address}");
        on_sqlite().await.with(setting, &address).has_only(&fault, setting, Shows).await;
    }
    let place = on_sqlite().await.with("LISTEN", "192.0.2.1:8080");
    place.has_only("does not have the address 192.0.2.1", "LISTEN", Shows).await;
    let others = Storage::sqlite();
    let other = Setup::serve(&others).await.start().await;
    let place = on_sqlite().await.with("LISTEN", &other.address().to_string());
    place.has("another Gatepost, with another database", Shows).await;
    let storage = Storage::sqlite();
    let holder = Setup::serve(&storage).await.start().await;
    let ps = Place::new(&storage).await;
    ps.has_only(&format!("process {} is using it", holder.process_id()), "`kill ", Shows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_database() {
    let url = format!("postgres://nobody@{}/x?sslmode=disable", free_address());
    on_sqlite().await.with("DATABASE_URL", &url).has_only("Connection refused", "DATABASE_URL", Fails).await;

    let storage = Storage::durable_postgres(100).await;
    Place::new(&storage).await.finds("no migration is applied", "gatepost migrate");
    let place = Place::new(&storage).await.with("MIGRATE", "false");
    place.has_only("no migration is applied", "gatepost migrate", Cures).await;
    let (cluster, database) = storage.server().unwrap();
    let sql = format!("ALTER DATABASE \"{}\" SET default_transaction_read_only = on", database.name);
    cluster.execute("postgres", &sql).await.unwrap();
    let place = Place::new(&storage).await.with("MIGRATE", "false");
    place.has_only("read-only", "make the database writable", Shows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pgbouncer_without_transactions() {
    let storage = pooled("pool_mode = statement").await;
    Place::new(&storage).await.has("use pool_mode=transaction", Shows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_server() {
    let storage = Storage::durable_postgres(60).await;
    let place = Place::new(&storage).await;
    assert!(place.run(&["migrate"]).status.success());
    let all = format!("open {} connections", 109 * storage.shards());
    place.with("DATABASE_POOL_SIZE", "100").has(&all, Cures).await;
    let (cluster, database) = storage.server().unwrap();
    let of_database = format!("DATABASE \"{}\"", database.name);
    for (place, setting, fault) in [
        (&*of_database, "synchronous_commit = off", "synchronous_commit is off"),
        ("SYSTEM", "fsync = off", "fsync of the server is off"),
        ("SYSTEM", "full_page_writes = off", "full_page_writes of the server is off"),
        ("SYSTEM", "synchronous_standby_names = 'lost'", "no standby is connected"),
    ] {
        cluster.execute("postgres", &format!("ALTER {place} SET {setting}")).await.unwrap();
        cluster.execute("postgres", "SELECT pg_reload_conf()").await.unwrap();
        Place::new(&storage).await.has(fault, Cures).await;
    }
}

/// A delivery that has ended is in the queue: see decision 105.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_that_is_stored_twice() {
    const PLANT: &str = "WITH id AS (
            SELECT decode(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || repeat('07', 10), 'hex') AS id
        ), ended AS (
            INSERT INTO webhook_deliveries SELECT id, id, id, 'invoice.paid', 'delivered', now(), 1 FROM id
        )
        INSERT INTO webhook_due SELECT id, id, id, 1, now(), 0, now(), 1 FROM id";
    let storage = Storage::durable_postgres(100).await;
    let mut gatepost = Setup::serve(&storage).await.start().await;
    // The log has a partition for the row.
    let periods = "SELECT count(*) FROM webhook_periods";
    until("periods are created", async || storage.execute(0, periods).await != "0").await;
    gatepost.stop().await;
    storage.execute(0, PLANT).await;
    Place::new(&storage).await.has("deliveries that have ended are still queued: 1", Cures).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_encryption_key() {
    for storage in [Storage::sqlite(), Storage::durable_postgres(100).await] {
        let mut gatepost = Setup::serve(&storage).await.start().await;
        gatepost.stop().await;
        let place = Place::new(&storage).await.with("ENCRYPTION_KEY", OTHER_KEY);
        place.has("ENCRYPTION_KEY does not open the check value", Shows).await;
        gatepost.start_again().await;
        Consumer::new(&gatepost, "alice").await.subscribe("https://hooks.example.com/", &["*"]).await;
        gatepost.stop().await;
        assert_eq!(Place::new(&storage).await.findings(), [], "its own key");
        let place = Place::new(&storage).await.with("ENCRYPTION_KEY", OTHER_KEY);
        place.has("ENCRYPTION_KEY does not open 1 of 1 signing secrets", Shows).await;
        let rotating = format!("{OTHER_KEY},{ENCRYPTION_KEY}");
        assert_eq!(Place::new(&storage).await.with("ENCRYPTION_KEY", &rotating).findings(), [], "in a rotation");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_provider() {
    let place = on_sqlite().await;
    let issuer = format!("{}/", place.provider.issuer());
    place.with("OIDC_ISSUER", &issuer).has_only("but the configured issuer is", "OIDC_ISSUER", Shows).await;
    let place = on_sqlite().await.with("OIDC_ISSUER", &format!("http://{}", free_address()));
    place.has_only("no answer from", "curl", Fails).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_on_the_way_to_receivers() {
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", receiver.local_addr().unwrap());
    let closed = format!("http://{}/hook", free_address());
    for (url, settings, fault, cure) in [
        (
            url.as_str(),
            [("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8"), ("WEBHOOK_ALLOW_HTTP", "false")],
            "must start with https",
            Cures,
        ),
        (&url, [("WEBHOOK_ALLOWED_NETWORKS", ""), ("WEBHOOK_ALLOW_HTTP", "true")], "does not send webhooks to", Cures),
        (
            &closed,
            [("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.1"), ("WEBHOOK_ALLOW_HTTP", "true")],
            "Connection refused",
            Fails,
        ),
        (
            "https://hooks.invalid/",
            [("WEBHOOK_ALLOWED_NETWORKS", ""), ("WEBHOOK_ALLOW_HTTP", "false")],
            "does not resolve",
            Shows,
        ),
    ] {
        let place = settings.into_iter().fold(on_sqlite().await, |place, (name, value)| place.with(name, value));
        place.reaching(url).has(fault, cure).await;
    }
}
