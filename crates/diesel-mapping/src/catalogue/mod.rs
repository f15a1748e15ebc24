//! The rows of `event_types`, and the queries on the table that both databases run.

mod event_type_row;

pub use event_type_row::{COUNT_ENTRIES, CountsRow, EventTypeRow, LAST_REVISION, LastRevisionRow, entries_of};
