use std::collections::BTreeMap;
use std::time::Duration;

use counters::Pending;
use domain::ports::{Completion, StoreError};
use domain::webhooks::{OutcomeCounts, SubscriptionOutcomes};
use domain::{FailuresInARow, Hour, Streak, SubscriptionId};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::claiming::flatten;
use crate::dispatcher::Dispatcher;
use crate::{COUNT_INTERVAL, LAST_COUNT_MAX, STORE_TIMEOUT};

/// The outcomes that are not stored yet, by the hour. At most [`COUNTED_MAX`](crate::COUNTED_MAX) pairs of an hour and
/// a subscription wait. See decision 76.
pub(crate) type OutcomeTally = Pending<(Hour, SubscriptionId), OutcomeCounts>;

/// The outcomes of completions that are stored.
pub(crate) fn outcomes_of(batch: &[Completion]) -> impl Iterator<Item = ((Hour, SubscriptionId), OutcomeCounts)> {
    let outcomes = batch.iter().map(|one| ((Hour::of(one.end.ended_at()), one.subscription), one.end.outcome()));
    outcomes.filter(|(_, counts)| *counts != OutcomeCounts::default())
}

/// Writes the counts every [`COUNT_INTERVAL`], in one statement. When `ended` is cancelled, writes once more.
pub(crate) async fn write_outcomes(dispatcher: &Dispatcher, ended: &CancellationToken) {
    let mut failures = FailuresInARow::default();
    while ended.run_until_cancelled(sleep(COUNT_INTERVAL)).await.is_some() {
        if let Some(written) = ended.run_until_cancelled(write(dispatcher, STORE_TIMEOUT)).await {
            log(&written, &mut failures);
        }
    }
    log(&write(dispatcher, LAST_COUNT_MAX).await, &mut failures);
}

async fn write(dispatcher: &Dispatcher, limit: Duration) -> Result<(), StoreError> {
    let mut round = Round { tally: &dispatcher.outcomes, taken: dispatcher.outcomes.take() };
    let counted = |((hour, id), counts): (&(Hour, SubscriptionId), &OutcomeCounts)| SubscriptionOutcomes {
        id: *id,
        hour: *hour,
        counts: *counts,
    };
    let outcomes: Vec<SubscriptionOutcomes> = round.taken.iter().map(counted).collect();
    if !outcomes.is_empty() {
        flatten(timeout(limit, dispatcher.queue.add_outcomes(&outcomes)).await)?;
    }
    round.taken.clear();
    Ok(())
}

/// The counts of one write. If the write fails or is dropped, they wait again, and are counted twice if the store had
/// stored them.
struct Round<'a> {
    tally: &'a OutcomeTally,
    taken: BTreeMap<(Hour, SubscriptionId), OutcomeCounts>,
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.tally.add(std::mem::take(&mut self.taken));
    }
}

fn log(written: &Result<(), StoreError>, failures: &mut FailuresInARow) {
    match failures.note(written) {
        Some(Streak::Began(error)) => tracing::warn!(error, "cannot write the counts of deliveries, retrying"),
        Some(Streak::Ended(failures)) => tracing::info!(failures, "writing the counts of deliveries works again"),
        None => {}
    }
}
