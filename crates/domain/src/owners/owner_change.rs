use super::owner_record::{OwnerLimits, OwnerRecord, Suspension};
use super::owner_text::{OwnerEmail, OwnerName, SuspensionReason};
use crate::{InvalidMetadata, MetadataPatch, Patch, Timestamp};

/// A change of an owner's record, in the way of a merge patch (RFC 7396).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerChange {
    /// The new name.
    pub name: Patch<OwnerName>,
    /// The new e-mail address.
    pub email: Patch<OwnerEmail>,
    /// The change of the metadata.
    pub metadata: MetadataPatch,
    /// The new maximum of active keys. A lower one ends no key.
    pub max_active_keys: Patch<u32>,
    /// The new maximum of subscriptions. A lower one ends no subscription.
    pub max_subscriptions: Patch<u32>,
}

/// A change of an owner's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerStateChange {
    /// The owner may not act. An owner who is suspended already keeps the time and the reason.
    Suspend {
        /// Why.
        reason: Option<SuspensionReason>,
    },
    /// The owner may act again.
    Activate,
}

impl OwnerChange {
    /// The record after the change. The store reads the record under its lock and calls this function.
    ///
    /// # Errors
    ///
    /// If the metadata would break a limit.
    pub fn apply_to(&self, before: &OwnerRecord) -> Result<OwnerRecord, InvalidMetadata> {
        Ok(OwnerRecord {
            name: self.name.apply_to(before.name.as_ref()),
            email: self.email.apply_to(before.email.as_ref()),
            metadata: self.metadata.apply_to(&before.metadata)?,
            limits: OwnerLimits {
                max_active_keys: self.max_active_keys.apply_to(before.limits.max_active_keys.as_ref()),
                max_subscriptions: self.max_subscriptions.apply_to(before.limits.max_subscriptions.as_ref()),
            },
            ..before.clone()
        })
    }
}

impl OwnerStateChange {
    /// The record after the change at `at`. The store reads the record under its lock and calls this function.
    pub fn apply_to(&self, before: &OwnerRecord, at: Timestamp) -> OwnerRecord {
        let suspension = match self {
            Self::Suspend { reason } => {
                let new = || Suspension { since: at, reason: reason.clone() };
                Some(before.suspension.clone().unwrap_or_else(new))
            }
            Self::Activate => None,
        };
        let has_ended = before.suspension.is_some() && suspension.is_none();
        let rested_until = if has_ended { Some(at) } else { before.rested_until };
        OwnerRecord { suspension, rested_until, ..before.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;

    fn at(unix_millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(unix_millis).unwrap()
    }

    fn suspend(reason: &str) -> OwnerStateChange {
        OwnerStateChange::Suspend { reason: SuspensionReason::parse(reason).ok() }
    }

    #[test]
    fn what_is_absent_stays_and_null_is_the_default() {
        let pairs = [("plan".to_owned(), Some("pro".to_owned()))].into();
        let all = OwnerChange {
            name: Patch::Set(OwnerName::parse("Acme").unwrap()),
            email: Patch::Set(OwnerEmail::parse("it@acme.example").unwrap()),
            metadata: MetadataPatch { replaces_all: false, pairs },
            max_active_keys: Patch::Set(0),
            max_subscriptions: Patch::Set(7),
        };
        let full = all.apply_to(&OwnerRecord::default()).unwrap();
        let metadata = Metadata::new([("plan".to_owned(), "pro".to_owned())].into()).unwrap();
        let limits = OwnerLimits { max_active_keys: Some(0), max_subscriptions: Some(7) };
        assert_eq!((&full.metadata, full.limits), (&metadata, limits));
        assert_eq!((limits.active_keys_or(10), OwnerLimits::default().active_keys_or(10)), (0, 10));
        assert_eq!(OwnerChange::default().apply_to(&full).as_ref(), Ok(&full));
        let none = OwnerChange {
            name: Patch::Reset,
            email: Patch::Reset,
            metadata: MetadataPatch { replaces_all: true, ..MetadataPatch::default() },
            max_active_keys: Patch::Reset,
            max_subscriptions: Patch::Reset,
        };
        assert_eq!(none.apply_to(&full), Ok(OwnerRecord::default()));
    }

    #[test]
    fn a_repeated_state_is_no_change() {
        let active = OwnerRecord::default();
        let suspended = suspend("unpaid").apply_to(&active, at(5));
        let suspension = suspended.suspension.as_ref().map(|now| (now.since, now.reason.as_ref().unwrap().as_str()));
        assert_eq!(suspension, Some((at(5), "unpaid")));
        assert_eq!(suspend("another").apply_to(&suspended, at(9)), suspended);
        let renamed = OwnerChange { name: Patch::Set(OwnerName::parse("A").unwrap()), ..OwnerChange::default() };
        assert_eq!(renamed.apply_to(&suspended).unwrap().suspension, suspended.suspension);
        let activated = OwnerStateChange::Activate.apply_to(&suspended, at(9));
        assert_eq!(activated, OwnerRecord { rested_until: Some(at(9)), ..active.clone() });
        assert_eq!(OwnerStateChange::Activate.apply_to(&activated, at(10)), activated);
        assert_eq!(OwnerStateChange::Activate.apply_to(&active, at(9)), active);
    }
}
