//! The rules of API keys: the record of a key, the number that a user may have, and the end of a key.
//! [`Keys`](crate::Keys) has the use cases, one file each.

pub(crate) mod api_key;
pub(crate) mod change_key;
pub(crate) mod create_key;
pub(crate) mod daily_uses;
pub(crate) mod full_key;
pub(crate) mod key_change;
pub(crate) mod key_policy;
pub(crate) mod key_rotation;
pub(crate) mod key_usage;
pub(crate) mod label;
pub(crate) mod list_view;
pub(crate) mod rate_limit;
pub(crate) mod report_leaks;
pub(crate) mod revoke_key;
pub(crate) mod rotate_key;
pub(crate) mod scope;
pub(crate) mod use_cases;
