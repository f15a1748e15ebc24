use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use domain::UserId;
use tokio::sync::{Mutex, MutexGuard};

/// The number of queues. Each owner belongs to one queue. Two owners rarely share a queue; all queues take 10 KiB.
const QUEUES: usize = 256;

/// Lets one insertion of each owner at a time go to the database, of those in this process. The row lock makes the
/// maximum exact; this prevents an owner who sends 200 requests at once from occupying all connections of the pool with
/// waiting for that lock.
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
