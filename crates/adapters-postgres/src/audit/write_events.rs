use std::cell::RefCell;
use std::mem;
use std::sync::Arc;

use diesel::insert_into;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::audit::NewAuditRow;
use diesel_mapping::schema::audit_events;
use domain::CredentialDigest;
use domain::audit::AuditEvent;
use domain::ports::AuditWatchers;
use futures_util::future::{OptionFuture, join4};

use crate::change_writer::{ChangeWriter, InTransaction};
use crate::transaction::{Commit, InTime};

tokio::task_local! {
    /// The writes of the current attempt.
    static WRITTEN: RefCell<Written>;
}

/// Events that an attempt has written, and the watchers that see them after the commit.
#[derive(Default)]
pub(crate) struct Written {
    events: Vec<AuditEvent>,
    watchers: Arc<AuditWatchers>,
    /// The writer of a dropped transaction.
    writer: Option<ChangeWriter>,
}

impl Written {
    /// Shows the events that are stored. For an attempt that has certainly ended, with or without a commit.
    pub(crate) async fn show_stored(mut self, connection: &AsyncPgConnection) -> QueryResult<()> {
        if let Some(writer) = self.writer.take() {
            writer.ended();
        }
        if self.events.is_empty() {
            return Ok(());
        }
        let ids = self.events.iter().map(|event| event.id.as_bytes().as_slice());
        let stored: Vec<Vec<u8>> = audit_events::table
            .filter(audit_events::id.eq_any(ids))
            .select(audit_events::id)
            .load(&mut &*connection)
            .await?;
        self.events.retain(|event| stored.iter().any(|id| id.as_slice() == event.id.as_bytes()));
        self.watchers.show(&self.events);
        Ok(())
    }
}

/// The row of an event, to insert. Every written event passes here, so that it is shown after the commit: a successful
/// attempt has committed its insertions.
pub(crate) fn row_of(event: &AuditEvent) -> NewAuditRow {
    note(event);
    NewAuditRow::from(event)
}

/// Notes that the current attempt writes this event.
pub(crate) fn note(event: &AuditEvent) {
    // Every call that writes events runs in `showing`. Outside of it, no watcher sees the event.
    let _ = WRITTEN.try_with(|written| written.borrow_mut().events.push(event.clone()));
}

/// Forgets the notes of an earlier attempt of the call, which was undone.
pub(crate) fn forget_noted() {
    let _ = WRITTEN.try_with(|written| written.borrow_mut().events.clear());
}

/// Notes the writer of a transaction that is dropped. Outside of a call, the writer ends.
pub(crate) fn note_writer(writer: ChangeWriter) {
    let _ = WRITTEN.try_with(|written| written.borrow_mut().writer = Some(writer));
}

/// Takes the notes of the current attempt; `None` if it has none.
pub(crate) fn take_noted() -> Option<Written> {
    let written = WRITTEN.try_with(|written| mem::take(&mut *written.borrow_mut())).ok()?;
    (!written.events.is_empty() || written.writer.is_some()).then_some(written)
}

/// Makes the call, and shows its events if it succeeds.
pub(crate) async fn showing<T, E>(
    watchers: &Arc<AuditWatchers>,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let written = Written { events: Vec::new(), watchers: Arc::clone(watchers), writer: None };
    // Boxed, because each move makes the future of every call larger.
    let mut call = Box::pin(WRITTEN.scope(RefCell::new(written), call));
    let answer = call.as_mut().await;
    if answer.is_ok()
        && let Some(written) = call.as_mut().take_value()
    {
        watchers.show(&written.borrow().events);
    }
    answer
}

/// Writes the events of a change. One round trip. The caller calls it in the transaction of the change, and only for a
/// real change.
pub(crate) async fn write_events(connection: &AsyncPgConnection, events: &[AuditEvent]) -> QueryResult<()> {
    if events.is_empty() {
        return Ok(());
    }
    let rows: Vec<NewAuditRow> = events.iter().map(row_of).collect();
    insert_into(audit_events::table).values(rows).execute(&mut &*connection).await.map(drop)
}

/// Writes the changed credentials to the feed, and the events, and commits if the transaction is in time. Returns the
/// answers of the statements and of the commit.
///
/// One event is sent together with the commit. Several are one statement, whose text depends on their number and which
/// is sent alone: see [`crate::transaction`].
pub(crate) async fn commit_with(
    connection: &AsyncPgConnection,
    changed: &[CredentialDigest],
    events: &[AuditEvent],
) -> (QueryResult<()>, QueryResult<usize>) {
    let only = if let [only] = events { Some(only) } else { None };
    if only.is_none()
        && let Err(error) = write_events(connection, events).await
    {
        return (Err(error), Ok(0));
    }
    let writer = (!changed.is_empty()).then(ChangeWriter::begin);
    let announce = writer.as_ref().map(|writer| writer.announce(changed).execute(&mut &*connection));
    let writer = writer.map(InTransaction::with);
    let write = only.map(|event| insert_into(audit_events::table).values(row_of(event)).execute(&mut &*connection));
    let (announced, written, in_time, committed) = join4(
        OptionFuture::from(announce),
        OptionFuture::from(write),
        InTime.execute(&mut &*connection),
        Commit.execute(&mut &*connection),
    )
    .await;
    if let Some(writer) = writer {
        writer.answered(committed.is_ok());
    }
    (announced.transpose().and(written.transpose()).and(in_time).map(drop), committed)
}
