use diesel::pg::Pg;
use diesel::prelude::{ExpressionMethods, IntoSql};
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::query_dsl::methods::FilterDsl;
use diesel::sql_types::Bool;
use diesel::upsert::excluded;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::key_queries::{count_active, list_keys};
use diesel_mapping::schema::{api_keys, key_owners};
use diesel_mapping::{Kept, KeyRow, NewKeyRow, api_keys_of};
use domain::ports::{ActiveLimit, Insertion};
use domain::{ApiKey, KeyDigest, ListView, UserId};
use futures_util::future::join3;

use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, Rollback, settle};

/// Inserts a key, unless its owner has as many active ones as allowed. Two round trips.
pub(crate) struct InsertWithin<'a> {
    pub(crate) key: &'a ApiKey,
    pub(crate) digest: &'a KeyDigest,
    pub(crate) limit: ActiveLimit,
    pub(crate) view: ListView,
}

impl Work for InsertWithin<'_> {
    type Answer = Insertion;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Insertion, Failure> {
        let owner = &self.key.owner;
        let (begun, locked, active) = join3(
            Begin.execute(&mut &*connection),
            lock_owner(owner).execute(&mut &*connection),
            count_active(owner, self.limit.at).get_result::<i64>(&mut &*connection),
        )
        .await;
        begun.and(locked)?;
        if active? >= self.limit.max.into() {
            Rollback.execute(&mut &*connection).await?;
            return Ok(Insertion::LimitReached);
        }
        let row = NewKeyRow::new(self.key, self.digest);
        let (inserted, rows, committed) = join3(
            diesel::insert_into(api_keys::table).values(row).execute(&mut &*connection),
            list_keys(owner, self.view).load::<KeyRow>(&mut &*connection),
            Commit.execute(&mut &*connection),
        )
        .await;
        let rows = settle(inserted.and(rows), committed)?;
        Ok(Insertion::Stored(self.view.select(api_keys_of(rows)?)))
    }
}

/// Locks the owner's row until the end of the transaction, and creates it where there is none. An update that finds
/// nothing to do locks all the same, and leaves no dead row behind.
fn lock_owner(owner: &UserId) -> impl QueryFragment<Pg> + QueryId + Send {
    let row = (key_owners::owner_issuer.eq(owner.issuer()), key_owners::owner_subject.eq(owner.subject()));
    let upsert = diesel::insert_into(key_owners::table)
        .values(row)
        .on_conflict((key_owners::owner_issuer, key_owners::owner_subject))
        .do_update()
        .set(key_owners::owner_issuer.eq(excluded(key_owners::owner_issuer)))
        .filter(false.into_sql::<Bool>());
    Kept(upsert)
}
