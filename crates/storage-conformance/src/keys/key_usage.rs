//! Verifications of keys by the hour.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{Retained, UsageRequest};
use domain::{Hour, HourRange, KeyId, KeyUsage, OwnerId};

use super::sample::{Sample, put};
use crate::by_hour::{self, Counts, CountsByHour, NOON, hours};
use crate::sample::user;

/// Counts of one key and hour add up, over calls and within a call, each result on its own. Other keys and hours keep
/// their counts.
pub async fn counts_of_a_key_add_up(store: Arc<dyn KeyPorts>) {
    by_hour::add_up(Usage(store)).await;
}

/// A reading has the hours from the first to the last, both included, and of these only hours with a count.
pub async fn counts_of_a_key_are_read_by_the_hour(store: Arc<dyn KeyPorts>) {
    by_hour::are_read_by_the_hour(Usage(store)).await;
}

/// A key of another user has no counts to show, nor has a key that is not stored. A key that was never used has none.
pub async fn counts_of_a_key_are_shown_to_its_owner(store: Arc<dyn KeyPorts>) {
    let counts = Usage(Arc::clone(&store));
    let (id, unknown) = (counts.stored(&user("alice")).await, Usage::not_stored(1));
    let usage = async |owner: &str, id| {
        let request = UsageRequest { owner: user(owner), id, hours: hours(NOON, NOON) };
        store.usage(&request).await.expect("a reading must succeed")
    };
    assert_eq!(usage("alice", id).await, Some(BTreeMap::new()), "a key that was never used must be found");
    counts.add(&[(id, NOON, [1, 0, 0]), (unknown, NOON, [1, 0, 0])]).await;
    assert_eq!(usage("alice", id).await.map(|usage| usage.len()), Some(1));
    assert_eq!(usage("bob", id).await, None, "another user's key must not be shown");
    assert_eq!(usage("alice", unknown).await, None, "a key that is not stored must not be shown");
}

/// Parallel calls that name the same keys and hours in different orders all succeed, and lose no count.
pub async fn parallel_counts_of_keys_all_add_up(store: Arc<dyn KeyPorts>) {
    by_hour::of_parallel_calls_all_add_up(Usage(store)).await;
}

/// Twenty thousand entries are taken in one call.
pub async fn large_batches_of_counts_are_taken(store: Arc<dyn KeyPorts>) {
    by_hour::of_large_batches_are_taken(Usage(store)).await;
}

/// A purge deletes the hours before the given one, at most `max` rows at a time, and returns their number.
pub async fn old_counts_of_keys_are_deleted(store: Arc<dyn KeyPorts>) {
    by_hour::that_are_old_are_deleted(Usage(store)).await;
}

/// A dropped addition adds all of its counts or none. Later ones do not hang.
pub async fn a_cancelled_addition_of_counts_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    by_hour::are_added_whole_or_not_at_all(Usage(store)).await;
}

/// Keys with the numbers of their verifications.
#[derive(Clone)]
struct Usage(Arc<dyn KeyPorts>);

impl CountsByHour for Usage {
    type Id = KeyId;

    async fn stored(&self, owner: &OwnerId) -> KeyId {
        let sample = Sample::of(owner);
        put(&*self.0, &sample).await;
        sample.id()
    }

    fn not_stored(number: u128) -> KeyId {
        KeyId::from_bytes(number.to_be_bytes())
    }

    async fn add(&self, counts: &[(KeyId, i64, Counts)]) {
        let usage = |&(id, hour, counts): &(KeyId, i64, Counts)| KeyUsage {
            id,
            hour: Hour::from_number(hour),
            counts: counts.into(),
        };
        let usage: Vec<KeyUsage> = counts.iter().map(usage).collect();
        self.0.add_usage(&usage).await.expect("adding counts must succeed");
    }

    async fn read(&self, owner: &OwnerId, id: KeyId, hours: HourRange) -> Vec<(i64, Counts)> {
        let request = UsageRequest { owner: owner.clone(), id, hours };
        let usage = self.0.usage(&request).await.expect("a reading must succeed");
        let usage = usage.expect("a stored key must be found by its owner");
        usage.into_iter().map(|(hour, counts)| (hour.number(), counts.into())).collect()
    }

    async fn purge(&self, before: Hour, max: u32) -> u32 {
        self.0.purge(Retained::KeyUsage, before.start(), max).await.expect("a purge must succeed")
    }
}
