//! The audit log: its row, and the text of its queries. See decision 72.

mod audit_query;
mod audit_row;
mod changes_json;

pub use audit_query::{AuditQuery, DELETE_BEFORE, list_unannounced};
pub use audit_row::{AuditRow, NewAuditRow, audit_id, audit_page};
