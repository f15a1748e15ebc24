use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::Timestamp;
use domain::ports::{PoolFigures, ProcessFigures, QueueFigures, ServerFigures, StoreError, StoreFigures};

use crate::ShardedStore;
use crate::fan_out::all;

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

    async fn server_figures(&self) -> Result<ServerFigures, StoreError> {
        let figures = all(&self.shards, |shard| shard.store.figures.server_figures()).await?;
        let sum = figures.into_iter().reduce(|one, other| ServerFigures {
            oldest_snapshot: one.oldest_snapshot.max(other.oldest_snapshot),
            held_snapshot: one.held_snapshot.or(other.held_snapshot),
            // Every process serves all shards.
            instances: one.instances,
        });
        Ok(sum.unwrap_or_default())
    }

    /// The pools of all shards with one name are one pool.
    fn process_figures(&self) -> ProcessFigures {
        let (mut pools, mut log_bytes) = (BTreeMap::<&'static str, PoolFigures>::new(), None);
        for of_shard in self.shards.iter().map(|shard| shard.store.figures.process_figures()) {
            log_bytes = log_bytes.into_iter().chain(of_shard.log_bytes).reduce(u64::saturating_add);
            for pool in of_shard.pools {
                match pools.get_mut(pool.name) {
                    None => drop(pools.insert(pool.name, pool)),
                    Some(sum) => add(sum, &pool),
                }
            }
        }
        ProcessFigures { pools: pools.into_values().collect(), log_bytes }
    }
}

/// The count, limited to the rest of the maximum.
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
