//! When writes work again: each kind of write is tried on each instance without a pause.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatepost_client::Client;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::cluster::find;
use super::node::Psql;
use crate::ledger::Ledger;
use crate::load::{CALL_MAX, Clients, publish_one};

/// How often each kind of write is tried on each instance, also while earlier calls hang.
const INTERVAL: Duration = Duration::from_millis(500);
const PRIMARY_INTERVAL: Duration = Duration::from_millis(100);

/// A kind of write, on one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    Publish,
    CreateAndRevoke,
}

/// The times of successful writes, and of new primaries.
#[derive(Default)]
pub(super) struct Writes(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    /// For each instance and kind of write.
    succeeded: Vec<((usize, Write), Instant)>,
    promoted: Vec<Promotion>,
}

/// A new primary.
#[derive(Clone, Copy)]
struct Promotion {
    at: Instant,
    /// When the first commit of another client succeeded there. Until then every commit waits for a standby.
    commits_at: Option<Instant>,
}

impl Writes {
    fn succeeded(&self, instance: usize, write: Write) {
        self.entries().succeeded.push(((instance, write), Instant::now()));
    }

    /// The longest time from the first commit on a new primary, or from the end of the fault, until every write works on
    /// every instance; `None` if one of them never works again.
    pub(super) fn resumed_after(&self, fault_over: Instant, instances: usize) -> Option<Duration> {
        let entries = self.entries();
        let commits = entries.promoted.iter().map(|promotion| promotion.commits_at.unwrap_or(promotion.at));
        let starts: Vec<Instant> = commits.chain([fault_over]).collect();
        let kinds =
            (0..instances).flat_map(|instance| [(instance, Write::Publish), (instance, Write::CreateAndRevoke)]);
        let times = kinds.map(|kind| {
            let succeeded = entries.succeeded.iter().filter(|(known, _)| *known == kind).map(|(_, at)| *at);
            longest_wait(&succeeded.collect::<Vec<_>>(), &starts)
        });
        times.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// The longest time from a promotion until a commit succeeds on the new primary, for any client.
    pub(super) fn commits_after(&self) -> Duration {
        let entries = self.entries();
        let waits = entries.promoted.iter().filter_map(|promotion| Some(promotion.commits_at? - promotion.at));
        waits.max().unwrap_or_default()
    }

    /// How many new primaries there were.
    pub(super) fn promotions(&self) -> usize {
        self.entries().promoted.len()
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest time from a start until the first success after it; `None` if there is no success after one of them.
fn longest_wait(succeeded: &[Instant], starts: &[Instant]) -> Option<Duration> {
    let wait = |start: &Instant| succeeded.iter().filter(|at| *at >= start).min().map(|at| *at - *start);
    starts.iter().map(wait).collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// Notes each node that becomes the primary after another one, and when commits succeed there.
pub(super) async fn watch_primary(writes: Arc<Writes>, members: Vec<SocketAddr>, psql: Vec<Psql>, first: usize) {
    let mut last = first;
    loop {
        if let Some(primary) = find(&members, "/primary").await.filter(|primary| *primary != last) {
            let at = Instant::now();
            let commits_at = psql[primary].until_commit().await.ok().map(|()| Instant::now());
            writes.entries().promoted.push(Promotion { at, commits_at });
            last = primary;
        }
        sleep(PRIMARY_INTERVAL).await;
    }
}

/// Tries one kind of write on one instance, until this task is dropped.
pub(super) async fn try_writes(
    writes: Arc<Writes>,
    clients: Arc<Clients>,
    ledger: Arc<Ledger>,
    instance: usize,
    write: Write,
) {
    let mut calls = JoinSet::new();
    loop {
        let (writes, clients, ledger) = (Arc::clone(&writes), Arc::clone(&clients), Arc::clone(&ledger));
        calls.spawn(async move {
            if try_write(&clients, &ledger, instance, write).await {
                writes.succeeded(instance, write);
            }
        });
        while calls.try_join_next().is_some() {}
        sleep(INTERVAL).await;
    }
}

async fn try_write(clients: &Clients, ledger: &Ledger, instance: usize, write: Write) -> bool {
    let user = &clients.users[0];
    match write {
        Write::Publish => publish_one(&clients.host[instance], ledger, &user.name).await,
        Write::CreateAndRevoke => create_and_revoke(&user.clients[instance]).await.is_some(),
    }
}

async fn create_and_revoke(user: &Client) -> Option<()> {
    let created = timeout(CALL_MAX, user.create_api_key("probe")).await.ok()?.ok()?;
    timeout(CALL_MAX, user.revoke_api_key(&created.key_id)).await.ok()?.ok()?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(millis: &[u64]) -> Vec<Instant> {
        let start = Instant::now();
        millis.iter().map(|millis| start + Duration::from_millis(*millis)).collect()
    }

    #[test]
    fn the_wait_ends_with_the_first_success_after_each_start() {
        let all = times(&[0, 100, 5_000, 5_100, 20_000, 27_000]);
        let (succeeded, starts) = ([all[0], all[1], all[3], all[5]], [all[2], all[4]]);
        assert_eq!(longest_wait(&succeeded, &starts), Some(Duration::from_secs(7)));
    }

    #[test]
    fn writes_that_never_work_again_are_found() {
        let all = times(&[0, 100]);
        assert_eq!(longest_wait(&all[..1], &all[1..]), None);
    }
}
