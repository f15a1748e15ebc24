use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use diesel::pg::Pg;
use diesel::prelude::{ExpressionMethods, IntoSql};
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::query_dsl::methods::FilterDsl;
use diesel::sql_types::Bool;
use diesel::upsert::excluded;
use diesel_mapping::Kept;
use diesel_mapping::schema::key_owners;
use domain::OwnerId;
use tokio::sync::{Mutex, MutexGuard};

/// The number of queues. Each owner belongs to one queue. Two owners rarely share a queue; all queues take 10 KiB.
const QUEUES: usize = 256;

/// Locks the owner's row until the end of the transaction, and creates the row if it does not exist. An update without
/// a change still locks, and leaves no dead row. See decision 18.
pub(crate) fn lock_owner(owner: &OwnerId) -> impl QueryFragment<Pg> + QueryId + Send {
    let row = (key_owners::owner_issuer.eq(owner.issuer()), key_owners::owner_subject.eq(owner.subject()));
    let upsert = diesel::insert_into(key_owners::table)
        .values(row)
        .on_conflict((key_owners::owner_issuer, key_owners::owner_subject))
        .do_update()
        .set(key_owners::owner_issuer.eq(excluded(key_owners::owner_issuer)))
        .filter(false.into_sql::<Bool>());
    Kept(upsert)
}

/// Sends the insertions of this process to the database one at a time for each owner. The row lock makes the maximum
/// exact; the turns keep 200 requests of one owner from occupying all connections of the pool while they wait for that
/// lock.
#[derive(Clone)]
pub(crate) struct OwnerTurns {
    queues: Arc<[Mutex<()>]>,
    /// Has a random key, so that a user name cannot be chosen to share a queue with another user.
    hasher: RandomState,
}

impl OwnerTurns {
    pub(crate) fn new() -> Self {
        Self { queues: (0..QUEUES).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// Waits for the owner's turn, which lasts until the returned value is dropped.
    pub(crate) async fn wait(&self, owner: &OwnerId) -> MutexGuard<'_, ()> {
        self.queues[self.queue_of(owner)].lock().await
    }

    fn queue_of(&self, owner: &OwnerId) -> usize {
        usize::try_from(self.hasher.hash_one(owner) % self.queues.len() as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_can_know_who_shares_a_queue() {
        let owners: Vec<_> =
            (0..64).map(|n| OwnerId::new("https://id.example", format!("user-{n}")).unwrap()).collect();
        let queues = |turns: &OwnerTurns| owners.iter().map(|owner| turns.queue_of(owner)).collect::<Vec<_>>();
        let (here, there) = (OwnerTurns::new(), OwnerTurns::new());
        assert_eq!(queues(&here), queues(&here.clone()));
        assert_ne!(queues(&here), queues(&there));
    }
}
