//! Two instances of Gatepost on the cluster: one behind HAProxy, one with the list of all nodes.

use std::path::Path;

use gatepost_client::FullKey;
use tokio::time::Instant;

use super::cluster::Cluster;
use super::crowd::ACTIVE_MAX;
use crate::gatepost::Gatepost;
use crate::ledger::Ledger;
use crate::load::Clients;
use crate::stage::{clients, heals, start_on};

pub(super) const INSTANCES: usize = 2;
const USERS: usize = 4;

pub(super) struct Service {
    pub(super) cluster: Cluster,
    pub(super) instances: Vec<Gatepost>,
    provider: Gatepost,
}

impl Service {
    pub(super) async fn start(cluster: Cluster, binary: &Path) -> anyhow::Result<Self> {
        let urls = [cluster.url_of_entrance(), cluster.url_of_nodes()];
        let (provider, instances) = start_on(&urls, 1, binary, ACTIVE_MAX).await?;
        Ok(Self { cluster, instances, provider })
    }

    /// Clients of users with names that begin with `prefix`. The last user is for the crowd.
    pub(super) fn clients(&self, prefix: &str) -> anyhow::Result<Clients> {
        clients(&self.provider, &self.instances, prefix, USERS + 1)
    }

    /// Waits until every instance works again.
    pub(super) async fn until_healed(&self, clients: &Clients, good_key: &FullKey) -> anyhow::Result<()> {
        heals(clients, good_key, &Ledger::default(), Instant::now(), || self.logs()).await.map(drop)
    }

    /// The last lines of each log.
    pub(super) fn logs(&self) -> String {
        let tail = |log: String| log.lines().rev().take(15).map(str::to_owned).collect::<Vec<_>>().join("\n");
        let instances = self.instances.iter().map(|instance| tail(instance.log())).collect::<Vec<_>>();
        format!("{}\n── nodes\n{}", instances.join("\n──\n"), self.cluster.logs())
    }
}
