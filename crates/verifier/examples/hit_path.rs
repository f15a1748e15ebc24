//! Measures the cost of a cached verification, without HTTP: `cargo run --release -p verifier --example hit_path`.
//!
//! Prints nanoseconds of processor time per call of `verify`, including the hash, the lookup and the note of the use,
//! with the system's clock. Processor time hardly depends on other load on the machine. Linux only.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for developers")]

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::memory::{MemoryKeyStore, MemorySessionStore, SeededEntropy};
use domain::ports::{
    ChangeFeed, Clock, CredentialChanges, CredentialStore, FeedPosition, FeedRead, Found, KeyStores, KeyUsageStore,
    RecentUses, SessionStores, StoreError, UsageRequest,
};
use domain::{
    ApiKey, CredentialDigest, FullKey, Hour, KeyId, KeyPolicy, KeyPolicySettings, KeyUsage, KeyUse, Label, OwnerId,
    Scopes, Timestamp, UsageCounts,
};
use tokio::time::Instant;
use verifier::{CredentialStores, Verifier, VerifierSettings};

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        Timestamp::from_unix_millis(i64::try_from(since_epoch.as_millis()).unwrap()).unwrap()
    }
}

/// A store that finds every key and has no rows, so that the measured memory excludes a million stored keys.
struct EveryKey;

fn limited_policy() -> KeyPolicy {
    let settings = KeyPolicySettings { rate_limit: "1000000/s".parse().ok(), ..KeyPolicySettings::default() };
    KeyPolicy::new(settings).expect("the settings are valid")
}

#[async_trait]
impl CredentialStore<ApiKey> for EveryKey {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        Found::from(Ok(digests.iter().map(|digest| (*digest, key_under(digest))).collect()))
    }

    async fn record_uses(&self, _: &[KeyUse]) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl KeyUsageStore for EveryKey {
    async fn add_usage(&self, _: &[KeyUsage]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn usage(&self, _: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        Ok(None)
    }
}

#[async_trait]
impl ChangeFeed for EveryKey {
    async fn changes_since(&self, _: Option<&FeedPosition>, _: u32) -> Result<FeedRead, StoreError> {
        Ok(FeedRead {
            changes: CredentialChanges::Of(Vec::new()),
            position: FeedPosition::new("0"),
            at: SystemClock.now(),
        })
    }

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Resident memory of the process, in KiB.
fn resident_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

fn keys(count: usize) -> Arc<Vec<String>> {
    let (policy, entropy) = (KeyPolicy::default(), SeededEntropy::new(1));
    Arc::new((0..count).map(|_| FullKey::generate(&policy, &entropy).expose().to_owned()).collect())
}

/// Verifies keys in an order that a prefetcher does not predict.
async fn visit(verifier: Arc<Verifier>, keys: Arc<Vec<String>>, calls: usize, start: usize, spend: bool) -> f64 {
    let (mut next, began) = (start, processor_nanos());
    for _ in 0..calls {
        next = (next + 618_033_989) % keys.len();
        let key = verifier.verify(&keys[next]).await.unwrap().unwrap();
        if spend {
            std::hint::black_box(verifier.spend(&key));
        }
    }
    nanos_each(began, calls)
}

/// Processor time of this thread, in nanoseconds. A cache hit never yields, so a task stays on its thread.
fn processor_nanos() -> u64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    schedule.split(' ').next().unwrap().parse().unwrap()
}

#[expect(clippy::cast_precision_loss, reason = "printed for people to read")]
fn nanos_each(began: u64, calls: usize) -> f64 {
    (processor_nanos() - began) as f64 / calls as f64
}

async fn measure(name: &str, verifier: &Arc<Verifier>, keys: &Arc<Vec<String>>, spend: bool) {
    const CALLS: usize = 4_000_000;
    let one = visit(verifier.clone(), keys.clone(), CALLS, 0, spend).await;
    let two: Vec<_> =
        (0..2).map(|n| tokio::spawn(visit(verifier.clone(), keys.clone(), CALLS, n * 7, spend))).collect();
    let mut each = 0.0;
    for thread in two {
        each += thread.await.unwrap() / 2.0;
    }
    println!("{name:<44} {one:>7.0} ns   two threads {each:>7.0} ns each");
}

/// Measures a list of keys while all uses wait, and a round of writes, both without the cost of the store.
async fn measure_waiting_uses(verifier: &Verifier, keys: &[String]) {
    const LISTS: usize = 100;
    let mut ids = Vec::new();
    for key in keys.iter().take(110) {
        ids.push(verifier.verify(key).await.unwrap().unwrap().id);
    }
    let began = processor_nanos();
    for _ in 0..LISTS {
        std::hint::black_box(verifier.last_uses(&ids));
    }
    println!("   a list of {} keys: {:.0} ns", ids.len(), nanos_each(began, LISTS));
    let began = processor_nanos();
    verifier.flush().await.unwrap();
    println!("   a round of writes: {:.0} ns", nanos_each(began, 1));
}

fn stores() -> CredentialStores {
    let sessions = SessionStores::of(&Arc::new(MemorySessionStore::default()));
    let store = Arc::new(MemoryKeyStore::default());
    let keys = KeyStores { store, credentials: Arc::new(EveryKey), usage: Arc::new(EveryKey) };
    CredentialStores { keys, sessions, members: None }
}

#[tokio::main(worker_threads = 3)]
async fn main() {
    let settings = VerifierSettings { keys_max: 1_200_000, ..VerifierSettings::default() };
    for count in [1, 1_000, 1_000_000] {
        let keys = keys(count);
        let before = resident_kib();
        let verifier = Verifier::new(stores(), Vec::new(), Arc::new(SystemClock), settings.clone());
        let began = processor_nanos();
        for key in &*keys {
            verifier.verify(key).await.unwrap().unwrap();
        }
        println!("-- {count} keys; one fill: {:.0} ns; cached: {:?}", nanos_each(began, count), verifier.cached());
        println!("   resident {} KiB for the cache and the noted uses", resident_kib().saturating_sub(before));
        measure("single process, never flushed", &verifier, &keys, false).await;
        measure_waiting_uses(&verifier, &keys).await;
        let stop = tokio_util::sync::CancellationToken::new();
        let running = tokio::spawn(verifier.clone().run(stop.clone()));
        measure("single process, flushing", &verifier, &keys, false).await;
        stop.cancel();
        running.await.unwrap();

        let limited = VerifierSettings { key_policy: limited_policy(), ..settings.clone() };
        let verifier = Verifier::new(stores(), vec![Arc::new(EveryKey)], Arc::new(SystemClock), limited);
        let stop = tokio_util::sync::CancellationToken::new();
        let running = tokio::spawn(verifier.clone().run(stop.clone()));
        for key in &*keys {
            verifier.verify(key).await.unwrap().unwrap();
        }
        measure("shared, flushing", &verifier, &keys, false).await;
        measure("shared, flushing, with a rate limit", &verifier, &keys, true).await;
        stop.cancel();
        running.await.unwrap();
    }
    let (calls, text) = (10_000_000, keys(1)[0].clone());
    let began = processor_nanos();
    for _ in 0..calls {
        std::hint::black_box(CredentialDigest::of_presented(std::hint::black_box(&text)));
    }
    println!("-- only the hash: {:.0} ns", nanos_each(began, calls));
    let began = processor_nanos();
    for _ in 0..calls {
        std::hint::black_box((SystemClock.now(), Instant::now()));
    }
    println!("   only both clocks: {:.0} ns", nanos_each(began, calls));
}

fn key_under(digest: &CredentialDigest) -> ApiKey {
    let mut id = [0; 16];
    id.copy_from_slice(&digest.as_bytes()[..16]);
    ApiKey {
        id: KeyId::from_bytes(id),
        owner: OwnerId::new("https://id.example", format!("user-{}", digest.as_bytes()[17])).unwrap(),
        label: Label::parse("CI deploy").unwrap(),
        prefix: "svc_live_a1B...".into(),
        created_at: SystemClock.now(),
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::parse("orders:read orders:write").unwrap(),
        replaced_by: None,
        settings: domain::KeySettings::default(),
        created_by: None,
    }
}
