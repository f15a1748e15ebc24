use std::sync::Arc;

use domain::Home;
use domain::ports::StoreError;
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::ShardedStore;
use crate::shard::Shard;

/// The answers of these shards to the same call, made concurrently; an error if one of them fails.
pub(crate) async fn all<'a, T, Answer: Future<Output = Result<T, StoreError>> + Send>(
    shards: impl IntoIterator<Item = &'a Arc<Shard>>,
    call: impl Fn(&'a Arc<Shard>) -> Answer,
) -> Result<Vec<T>, StoreError> {
    join_all(shards.into_iter().map(|shard| shard.part(call(shard)))).await.into_iter().collect()
}

/// The first answer with a value, of concurrent calls of shards: at most one of them has the value. `None` if
/// each has answered that it has none.
pub(crate) async fn first<'a, T, Answer: Future<Output = Result<Option<T>, StoreError>> + Send>(
    shards: impl IntoIterator<Item = &'a Arc<Shard>>,
    call: impl Fn(&'a Arc<Shard>) -> Answer,
) -> Result<Option<T>, StoreError> {
    let mut answers: FuturesUnordered<_> = shards.into_iter().map(|shard| shard.part(call(shard))).collect();
    let mut failure = None;
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => {}
            Err(error) => failure = Some(error),
        }
    }
    failure.map_or(Ok(None), Err)
}

/// Lets a look-up end after its caller has the answer of another shard: if it were dropped, its connection would be
/// closed.
pub(crate) async fn to_its_end<T: Send + 'static>(
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::spawn(call).await.unwrap_or_else(|aborted| Err(StoreError::Unavailable(aborted.into())))
}

/// The error of several parts: none if one of them succeeded, or there was no part.
pub(crate) fn unless_all_failed(answers: Vec<Result<(), StoreError>>) -> Result<(), StoreError> {
    if answers.iter().any(Result::is_ok) { Ok(()) } else { answers.into_iter().collect() }
}

/// Makes a call that changes at most `max` items in one shard after the other, until `max` are changed. The error of a
/// shard is ignored if another one has changed an item.
pub(crate) async fn up_to<'a, Answer: Future<Output = Result<u32, StoreError>> + Send>(
    max: u32,
    shards: impl IntoIterator<Item = &'a Arc<Shard>>,
    call: impl Fn(&'a Arc<Shard>, u32) -> Answer,
) -> Result<u32, StoreError> {
    let (mut count, mut failure) = (0_u32, None);
    for shard in shards {
        if count >= max {
            break;
        }
        match shard.long_part(call(shard, max - count)).await {
            Ok(changed) => count = count.saturating_add(changed),
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) if count == 0 => Err(error),
        _ => Ok(count),
    }
}

/// The answers of concurrent calls of shards for items that each are in one shard, until `wanted` are found. An error
/// means that a shard failed, which may have some of the items.
pub(crate) async fn in_part<T>(
    wanted: usize,
    calls: impl IntoIterator<Item = impl Future<Output = Result<Vec<T>, StoreError>>>,
) -> (Vec<T>, Option<StoreError>) {
    let mut answers: FuturesUnordered<_> = calls.into_iter().collect();
    let (mut found, mut failure) = (Vec::new(), None);
    while found.len() < wanted
        && let Some(answer) = answers.next().await
    {
        match answer {
            Ok(of_shard) => found.extend(of_shard),
            Err(error) => failure = Some(error),
        }
    }
    (found, failure)
}

impl ShardedStore {
    /// Hands each shard its items concurrently, by the home in the id. An item without a home goes to all shards: a
    /// shard ignores items that are not stored in it. The items of a failing shard are lost, unless all shards fail:
    /// its owners get errors at that time.
    pub(crate) async fn spread<T: Copy, Answer: Future<Output = Result<(), StoreError>> + Send>(
        &self,
        items: &[T],
        home: impl Fn(&T) -> Option<Home>,
        call: impl Fn(Arc<Shard>, Vec<T>) -> Answer,
    ) -> Result<(), StoreError> {
        let mut parts = vec![Vec::new(); self.shards.len()];
        for item in items {
            self.near(home(item)).iter().for_each(|shard| parts[shard.number].push(*item));
        }
        let parts = self.shards.iter().zip(parts).filter(|(_, part)| !part.is_empty());
        let calls = parts.map(|(shard, part)| shard.long_part(call(Arc::clone(shard), part)));
        unless_all_failed(join_all(calls).await)
    }
}
