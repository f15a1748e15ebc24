//! The rows of `owners`, and the queries on the table that both databases run.

mod erasure;
mod owner_queries;
mod owner_row;
mod place_row;

pub use erasure::{
    DELETE_SUBSCRIPTIONS, EMPTY_EVENTS, ERASE_KEYS, ERASE_PATTERNS, ERASE_SESSIONS, ERASING, FoundRow, HAS_ROWS,
    OF_SUBSCRIPTIONS, OfSubscription, OwnerIdRow,
};
pub use owner_queries::{delete_owner, is_of_key, is_of_session, limits_of, record_of, standing};
pub use owner_row::{LimitsRow, OwnerRow, ReplacedOwnerRow, StandingRow, limits_in, looked_up, record_in};
pub use place_row::{CountsRow, PlaceRow, PlaceWords, count_statement, owners_read};
