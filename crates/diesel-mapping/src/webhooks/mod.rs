//! The rows of the webhook tables in both databases.
//!
//! Every value that is read is checked. A value that the schema does not allow is [`StoreError::Corrupt`] with its table,
//! column and row.
//!
//! [`StoreError::Corrupt`]: domain::ports::StoreError::Corrupt

mod attempt_row;
mod breaker_row;
mod due_row;
mod ended_row;
mod event_query;
mod event_row;
mod failed_row;
mod failing_row;
mod figures_row;
mod options_json;
mod pulled;
mod pulled_queries;
mod secrets_row;
mod subscription_row;

pub use crate::place::{delivery_id, event_id, subscription_id};
pub use attempt_row::{AttemptRow, LoggedAttemptRow, NewAttemptRow, stored_headers};
pub use breaker_row::BreakerRow;
pub use due_row::{DueRow, phase_number, read_sequence, stored_sequence};
pub use ended_row::{EndedRow, NewEndedRow, UNKNOWN_EVENT_TYPE};
pub use event_query::{EventQuery, ListedEventRow, logged_event};
pub use event_row::EventRow;
pub use failed_row::{FailedRow, LostCountRow, counted};
pub use failing_row::{FIND_FAILING, FailingRow, failing_after};
pub use figures_row::{COUNT_QUEUE, COUNT_SUBSCRIPTIONS, OldestDueRow, QueueCountsRow, StatusCountRow, queue_figures};
pub use options_json::stored_options;
pub use pulled::{
    ConsumerPlace, ConsumerRow, LastNumberRow, NewConsumerRow, PULL_EVENTS, PulledRow, last_numbers, pulled,
};
pub use pulled_queries::{
    consumer_of, consumers_of, last_of_each, last_pulled, number_of_pulled, numbers_from, oldest_pulled,
};
pub use secrets_row::{CheckRow, FIND_CHECK, INSERT_CHECK, REPLACE_CHECK, SecretsRow};
pub use subscription_row::{
    ChangedSubscriptionRow, NewSubscriptionRow, SubscriptionRow, status_code, status_of, stored_filter,
};
