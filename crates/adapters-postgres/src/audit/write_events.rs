use diesel::QueryResult;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::audit::NewAuditRow;
use diesel_mapping::schema::audit_events;
use domain::audit::AuditEvent;
use futures_util::future::{OptionFuture, join3};

use crate::transaction::{Commit, InTime};

/// Writes the events of a change. One round trip. The caller calls it in the transaction of the change, and only if
/// something changed.
pub(crate) async fn write_events(connection: &AsyncPgConnection, events: &[AuditEvent]) -> QueryResult<()> {
    if events.is_empty() {
        return Ok(());
    }
    let rows: Vec<NewAuditRow<'_>> = events.iter().map(NewAuditRow::from).collect();
    diesel::insert_into(audit_events::table).values(rows).execute(&mut &*connection).await.map(drop)
}

/// Writes the events, and commits if the transaction is in time. Returns the answers of the statements and of the commit.
///
/// One event is sent together with the commit. Several are one statement whose text depends on their number, and such a
/// statement is sent alone: see [`crate::transaction`].
pub(crate) async fn commit_with(
    connection: &AsyncPgConnection,
    events: &[AuditEvent],
) -> (QueryResult<()>, QueryResult<usize>) {
    let only = if let [only] = events { Some(only) } else { None };
    if only.is_none()
        && let Err(error) = write_events(connection, events).await
    {
        return (Err(error), Ok(0));
    }
    let write = only.map(|event| {
        diesel::insert_into(audit_events::table).values(NewAuditRow::from(event)).execute(&mut &*connection)
    });
    let (written, in_time, committed) =
        join3(OptionFuture::from(write), InTime.execute(&mut &*connection), Commit.execute(&mut &*connection)).await;
    (written.transpose().and(in_time).map(drop), committed)
}
