use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use diesel::pg::Pg;
use diesel::prelude::{ExpressionMethods, IntoSql};
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::query_dsl::methods::FilterDsl;
use diesel::sql_types::Bool;
use diesel::upsert::excluded;
use diesel_mapping::Kept;
use diesel_mapping::schema::key_owners;
use domain::UserId;
use tokio::sync::{Mutex, MutexGuard};

/// The number of queues. Each owner belongs to one queue. Two owners rarely share a queue; all queues take 10 KiB.
const QUEUES: usize = 256;

/// Locks the owner's row until the end of the transaction, and creates the row if it does not exist. An update that
/// changes nothing still locks, and leaves no dead row. See decision 18.
pub(crate) fn lock_owner(owner: &UserId) -> impl QueryFragment<Pg> + QueryId + Send {
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
