use diesel::sql_types::{Array, BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::audit::{AuditRow, NewAuditRow, list_unannounced};
use diesel_mapping::schema::audit_events;
use diesel_mapping::{Kept, statement, values_of};
use domain::audit::AuditEvent;

use super::note;
use crate::attempt::{Failure, Work};

const MARK: &str = "UPDATE audit_events SET to_announce = FALSE WHERE id = ANY($1)";

/// Writes the events that are not stored yet. One statement.
pub(super) struct RecordNew<'a>(pub(super) &'a [AuditEvent]);

impl Work for RecordNew<'_> {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        if self.0.is_empty() {
            return Ok(0);
        }
        // In one order, so that instances that write the same events wait for each other and do not deadlock.
        let mut events: Vec<&AuditEvent> = self.0.iter().collect();
        events.sort_unstable_by_key(|event| event.id);
        let rows: Vec<NewAuditRow> = events.into_iter().map(NewAuditRow::from).collect();
        let insertion = diesel::insert_into(audit_events::table)
            .values(rows)
            .on_conflict(audit_events::id)
            .do_nothing()
            .returning(audit_events::id);
        match insertion.get_results::<Vec<u8>>(&mut &*connection).await {
            Ok(recorded) => {
                let event_of = |id: &Vec<u8>| self.0.iter().find(|event| event.id.as_bytes() == id.as_slice());
                recorded.iter().filter_map(event_of).for_each(note);
                Ok(u32::try_from(recorded.len()).unwrap_or(u32::MAX))
            }
            // The statement may have run: a second attempt would return another number.
            Err(error) => Err(Failure::of_statement(error)),
        }
    }
}

/// Events that are to be announced. One statement.
pub(super) struct ListUnannounced {
    pub(super) max: u32,
}

impl Work for ListUnannounced {
    type Answer = Vec<AuditEvent>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<AuditEvent>, Failure> {
        let query = statement(list_unannounced()).bind::<BigInt, i64>(self.max.into());
        Ok(values_of(Kept(query).load::<AuditRow>(&mut &*connection).await?)?)
    }
}

/// Marks events as announced. One statement, which may run twice.
pub(super) struct MarkAnnounced<'a>(pub(super) &'a [AuditEvent]);

impl Work for MarkAnnounced<'_> {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let mut ids: Vec<&[u8]> = self.0.iter().map(|event| event.id.as_bytes().as_slice()).collect();
        ids.sort_unstable();
        let mark = statement(MARK).bind::<Array<Binary>, _>(ids);
        Ok(Kept(mark).execute(&mut &*connection).await.map(drop)?)
    }
}
