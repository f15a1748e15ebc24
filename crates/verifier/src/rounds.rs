use std::sync::Arc;
use std::time::Duration;

use domain::ports::StoreError;
use domain::{CredentialDigest, FailuresInARow, Streak};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::answers::Answers;
use crate::credential::Credential;
use crate::look_ups::active;

/// Confirms every cached credential of a kind with the store, round after round, in slices by the first byte of the
/// digest. Each answer from memory therefore rests on a read of the store that is younger than the maximum age, even if a
/// change never reached the feed, or keys were changed by SQL or by a restored backup.
///
/// A round takes nine tenths of the maximum age. Ten minutes and a million keys mean two reads per second. See
/// decision 45.
pub(crate) struct Rounds<C: Credential> {
    answers: Arc<Answers<C>>,
    slice_interval: Duration,
    failures: FailuresInARow,
}

impl<C: Credential> Rounds<C> {
    pub(crate) fn new(answers: Arc<Answers<C>>, max_age: Duration) -> Self {
        Self { answers, slice_interval: max_age * 9 / 10 / 256, failures: FailuresInARow::default() }
    }

    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        let confirming = async {
            for first_byte in (0..=u8::MAX).cycle() {
                let next = Instant::now() + self.slice_interval;
                for digests in self.answers.cached_in(first_byte).chunks(CredentialDigest::LOOK_UP_MAX) {
                    let outcome = self.confirm(digests).await;
                    self.log(&outcome);
                }
                sleep_until(next).await;
            }
        };
        stop.run_until_cancelled(confirming).await;
    }

    async fn confirm(&self, digests: &[CredentialDigest]) -> Result<(), StoreError> {
        let age = self.answers.age();
        let (stored, failure) = active::<C>(self.answers.store.find_by_digests(digests).await);
        let known: Vec<CredentialDigest> =
            digests.iter().copied().filter(|digest| failure.is_none() || stored.contains_key(digest)).collect();
        self.answers.reconcile(&known, &stored, age);
        failure.map_or(Ok(()), Err)
    }

    fn log(&mut self, outcome: &Result<(), StoreError>) {
        match self.failures.note(outcome) {
            Some(Streak::Began(error)) => tracing::warn!(error, "cannot confirm cached {}, retrying", C::NAME),
            Some(Streak::Ended(failures)) => tracing::info!(failures, "confirming cached {} works again", C::NAME),
            None => {}
        }
    }
}
