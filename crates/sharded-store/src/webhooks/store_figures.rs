use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use domain::Timestamp;
use domain::ports::{HeldSnapshot, PoolFigures, QueueFigures, StoreError, StoreFigures, VersionCount};

use crate::ShardedStore;
use crate::fan_out::{all, first};

#[async_trait]
impl StoreFigures for ShardedStore {
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError> {
        let figures = all(&self.shards, |shard| shard.store.figures.queue_figures(at, max)).await?;
        let (mut sum, mut lanes_left, mut subscriptions_left) = (QueueFigures::default(), max, max);
        for QueueFigures { waiting, oldest_due, lanes, subscriptions } in figures {
            sum.waiting = max.min(sum.waiting.saturating_add(waiting));
            sum.oldest_due = sum.oldest_due.into_iter().chain(oldest_due).min();
            sum.lanes.open += up_to(&mut lanes_left, lanes.open);
            sum.lanes.paused += up_to(&mut lanes_left, lanes.paused);
            sum.lanes.closed += up_to(&mut lanes_left, lanes.closed);
            for (status, count) in subscriptions {
                let count = up_to(&mut subscriptions_left, count);
                match sum.subscriptions.iter_mut().find(|(known, _)| *known == status) {
                    Some((_, known)) => *known += count,
                    None => sum.subscriptions.push((status, count)),
                }
            }
        }
        Ok(sum)
    }

    async fn oldest_snapshot(&self) -> Result<Option<Duration>, StoreError> {
        let ages = all(&self.shards, |shard| shard.store.figures.oldest_snapshot()).await?;
        Ok(ages.into_iter().max().flatten())
    }

    async fn snapshot_holder(&self) -> Result<Option<HeldSnapshot>, StoreError> {
        let holders = all(&self.shards, |shard| shard.store.figures.snapshot_holder()).await?;
        Ok(holders.into_iter().flatten().next())
    }

    /// Every process serves all shards, so one of them knows.
    async fn instances(&self) -> Result<Vec<VersionCount>, StoreError> {
        let counted = first(&self.shards, |shard| async move { Ok(Some(shard.store.figures.instances().await?)) });
        Ok(counted.await?.unwrap_or_default())
    }

    /// The pools of all shards with one name are one pool.
    fn pools(&self) -> Vec<PoolFigures> {
        let mut pools: BTreeMap<&'static str, PoolFigures> = BTreeMap::new();
        for of_shard in self.shards.iter().flat_map(|shard| shard.store.figures.pools()) {
            match pools.get_mut(of_shard.name) {
                None => drop(pools.insert(of_shard.name, of_shard)),
                Some(pool) => add(pool, &of_shard),
            }
        }
        pools.into_values().collect()
    }

    fn wal_bytes(&self) -> Option<u64> {
        self.shards.iter().filter_map(|shard| shard.store.figures.wal_bytes()).reduce(u64::saturating_add)
    }
}

/// As much of the count as is left of the maximum.
fn up_to(left: &mut u32, count: u32) -> u32 {
    let counted = count.min(*left);
    *left -= counted;
    counted
}

fn add(pool: &mut PoolFigures, other: &PoolFigures) {
    pool.used += other.used;
    pool.idle += other.idle;
    pool.waiting += other.waiting;
    pool.waits.iter_mut().zip(&other.waits).for_each(|(count, other)| *count += other);
    pool.waited += other.waited;
}
