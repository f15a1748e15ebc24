//! The rows of `owners`, and the queries on the table that both databases run.

mod owner_queries;
mod owner_row;
mod place_row;

pub use owner_queries::{delete_owner, is_key_suspended, is_session_suspended, limits_of, record_of};
pub use owner_row::{LimitsRow, OwnerRow, ReplacedOwnerRow, limits_in, record_in};
pub use place_row::{CountsRow, PlaceRow, PlaceWords, count_statement, owners_read};
