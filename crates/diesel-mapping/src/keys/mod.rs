//! The rows of `api_keys`, and the queries on the table that both databases run.

mod key_queries;
mod key_row;
mod revoked_row;
mod settings_json;

pub use key_queries::{
    DELETE_ENDED, change_key, count_active, count_being_replaced, key_by_digest, key_by_id, list_expiring, list_keys,
    owned_by, replace_key, revoke_key,
};
pub use key_row::{KeyRow, ListedRow, NewKeyRow, digest_of, keys_of_owner};
pub use revoked_row::{RevokedRow, place_of, revoked};
