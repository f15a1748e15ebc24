//! The faults, and how each ends.

use std::time::Duration;

use clap::ValueEnum;
use tokio::time::{Instant, sleep};

use super::sandbox::Sandbox;
use super::service::{INSTANCES, Service};
use crate::gatepost::faketime;

/// Longer than the time after which Patroni replaces a primary (`ttl`).
const OUTAGE: Duration = Duration::from_secs(25);
/// How long the primary stands still.
const STANDSTILL: Duration = Duration::from_secs(30);
/// How long the server of a machine that stood still runs before its Patroni does.
const ZOMBIE: Duration = Duration::from_secs(10);
/// How long commits hang, or a disk is full.
const STALL: Duration = Duration::from_secs(15);
/// How long a clock is wrong.
const WRONG_TIME: Duration = Duration::from_secs(10);
const CLOCK_OFFSETS: [&str; INSTANCES] = ["+60s", "-60s"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Fault {
    /// kill -9 of the primary and its Patroni
    Kill,
    /// The primary stands still for 30 s; then its Postgres continues 10 s earlier than its Patroni
    Zombie,
    /// An operator hands the role of the primary over
    Switchover,
    /// For 25 s the primary reaches neither etcd nor the other nodes, and clients still reach it
    Partition,
    /// Both standbys are killed, and start again after 15 s: every commit hangs until one is synchronous
    NoStandby,
    /// etcd is killed for 25 s
    NoEtcd,
    /// The disk of the primary is full for 15 s
    FullDisk,
    /// The clock of one instance is a minute ahead for 10 s, then that of the other a minute behind
    Clock,
}

impl Fault {
    /// The missing means of this machine for the fault.
    pub(super) fn missing(self, sandbox: Sandbox) -> Option<&'static str> {
        match self {
            Self::Partition if !sandbox.is_private => Some("this user may not make network namespaces"),
            Self::FullDisk if !sandbox.is_private => Some("this user may not mount file systems"),
            Self::Clock if faketime().is_none() => Some("libfaketime is not installed (`apt-get install libfaketime`)"),
            _ => None,
        }
    }

    /// Lets the fault happen, and returns when it was over.
    pub(super) async fn strike(self, service: &mut Service) -> anyhow::Result<Instant> {
        let primary = service.cluster.until_primary().await?;
        match self {
            Self::Kill => kill(service, primary).await?,
            Self::Zombie => stand_still(service, primary).await?,
            Self::Switchover => service.cluster.switch_over().await?,
            Self::Partition => {
                service.cluster.sandbox.cut(primary + 1)?;
                sleep(OUTAGE).await;
                service.cluster.sandbox.mend(primary + 1)?;
            }
            Self::NoStandby => lose_standbys(service, primary).await?,
            Self::NoEtcd => {
                service.cluster.kill_etcd()?;
                sleep(OUTAGE).await;
                service.cluster.start_etcd()?;
            }
            Self::FullDisk => {
                service.cluster.nodes[primary].fill_disk()?;
                sleep(STALL).await;
                service.cluster.nodes[primary].free_disk()?;
            }
            Self::Clock => set_clocks(service).await?,
        }
        Ok(Instant::now())
    }
}

/// The node stays away until another one is the primary.
async fn kill(service: &mut Service, primary: usize) -> anyhow::Result<()> {
    service.cluster.nodes[primary].kill()?;
    service.cluster.until_primary().await?;
    service.cluster.nodes[primary].start()
}

async fn stand_still(service: &Service, primary: usize) -> anyhow::Result<()> {
    let node = &service.cluster.nodes[primary];
    node.pause()?;
    sleep(STANDSTILL).await;
    node.resume_postgres()?;
    sleep(ZOMBIE).await;
    node.resume_patroni()
}

async fn lose_standbys(service: &mut Service, primary: usize) -> anyhow::Result<()> {
    let mut standbys: Vec<_> = service.cluster.nodes.iter_mut().filter(|node| node.number != primary + 1).collect();
    standbys.iter_mut().try_for_each(|node| node.kill())?;
    sleep(STALL).await;
    standbys.iter_mut().try_for_each(|node| node.start())?;
    service.cluster.until_synchronous().await
}

async fn set_clocks(service: &mut Service) -> anyhow::Result<()> {
    for (instance, offset) in service.instances.iter_mut().zip(CLOCK_OFFSETS) {
        instance.set_clock(Some(offset)).await?;
        sleep(WRONG_TIME).await;
        instance.set_clock(None).await?;
    }
    Ok(())
}
