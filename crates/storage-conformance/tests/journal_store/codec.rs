//! How the arguments of a call become bytes. A real adapter has columns or a serializer instead.

use std::net::IpAddr;
use std::time::Duration;

use domain::audit::{
    Actor, AuditAction, AuditEvent, AuditField, AuditTarget, Cause, FieldChange, Means, Origin, RequestId,
};
use domain::ports::{ActiveLimit, ClaimId, ClaimRequest, Completion, RetryRequest};
use domain::sessions::{Session, SessionRole, SessionUse, UserAgent};
use domain::webhooks::{
    AnswerHeaders, AttemptRecord, ClaimEnd, ContentDigest, Description, DisableReason, Event, EventType, FailureReason,
    FairShares, NewEvent, OutcomeCounts, OwnerNumber, PauseLengths, Payload, PublicationKey, PublisherId, SealedSecret,
    SealedSecrets, SubscribedEvents, Subscription, SubscriptionChange, SubscriptionOutcomes, SubscriptionStatus,
    TargetUrl,
};
use domain::{
    ApiKey, AuditId, CredentialDigest, DeliveryId, EventId, Hour, KeyId, KeyRotation, KeyUsage, KeyUse, Label,
    ListView, Scopes, SessionId, SubscriptionId, Timestamp, TraceContext, UsageCounts, UserId,
};

/// A value that can be written to the journal and read back.
pub(crate) trait Field: Sized {
    /// Appends the value.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Takes a value off the front; `None` when the bytes do not start with one.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(<[u8; size_of::<Self>()]>::read(bytes)?))
            }
        }
    )*};
}

/// Types that are written as another type: how to get there, and how to get back.
macro_rules! stored_as {
    ($($type:ty as $stored:ty: $to:expr, $from:expr;)*) => {$(
        impl Field for $type {
            fn write(&self, bytes: &mut Vec<u8>) {
                let to: fn(&$type) -> $stored = $to;
                to(self).write(bytes);
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let from: fn($stored) -> Option<$type> = $from;
                from(<$stored>::read(bytes)?)
            }
        }
    )*};
}

/// Types that are written field by field.
macro_rules! records {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Field for $type {
            fn write(&self, bytes: &mut Vec<u8>) {
                $(self.$field.write(bytes);)*
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Field::read(bytes)?),* })
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i64);

impl<const LENGTH: usize> Field for [u8; LENGTH] {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        bytes.split_off(..LENGTH)?.try_into().ok()
    }
}

impl<Item: Field> Field for Vec<Item> {
    fn write(&self, bytes: &mut Vec<u8>) {
        u32::try_from(self.len()).expect("fewer than 4,294,967,296 items").write(bytes);
        for item in self {
            item.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        (0..u32::read(bytes)?).map(|_| Item::read(bytes)).collect()
    }
}

impl<Item: Field> Field for Option<Item> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        if let Some(item) = self {
            item.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        if bool::read(bytes)? { Some(Some(Item::read(bytes)?)) } else { Some(None) }
    }
}

impl<First: Field, Second: Field> Field for (First, Second) {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
        self.1.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some((First::read(bytes)?, Second::read(bytes)?))
    }
}

stored_as! {
    bool as u8: |is| u8::from(*is), |byte| Some(byte == 1);
    String as Vec<u8>: |text| text.clone().into_bytes(), |bytes| Self::from_utf8(bytes).ok();
    Duration as (u64, u32): |one| (one.as_secs(), one.subsec_nanos()), |(secs, nanos)| Some(Self::new(secs, nanos));
    Timestamp as i64: |at| at.unix_millis(), Self::from_unix_millis;
    Hour as i64: |hour| hour.number(), |number| Some(Self::from_number(number));
    KeyId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    AuditId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    SessionId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    EventId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    DeliveryId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    SubscriptionId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    CredentialDigest as [u8; 32]: |digest| *digest.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    ContentDigest as [u8; 32]: |digest| *digest.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    OwnerNumber as i64: |owner| owner.number(), |number| Some(Self::from_number(number));
    FairShares as (u32, Vec<(OwnerNumber, u32)>):
        |shares| (shares.free(), shares.taken().iter().map(|(owner, taken)| (*owner, *taken)).collect()),
        |(free, taken)| Some(Self::with_taken(free, taken));
    TraceContext as [u8; 24]: |context| context.to_bytes(), |bytes| Self::from_bytes(&bytes);
    ClaimId as i64: |claim| claim.number(), |number| Some(Self::from_number(number));
    UserId as (String, String):
        |user| (user.issuer().to_owned(), user.subject().to_owned()), |(issuer, subject)| Self::new(issuer, subject).ok();
    Label as String: |label| label.as_str().to_owned(), |text| Self::parse(&text).ok();
    SessionRole as String: |role| role.to_string(), |text| text.parse().ok();
    UserAgent as String: |agent| agent.as_str().to_owned(), |text| Self::new(&text);
    AuditAction as String: |action| action.as_str().to_owned(), |name| Self::of_stored(&name);
    AuditField as String: |field| field.as_str().to_owned(), |name| Self::of_stored(&name);
    AuditTarget as String: |target| target.to_string(), |text| Self::of_stored(&text);
    Means as String: |means| means.to_string(), |text| Self::of_stored(&text);
    RequestId as String: |id| id.as_str().to_owned(), |text| Self::new(&text);
    Actor as (Option<UserId>, Option<String>):
        |actor| match actor.clone() {
            Self::User(user) => (Some(user), None),
            Self::Operator(name) => (None, Some(name)),
            Self::Service => (None, None),
        },
        |(user, name)| Some(match (user, name) {
            (Some(user), _) => Self::User(user),
            (None, Some(name)) => Self::Operator(name),
            (None, None) => Self::Service,
        });
    IpAddr as String: |address| address.to_string(), |text| text.parse().ok();
    Scopes as String: |scopes| scopes.as_str().to_owned(), |text| Self::parse(&text).ok();
    Description as String: |text| text.as_str().to_owned(), |text| Self::parse(&text).ok();
    AnswerHeaders as String: |headers| headers.as_str().to_owned(), |text| Some(Self::from_stored(text));
    EventType as String: |name| name.as_str().to_owned(), |text| Self::parse(&text).ok();
    PublisherId as String: |id| id.as_str().to_owned(), |text| Self::parse(&text).ok();
    TargetUrl as String: |url| url.as_str().to_owned(), |text| Self::from_stored(&text);
    SubscribedEvents as Vec<String>:
        |events| events.patterns().iter().map(|pattern| pattern.as_str().to_owned()).collect(),
        |names| Self::parse(names.iter().map(String::as_str)).ok();
    Payload as Vec<u8>: |payload| payload.bytes().to_vec(), |bytes| Some(Self::from_bytes(bytes));
    SealedSecret as Vec<u8>: |secret| secret.as_bytes().to_vec(), |bytes| Some(Self::from_bytes(bytes));
    FailureReason as String: |reason| reason.code().to_owned(), |code| Self::from_code(&code);
    DisableReason as String: |reason| reason.code().to_owned(), |code| Self::from_code(&code);
    SubscriptionStatus as (bool, Option<DisableReason>):
        |status| match status {
            Self::Enabled => (true, None),
            Self::DisabledByOwner => (false, None),
            Self::DisabledByService(reason) => (false, Some(*reason)),
        },
        |(is_enabled, reason)| Some(match (is_enabled, reason) {
            (true, _) => Self::Enabled,
            (false, None) => Self::DisabledByOwner,
            (false, Some(reason)) => Self::DisabledByService(reason),
        });
    ClaimEnd as (u8, (Option<AttemptRecord>, (Option<(Option<Duration>, PauseLengths)>, (Option<Timestamp>, Option<Timestamp>)))):
        |end| match end.clone() {
            Self::Delivered(attempt) => (0, (Some(attempt), (None, (None, None)))),
            Self::Failed { attempt, retry_after, retry_at, pauses } => {
                (1, (Some(attempt), (Some((retry_after, pauses)), (None, retry_at))))
            }
            Self::Gone(attempt) => (2, (Some(attempt), (None, (None, None)))),
            Self::CutOff { at, retry_at } => (3, (None, (None, (Some(at), Some(retry_at))))),
            Self::GivenBack { at, due_at } => (4, (None, (None, (Some(at), Some(due_at))))),
            Self::Expired { at } => (5, (None, (None, (Some(at), None)))),
        },
        |(kind, (attempt, (waits, (at, next_at))))| Some(match kind {
            0 => Self::Delivered(attempt?),
            1 => {
                let (retry_after, pauses) = waits?;
                Self::Failed { attempt: attempt?, retry_after, retry_at: next_at, pauses }
            }
            2 => Self::Gone(attempt?),
            3 => Self::CutOff { at: at?, retry_at: next_at? },
            4 => Self::GivenBack { at: at?, due_at: next_at? },
            5 => Self::Expired { at: at? },
            _ => return None,
        });
}

records! {
    ApiKey {
        id, owner, label, prefix, created_at, last_used_at, expires_at, revoked_at, scopes, replaced_by
    }
    ActiveLimit { max, at }
    ListView { at, ended_max }
    KeyRotation { successor, prefix, at, overlap, overlapping_max, ttl_max }
    KeyUse { id, at }
    KeyUsage { id, hour, counts }
    UsageCounts { good, limited, refused }
    SubscriptionOutcomes { id, hour, counts }
    PauseLengths { first, longest }
    OutcomeCounts { delivered, retried, exhausted }
    SessionUse { id, at }
    Session { id, owner, role, created_at, seen_at, expires_at, user_agent, address }
    Subscription { id, owner, url, url_set_by, events, description, status, created_at, updated_at }
    SubscriptionChange { url, events, description, enabled, by }
    Origin { actor, means, request, address }
    Cause { id, origin }
    AuditEvent { id, origin, action, target, owner, changes }
    FieldChange { field, before, after }
    SealedSecrets { current, previous }
    Event { id, owner, event_type, payload, created_at }
    NewEvent { event, publication, only, trace }
    PublicationKey { id, content }
    ClaimRequest { claim, at, until, lanes_max, room, rooms, shares, payload_bytes_max }
    AttemptRecord { number, started_at, duration, failure, status, headers, excerpt }
    Completion { subscription, delivery, claim, end }
    RetryRequest { at, published_since }
}
