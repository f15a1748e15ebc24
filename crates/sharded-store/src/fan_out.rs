use std::sync::Arc;

use domain::Home;
use domain::ports::StoreError;
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::ShardedStore;
use crate::shard::Shard;

/// The answers of these shards to the same call, side by side; an error if one of them fails.
pub(crate) async fn all<'a, T, Answer: Future<Output = Result<T, StoreError>> + Send>(
    shards: impl IntoIterator<Item = &'a Arc<Shard>>,
    call: impl Fn(&'a Arc<Shard>) -> Answer,
) -> Result<Vec<T>, StoreError> {
    join_all(shards.into_iter().map(|shard| shard.part(call(shard)))).await.into_iter().collect()
}

/// The first answer that is something, of shards that look side by side: what the caller looks for is in one of them.
/// `None` if each has answered that it has none.
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

/// Lets a look-up go on when its caller has the answer of another shard: the connection of a call that is dropped is
/// closed.
pub(crate) async fn to_its_end<T: Send + 'static>(
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::spawn(call).await.unwrap_or_else(|aborted| Err(StoreError::Unavailable(aborted.into())))
}

/// The errors of parts of which each did or did not happen: none if one of them happened, or there was nothing to do.
pub(crate) fn unless_all_failed(answers: Vec<Result<(), StoreError>>) -> Result<(), StoreError> {
    if answers.iter().any(Result::is_ok) { Ok(()) } else { answers.into_iter().collect() }
}

/// Makes a call that changes at most `max` of something in one shard after the other, until it has changed so many. A
/// shard that fails is left for later if another one has changed something.
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

/// The answers of shards that look side by side for what is in one of them each, until `wanted` are found. An error says
/// that some may be in a shard that failed.
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
    /// Hands each shard what belongs to it, by the home that the id carries, side by side. What carries no home goes to
    /// all: a shard ignores what is not stored in it. What is for a shard that fails is lost, unless all fail: it is of
    /// its owners, who get errors at the time.
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
