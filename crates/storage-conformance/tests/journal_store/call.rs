use domain::audit::{AuditEvent, Cause};
use domain::memory::{MemoryAuditLog, MemoryChangeFeed, MemoryKeyStore, MemorySessionStore, MemoryWebhookStore};
use domain::ports::{
    ActiveLimit, AuditLog as _, ClaimRequest, Completion, DeliveryCommands as _, DeliveryQueue as _, EventStore as _,
    KeyStore as _, RetryRequest, SessionStore as _, SubscriptionStore as _,
};
use domain::sessions::{Session, SessionUse};
use domain::webhooks::{
    DisableReason, NewEvent, SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionOutcomes,
};
use domain::{
    ApiKey, CredentialDigest, DeliveryId, Hour, KeyId, KeyRotation, KeyUsage, KeyUse, ListView, SessionId,
    SubscriptionId, Timestamp, UserId,
};

use crate::codec::Field;

/// What the calls change: all wings, in memory.
pub(crate) struct Memory {
    pub(crate) changes: MemoryChangeFeed,
    pub(crate) audit: MemoryAuditLog,
    pub(crate) keys: MemoryKeyStore,
    pub(crate) sessions: MemorySessionStore,
    pub(crate) webhooks: MemoryWebhookStore,
}

/// Keys and sessions report to one feed, and all wings write to one audit log.
impl Default for Memory {
    fn default() -> Self {
        let (changes, audit) = (MemoryChangeFeed::default(), MemoryAuditLog::default());
        Self {
            keys: MemoryKeyStore::reporting_to(changes.clone()).writing_to(audit.clone()),
            sessions: MemorySessionStore::reporting_to(changes.clone()).writing_to(audit.clone()),
            webhooks: MemoryWebhookStore::default().writing_to(audit.clone()),
            changes,
            audit,
        }
    }
}

/// Declares [`Call`]: the number of each call in the journal, its arguments, and the method that it stands for.
macro_rules! calls {
    ($($number:literal $name:ident { $($field:ident: $type:ty),* } => $wing:ident.$method:ident($($argument:expr),*);)*) => {
        /// A call of a method that writes, with its arguments.
        pub(crate) enum Call {
            $($name { $($field: $type),* }),*
        }

        impl Call {
            /// Calls the method again. It does what it did before: nothing that the outcome depends on is missing here.
            pub(crate) async fn replay(self, memory: &Memory) {
                match self {
                    // A call that was refused before is refused again.
                    $(Self::$name { $($field),* } => drop(memory.$wing.$method($($argument),*).await)),*
                }
            }
        }

        impl Field for Call {
            fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$name { $($field),* } => {
                        u8::write(&$number, bytes);
                        $($field.write(bytes);)*
                    })*
                }
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                match u8::read(bytes)? {
                    $($number => Some(Self::$name { $($field: Field::read(bytes)?),* }),)*
                    _ => None,
                }
            }
        }
    };
}

calls! {
    0 InsertKey { key: ApiKey, digest: CredentialDigest, limit: ActiveLimit, view: ListView, cause: Cause }
        => keys.insert_within(&key, &digest, limit, view, &cause);
    1 RevokeKey { owner: UserId, id: KeyId, at: Timestamp, view: ListView, cause: Cause } => keys.revoke(&owner, id, at, view, &cause);
    2 RotateKey { owner: UserId, id: KeyId, rotation: KeyRotation, digest: CredentialDigest, view: ListView, cause: Cause }
        => keys.rotate(&owner, id, &rotation, &digest, view, &cause);
    3 RevokeByDigests { digests: Vec<CredentialDigest>, at: Timestamp, cause: Cause } => keys.revoke_by_digests(&digests, at, &cause);
    4 RecordUses { uses: Vec<KeyUse> } => keys.record_uses(&uses);
    5 PurgeEnded { before: Timestamp, max: u32 } => keys.purge_ended(before, max);
    6 InsertSubscription { subscription: Subscription, secret: SealedSecret, max: u32, cause: Cause }
        => webhooks.insert_within(&subscription, &secret, max, &cause);
    7 UpdateSubscription { owner: UserId, id: SubscriptionId, change: SubscriptionChange, at: Timestamp, cause: Cause }
        => webhooks.update(&owner, id, &change, at, &cause);
    8 RotateSecret { owner: UserId, id: SubscriptionId, secret: SealedSecret, previous_until: Timestamp, at: Timestamp, cause: Cause }
        => webhooks.rotate_secret(&owner, id, &secret, previous_until, at, &cause);
    9 DeleteSubscription { owner: UserId, id: SubscriptionId, at: Timestamp, cause: Cause } => webhooks.delete(&owner, id, at, &cause);
    10 ReplaceSecrets { id: SubscriptionId, from: SealedSecrets, to: SealedSecrets }
        => webhooks.replace_secrets(id, &from, &to);
    11 Publish { events: Vec<NewEvent> } => webhooks.publish(&events);
    12 Claim { request: ClaimRequest } => webhooks.claim(&request);
    13 Complete { completions: Vec<Completion> } => webhooks.complete(&completions);
    14 EndClosed { at: Timestamp, max: u32 } => webhooks.end_closed(at, max);
    15 Retry { owner: UserId, id: DeliveryId, request: RetryRequest, cause: Cause } => webhooks.retry(&owner, id, request, &cause);
    16 Cancel { owner: UserId, id: DeliveryId, at: Timestamp, cause: Cause } => webhooks.cancel(&owner, id, at, &cause);
    17 Recover { owner: UserId, subscription: SubscriptionId, request: RetryRequest, max: u32, cause: Cause }
        => webhooks.recover(&owner, subscription, request, max, &cause);
    33 RetryFailed { owner: UserId, subscription: SubscriptionId, ids: Vec<DeliveryId>, request: RetryRequest, cause: Cause }
        => webhooks.retry_failed(&owner, subscription, &ids, request, &cause);
    18 PurgeHistory { before: Timestamp, max: u32 } => webhooks.purge_history(before, max);
    19 DisableSetBy { keys: Vec<KeyId>, reason: DisableReason, at: Timestamp, max: u32, cause: Cause }
        => webhooks.disable_set_by(&keys, reason, at, max, &cause);
    21 KeepCheck { replaced: Option<SealedSecret>, check: SealedSecret }
        => webhooks.keep_check(replaced.as_ref(), &check);
    22 OpenSession { session: Session, digest: CredentialDigest, max: u32, cause: Cause } => sessions.open(&session, &digest, max, &cause);
    23 EndSession { owner: UserId, id: SessionId, cause: Cause } => sessions.end(&owner, id, &cause);
    24 EndSessions { owner: UserId, kept: Option<SessionId>, cause: Cause } => sessions.end_all(&owner, kept, &cause);
    25 RecordSessionUses { uses: Vec<SessionUse> } => sessions.record_uses(&uses);
    26 PurgeSessions { before: Timestamp, max: u32 } => sessions.purge_ended(before, max);
    27 RecordAuditEvent { event: AuditEvent } => audit.record(&event);
    28 PurgeAudit { before: Timestamp, max: u32 } => audit.purge(before, max);
    34 RecordNewEvents { events: Vec<AuditEvent> } => audit.record_new(&events);
    35 MarkAnnounced { events: Vec<AuditEvent> } => audit.mark_announced(&events);
    29 AddUsage { usage: Vec<KeyUsage> } => keys.add_usage(&usage);
    30 PurgeUsage { before: Hour, max: u32 } => keys.purge_usage(before, max);
    31 AddOutcomes { outcomes: Vec<SubscriptionOutcomes> } => webhooks.add_outcomes(&outcomes);
    32 PurgeOutcomes { before: Hour, max: u32 } => webhooks.purge_outcomes(before, max);
    20 RevokeUserKeys { owner: UserId, created_before: Timestamp, at: Timestamp, max: u32, cause: Cause }
        => keys.revoke_user_keys(&owner, created_before, at, max, &cause);
}
