//! Rows on their way from one database to another. See decision 84.
//!
//! Both databases have the same tables, so a row is copied as it is, even if it cannot be read. The tables of a single
//! database are not copied: `credential_changes`, `key_owners`, `webhook_claimers`, `webhook_periods` and
//! `write_probes`.

mod batch;
mod copy_error;
mod division;
mod row_count;
mod rows;

pub use batch::{Batches, CopiedRow};
pub use copy_error::CopyError;
pub use division::{Division, OwnerColumns};
pub use row_count::{Expected, count_all, count_first, is_in_the_way};
pub use rows::*;

/// Calls a macro with each table that is copied: the name of its rows, the table, the type of a row, and how its owner is
/// found, for [`rows_with_owners`](crate::rows_with_owners). An adapter does the same with every table, in types that no
/// function can name in common.
#[macro_export]
macro_rules! for_each_copied_table {
    ($callback:ident) => {
        $callback! {
            (Keys, api_keys, $crate::keys::NewKeyRow, own),
            (Owners, owners, $crate::owners::ReplacedOwnerRow, own),
            (Usage, usage_by_hour, $crate::copying::UsageCopy, of_key),
            (Sessions, sessions, $crate::sessions::NewSessionRow, own),
            (Checks, encryption_checks, $crate::copying::CheckCopy, of_nobody),
            (EventTypes, event_types, $crate::catalogue::EventTypeRow, of_nobody),
            (Subscriptions, webhook_subscriptions, $crate::webhooks::NewSubscriptionRow, own),
            (Patterns, webhook_patterns, $crate::copying::PatternCopy, own),
            (Lanes, webhook_lanes, $crate::copying::LaneCopy, of_subscription),
            (Events, webhook_events, $crate::copying::EventCopy, own),
            (Publications, webhook_publications, $crate::copying::PublicationCopy, own),
            (Due, webhook_due, $crate::copying::DueCopy, of_subscription),
            (Pulled, webhook_pulled, $crate::copying::PulledCopy, of_subscription),
            (Consumers, webhook_consumers, $crate::webhooks::NewConsumerRow, of_subscription),
            (Deliveries, webhook_deliveries, $crate::webhooks::EndedRow, of_subscription),
            (Attempts, webhook_attempts, $crate::webhooks::NewAttemptRow, of_subscription),
            (Outcomes, deliveries_by_hour, $crate::copying::OutcomeCopy, of_subscription),
            (Audit, audit_events, $crate::audit::NewAuditRow, own),
        }
    };
}

macro_rules! define {
    ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {
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

/// A message from the source to the target.
pub enum Copied {
    /// The next rows of a shard of the target.
    Rows {
        /// Its number, from 0. A target with one shard has the number 0.
        shard: usize,
        /// The rows.
        rows: CopiedRows,
    },
    /// The source has no more rows of this table; if it has several shards, the one that is being copied has no more.
    End {
        /// The table.
        table: &'static str,
        /// How many rows the source counts in it.
        count: i64,
    },
    /// The source has sent everything.
    Complete,
}
