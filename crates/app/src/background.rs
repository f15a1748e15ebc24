use std::sync::Arc;
use std::time::Duration;

use adapters_system::SystemEntropy;
use domain::ports::MigrateError;
use domain::{Absences, Erasures, Purges};
use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use upkeep::{
    Tasks, announce_steadily, erase_steadily, follow_catalogue, migrate_until_done, purge_hourly, reseal_secrets,
    suspend_absent, watch_snapshots,
};

use crate::announcements::announcements;
use crate::instance::Instance;
use crate::parts::Parts;
use crate::webhooks::check_encryption_key;

/// How long the start waits for the database. Until then callers wait in the queue of the listener.
const FIRST_ATTEMPT_MAX: Duration = Duration::from_secs(3);

/// Starts the tasks that run next to the server. The dispatcher ends with the server, when `stop` is cancelled, so that
/// attempts in flight have the same time to end. The tasks that the server's last requests need end with
/// `engines_stop`.
pub(crate) async fn start(
    instance: &Instance,
    parts: &mut Parts,
    stop: &CancellationToken,
    engines_stop: &CancellationToken,
) -> Tasks {
    let (store, webhooks, until) = (&instance.store, &parts.webhooks.use_cases, || engines_stop.clone());
    let mut tasks = Tasks::default();
    start_schema(instance, parts, &mut tasks, stop).await;
    read_clock(instance).await;
    tasks.spawn_watch(Arc::clone(&store.closing), until());
    let verifier = Arc::clone(&parts.verifier);
    tasks.spawn_steady("the verifier of keys and sessions", engines_stop, verifier.run(until()));
    tasks.spawn_steady("the ID token verifier", engines_stop, Arc::clone(&instance.identity).run(until()));
    tasks.spawn_steady("the purges", engines_stop, purge_hourly(purges(instance), until()));
    tasks.spawn_steady("the erasures", engines_stop, erase_steadily(erasures(instance, parts), until()));
    if let Some(absences) = absences(instance, parts) {
        tasks.spawn_steady("the absences", engines_stop, suspend_absent(absences, until()));
    }
    let announcements = announcements(store, webhooks, parts.operator_webhook.as_ref());
    tasks.spawn_steady("the operational events", engines_stop, announce_steadily(announcements, until()));
    tasks.spawn_steady("the watch on snapshots", engines_stop, watch_snapshots(Arc::clone(&store.figures), until()));
    // One process that has a database to itself makes every change.
    if !store.changes.is_empty() {
        let followed = follow_catalogue(Arc::clone(&parts.catalogue), until());
        tasks.spawn_steady("the catalogue of event types", engines_stop, followed);
    }
    if let Some(dispatcher) = &parts.webhooks.dispatcher {
        tasks.spawn_steady("the dispatcher", stop, Arc::clone(dispatcher).run(stop.clone()));
    }
    if instance.configuration.encryption_keys.len() > 1 {
        tasks.spawn_finite("the sealing of secrets", reseal_secrets(webhooks.clone(), stop.clone()));
    }
    parts.traces.start(&mut tasks, engines_stop);
    tasks
}

/// Starts the migration of the schema, the check of the encryption key and the subscription of the operator, and waits a
/// moment for them.
async fn start_schema(instance: &Instance, parts: &Parts, tasks: &mut Tasks, stop: &CancellationToken) {
    let tried = Arc::new(Notify::new());
    let (schema, migrate) = (Arc::clone(&instance.store.schema), instance.configuration.migrate);
    let (webhooks, operator) = (parts.webhooks.use_cases.clone(), parts.operator_webhook.clone());
    let check = async move || {
        check_encryption_key(&webhooks).await?;
        webhooks.keep_operator_webhook(operator.as_ref()).await.map_err(MigrateError::from)
    };
    tasks.spawn("the schema", migrate_until_done(schema, migrate, check, Arc::clone(&tried), stop.clone()));
    let _ = tokio::time::timeout(FIRST_ATTEMPT_MAX, tried.notified()).await;
}

/// Reads the database's clock, so that it is known before the first call. A failure is not final: the verifier reads it
/// again, together with the change feed.
async fn read_clock(instance: &Instance) {
    let reads = instance.store.changes.iter().map(|changes| changes.changes_since(None, 0));
    let _ = tokio::time::timeout(FIRST_ATTEMPT_MAX, join_all(reads)).await;
}

/// The erasures of owners.
fn erasures(Instance { configuration, store, clock, .. }: &Instance, parts: &Parts) -> Erasures {
    Erasures {
        store: Arc::clone(&store.erasure),
        sessions: parts.sessions.clone(),
        keys_of_members: configuration.organization_keys_end_with_member.then(|| parts.verifier.key_stores().store),
        clock: Arc::clone(clock),
        entropy: Arc::new(SystemEntropy),
    }
}

/// The suspension of absent users, if it is configured.
fn absences(Instance { configuration, issuer, store, clock, .. }: &Instance, parts: &Parts) -> Option<Absences> {
    Some(Absences {
        store: Arc::clone(&parts.owner_states) as _,
        audit: Arc::clone(&store.audit),
        issuer: issuer.clone(),
        days_max: configuration.owner_seen_within_days?,
        exempt: configuration.operators.clone(),
        clock: Arc::clone(clock),
        entropy: Arc::new(SystemEntropy),
    })
}

/// The purges of data that is past its retention.
fn purges(Instance { configuration, store, clock, .. }: &Instance) -> Purges {
    Purges {
        store: Arc::clone(&store.retention),
        clock: Arc::clone(clock),
        keys: configuration.key_policy.clone(),
        webhooks: configuration.webhooks.policy.clone(),
        audit: configuration.audit_retention,
    }
}
