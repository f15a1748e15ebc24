use std::sync::{Arc, Mutex};

use domain::audit::AuditEvent;
use domain::ports::{AuditLog, AuditWatcher, Retention};

use crate::suite::promise_table;
use crate::{KeyPorts, Promise, SessionPorts, WebhookStore};

/// The log and its purge, which one store implements.
pub trait AuditPorts: AuditLog + Retention {}

impl<Store: AuditLog + Retention> AuditPorts for Store {}

/// The ports of one store.
pub struct AuditedStores {
    /// Its keys.
    pub keys: Arc<dyn KeyPorts>,
    /// Its sessions.
    pub sessions: Arc<dyn SessionPorts>,
    /// Its webhooks.
    pub webhooks: Arc<dyn WebhookStore>,
    /// Its audit log.
    pub audit: Arc<dyn AuditPorts>,
    /// The events that the log has shown to a watcher.
    pub(super) seen: Arc<SeenEvents>,
}

/// The events that a watcher has seen.
#[derive(Default)]
pub(super) struct SeenEvents(Mutex<Vec<AuditEvent>>);

impl AuditWatcher for SeenEvents {
    fn written(&self, events: &[AuditEvent]) {
        self.0.lock().expect("no watcher panics").extend_from_slice(events);
    }
}

impl SeenEvents {
    /// The events in the order of their ids.
    pub(super) fn sorted(&self) -> Vec<AuditEvent> {
        let mut seen = self.0.lock().expect("no watcher panics").clone();
        seen.sort_by_key(|event| event.id);
        seen
    }
}

impl AuditedStores {
    /// These ports, which are of one store.
    pub fn new(
        keys: Arc<dyn KeyPorts>,
        sessions: Arc<dyn SessionPorts>,
        webhooks: Arc<dyn WebhookStore>,
        audit: Arc<dyn AuditPorts>,
    ) -> Self {
        let seen = Arc::new(SeenEvents::default());
        audit.watch(Arc::clone(&seen) as _);
        Self { keys, sessions, webhooks, audit, seen }
    }

    /// The ports of this adapter.
    pub fn of<Adapter: KeyPorts + SessionPorts + WebhookStore + AuditPorts + 'static>(adapter: &Arc<Adapter>) -> Self {
        Self::new(
            Arc::clone(adapter) as _,
            Arc::clone(adapter) as _,
            Arc::clone(adapter) as _,
            Arc::clone(adapter) as _,
        )
    }
}

/// Adds every promise of the audit log as a `#[test]` to the current module. Takes a future that creates a fresh
/// `Arc<AuditedStores>`, or a pair of it and a guard that is dropped after it.
#[macro_export]
macro_rules! audit_log_tests {
    ($fresh:expr $(,)?) => {
        $crate::with_audit_log_promises! { [$crate::promise_tests] ($crate::keep, $crate::audit::PROMISES, $fresh) }
    };
}

/// The list of promises: passes it to another macro, after that macro's arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_audit_log_promises {
    ([$($macro:tt)*] $arguments:tt) => {
        $($macro)* ! {
            $arguments
            round_trip::every_field_of_an_event_comes_back
            round_trip::what_a_later_version_has_written_comes_back
            key_changes::changes_of_keys_leave_their_events
            key_changes::the_last_key_that_fits_leaves_another_event
            key_changes::a_key_that_loses_its_successor_leaves_another_event
            key_changes::calls_that_change_no_key_leave_no_event
            key_changes::parallel_revocations_leave_one_event
            session_changes::changes_of_sessions_leave_their_events
            session_changes::calls_that_change_no_session_leave_no_event
            webhook_changes::changes_of_subscriptions_leave_their_events
            webhook_changes::parts_of_a_recovery_leave_their_events
            webhook_changes::calls_that_change_no_subscription_leave_no_event
            webhook_changes::moves_of_consumers_leave_their_events
            webhook_changes::a_subscription_that_is_disabled_by_the_service_leaves_an_event
            webhook_changes::a_subscription_that_fails_and_recovers_leaves_its_events
            webhook_changes::changes_of_deliveries_leave_their_events
            list_events::lists_are_what_the_reference_selects
            list_events::pages_come_to_their_end
            list_events::look_alike_owners_are_told_apart
            purge_events::events_before_an_instant_are_deleted
            purge_events::at_most_max_events_are_deleted
            purge_events::parallel_purges_count_each_event_once
            announcements::events_are_listed_until_they_are_announced
            announcements::an_event_that_is_stored_late_is_listed
            announcements::only_new_events_are_recorded
            announcements::parallel_records_of_the_same_events_count_each_once
            cancellation::a_cancelled_creation_and_its_event_are_one
            cancellation::a_cancelled_revocation_and_its_event_are_one
        }
    };
}

with_audit_log_promises! {
    [promise_table] (
        /// Every promise of [`AuditLog`].
        PROMISES: Promise<AuditedStores>
    )
}
