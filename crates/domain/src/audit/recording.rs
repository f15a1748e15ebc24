//! The events of each change. Stores call these functions in the transaction of the change.

use super::audit_action::AuditAction;
use super::audit_event::{AuditEvent, AuditTarget};
use super::field_change::{AuditField, FieldChange};
use super::origin::Cause;
use crate::catalogue::EventTypeEntry;
use crate::ports::{ActiveLimit, PulledLog};
use crate::sessions::Session;
use crate::webhooks::{
    ConsumerName, Delivery, HeaderName, HealthTurn, PublicSigner, SigningKind, Subscription, SubscriptionStatus,
};
use crate::{
    ApiKey, DeliveryId, KeyId, Metadata, OwnerId, OwnerRecord, Rotated, SessionId, SubscriptionId, Suspension,
    Timestamp,
};

/// What the event of a subscription shows of it.
type Shown = [(AuditField, Option<String>); 11];

impl Cause {
    /// The key was created.
    pub fn key_created(&self, key: &ApiKey) -> AuditEvent {
        let scopes = (!key.scopes.is_empty()).then(|| key.scopes.as_str().to_owned());
        let [label, others @ ..] = shown_of_key(key);
        let changes = [label, (AuditField::Scopes, scopes)].into_iter().chain(others);
        let changes = changes.filter_map(|(field, after)| FieldChange::between(field, None, after));
        self.first(AuditAction::KeyCreated, AuditTarget::Key(key.id), &key.owner, changes)
    }

    /// This key took the last place for active keys of its owner; `None` if there is room for more. `active_before`
    /// does not count the key.
    pub fn key_limit_reached(&self, created: &ApiKey, active_before: u64, limit: ActiveLimit) -> Option<AuditEvent> {
        let active = active_before + 1;
        let id = self.id.nth(1);
        let count = FieldChange::between(AuditField::ActiveKeys, None, Some(active.to_string()));
        let event = self.first(AuditAction::KeyLimitReached, AuditTarget::Keys, &created.owner, count);
        (active >= limit.max.into()).then_some(AuditEvent { id, ..event })
    }

    /// The key, which has an expiry time, expires soon.
    pub fn key_expiring(&self, key: &ApiKey) -> AuditEvent {
        let changes = [
            FieldChange::between(AuditField::Label, None, Some(key.label.as_str().to_owned())),
            FieldChange::between(AuditField::ExpiresAt, None, key.expires_at.map(|at| at.to_string())),
        ];
        self.first(AuditAction::KeyExpiring, AuditTarget::Key(key.id), &key.owner, changes.into_iter().flatten())
    }

    /// The key was changed; `None` if it is as before.
    pub fn key_changed(&self, before: &ApiKey, after: &ApiKey) -> Option<AuditEvent> {
        if before == after {
            return None;
        }
        let with_status = |key| shown_of_key(key).into_iter().chain([status_of_key(key)]);
        let changes = with_status(before).zip(with_status(after));
        let changes = changes.filter_map(|((field, before), (_, after))| FieldChange::between(field, before, after));
        Some(self.first(AuditAction::KeyChanged, AuditTarget::Key(after.id), &after.owner, changes))
    }

    /// The key was replaced by its successor.
    pub fn key_rotated(&self, before: &ApiKey, rotated: &Rotated) -> AuditEvent {
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let changes = [
            FieldChange::between(AuditField::Successor, None, Some(rotated.successor.id.to_string())),
            FieldChange::between(AuditField::ExpiresAt, time(before.expires_at), time(rotated.replaced.expires_at)),
        ];
        self.first(AuditAction::KeyRotated, AuditTarget::Key(before.id), &before.owner, changes.into_iter().flatten())
    }

    /// One of the owner's keys was revoked at `at`; `keys` are the owner's keys afterwards. If the key was the
    /// successor of a key that is still good, that key expires without a successor: [`Cause::key_expiring`] records it.
    pub fn key_revoked(&self, id: KeyId, owner: &OwnerId, keys: &[ApiKey], at: Timestamp) -> Vec<AuditEvent> {
        let mut events = self.keys_revoked([(owner.clone(), id)]);
        let orphan = keys.iter().find(|key| key.replaced_by == Some(id) && key.is_good(at));
        events.extend(orphan.map(|key| AuditEvent { id: self.id.nth(1), ..self.key_expiring(key) }));
        events
    }

    /// These keys of these owners were revoked.
    pub fn keys_revoked(&self, keys: impl IntoIterator<Item = (OwnerId, KeyId)>) -> Vec<AuditEvent> {
        self.each(AuditAction::KeyRevoked, keys.into_iter().map(|(owner, id)| (AuditTarget::Key(id), owner)))
    }

    /// These keys, of any owners, were revoked because they had leaked.
    pub fn keys_leaked<'a>(&self, keys: impl IntoIterator<Item = &'a ApiKey>) -> Vec<AuditEvent> {
        let targets = keys.into_iter().map(|key| (AuditTarget::Key(key.id), key.owner.clone()));
        self.each(AuditAction::KeyLeaked, targets)
    }

    /// The record of the owner was changed; `None` if it is as before.
    pub fn owner_changed(&self, owner: &OwnerId, before: &OwnerRecord, after: &OwnerRecord) -> Option<AuditEvent> {
        if let Some(at) = after.suspends_at.filter(|at| before.suspends_at != Some(*at)) {
            return Some(self.owner_suspending(owner, at));
        }
        // A sign-in has the event of its session.
        let OwnerRecord { seen_at, suspends_at, .. } = *before;
        if *before == (OwnerRecord { seen_at, suspends_at, ..after.clone() }) {
            return None;
        }
        let action = match (&before.suspension, &after.suspension) {
            _ if before.erasing_since != after.erasing_since => AuditAction::OwnerErasing,
            (None, Some(_)) => AuditAction::OwnerSuspended,
            (Some(_), None) => AuditAction::OwnerActivated,
            _ => AuditAction::OwnerChanged,
        };
        let changes = shown_of_owner(before).into_iter().zip(shown_of_owner(after));
        let changes = changes.filter_map(|((field, before), (_, after))| FieldChange::between(field, before, after));
        Some(self.first(action, AuditTarget::Owner, owner, changes))
    }

    /// The owner, who does not sign in, is suspended then.
    pub fn owner_suspending(&self, owner: &OwnerId, at: Timestamp) -> AuditEvent {
        let change = FieldChange::between(AuditField::SuspendsAt, None, Some(at.to_string()));
        self.first(AuditAction::OwnerSuspending, AuditTarget::Owner, owner, change)
    }

    /// The owner was erased.
    pub fn owner_erased(&self, owner: &OwnerId) -> AuditEvent {
        self.first(AuditAction::OwnerErased, AuditTarget::Owner, owner, [])
    }

    /// An operator read this, which belongs to the owner.
    pub fn data_read(&self, owner: &OwnerId, read: AuditTarget) -> AuditEvent {
        self.first(AuditAction::DataRead, read, owner, [])
    }

    /// The subscription was created.
    pub fn subscription_created(&self, created: &Subscription) -> AuditEvent {
        let changes = shown(created).into_iter().filter_map(|(field, after)| FieldChange::between(field, None, after));
        self.first(AuditAction::SubscriptionCreated, AuditTarget::Subscription(created.id), &created.owner, changes)
    }

    /// The subscription was changed; `None` without a difference.
    pub fn subscription_changed(&self, before: &Subscription, after: &Subscription) -> Option<AuditEvent> {
        if before == after {
            return None;
        }
        let changes = changes_between(before, after);
        let target = AuditTarget::Subscription(after.id);
        Some(self.first(AuditAction::SubscriptionChanged, target, &after.owner, changes))
    }

    /// The subscription was deleted.
    pub fn subscription_deleted(&self, id: SubscriptionId, owner: &OwnerId) -> AuditEvent {
        self.first(AuditAction::SubscriptionDeleted, AuditTarget::Subscription(id), owner, [])
    }

    /// The subscription, as it is now, got a new secret. The old one signs until `previous_until`.
    pub fn secret_rotated(&self, rotated: &Subscription, previous_until: Timestamp) -> AuditEvent {
        let Subscription { id, owner, signing, .. } = rotated;
        let before = signing.previous.map(|(signer, _)| signer).unwrap_or_default();
        let name = |signer: PublicSigner| Some(signer.kind().as_str().to_owned());
        let changes = [
            FieldChange::between(AuditField::ExpiresAt, None, Some(previous_until.to_string())),
            FieldChange::between(AuditField::Signing, name(before), name(signing.current)),
        ];
        let target = AuditTarget::Subscription(*id);
        self.first(AuditAction::SubscriptionSecretRotated, target, owner, changes.into_iter().flatten())
    }

    /// A consumer in this log was moved from one position to another.
    pub fn consumer_moved(&self, log: &PulledLog, consumer: &ConsumerName, from: u64, to: u64) -> AuditEvent {
        let changes = [
            FieldChange::between(AuditField::Consumer, None, Some(consumer.to_string())),
            FieldChange::between(AuditField::Position, Some(from.to_string()), Some(to.to_string())),
        ];
        let target = AuditTarget::Subscription(log.subscription);
        self.first(AuditAction::ConsumerMoved, target, &log.owner, changes.into_iter().flatten())
    }

    /// A consumer of this log was deleted.
    pub fn consumer_deleted(&self, log: &PulledLog, consumer: &ConsumerName) -> AuditEvent {
        let name = FieldChange::between(AuditField::Consumer, Some(consumer.to_string()), None);
        self.first(AuditAction::ConsumerDeleted, AuditTarget::Subscription(log.subscription), &log.owner, name)
    }

    /// The service disabled these subscriptions, each with its owner, for one reason.
    pub fn subscriptions_disabled(
        &self,
        status: SubscriptionStatus,
        disabled: impl IntoIterator<Item = (SubscriptionId, OwnerId)>,
    ) -> Vec<AuditEvent> {
        let disabled = disabled.into_iter().map(|(id, owner)| (id, owner, SubscriptionStatus::Enabled));
        self.subscriptions_disabled_from(status, disabled)
    }

    /// The same for subscriptions that had different statuses before.
    pub fn subscriptions_disabled_from(
        &self,
        status: SubscriptionStatus,
        disabled: impl IntoIterator<Item = (SubscriptionId, OwnerId, SubscriptionStatus)>,
    ) -> Vec<AuditEvent> {
        let disabled = disabled.into_iter().map(|(id, owner, before)| ((AuditTarget::Subscription(id), owner), before));
        let (targets, before): (Vec<_>, Vec<_>) = disabled.unzip();
        let mut events = self.each(AuditAction::SubscriptionDisabled, targets.into_iter());
        for (event, before) in events.iter_mut().zip(before) {
            let change = FieldChange::between(AuditField::Status, Some(status_name(before)), Some(status_name(status)));
            event.changes.extend(change);
        }
        events
    }

    /// The attempts of the subscription began to fail, or succeed again.
    pub fn subscription_turned(&self, id: SubscriptionId, owner: &OwnerId, turn: HealthTurn) -> AuditEvent {
        let (healthy, failing) = ("healthy".to_owned(), format!("failing: {}", turn.failure_code()));
        let (action, number, before, after) = match turn {
            HealthTurn::Failing(_) => (AuditAction::SubscriptionFailing, 1, healthy, failing),
            HealthTurn::Recovered => (AuditAction::SubscriptionRecovered, 2, "failing".to_owned(), healthy),
        };
        let change = FieldChange::between(AuditField::Health, Some(before), Some(after));
        // The cause may also disable the subscription, which takes its first id.
        AuditEvent { id: self.id.nth(number), ..self.first(action, AuditTarget::Subscription(id), owner, change) }
    }

    /// The client certificate of the subscription expires soon; `None` if it has none.
    pub fn certificate_expiring(&self, subscription: &Subscription) -> Option<AuditEvent> {
        let facts = &subscription.options.certificate.as_ref()?.facts;
        let changes = [
            FieldChange::between(AuditField::ClientCertificate, None, Some(facts.fingerprint_hex())),
            FieldChange::between(AuditField::ExpiresAt, None, Some(facts.expires_at.to_string())),
        ];
        let (action, target) =
            (AuditAction::SubscriptionCertificateExpiring, AuditTarget::Subscription(subscription.id));
        let event = self.first(action, target, &subscription.owner, changes.into_iter().flatten());
        // At the same time, the service may disable the subscription, or note that it fails.
        Some(AuditEvent { id: self.id.nth(3), ..event })
    }

    /// The subscription was enabled again, and this many of its deliveries were made due.
    pub fn subscription_recovered(&self, before: &Subscription, after: &Subscription, deliveries: u32) -> AuditEvent {
        let count = FieldChange::between(AuditField::Deliveries, None, Some(deliveries.to_string()));
        let changes = changes_between(before, after).chain(count);
        self.first(AuditAction::SubscriptionRecovered, AuditTarget::Subscription(after.id), &after.owner, changes)
    }

    /// The delivery was made due.
    pub fn delivery_retried(&self, delivery: &Delivery, owner: &OwnerId) -> AuditEvent {
        self.first(AuditAction::DeliveryRetried, AuditTarget::Delivery(delivery.id), owner, [])
    }

    /// These deliveries of one owner were made due.
    pub fn deliveries_retried(
        &self,
        owner: &OwnerId,
        deliveries: impl IntoIterator<Item = DeliveryId>,
    ) -> Vec<AuditEvent> {
        let targets = deliveries.into_iter().map(|id| (AuditTarget::Delivery(id), owner.clone()));
        self.each(AuditAction::DeliveryRetried, targets)
    }

    /// The delivery was cancelled.
    pub fn delivery_cancelled(&self, delivery: &Delivery, owner: &OwnerId) -> AuditEvent {
        self.first(AuditAction::DeliveryCancelled, AuditTarget::Delivery(delivery.id), owner, [])
    }

    /// The session was opened, and these of the same owner were ended, because the owner had too many.
    pub fn session_opened(&self, session: &Session, ended: impl IntoIterator<Item = SessionId>) -> Vec<AuditEvent> {
        let role = FieldChange::between(AuditField::Role, None, Some(session.role.to_string()));
        let opened = self.first(AuditAction::SessionOpened, AuditTarget::Session(session.id), &session.owner, role);
        let ended = self.sessions_ended(&session.owner, ended).into_iter().zip(1..);
        let ended = ended.map(|(event, number)| AuditEvent { id: self.id.nth(number), ..event });
        [opened].into_iter().chain(ended).collect()
    }

    /// These sessions of one owner were ended.
    pub fn sessions_ended(&self, owner: &OwnerId, ended: impl IntoIterator<Item = SessionId>) -> Vec<AuditEvent> {
        self.each(AuditAction::SessionEnded, ended.into_iter().map(|id| (AuditTarget::Session(id), owner.clone())))
    }

    /// An operator chose other lines of the log; `None` if they are the same.
    pub(crate) fn log_filter_changed(&self, before: &str, after: &str) -> Option<AuditEvent> {
        let change = FieldChange::between(AuditField::LogFilter, Some(before.to_owned()), Some(after.to_owned()))?;
        Some(self.first(AuditAction::LogFilterChanged, AuditTarget::Log, &OwnerId::of_operator(), [change]))
    }

    /// An entry of the catalogue was created, changed or archived.
    pub fn event_type_changed(&self, before: Option<&EventTypeEntry>, after: &EventTypeEntry) -> AuditEvent {
        let shown = |entry: &EventTypeEntry| {
            let status = if entry.archived { "archived" } else { "active" };
            [
                (AuditField::SchemaVersion, entry.version.to_string()),
                (AuditField::Validation, entry.settings.validation.as_str().to_owned()),
                (AuditField::Visibility, entry.settings.visibility.as_str().to_owned()),
                (AuditField::Status, status.to_owned()),
            ]
        };
        let mut values_before = before.map(shown).into_iter().flatten().map(|(_, value)| value);
        let others = shown(after).map(|(field, after)| FieldChange::between(field, values_before.next(), Some(after)));
        let name = FieldChange::between(AuditField::EventType, None, Some(after.name.to_string()));
        let changes = [name].into_iter().chain(others).flatten();
        self.first(AuditAction::EventTypeChanged, AuditTarget::EventTypes, &OwnerId::of_operator(), changes)
    }

    /// The only event of the cause.
    fn first(
        &self,
        action: AuditAction,
        target: AuditTarget,
        owner: &OwnerId,
        changes: impl IntoIterator<Item = FieldChange>,
    ) -> AuditEvent {
        let (origin, owner) = (self.origin.clone(), owner.clone());
        AuditEvent { id: self.id, origin, action, target, owner, changes: changes.into_iter().collect() }
    }

    /// An event for each of the targets, with its owner.
    fn each(&self, action: AuditAction, targets: impl Iterator<Item = (AuditTarget, OwnerId)>) -> Vec<AuditEvent> {
        let event = |((target, owner), number)| AuditEvent {
            id: self.id.nth(number),
            origin: self.origin.clone(),
            action,
            target,
            owner,
            changes: Vec::new(),
        };
        targets.zip(0..).map(event).collect()
    }
}

fn status_of_key(key: &ApiKey) -> (AuditField, Option<String>) {
    let status = if key.settings.disabled_at.is_some() { "disabled" } else { "enabled" };
    (AuditField::Status, Some(status.to_owned()))
}

fn shown_of_key(key: &ApiKey) -> [(AuditField, Option<String>); 4] {
    let settings = &key.settings;
    [
        (AuditField::Label, Some(key.label.as_str().to_owned())),
        (AuditField::ExpiresAt, key.expires_at.map(|at| at.to_string())),
        (AuditField::Metadata, names_of(&settings.metadata)),
        (AuditField::RateLimit, settings.rate_limit.map(|limit| limit.to_string())),
    ]
}

fn names_of(metadata: &Metadata) -> Option<String> {
    let names: Vec<&str> = metadata.pairs().keys().map(String::as_str).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

fn shown_of_owner(record: &OwnerRecord) -> [(AuditField, Option<String>); 9] {
    let status = if record.suspension.is_some() { "suspended" } else { "active" };
    [
        (AuditField::Name, record.name.as_ref().map(|name| name.as_str().to_owned())),
        (AuditField::Email, record.email.as_ref().map(|email| email.as_str().to_owned())),
        (AuditField::Metadata, names_of(&record.metadata)),
        (AuditField::MaxActiveKeys, record.limits.max_active_keys.map(|max| max.to_string())),
        (AuditField::MaxSubscriptions, record.limits.max_subscriptions.map(|max| max.to_string())),
        (AuditField::KeyRateLimit, record.rates.key_rate_limit.map(|limit| limit.to_string())),
        (AuditField::RequestRateLimit, record.rates.request_rate_limit.map(|limit| limit.to_string())),
        (AuditField::Status, Some(status.to_owned())),
        (AuditField::Reason, record.suspension.as_ref().and_then(Suspension::shown_reason)),
    ]
}

fn shown(subscription: &Subscription) -> Shown {
    let events = subscription.events.names();
    let (description, options) = (subscription.description.as_str(), &subscription.options);
    let kind = subscription.signing.current.kind();
    let certificate = options.certificate.as_ref();
    let headers: Vec<&str> = options.headers.keys().map(HeaderName::as_str).collect();
    [
        (AuditField::Url, Some(subscription.url.shown_origin())),
        (AuditField::Events, Some(events.join(" "))),
        (AuditField::Filter, subscription.filter.as_ref().map(|_| "set".to_owned())),
        (AuditField::Description, (!description.is_empty()).then(|| description.to_owned())),
        (AuditField::Headers, (!headers.is_empty()).then(|| headers.join(" "))),
        (AuditField::Auth, options.auth.as_ref().map(|auth| auth.kind.as_str().to_owned())),
        (AuditField::MaxPerSecond, options.max_per_second.map(|rate| rate.per_second().to_string())),
        (AuditField::OnExhausted, options.order.map(|order| order.code().to_owned())),
        (AuditField::ClientCertificate, certificate.map(|certificate| certificate.facts.fingerprint_hex())),
        (AuditField::Signing, (kind != SigningKind::Hmac).then(|| kind.as_str().to_owned())),
        (AuditField::Status, Some(status_name(subscription.status))),
    ]
}

/// The fields that differ. A URL with another path is shown, though its visible parts are the same, and so is another
/// filter.
fn changes_between(before: &Subscription, after: &Subscription) -> impl Iterator<Item = FieldChange> {
    let differing = [
        (AuditField::Url, before.url != after.url),
        (AuditField::Filter, before.filter != after.filter),
        (AuditField::Headers, before.options.headers != after.options.headers),
        (AuditField::Auth, before.options.auth != after.options.auth),
        (AuditField::ClientCertificate, before.options.certificate != after.options.certificate),
    ];
    shown(before).into_iter().zip(shown(after)).filter_map(move |((field, before), (_, after))| {
        if before == after && differing.contains(&(field, true)) {
            return Some(FieldChange::of(field, before, after));
        }
        FieldChange::between(field, before, after)
    })
}

fn status_name(status: SubscriptionStatus) -> String {
    status.disabled_by().map_or_else(|| "enabled".to_owned(), |by| format!("disabled: {}", by.code()))
}
