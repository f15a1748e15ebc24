use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use domain::UserId;
use tokio::sync::{Mutex, MutexGuard};

/// The number of queues. Each owner belongs to one queue. Two owners rarely share a queue; all queues take 10 KiB.
const QUEUES: usize = 256;

/// Sends the insertions of this process to the database one at a time for each owner. The row lock makes the maximum
/// exact; the turns prevent that 200 requests of one owner occupy all connections of the pool while they wait for that
/// lock.
#[derive(Clone)]
pub(crate) struct OwnerTurns(Arc<[Mutex<()>]>);

impl OwnerTurns {
    pub(crate) fn new() -> Self {
        Self((0..QUEUES).map(|_| Mutex::default()).collect())
    }

    /// Waits for the owner's turn, which lasts until the returned value is dropped.
    pub(crate) async fn wait(&self, owner: &UserId) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::new().hash_one(owner);
        let queue = usize::try_from(hash % self.0.len() as u64).unwrap_or_default();
        self.0[queue].lock().await
    }
}
