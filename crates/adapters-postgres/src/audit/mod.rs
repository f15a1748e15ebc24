//! The audit log.

mod announcements;
mod audit_log;
mod write_events;

pub(crate) use write_events::{
    Written, commit_with, forget_noted, note, note_writer, row_of, showing, take_noted, write_events,
};
