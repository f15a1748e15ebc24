//! One strike of a fault: load, fault, healing, and the observations.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gatepost_client::FullKey;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::crowd::{self, ACTIVE_MAX, Crowd};
use super::fault::Fault;
use super::maximum::judge;
use super::oracles::Evidence;
use super::revoked::{self, Answers};
use super::service::{INSTANCES, Service};
use super::writes::{self, Write, Writes};
use crate::ledger::Ledger;
use crate::load::{Clients, Load, Pace, User};
use crate::receiver::subscribe;
use crate::settling::settle;

/// How long the load runs undisturbed before a fault and after it.
const QUIET: Duration = Duration::from_secs(2);
/// About a hundred calls a second.
const PACE: Pace = Pace { pause: Duration::from_millis(100), kept: 40 };

/// The clients of one strike, and their records. Each strike has other users.
struct Witnesses {
    clients: Arc<Clients>,
    crowd_user: Arc<User>,
    good_key: FullKey,
    ledger: Arc<Ledger>,
    crowd: Arc<Crowd>,
    answers: Arc<Answers>,
    writes: Arc<Writes>,
}

/// Lets the fault strike once, under load, and returns the observations.
pub(super) async fn strike(fault: Fault, service: &mut Service, prefix: &str) -> anyhow::Result<Evidence> {
    let witnesses = Witnesses::call(service, prefix).await?;
    let load = Load::start(&witnesses.clients, &witnesses.ledger, &witnesses.good_key, PACE);
    let watch = witnesses.watch(service).await?;
    sleep(QUIET).await;
    let over = fault.strike(service).await?;
    service.cluster.until_whole().await?;
    service.until_healed(&witnesses.clients, &witnesses.good_key).await?;
    sleep(QUIET).await;
    load.stop().await;
    drop(watch);
    witnesses.evidence(over).await
}

impl Witnesses {
    async fn call(service: &Service, prefix: &str) -> anyhow::Result<Self> {
        let mut clients = service.clients(prefix)?;
        let crowd_user = clients.users.pop().map(Arc::new).ok_or_else(|| anyhow::anyhow!("no user for the crowd"))?;
        let ledger = Arc::new(Ledger::default());
        subscribe(&clients.users, &ledger).await?;
        let good_key = clients.users[0].clients[0].create_api_key("good").await?.key;
        Ok(Self {
            clients: Arc::new(clients),
            crowd_user,
            good_key,
            ledger,
            crowd: Arc::default(),
            answers: Arc::default(),
            writes: Arc::default(),
        })
    }

    /// The tasks that run during the load, and end when the set is dropped.
    async fn watch(&self, service: &Service) -> anyhow::Result<JoinSet<()>> {
        let (members, psql) = (service.cluster.members(), service.cluster.psql());
        let primary = service.cluster.until_primary().await?;
        let mut tasks = JoinSet::new();
        let mut spawn = |task: BoxFuture<'static, ()>| drop(tasks.spawn(task));
        spawn(Box::pin(writes::watch_primary(Arc::clone(&self.writes), members, psql, primary)));
        for caller in 0..crowd::CALLERS {
            spawn(Box::pin(crowd::create_beyond(Arc::clone(&self.crowd), Arc::clone(&self.crowd_user), caller)));
        }
        for instance in 0..INSTANCES {
            let (clients, ledger) = (Arc::clone(&self.clients), Arc::clone(&self.ledger));
            spawn(Box::pin(revoked::ask(Arc::clone(&self.answers), clients, ledger, instance)));
            for write in [Write::Publish, Write::CreateAndRevoke] {
                let (clients, ledger) = (Arc::clone(&self.clients), Arc::clone(&self.ledger));
                spawn(Box::pin(writes::try_writes(Arc::clone(&self.writes), clients, ledger, instance, write)));
            }
        }
        Ok(tasks)
    }

    async fn evidence(&self, over: Instant) -> anyhow::Result<Evidence> {
        let outcome = settle(&self.clients, &self.ledger).await?;
        let listed = self.crowd_user.clients[0].list_api_keys().await?;
        let active = listed.iter().filter(|key| key.revoked_at.is_none()).count();
        let (refused, unknown) = self.answers.counts();
        Ok(Evidence {
            outcome,
            events: self.ledger.accepted_count(),
            events_missing: self.ledger.missing(),
            maximum: judge(&self.crowd.calls(), ACTIVE_MAX),
            keys_over: active.saturating_sub(ACTIVE_MAX),
            refused,
            unknown,
            promotions: self.writes.promotions(),
            commits_after: self.writes.commits_after(),
            resumed_after: self.writes.resumed_after(over, INSTANCES),
        })
    }
}
