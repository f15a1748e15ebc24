//! The cluster: etcd, three nodes, and HAProxy in front of them.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use throwaway_postgres::free_port;
use tokio::time::{Instant, sleep};

use super::node::{Node, Psql};
use super::programs::Programs;
use super::rest::{order, says};
use super::sandbox::{NODES, Sandbox};
use crate::gatepost::Running;

/// How long the cluster may take until every node has its role.
const WHOLE_WITHIN: Duration = Duration::from_mins(3);
/// Between two questions to a node.
const QUESTION_INTERVAL: Duration = Duration::from_millis(100);
const DATABASE: &str = "gatepost";

pub(super) struct Cluster {
    pub(super) nodes: Vec<Node>,
    pub(super) sandbox: Sandbox,
    folder: PathBuf,
    programs: Programs,
    store: SocketAddr,
    etcd: Option<Running>,
    _haproxy: Running,
    /// The address of HAProxy that leads to the primary.
    entrance: SocketAddr,
}

impl Cluster {
    /// Starts everything, and makes an empty database.
    pub(super) async fn start(folder: &Path, sandbox: Sandbox, programs: &Programs) -> anyhow::Result<Self> {
        let store = SocketAddr::new(sandbox.store(), free_port()?);
        let nodes = (1..=NODES).map(|number| Node::new(number, sandbox, store, folder, programs));
        let nodes = nodes.collect::<anyhow::Result<Vec<_>>>()?;
        let entrance = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let haproxy = start_haproxy(folder, programs, entrance, &nodes)?;
        let (folder, programs) = (folder.to_owned(), programs.clone());
        let mut cluster = Self { nodes, sandbox, folder, programs, store, etcd: None, _haproxy: haproxy, entrance };
        cluster.start_etcd()?;
        cluster.nodes.iter_mut().try_for_each(Node::start)?;
        cluster.until_whole().await?;
        let primary = cluster.until_primary().await?;
        cluster.nodes[primary].psql().execute(&format!("CREATE DATABASE {DATABASE}"))?;
        Ok(cluster)
    }

    /// The database through HAProxy.
    pub(super) fn url_of_entrance(&self) -> String {
        format!("postgres://postgres@{}/{DATABASE}?sslmode=disable", self.entrance)
    }

    /// The database by the list of all nodes.
    pub(super) fn url_of_nodes(&self) -> String {
        let hosts = self.nodes.iter().map(|node| node.postgres.to_string()).collect::<Vec<_>>().join(",");
        format!("postgres://postgres@{hosts}/{DATABASE}?sslmode=disable&target_session_attrs=read-write")
    }

    /// The addresses at which the nodes report their roles.
    pub(super) fn members(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.rest).collect()
    }

    /// Clients of the servers that are not Gatepost.
    pub(super) fn psql(&self) -> Vec<Psql> {
        self.nodes.iter().map(Node::psql).collect()
    }

    /// The index of the primary, as soon as there is one.
    pub(super) async fn until_primary(&self) -> anyhow::Result<usize> {
        self.until("has no primary", async || find(&self.members(), "/primary").await).await
    }

    /// Waits for a synchronous standby, so that commits wait for it.
    pub(super) async fn until_synchronous(&self) -> anyhow::Result<()> {
        let standby = async || find(&self.members(), "/synchronous").await;
        self.until("has no synchronous standby", standby).await.map(drop)
    }

    /// Waits until one node is the primary, the others follow it closely, and one of them is synchronous.
    pub(super) async fn until_whole(&self) -> anyhow::Result<()> {
        self.until("does not heal", async || self.is_whole().await.then_some(())).await
    }

    /// Asks until there is an answer. After too long a time, it fails with "the cluster" and `problem`.
    async fn until<T>(&self, problem: &str, ask: impl AsyncFn() -> Option<T>) -> anyhow::Result<T> {
        let start = Instant::now();
        loop {
            if let Some(answer) = ask().await {
                return Ok(answer);
            }
            ensure!(start.elapsed() < WHOLE_WITHIN, "the cluster {problem}:\n{}", self.logs());
            sleep(QUESTION_INTERVAL).await;
        }
    }

    async fn is_whole(&self) -> bool {
        let (mut primaries, mut replicas, mut synchronous) = (0, 0, 0);
        for member in self.members() {
            primaries += usize::from(says(member, "/primary").await);
            replicas += usize::from(says(member, "/replica?lag=1MB&replication_state=streaming").await);
            synchronous += usize::from(says(member, "/synchronous").await);
        }
        primaries == 1 && replicas == NODES - 1 && synchronous >= 1
    }

    /// Hands the role of the primary over to a synchronous standby, as an operator does.
    pub(super) async fn switch_over(&self) -> anyhow::Result<()> {
        let primary = self.until_primary().await?;
        let json = format!(r#"{{"leader": "node{}"}}"#, primary + 1);
        let status = order(self.nodes[primary].rest, "/switchover", &json).await?;
        ensure!(status == 200, "Patroni answers the switchover with {status}:\n{}", self.logs());
        Ok(())
    }

    pub(super) fn start_etcd(&mut self) -> anyhow::Result<()> {
        let url = format!("http://{}", self.store);
        let peer = format!("http://{}", SocketAddr::new(self.store.ip(), free_port()?));
        let log = File::options().create(true).append(true).open(self.folder.join("etcd.log"))?;
        let mut etcd = Command::new(&self.programs.etcd);
        etcd.args(["--name", "store", "--data-dir"]).arg(self.folder.join("etcd"));
        etcd.args(["--listen-client-urls", &url, "--advertise-client-urls", &url, "--listen-peer-urls", &peer]);
        etcd.args(["--initial-advertise-peer-urls", &peer, "--initial-cluster", &format!("store={peer}")]);
        etcd.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.etcd = Some(Running(etcd.spawn().context("cannot start etcd")?));
        Ok(())
    }

    pub(super) fn kill_etcd(&mut self) -> anyhow::Result<()> {
        let mut etcd = self.etcd.take().context("etcd does not run")?;
        Ok(etcd.0.kill()?)
    }

    /// The last lines of each node's log.
    pub(super) fn logs(&self) -> String {
        let tail = |log: String| log.lines().rev().take(15).map(str::to_owned).collect::<Vec<_>>().join("\n");
        self.nodes.iter().map(|node| tail(node.log())).collect::<Vec<_>>().join("\n──\n")
    }
}

/// The index of the first member that answers 200 for this path.
pub(super) async fn find(members: &[SocketAddr], path: &str) -> Option<usize> {
    for (index, member) in members.iter().enumerate() {
        if says(*member, path).await {
            return Some(index);
        }
    }
    None
}

fn start_haproxy(folder: &Path, programs: &Programs, entrance: SocketAddr, nodes: &[Node]) -> anyhow::Result<Running> {
    let configuration = folder.join("haproxy.cfg");
    fs::write(&configuration, haproxy_configuration(entrance, nodes))?;
    let log = File::create(folder.join("haproxy.log"))?;
    let mut haproxy = Command::new(&programs.haproxy);
    haproxy.args(["-db", "-f"]).arg(configuration).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    haproxy.spawn().map(Running).context("cannot start HAProxy")
}

fn haproxy_configuration(entrance: SocketAddr, nodes: &[Node]) -> String {
    let servers = nodes.iter().map(|node| {
        format!("    server node{} {} maxconn 200 check port {}\n", node.number, node.postgres, node.rest.port())
    });
    format!(
        "defaults
    mode tcp
    timeout connect 1s
    timeout client 30m
    timeout server 30m
    timeout check 1s
listen primary
    bind {entrance}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{}",
        servers.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page shows the configuration of this run.
    #[test]
    fn the_page_has_this_configuration_of_haproxy() {
        let page = include_str!("../../../../docs/high-availability.md");
        let configuration = haproxy_configuration(SocketAddr::from(([127, 0, 0, 1], 5432)), &[]);
        let missing: Vec<_> =
            configuration.lines().filter(|line| !line.contains("bind") && !page.contains(line)).collect();
        assert_eq!(missing, [""; 0]);
    }
}
