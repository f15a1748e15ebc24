//! `gatepost doctor` names each planted fault and its cure, and has no findings on a sound instance. `gatepost health`
//! says whether an instance is ready.

mod cures;

use std::ffi::OsStr;
use std::fs;
use std::net::TcpListener;
use std::process::Output;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;

use crate::harness::{
    ENCRYPTION_KEY, IdentityProvider, Setup, Storage, durable_server, free_address, gatepost_binary, run_gatepost,
};

/// A place where an instance would work: a provider, a database, and free ports.
struct Place {
    folder: TempDir,
    provider: std::sync::Arc<IdentityProvider>,
    settings: Vec<(&'static str, String)>,
    /// The arguments of `gatepost doctor`.
    arguments: Vec<String>,
    /// Holds the database, if this place alone uses it.
    _storage: Option<Storage>,
}

impl Place {
    async fn new(storage: &Storage) -> Self {
        let provider = IdentityProvider::start().await;
        let mut settings = storage.settings();
        settings.extend([
            ("OIDC_ISSUER", provider.issuer().to_owned()),
            ("OIDC_AUDIENCE", "audience".to_owned()),
            ("ENCRYPTION_KEY", ENCRYPTION_KEY.to_owned()),
            ("LISTEN", free_address().to_string()),
            ("METRICS_LISTEN", String::new()),
        ]);
        let arguments = vec!["doctor".into(), "--json".into()];
        Self { folder: TempDir::new().unwrap(), provider, settings, arguments, _storage: None }
    }

    /// `doctor` also checks the way to this URL.
    fn reaching(mut self, url: &str) -> Self {
        self.arguments.extend(["--reach".to_owned(), url.to_owned()]);
        self
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.settings.retain(|(known, _)| *known != name);
        self.settings.push((name, value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.settings.retain(|(known, _)| *known != name);
        self
    }

    fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Output {
        run_gatepost(self.folder.path(), arguments, &self.settings)
    }

    /// The findings: each problem, and its cure.
    #[track_caller]
    fn findings(&self) -> Vec<(String, String)> {
        let output = self.run(&self.arguments);
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let text = |finding: &Value, field: &str| finding[field].as_str().expect("a string").to_owned();
        let findings: Vec<_> = report["findings"].as_array().unwrap().iter().collect();
        assert!(findings.iter().all(|one| !text(one, "why").is_empty()), "{report}");
        assert_eq!(output.status.code(), Some(i32::from(!findings.is_empty())), "{report}");
        findings.into_iter().map(|one| (text(one, "what"), text(one, "cure"))).collect()
    }

    /// There is one finding, and it has these words.
    #[track_caller]
    fn finds(&self, what: &str, cure: &str) -> Vec<(String, String)> {
        let findings = self.findings();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].0.contains(what) && findings[0].1.contains(cure), "{findings:?}, not {what:?} {cure:?}");
        findings
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_found_where_nothing_is_wrong() {
    let storage = Storage::durable_postgres(100).await;
    let place = Place::new(&storage).await;
    assert!(place.run(&["migrate"]).status.success());
    assert_eq!(place.findings(), []);
    let output = place.run(&["doctor"]);
    let written = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && written.starts_with("nothing is wrong with: configuration"), "{written}");
    let file = Storage::sqlite();
    let place = Place::new(&file).await;
    assert_eq!(place.findings(), []);
    assert_eq!(fs::read_dir(file.files()).unwrap().count(), 0, "a database that does not exist is not made");
    assert!(place.run(&["migrate"]).status.success());
    assert_eq!(place.findings(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_found_beside_a_running_instance() {
    for storage in [Storage::sqlite(), Storage::durable_postgres(100).await] {
        let (metrics, gatepost) = (free_address().to_string(), Setup::serve(&storage).await);
        let gatepost = gatepost.with("METRICS_LISTEN", &metrics).start().await;
        let place = Place::new(&storage).await.with("LISTEN", &gatepost.address().to_string());
        assert_eq!(place.with("METRICS_LISTEN", &metrics).findings(), []);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_configuration_are_found() {
    let storage = Storage::sqlite();
    let place = Place::new(&storage).await;
    let place = place.without("ENCRYPTION_KEY").with("KEEP_ALIVE_SECONDS", "soon");
    let findings = place.findings();
    let has = |what: &str| findings.iter().any(|(found, _)| found.contains(what));
    assert!(findings.len() == 2 && has("ENCRYPTION_KEY is missing") && has("KEEP_ALIVE_SECONDS"), "{findings:?}");

    let misspelt = Place::new(&storage).await.without("OIDC_ISSUER").with("OIDC_ISUER", "https://id.example.com");
    let findings = misspelt.findings();
    let suggested =
        |(what, cure): &(String, String)| what.contains("OIDC_ISSUER?") && cure.contains("`unset OIDC_ISUER`");
    assert!(findings.iter().any(suggested), "{findings:?}");
}

/// Findings name the server and the shard. A server that stops or hangs is a finding, and does not delay the report for
/// long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_shards_are_found_and_named() {
    let server = async || Storage::direct(durable_server(100).await).await;
    let servers = [server().await, server().await];
    let place = Place::new(&Storage::divided(&servers, 4)).await;
    assert!(place.run(&["migrate"]).status.success());
    let begin = Instant::now();
    assert_eq!(place.findings(), []);
    let sound = begin.elapsed();

    let place = place.with("DATABASE_POOL_SIZE", "45");
    let (pools, url) = (place.findings(), servers[1].url());
    assert_eq!(pools.len(), 2, "each server: {pools:?}");
    let open = "instances with DATABASE_POOL_SIZE=45 for each of 2 shards open 108 connections";
    assert!(pools[1].0.starts_with(&format!("server 2 of 2 ({url}): 1 {open}")), "{pools:?}");
    let place = place.with("DATABASE_POOL_SIZE", "4");

    let (cluster, database) = servers[1].server().unwrap();
    let table = "gatepost_shard_3.__diesel_schema_migrations";
    let undo = format!("DELETE FROM {table} WHERE version = (SELECT max(version) FROM {table})");
    cluster.execute(&database.name, &undo).await.unwrap();
    let place = place.with("MIGRATE", "false");
    place.finds(&format!("server 2 of 2 ({url}): shard 3: the schema lacks 1 migrations"), "gatepost migrate");

    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_url = format!("postgres://nobody@{}/x?sslmode=disable", silent.local_addr().unwrap());
    cluster.stop().await.unwrap();
    for (second, why) in [(url, "refused"), (silent_url, "in time")] {
        let place = Place { settings: place.settings.clone(), ..Place::new(&servers[0]).await };
        let place = place.with("DATABASE_URL", &format!("{} {second}", servers[0].url()));
        let begin = Instant::now();
        let findings = place.findings();
        let delay = begin.elapsed().saturating_sub(sound);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let what = format!("server 2 of 2 ({second}): it does not answer, and it has shards 2 to 3: ");
        assert!(findings[0].0.starts_with(&what) && findings[0].0.contains(why), "{findings:?}");
        assert!(findings[0].1.contains(&format!("psql \"{second}\"")), "{findings:?}");
        assert!(delay < Duration::from_secs(15), "{delay:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_low_limit_on_open_files_is_found() {
    let place = Place::new(&Storage::sqlite()).await;
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("ulimit -n 512; exec {} doctor", gatepost_binary().display())]).env_clear();
    shell.envs(place.settings.iter().map(|(name, value)| (*name, value))).current_dir(place.folder.path());
    let output = shell.output().unwrap();
    let written = String::from_utf8(output.stdout).unwrap();
    assert!(written.contains("may open 512 files") && written.contains("LimitNOFILE"), "{written}");
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_says_whether_the_instance_is_ready() {
    let gatepost = Setup::serve(&Storage::sqlite()).await.start().await;
    let port = gatepost.address().port();
    let health = |listen: &str| run_gatepost(&gatepost.folder(), &["health"], &[("LISTEN", listen)]);
    for listen in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}")] {
        let output = health(&listen);
        assert!(output.status.success() && output.stdout == b"ready\n", "{output:?}");
    }
    let nobody = health(&free_address().to_string());
    assert_eq!(nobody.status.code(), Some(1), "{nobody:?}");
    let not_ready = Setup::serve(&Storage::sqlite()).await.with("OIDC_ISSUER", &format!("http://{}", free_address()));
    let gatepost = not_ready.start_unready().await;
    let output = health(&gatepost.address().to_string());
    let written = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && written.contains("503"), "{written}");
}
