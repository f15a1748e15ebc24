//! Rows on their way from one database to another. See decision 84.
//!
//! Both databases have the same tables, so a row is copied as it is: also a row that cannot be read is copied. What one
//! database has for itself is not copied: `credential_changes`, `key_owners`, `webhook_claimers`, `webhook_periods` and
//! `write_probes`.

mod batch;
mod copy_error;
mod row_count;
mod rows;

pub use batch::{Batch, CopiedRow};
pub use copy_error::CopyError;
pub use row_count::{RowCount, check_counted, count_all, count_first, is_in_the_way};
pub use rows::*;

/// Calls a macro with each table that is copied: the name of its rows, the table, and the type of a row. An adapter does
/// the same with every table, in types that no function can name in common.
#[macro_export]
macro_rules! for_each_copied_table {
    ($callback:ident) => {
        $callback! {
            (Keys, api_keys, KeyCopy),
            (Usage, usage_by_hour, UsageCopy),
            (Sessions, sessions, SessionCopy),
            (Checks, encryption_checks, CheckCopy),
            (Subscriptions, webhook_subscriptions, SubscriptionCopy),
            (Patterns, webhook_patterns, PatternCopy),
            (Lanes, webhook_lanes, LaneCopy),
            (Events, webhook_events, EventCopy),
            (Publications, webhook_publications, PublicationCopy),
            (Due, webhook_due, DueCopy),
            (Deliveries, webhook_deliveries, DeliveryCopy),
            (Attempts, webhook_attempts, AttemptCopy),
            (Outcomes, deliveries_by_hour, OutcomeCopy),
            (Audit, audit_events, AuditCopy),
        }
    };
}

macro_rules! define {
    ($(($name:ident, $table:ident, $row:ident)),+ $(,)?) => {
        /// Rows of one table.
        #[expect(missing_docs, reason = "the table has the documentation")]
        pub enum CopiedRows {
            $($name(Vec<$row>),)+
        }

        /// The tables that are copied, in this order.
        pub const COPIED_TABLES: &[&str] = &[$(stringify!($table)),+];

        impl CopiedRows {
            /// The table of the rows.
            pub fn table(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($table),)+
                }
            }

            /// How many rows these are.
            pub fn count(&self) -> usize {
                match self {
                    $(Self::$name(rows) => rows.len(),)+
                }
            }
        }
    };
}
for_each_copied_table!(define);

/// What goes from the source to the target.
pub enum Copied {
    /// The next rows.
    Rows(CopiedRows),
    /// The source has no more rows of this table.
    End {
        /// The table.
        table: &'static str,
        /// How many rows the source counts in it.
        count: i64,
    },
}
