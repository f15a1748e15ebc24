use std::time::Duration;

use futures_util::future::join_all;
use throwaway_postgres::Cluster;
use tokio::time::{Instant, sleep};

use super::REFUSED_CUT_OFF_WITHIN;
use super::delays::Delays;
use super::fleet::{Fleet, Key, accepted_for, first_refusal};
use crate::harness::{Response, Storage, User, eventually, own_server, until};
use crate::shards::shard_of;

const REVOCATIONS: usize = 50;
/// Users, so that each has room for its keys.
const USERS: usize = 5;
/// Longer than any look back by time ever was, and far longer than a call may take.
const STALL: Duration = Duration::from_secs(14);

/// The commits of all revocations wait for a synchronous standby that is away. Their callers get 503. Once the commits
/// are through, every instance refuses the keys.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revocation_whose_commit_stalls_is_refused_everywhere_once_it_is_committed() {
    let cluster = own_server().await;
    let storage = Storage::postgres_in(cluster.clone()).await;
    // A shard whose calls have failed is tried again after half a second. Until then, its keys get 503.
    let refusals_at_first: &[u16] = if storage.shards() > 1 { &[401, 503] } else { &[401] };
    let fleet = Fleet::on(storage, 2).await;
    let users: Vec<_> = (0..USERS).map(|n| fleet.user(&format!("alice-{n}"))).collect();
    let mut keys: Vec<Key> = Vec::new();
    for n in 0..REVOCATIONS {
        keys.push(fleet.used_key(&users[n % USERS]).await);
    }
    let good = fleet.used_key(&fleet.user("bob")).await;
    fleet.store_uses((REVOCATIONS + 1) * fleet.instances.len()).await;

    cluster.wait_for_standby("nobody").await.expect("the server takes a setting");
    let revoked_at = Instant::now();
    // A few at a time: no more can wait for their commit than there are connections.
    let mut unanswered = 0;
    for some in keys.chunks(10) {
        // Each stalled call has lost its connection. On a busy machine, new ones take their time.
        let reads = async || join_all((0..some.len()).map(|n| users[n % USERS].list())).await;
        until("all calls have connections again", async || reads().await.iter().all(|read| read.status == 200)).await;
        let calls = some.iter().enumerate().map(|(n, key)| users[n % USERS].revoke(&key.id));
        unanswered += join_all(calls).await.iter().filter(|response| response.status == 503).count();
    }
    assert_eq!(unanswered, REVOCATIONS, "no commit was through");
    sleep(STALL.saturating_sub(revoked_at.elapsed())).await;
    cluster.wait_for_standby("").await.expect("the server takes a setting");

    let committed = Instant::now();
    let addresses = [fleet.instances[0].address(), fleet.instances[1].address()];
    let ask = |key: &Key| addresses.map(|address| tokio::spawn(first_refusal(address, key.question())));
    let asked: Vec<_> = keys.iter().map(|key| (key.id.clone(), ask(key))).collect();
    let keys = committed_revocations(&cluster, &users, keys).await;
    assert!(keys.len() > REVOCATIONS / 2, "{} commits stalled", keys.len());
    let of_revoked = asked.into_iter().filter(|(id, _)| keys.iter().any(|key| key.id == *id));
    let delays: Delays = join_all(of_revoked.flat_map(|(_, refusals)| refusals))
        .await
        .into_iter()
        .map(|refusal| {
            let (accepted_until, status) = refusal.expect("a revoked key is refused");
            assert!(refusals_at_first.contains(&status), "{status} for a revoked key");
            accepted_for(accepted_until, committed)
        })
        .collect();
    delays.expect("refused after stalled commits were through", 1_000, REFUSED_CUT_OFF_WITHIN);
    for instance in &fleet.instances {
        let has_status = async |key: &Key, status| {
            until("the shards answer", async || instance.send(&key.question()).await.status == status).await;
        };
        has_status(&good, 200).await;
        for key in &keys {
            has_status(key, 401).await;
        }
    }
}

/// The keys with a committed revocation. A 503 may also mean that the call had no connection and no effect.
async fn committed_revocations(cluster: &Cluster, users: &[User], keys: Vec<Key>) -> Vec<Key> {
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    until("no commit waits", async || cluster.execute("postgres", waiting).await.expect("the server answers") == "0")
        .await;
    // Stalled calls have lost their connections, and new ones take time.
    let lists = eventually("all keys are listed", async || {
        let lists = join_all(users.iter().map(User::list)).await;
        lists.iter().all(|list| list.status == 200).then(|| lists.iter().map(Response::json).collect::<Vec<_>>())
    })
    .await;
    let listed: Vec<_> = lists.iter().flat_map(|list| list["keys"].as_array().expect("an array")).collect();
    let is_revoked = |key: &Key| listed.iter().any(|shown| shown["id"] == key.id && !shown["revokedAt"].is_null());
    keys.into_iter().filter(is_revoked).collect()
}

/// The primary dies and its standby is promoted. Instances with a URL that lists both continue with the new primary,
/// and read revocations there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revocations_are_heard_after_a_failover() {
    let primary = own_server().await;
    let storage = Storage::direct(primary.clone()).await;
    let standby = primary.standby().await.expect("a standby");
    let fleet = Fleet::on(storage.behind(&standby), 2).await;
    let alice = fleet.user("alice");
    let mut keys: Vec<Key> = Vec::new();
    for _ in 0..10 {
        keys.push(fleet.used_key(&alice).await);
    }
    let (_, database) = storage.server().expect("it is Postgres");
    let shard = shard_of(&fleet.instances[0], "alice", storage.shards());
    let count = format!("SELECT count(*) FROM {}.api_keys", storage.schema(shard));
    let counted = async || standby.execute(&database.name, &count).await.unwrap_or_default();
    until("the standby has the keys", async || counted().await == keys.len().to_string()).await;

    primary.crash().await.expect("the primary dies");
    standby.promote().await.expect("the standby takes over");
    let mut delays = Vec::new();
    for key in &keys {
        until("the revocation is committed", async || alice.revoke(&key.id).await.status == 200).await;
        let answered = Instant::now();
        let (accepted_until, _) = first_refusal(fleet.instances[1].address(), key.question()).await;
        delays.push(accepted_for(accepted_until, answered));
    }
    let what = "refused on the other instance after a failover";
    delays.into_iter().collect::<Delays>().expect(what, 1_000, REFUSED_CUT_OFF_WITHIN);
}
