//! A cluster serves, survives stops and crashes, and is removed afterwards.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use throwaway_postgres::{Cluster, ClusterSettings, Database};
use tokio::sync::Barrier;

#[tokio::test]
async fn databases_are_fresh_and_apart() {
    let cluster = Cluster::shared().await.unwrap();
    let (one, two) = (cluster.database().await.unwrap(), cluster.database().await.unwrap());
    assert_ne!(one.url, two.url);
    cluster.execute(&one.name, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)").await.unwrap();
    assert_eq!(cluster.execute(&one.name, "SELECT n FROM t").await.unwrap(), "7");
    assert!(cluster.execute(&two.name, "SELECT n FROM t").await.is_err());
}

#[tokio::test]
async fn what_was_committed_survives_stop_and_crash() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let database = cluster.database().await.unwrap();
    cluster.execute(&database.name, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)").await.unwrap();
    cluster.crash().await.unwrap();
    assert!(cluster.execute(&database.name, "SELECT 1").await.is_err());
    cluster.start_again().await.unwrap();
    cluster.restart().await.unwrap();
    assert_eq!(cluster.execute(&database.name, "SELECT n FROM t").await.unwrap(), "7");
}

#[tokio::test]
async fn a_dropped_cluster_leaves_nothing() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let (folder, port) = (cluster.data_folder(), cluster.port());
    assert!(folder.exists());
    drop(cluster);
    assert!(!folder.exists());
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[tokio::test]
async fn a_template_is_filled_once() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let fills = AtomicU32::new(0);
    let copy = async || {
        let fill = async |empty: &Database| {
            fills.fetch_add(1, Ordering::Relaxed);
            cluster.execute(&empty.name, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)").await.map(drop)
        };
        cluster.copy_of("model", fill).await.unwrap()
    };
    let (one, two) = (copy().await, copy().await);
    cluster.execute(&one.name, "DELETE FROM t").await.unwrap();
    assert_eq!(cluster.execute(&two.name, "SELECT n FROM t").await.unwrap(), "7");
    assert_eq!(fills.into_inner(), 1);
}

/// Like two test processes that find no template.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_template_that_two_make_is_whole() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let both_fill = Barrier::new(2);
    let copy = async || {
        let fill = async |empty: &Database| {
            both_fill.wait().await;
            cluster.execute(&empty.name, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)").await.map(drop)
        };
        cluster.copy_of("model", fill).await.unwrap()
    };
    let (one, two) = tokio::join!(copy(), copy());
    for copy in [one, two] {
        assert_eq!(cluster.execute(&copy.name, "SELECT n FROM t").await.unwrap(), "7");
    }
}

#[tokio::test]
async fn a_template_that_cannot_be_filled_is_not_kept() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    cluster.copy_of("model", async |_| anyhow::bail!("no migration")).await.unwrap_err();
    cluster.copy_of("model", async |_| Ok(())).await.unwrap();
}

/// A child process makes two databases in a lent cluster.
#[tokio::test]
async fn databases_of_ended_processes_are_dropped() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let own = cluster.database().await.unwrap();
    run_again("databases_are_fresh_and_apart", &cluster);
    let databases = "SELECT datname FROM pg_database WHERE datname LIKE 'test_%'";
    assert_eq!(cluster.execute("postgres", databases).await.unwrap().lines().count(), 3);
    let _sweeper = cluster.sweeper();
    while cluster.execute("postgres", databases).await.unwrap() != own.name {}
}

#[tokio::test]
async fn clusters_that_start_at_once_share_a_new_folder() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    run_again("three_at_once", &cluster);
}

/// Runs this test binary again as a process that uses the cluster of its parent.
fn run_again(test: &str, cluster: &Cluster) {
    let (name, value) = cluster.loan();
    let mut child = Command::new(std::env::current_exe().expect("a path"));
    let output = child.args(["--exact", test]).env(name, value).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[tokio::test]
async fn three_at_once() {
    let start = || Cluster::start(ClusterSettings::default());
    tokio::try_join!(start(), start(), start()).unwrap();
}

/// Runs this test binary again as a process that starts a cluster and is killed with SIGKILL.
#[test]
fn a_killed_process_leaves_nothing() {
    use std::io::{BufRead, BufReader};
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim", "--nocapture"])
        .env("THROWAWAY_POSTGRES_VICTIM", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines().map(Result::unwrap);
    let folder = lines.find_map(|line| line.split_once("folder ").map(|(_, path)| path.to_owned())).unwrap();
    let pid_file = std::fs::read_to_string(format!("{folder}/postmaster.pid")).unwrap();
    let port: u16 = pid_file.lines().nth(3).unwrap().parse().unwrap();
    let answers = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
    assert!(answers());
    victim.kill().unwrap();
    victim.wait().unwrap();
    let gone = || !std::path::Path::new(&folder).exists() && !answers();
    assert!((0..3_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        gone()
    }));
}

/// Returns at once when run alone: see [`a_killed_process_leaves_nothing`].
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the parent tells this child what it is")]
#[expect(clippy::print_stdout, reason = "the parent reads it")]
async fn victim() {
    if std::env::var_os("THROWAWAY_POSTGRES_VICTIM").is_none() {
        return;
    }
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    println!("folder {}", cluster.data_folder().display());
    std::future::pending::<()>().await;
}
