use async_trait::async_trait;
use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_types::{Array, BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{
    DELETE_SUBSCRIPTIONS, EMPTY_EVENTS, ERASE_KEYS, ERASE_PATTERNS, ERASE_SESSIONS, ERASING, FoundRow, HAS_ROWS,
    OF_SUBSCRIPTIONS, OfSubscription, OwnerIdRow, delete_owner,
};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{IdRow, Kept, StoredInstant, owner_statement, statement};
use domain::audit::Cause;
use domain::ports::{EraseRequest, Erasure, StoreError};
use domain::{CredentialDigest, OwnerId};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::owners::change_owner::locked;
use crate::transaction::{Commit, rolled_back, settle};

/// A lane that is closed and never ready is not served: the erasure deletes its deliveries. The lanes are locked in the order
/// of their ids, as everywhere.
const CLOSE_LANES: &str = "WITH theirs AS MATERIALIZED (
        SELECT lane.subscription_id FROM webhook_subscriptions AS subscription
        JOIN webhook_lanes AS lane ON lane.subscription_id = subscription.id
        WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2 AND subscription.deleted_at IS NULL
        ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane
    )
    UPDATE webhook_lanes AS lane SET wakes = lane.wakes + 1, is_open = FALSE, ready_at = NULL
    FROM theirs WHERE lane.subscription_id = theirs.subscription_id";

/// Deletes the ids of publishers.
const ERASE_PUBLICATIONS: &str = "DELETE FROM webhook_publications WHERE event_id = ANY(ARRAY(
        SELECT event_id FROM webhook_publications WHERE owner_issuer = $1 AND owner_subject = $2
        ORDER BY publisher_id LIMIT $3
    )) RETURNING event_id AS id";

/// Subscriptions that were deleted before `$4` and have no deliveries. A delivery that another transaction has locked was not
/// deleted by the statements before.
const SETTLED: &str = "SELECT subscription.id FROM webhook_subscriptions AS subscription
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2 AND subscription.deleted_at < $4
        AND NOT EXISTS (SELECT FROM webhook_due WHERE subscription_id = subscription.id)
        AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE subscription_id = subscription.id)
        AND NOT EXISTS (SELECT FROM webhook_attempts WHERE subscription_id = subscription.id)
    ORDER BY subscription.id LIMIT $3";

const ERASE_SUBSCRIPTIONS: &str = "DELETE FROM webhook_subscriptions WHERE id = ANY($1)";

const ERASE_EVENTS: &str = "DELETE FROM webhook_events WHERE id = ANY($1)";

const ERASE_CONSUMERS: &str = "DELETE FROM webhook_consumers WHERE subscription_id = ANY($1)";

const ERASE_LANES: &str = "DELETE FROM webhook_lanes WHERE subscription_id = ANY($1)";

const FORGET_OWNER: &str = "DELETE FROM key_owners WHERE owner_issuer = $1 AND owner_subject = $2";

#[async_trait]
impl Erasure for PostgresStore {
    async fn erasing(&self, max: u32) -> Result<Vec<OwnerId>, StoreError> {
        self.run(&ListErasing(max)).await
    }

    async fn erase(&self, request: &EraseRequest) -> Result<u32, StoreError> {
        self.run_in_turn(&request.owner, request).await
    }

    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Result<bool, StoreError> {
        let is_finished = self.run_in_turn(owner, &FinishErasure { owner, cause }).await?;
        self.notify_if(is_finished);
        Ok(is_finished)
    }
}

struct ListErasing(u32);

impl Work for ListErasing {
    type Answer = Vec<OwnerId>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<OwnerId>, Failure> {
        let query = statement(ERASING).bind::<BigInt, i64>(self.0.into());
        let rows: Vec<OwnerIdRow> = Kept(query).load(&mut &*connection).await?;
        // An unreadable row keeps no other owner waiting.
        Ok(rows.into_iter().filter_map(OwnerIdRow::owner).collect())
    }
}

/// Erases rows of the first table that has any of the owner. It holds the lock of the owner: when the erasure has ended, the
/// owner may create keys again, which a late step must not delete.
impl Work for EraseRequest {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        if locked(connection, &self.owner).await?.erasing_since.is_none() {
            return rolled_back(connection, 0).await;
        }
        let erased = erase(connection, self).await;
        let erased = settle(erased, Commit.execute(&mut &*connection).await)?;
        Ok(u32::try_from(erased).unwrap_or(u32::MAX))
    }
}

async fn erase(connection: &AsyncPgConnection, request: &EraseRequest) -> QueryResult<usize> {
    let mut erased = close(connection, request).await?;
    for statement in [ERASE_KEYS, ERASE_SESSIONS] {
        if erased == 0 {
            erased = Kept(few(statement, request)).execute(&mut &*connection).await?;
        }
    }
    for table in OF_SUBSCRIPTIONS {
        if erased == 0 {
            erased = erase_deliveries(connection, table, request).await?;
        }
    }
    if erased == 0 {
        erased = erase_publications(connection, request).await?;
    }
    if erased == 0 {
        erased = erase_subscriptions(connection, request).await?;
    }
    if erased == 0 { Kept(few(EMPTY_EVENTS, request)).execute(&mut &*connection).await } else { Ok(erased) }
}

/// Deletes the subscriptions that exist, so that no publication adds deliveries. The lanes come first, as everywhere.
async fn close(connection: &AsyncPgConnection, request: &EraseRequest) -> QueryResult<usize> {
    let owner = &request.owner;
    Kept(owner_statement(CLOSE_LANES, owner)).execute(&mut &*connection).await?;
    let deletion = statement(DELETE_SUBSCRIPTIONS)
        .bind::<Instant, StoredInstant>(request.at.into())
        .bind::<Text, _>(owner.issuer())
        .bind::<Text, _>(owner.subject());
    let deleted = Kept(deletion).execute(&mut &*connection).await?;
    if deleted > 0 {
        Kept(owner_statement(ERASE_PATTERNS, owner)).execute(&mut &*connection).await?;
    }
    Ok(deleted)
}

/// A statement about the rows of the owner. `$3` is about the most rows.
fn few<'a>(sql: &str, request: &'a EraseRequest) -> BoxedSqlQuery<'a, Pg, SqlQuery> {
    owner_statement(sql, &request.owner).bind::<BigInt, i64>(request.max.into())
}

async fn erase_publications(connection: &AsyncPgConnection, request: &EraseRequest) -> QueryResult<usize> {
    let gone = Kept(few(ERASE_PUBLICATIONS, request)).load(&mut &*connection).await?;
    erase_ids(connection, ERASE_EVENTS, &IdRow::ids(gone)).await
}

/// The lane goes before the subscription: the order of every transaction.
async fn erase_subscriptions(connection: &AsyncPgConnection, request: &EraseRequest) -> QueryResult<usize> {
    let search = few(SETTLED, request).bind::<Instant, StoredInstant>(request.settled.into());
    let settled: Vec<IdRow> = Kept(search).load(&mut &*connection).await?;
    let ids = IdRow::ids(settled);
    erase_ids(connection, ERASE_CONSUMERS, &ids).await?;
    erase_ids(connection, ERASE_LANES, &ids).await?;
    erase_ids(connection, ERASE_SUBSCRIPTIONS, &ids).await
}

/// Deletes the rows with these ids, and returns the number of ids.
async fn erase_ids(connection: &AsyncPgConnection, sql: &str, ids: &[Vec<u8>]) -> QueryResult<usize> {
    Kept(statement(sql).bind::<Array<Binary>, _>(ids)).execute(&mut &*connection).await?;
    Ok(ids.len())
}

/// Deletes deliveries of one table, of one subscription that has any, with their events. `LIMIT 1` makes the planner look up
/// each subscription. A delivery that another transaction has locked stays until the next call.
async fn erase_deliveries(
    connection: &AsyncPgConnection,
    (table, id): OfSubscription,
    request: &EraseRequest,
) -> QueryResult<usize> {
    let search = format!(
        "SELECT subscription.id FROM webhook_subscriptions AS subscription
        CROSS JOIN LATERAL (SELECT FROM {table} WHERE subscription_id = subscription.id LIMIT 1) AS one
        WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2 LIMIT 1"
    );
    let search = owner_statement(search, &request.owner);
    let found: Option<IdRow> = Kept(search).load(&mut &*connection).await?.pop();
    let Some(subscription) = found else { return Ok(0) };
    let deletion = statement(format!(
        "DELETE FROM {table} WHERE subscription_id = $1 AND {id} = ANY(ARRAY(
            SELECT {id} FROM {table} WHERE subscription_id = $1 ORDER BY {id} LIMIT $2 FOR UPDATE SKIP LOCKED
        )) RETURNING event_id AS id"
    ));
    let deletion = deletion.bind::<Binary, _>(subscription.id).bind::<BigInt, i64>(request.max.into());
    let gone = Kept(deletion).load(&mut &*connection).await?;
    erase_ids(connection, ERASE_EVENTS, &IdRow::ids(gone)).await
}

/// Ends an erasure if the owner has no rows. It holds the lock of the owner, so that no other transaction adds any.
struct FinishErasure<'a> {
    owner: &'a OwnerId,
    cause: &'a Cause,
}

impl Work for FinishErasure<'_> {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        let is_erasing = locked(connection, self.owner).await?.erasing_since.is_some();
        let look = owner_statement(HAS_ROWS, self.owner);
        if !is_erasing || Kept(look).get_result::<FoundRow>(&mut &*connection).await?.found {
            return rolled_back(connection, false).await;
        }
        Kept(delete_owner(self.owner)).execute(&mut &*connection).await?;
        Kept(owner_statement(FORGET_OWNER, self.owner)).execute(&mut &*connection).await?;
        let (changed, event) = (CredentialDigest::of_owner(self.owner), self.cause.owner_erased(self.owner));
        let (written, committed) = commit_with(connection, &[changed], &[event]).await;
        settle(written, committed)?;
        Ok(true)
    }
}
