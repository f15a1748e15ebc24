use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ports::{self, BoxError, CredentialStore, StoreError};
use domain::{CredentialDigest, OwnerRates};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::credential::Credential;

/// The most concurrent reads of the store. Calls that arrive during a read share the next one.
const READS_MAX: usize = 2;
/// The most calls that wait for a read, in all shards together. Further calls fail at once, so that a flood of unknown
/// keys does not fill memory.
const WAITING_MAX: usize = 10_000;
/// The longest time for one call, including its wait. The HTTP API promises an answer within 5 s.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(4);

/// Looks up keys or sessions in the store, with one read for many callers. A read of a thousand digests costs little more
/// than a read of one, so a flood of unknown keys delays a good key by at most one read.
///
/// A read begins after all calls that it answers were made, and continues even if its callers are dropped.
pub(crate) struct LookUps<C: Credential> {
    store: Arc<dyn CredentialStore<C::Stored>>,
    queue: Mutex<Queue<C>>,
    waiting_max: usize,
}

struct Queue<C: Credential> {
    calls: VecDeque<Call<C>>,
    /// How many tasks are reading, at most [`READS_MAX`].
    readers: usize,
}

struct Call<C: Credential> {
    digest: CredentialDigest,
    answer: oneshot::Sender<Found<C>>,
}

type Found<C> = Result<Option<OfOwner<C>>, Arc<StoreError>>;

/// A credential as it is stored, and the rate limits of its owner.
pub(crate) type OfOwner<C> = (<C as Credential>::Stored, OwnerRates);

impl<C: Credential> LookUps<C> {
    /// The look-ups in one of this number of shards of the store.
    pub(crate) fn new(store: Arc<dyn CredentialStore<C::Stored>>, shards: usize) -> Arc<Self> {
        let queue = Mutex::new(Queue { calls: VecDeque::new(), readers: 0 });
        Arc::new(Self { store, queue, waiting_max: WAITING_MAX.div_ceil(shards) })
    }

    /// Looks up the credential under this digest.
    pub(crate) async fn find(self: &Arc<Self>, digest: &CredentialDigest) -> Result<Option<OfOwner<C>>, StoreError> {
        let (answer, answered) = oneshot::channel();
        if let Some(reader) = self.enqueue(Call { digest: *digest, answer })? {
            tokio::spawn(reader.run());
        }
        match timeout(LOOK_UP_TIMEOUT, answered).await {
            Ok(Ok(found)) => found.map_err(|error| StoreError::for_another(&error)),
            Ok(Err(_)) => Err(unavailable("the look-up was aborted")),
            Err(_) => Err(unavailable("the look-up timed out")),
        }
    }

    /// Queues the call. Returns a new reader if another one may run.
    fn enqueue(self: &Arc<Self>, call: Call<C>) -> Result<Option<Reader<C>>, StoreError> {
        let mut queue = self.queue();
        if queue.calls.len() >= self.waiting_max {
            return Err(unavailable("too many look-ups are waiting"));
        }
        queue.calls.push_back(call);
        if queue.readers == READS_MAX {
            return Ok(None);
        }
        queue.readers += 1;
        Ok(Some(Reader { look_ups: Arc::clone(self), is_done: false }))
    }

    fn queue(&self) -> MutexGuard<'_, Queue<C>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads for all waiting calls, until the queue is empty.
struct Reader<C: Credential> {
    look_ups: Arc<LookUps<C>>,
    is_done: bool,
}

impl<C: Credential> Reader<C> {
    async fn run(mut self) {
        while let Some(calls) = self.take() {
            let digests: HashSet<CredentialDigest> = calls.iter().map(|call| call.digest).collect();
            let digests: Vec<CredentialDigest> = digests.into_iter().collect();
            let (found, failure) = active::<C>(self.look_ups.store.find_by_digests(&digests).await);
            let error = failure.map(Arc::new);
            for Call { digest, answer } in calls {
                let found = match (found.get(&digest), &error) {
                    (None, Some(error)) => Err(Arc::clone(error)),
                    (found, _) => Ok(found.cloned()),
                };
                // Sending fails if the caller was dropped, and then the answer is not needed.
                let _ = answer.send(found);
            }
        }
    }

    /// Takes the calls that have waited longest. `None` if no call waits: the reader is then deregistered under the
    /// same lock, so that the next call starts a new reader.
    fn take(&mut self) -> Option<Vec<Call<C>>> {
        let mut queue = self.look_ups.queue();
        if queue.calls.is_empty() {
            queue.readers -= 1;
            self.is_done = true;
            return None;
        }
        let count = queue.calls.len().min(CredentialDigest::LOOK_UP_MAX);
        Some(queue.calls.drain(..count).collect())
    }
}

/// If a reader is aborted, because its runtime ends or the store panics, all waiting calls fail instead of hanging.
impl<C: Credential> Drop for Reader<C> {
    fn drop(&mut self) {
        if !self.is_done {
            let mut queue = self.look_ups.queue();
            queue.readers -= 1;
            queue.calls.clear();
        }
    }
}

/// The found credentials of active owners, and the error that kept the store from looking for the rest.
pub(crate) fn active<C: Credential>(
    found: ports::Found<C::Stored>,
) -> (HashMap<CredentialDigest, OfOwner<C>>, Option<StoreError>) {
    let ports::Found { stored, rates, failure, .. } = found.of_active_owners();
    let of_owner = |(digest, stored)| (digest, (stored, rates.get(&digest).copied().unwrap_or_default()));
    (stored.into_iter().map(of_owner).collect(), failure)
}

fn unavailable(reason: &'static str) -> StoreError {
    StoreError::Unavailable(BoxError::from(reason))
}
