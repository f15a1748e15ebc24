//! The clients: they publish, create and revoke keys, and call with keys, all the time.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use gatepost_client::{Client, Error, FullKey, NewEvent};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::ledger::{Key, Ledger, Revocation};

/// When an instance must refuse a revoked key, counted from the answer to the revocation: the documented 5 s, and one
/// for this program.
pub(crate) const REVOKED_WITHIN: Duration = Duration::from_secs(6);
/// The longest call. A call that takes longer has no answer.
pub(crate) const CALL_MAX: Duration = Duration::from_secs(20);
const PUBLISHERS: usize = 4;
/// Between two questions about a revoked key.
const QUESTION_INTERVAL: Duration = Duration::from_millis(250);
/// How busy the clients are.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Between two calls of one client.
    pub(crate) pause: Duration,
    /// One key of this number is not revoked.
    pub(crate) kept: usize,
}

/// The clients of one instance each, by credential.
pub(crate) struct Clients {
    /// With the operator token.
    pub(crate) host: Vec<Client>,
    pub(crate) users: Vec<User>,
    /// Without a credential.
    pub(crate) anyone: Vec<Client>,
}

pub(crate) struct User {
    /// The subject of the ID token.
    pub(crate) name: String,
    /// With the ID token, by instance.
    pub(crate) clients: Vec<Client>,
}

pub(crate) struct Load {
    clients: JoinSet<()>,
    stop: CancellationToken,
}

impl Load {
    pub(crate) fn start(clients: &Arc<Clients>, ledger: &Arc<Ledger>, good_key: &FullKey, pace: Pace) -> Self {
        let (mut tasks, stop) = (JoinSet::new(), CancellationToken::new());
        let mut spawn = |client: BoxFuture<'static, ()>| {
            let stop = stop.clone();
            tasks.spawn(async move { stop.run_until_cancelled(client).await.unwrap_or_default() });
        };
        for number in 0..PUBLISHERS {
            spawn(Box::pin(publish(Arc::clone(clients), Arc::clone(ledger), number, pace)));
        }
        for user in 0..clients.users.len() {
            spawn(Box::pin(manage_keys(Arc::clone(clients), Arc::clone(ledger), user, pace)));
        }
        for anyone in &clients.anyone {
            spawn(Box::pin(use_key(anyone.clone(), Arc::clone(ledger), good_key.clone(), pace)));
        }
        Self { clients: tasks, stop }
    }

    /// Ends the load. Calls in progress are cut off.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.clients.join_all().await;
    }
}

async fn publish(clients: Arc<Clients>, ledger: Arc<Ledger>, number: usize, pace: Pace) {
    for round in number.. {
        let user = &clients.users[round % clients.users.len()].name;
        publish_one(&clients.host[round % clients.host.len()], &ledger, user).await;
        sleep(pace.pause).await;
    }
}

/// Publishes an event of this user, and returns whether it was accepted.
pub(crate) async fn publish_one(host: &Client, ledger: &Ledger, user: &str) -> bool {
    let Ok(event) = NewEvent::new(user, "fault.injected", &"data") else { return false };
    let published = answer(ledger, host.publish_event(&event)).await;
    published.map(|published| ledger.accepted(published.event.id)).is_some()
}

async fn manage_keys(clients: Arc<Clients>, ledger: Arc<Ledger>, user: usize, pace: Pace) {
    for round in user.. {
        let is_kept = round.is_multiple_of(pace.kept);
        manage_one_key(&clients, &ledger, user, round, is_kept).await;
        sleep(pace.pause).await;
    }
}

/// Creates a key and uses it everywhere; revokes it, and watches that every instance refuses it.
async fn manage_one_key(clients: &Clients, ledger: &Ledger, user: usize, round: usize, is_kept: bool) {
    let client = &clients.users[user].clients[round % clients.anyone.len()];
    let Some(created) = answer(ledger, client.create_api_key("fault")).await else { return };
    let (id, secret) = (created.key_id, created.key);
    ledger.created(Key { user, id: id.clone(), secret: secret.clone(), revocation: Revocation::NotAsked });
    if is_kept {
        return;
    }
    join_all(clients.anyone.iter().map(|anyone| is_good(anyone, &secret))).await;
    ledger.revoked(&id, Revocation::Unknown);
    if answer(ledger, client.revoke_api_key(&id)).await.is_some() {
        let since = Instant::now();
        ledger.revoked(&id, Revocation::Answered(since));
        join_all(clients.anyone.iter().map(|anyone| watch_revoked(anyone, ledger, &secret, since))).await;
    }
}

/// Asks until the instance refuses the key; a key that is still accepted after the bound is counted.
async fn watch_revoked(anyone: &Client, ledger: &Ledger, key: &FullKey, since: Instant) {
    loop {
        let asked = since.elapsed();
        match is_good(anyone, key).await {
            Some(false) => return,
            None if asked > REVOKED_WITHIN => return,
            None => {}
            Some(true) => ledger.count(|counts| counts.revoked_good_for = counts.revoked_good_for.max(asked)),
        }
        if asked > REVOKED_WITHIN {
            return ledger.count(|counts| counts.revoked_good += 1);
        }
        sleep(QUESTION_INTERVAL).await;
    }
}

async fn use_key(anyone: Client, ledger: Arc<Ledger>, key: FullKey, pace: Pace) {
    loop {
        match is_good(&anyone, &key).await {
            Some(true) => {}
            Some(false) => ledger.count(|counts| counts.good_refused += 1),
            None => ledger.count(|counts| counts.refused += 1),
        }
        sleep(pace.pause).await;
    }
}

/// Whether the instance accepts the key; `None` when it cannot tell, or does not answer.
pub(crate) async fn is_good(anyone: &Client, key: &FullKey) -> Option<bool> {
    match timeout(CALL_MAX, anyone.with_credential(key.clone()).whoami()).await {
        Ok(Ok(_)) => Some(true),
        Ok(Err(error)) if matches!(error.status(), Some(401 | 403)) => Some(false),
        Ok(Err(_)) | Err(_) => None,
    }
}

/// The answer of a call that should succeed; a call that does not is counted.
async fn answer<T>(ledger: &Ledger, call: impl Future<Output = Result<T, Error>>) -> Option<T> {
    let answer = timeout(CALL_MAX, call).await.ok().and_then(Result::ok);
    if answer.is_none() {
        ledger.count(|counts| counts.refused += 1);
    }
    answer
}
