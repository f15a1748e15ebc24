//! API keys and credentials, for users.

mod change_key;
mod create_key;
pub(super) mod revoke_key;
mod rotate_key;
mod see_keys;
mod whoami;

endpoints! {
    see_keys::list_api_keys,
    create_key::create_api_key,
    change_key::change_api_key,
    revoke_key::revoke_api_key,
    rotate_key::rotate_api_key,
    see_keys::show_key_usage,
    see_keys::show_daily_uses,
    whoami::whoami,
}
