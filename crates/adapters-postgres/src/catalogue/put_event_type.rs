use diesel::insert_into;
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::catalogue::{COUNT_ENTRIES, CountsRow, EventTypeRow};
use diesel_mapping::schema::event_types;
use diesel_mapping::statement;
use domain::ports::{EntryPut, PutEntryRequest};

use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, rolled_back, settle};

/// Makes changes of the catalogue wait for each other until the end of the transaction, so that the counts that follow are
/// exact and no revision is given twice.
const LOCK_CATALOGUE: &str = "SELECT pg_advisory_xact_lock(hashtextextended('event_types', 0))";

/// Stores the entry if the stored entry is the one that was read. Five round trips: changes are rare.
impl Work for PutEntryRequest {
    type Answer = EntryPut;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<EntryPut, Failure> {
        Begin.execute(&mut &*connection).await?;
        statement(LOCK_CATALOGUE).execute(&mut &*connection).await?;
        let counts = statement(COUNT_ENTRIES).bind::<Text, _>(self.after.name.as_str());
        let (stored, count, last) = counts.get_result::<CountsRow>(&mut &*connection).await?.counts();
        let entry = match self.admit(stored, count, last) {
            Ok(entry) => entry,
            Err(refusal) => return rolled_back(connection, refusal).await,
        };
        let row = EventTypeRow::from(&entry);
        let insertion = insert_into(event_types::table).values(&row);
        insertion.on_conflict(event_types::name).do_update().set(&row).execute(&mut &*connection).await?;
        let event = self.cause.event_type_changed(self.before.as_ref(), &entry);
        let (written, committed) = commit_with(connection, &[], &[event]).await;
        // A commit with an unknown result is not repeated: the second run would find its own entry.
        settle(written, committed)?;
        Ok(EntryPut::Stored(Box::new(entry)))
    }
}
