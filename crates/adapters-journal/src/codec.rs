//! The form of a call's arguments in bytes. A real adapter has columns or a serializer instead.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use domain::audit::{Actor, Cause, Means, Origin, RequestId};
use domain::ports::{
    ActiveLimit, ChangeKeyRequest, ChangeOwnerRequest, EraseRequest, InsertKeyRequest, KeysOf, Retained,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, SetOwnerStateRequest,
};
use domain::{
    ApiKey, AuditId, CredentialDigest, Hour, KeyChange, KeyId, KeyRotation, KeySettings, KeyUsage, KeyUse, Label,
    ListView, Metadata, MetadataPatch, OwnerChange, OwnerId, OwnerStateChange, OwnerText, Patch, RateLimit, Scopes,
    SuspensionReason, Timestamp, UsageCounts, WebhookAccess,
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

/// Types that are written as another type, with both conversions.
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

impl<Name: Field + Ord + Clone, Item: Field + Clone> Field for BTreeMap<Name, Item> {
    fn write(&self, bytes: &mut Vec<u8>) {
        let pairs: Vec<(Name, Item)> = self.clone().into_iter().collect();
        pairs.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Vec::read(bytes)?.into_iter().collect())
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

impl<const LENGTH_MAX: usize> Field for OwnerText<LENGTH_MAX> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.as_str().to_owned().write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Self::parse(&String::read(bytes)?).ok()
    }
}

impl<Value: Field> Field for Patch<Value> {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Keep => u8::write(&0, bytes),
            Self::Reset => u8::write(&1, bytes),
            Self::Set(value) => {
                u8::write(&2, bytes);
                value.write(bytes);
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u8::read(bytes)? {
            0 => Some(Self::Keep),
            1 => Some(Self::Reset),
            2 => Some(Self::Set(Value::read(bytes)?)),
            _ => None,
        }
    }
}

stored_as! {
    bool as u8: |is| u8::from(*is), |byte| Some(byte == 1);
    String as Vec<u8>: |text| text.clone().into_bytes(), |bytes| Self::from_utf8(bytes).ok();
    Duration as (u64, u32): |one| (one.as_secs(), one.subsec_nanos()), |(secs, nanos)| Some(Self::new(secs, nanos));
    Timestamp as i64: |at| at.unix_millis(), Self::from_unix_millis;
    Hour as i64: |hour| hour.number(), |number| Some(Self::from_number(number));
    Retained as u8: |what| *what as u8, |number| Retained::ALL.into_iter().find(|what| *what as u8 == number);
    KeyId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    AuditId as [u8; 16]: |id| *id.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    CredentialDigest as [u8; 32]: |digest| *digest.as_bytes(), |bytes| Some(Self::from_bytes(bytes));
    OwnerId as (String, String):
        |user| (user.issuer().to_owned(), user.subject().to_owned()), |(issuer, subject)| Self::new(issuer, subject).ok();
    Label as String: |label| label.as_str().to_owned(), |text| Self::parse(&text).ok();
    WebhookAccess as bool: |access| *access == Self::Write, |writes| Some(if writes { Self::Write } else { Self::Read });
    Scopes as String: |scopes| scopes.as_str().to_owned(), |text| Self::parse(&text).ok();
    RateLimit as String: |limit| limit.to_string(), |text| text.parse().ok();
    OwnerStateChange as (u8, (Option<SuspensionReason>, Option<(Timestamp, Timestamp)>)):
        |state| match state {
            Self::Suspend { reason } => (0, (reason.clone(), None)),
            Self::Activate => (1, (None, None)),
            Self::ByProvider { deactivates } => (2 + u8::from(*deactivates), (None, None)),
            Self::Erase => (4, (None, None)),
            Self::SuspendAbsent { reason } => (5, (Some(reason.clone()), None)),
            Self::AnnounceAbsence { seen_until, suspends_at } => (6, (None, Some((*seen_until, *suspends_at)))),
        },
        |(kind, (reason, times))| match kind {
            0 => Some(Self::Suspend { reason }),
            1 => Some(Self::Activate),
            2 | 3 => Some(Self::ByProvider { deactivates: kind == 3 }),
            4 => Some(Self::Erase),
            5 => Some(Self::SuspendAbsent { reason: reason? }),
            6 => times.map(|(seen_until, suspends_at)| Self::AnnounceAbsence { seen_until, suspends_at }),
            _ => None,
        };
    KeysOf as (bool, OwnerId):
        |of| match of.clone() {
            Self::Owner(owner) => (false, owner),
            Self::Member(member) => (true, member),
        },
        |(is_member, person)| Some(if is_member { Self::Member(person) } else { Self::Owner(person) });
    Metadata as BTreeMap<String, String>: |metadata| metadata.pairs().clone(), |pairs| Self::new(pairs).ok();
    Means as String: |means| means.to_string(), |text| Self::of_stored(&text);
    RequestId as String: |id| id.as_str().to_owned(), |text| Self::new(&text);
    Actor as (Option<OwnerId>, Option<String>):
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
}

records! {
    ApiKey {
        id, owner, label, prefix, created_at, last_used_at, expires_at, revoked_at, scopes, replaced_by, settings, created_by
    }
    InsertKeyRequest { key, digest, limit, view, cause }
    RevokeKeyRequest { owner, id, at, view, cause }
    RotateKeyRequest { owner, id, rotation, digest, view, cause }
    ChangeKeyRequest { owner, id, change, at, cause }
    KeyChange { label, metadata, rate_limit, is_by_host, is_disabled, expires_at }
    KeySettings { metadata, rate_limit, is_rate_limit_of_host, disabled_at }
    MetadataPatch { replaces_all, pairs }
    ChangeOwnerRequest { owner, change, cause }
    OwnerChange { name, email, metadata, max_active_keys, max_subscriptions, key_rate_limit, request_rate_limit, keeps_profile, seen_at }
    SetOwnerStateRequest { owner, state, at, cause }
    EraseRequest { owner, at, settled, max }
    RevokeDigestsRequest { digests, at, cause }
    RevokeUserKeysRequest { of, created_before, at, max, cause }
    ActiveLimit { max, at }
    ListView { at, ended_max }
    KeyRotation { successor, prefix, at, overlap, overlapping_max, ttl_max, ttl_if_endless, webhooks_max, created_by }
    KeyUse { id, at }
    KeyUsage { id, hour, counts }
    UsageCounts { good, limited, refused }
    Origin { actor, means, request, address }
    Cause { id, origin }
}
