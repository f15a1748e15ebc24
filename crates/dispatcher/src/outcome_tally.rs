use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ports::{Completion, StoreError};
use domain::webhooks::{OutcomeCounts, SubscriptionOutcomes};
use domain::{FailuresInARow, Hour, SubscriptionId};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::claiming::flatten;
use crate::dispatcher::Dispatcher;
use crate::{COUNT_INTERVAL, COUNTED_MAX, LAST_COUNT_MAX, STORE_TIMEOUT};

/// The outcomes that are not stored yet, by the hour. Outcomes of further subscriptions are not counted when
/// [`COUNTED_MAX`] wait. See decision 76.
#[derive(Debug, Default)]
pub(crate) struct OutcomeTally(Mutex<BTreeMap<(Hour, SubscriptionId), OutcomeCounts>>);

impl OutcomeTally {
    /// Counts the outcomes of completions that are stored.
    pub(crate) fn count(&self, completions: &[Completion]) {
        let mut tally = self.lock();
        for one in completions {
            add(&mut tally, (Hour::of(one.end.ended_at()), one.subscription), one.end.outcome());
        }
    }

    fn take(&self) -> BTreeMap<(Hour, SubscriptionId), OutcomeCounts> {
        std::mem::take(&mut *self.lock())
    }

    fn put_back(&self, taken: BTreeMap<(Hour, SubscriptionId), OutcomeCounts>) {
        let mut tally = self.lock();
        for (key, counts) in taken {
            add(&mut tally, key, counts);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Hour, SubscriptionId), OutcomeCounts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(
    tally: &mut BTreeMap<(Hour, SubscriptionId), OutcomeCounts>,
    key: (Hour, SubscriptionId),
    counts: OutcomeCounts,
) {
    if counts != OutcomeCounts::default() && (tally.len() < COUNTED_MAX || tally.contains_key(&key)) {
        *tally.entry(key).or_default() += counts;
    }
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
        self.tally.put_back(std::mem::take(&mut self.taken));
    }
}

fn log(written: &Result<(), StoreError>, failures: &mut FailuresInARow) {
    match written {
        Err(error) if failures.count() => {
            let error: &dyn Error = error;
            tracing::warn!(error, "cannot write the counts of deliveries, retrying");
        }
        Err(_) => {}
        Ok(()) => {
            if let Some(failures) = failures.end() {
                tracing::info!(failures, "writing the counts of deliveries works again");
            }
        }
    }
}
