//! The operator API, for the host application and for support staff. See decision 128.

mod create_portal_link;
mod event_types;
mod events;
mod instance;
mod introspect;
mod list_failing_subscriptions;
mod owners;
mod publish_event;
mod report_leaks;

use super::{audit, keys};

endpoints! {
    publish_event::publish_event,
    publish_event::publish_events,
    introspect::introspect,
    audit::list_all_audit_events,
    report_leaks::report_leaks,
    create_portal_link::create_portal_link,
    events::list_events,
    events::find_event,
    list_failing_subscriptions::list_failing_subscriptions,
    event_types::list_all_event_types,
    event_types::find_any_event_type,
    event_types::put_event_type,
    event_types::archive_event_type,
    event_types::import_event_types,
    instance::find_system_state,
    instance::find_log_filter,
    instance::change_log_filter,
    owners::list_owners,
    owners::find_user,
    owners::change_user,
    owners::set_user_state,
    owners::erase_user,
    keys::revoke_key::revoke_user_api_key,
    keys::revoke_key::revoke_user_api_keys,
}
