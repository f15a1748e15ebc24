use super::owner_record::{OwnerLimits, OwnerRates, OwnerRecord, SuspendedBy, Suspension};
use super::owner_text::{OwnerEmail, OwnerName, SuspensionReason};
use crate::{InvalidMetadata, MetadataPatch, Patch, RateLimit, Timestamp};

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
    /// How often each key may be used from now on.
    pub key_rate_limit: Patch<RateLimit>,
    /// How often the owner may call the API from now on.
    pub request_rate_limit: Patch<RateLimit>,
    /// Whether a name and an address that are there stay.
    pub keeps_profile: bool,
    /// The time of a sign-in, or the start of the count of days. It takes an announced suspension back. A time before that of
    /// the record has no effect, and for a suspended owner no time has.
    pub seen_at: Option<Timestamp>,
}

/// What the identity provider says of a user, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerProfile {
    /// The name.
    pub name: Option<OwnerName>,
    /// The e-mail address.
    pub email: Option<OwnerEmail>,
}

/// A change of an owner's state: see [`SuspendedBy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerStateChange {
    /// The host suspends the owner. An owner whom it has suspended already keeps the reason.
    Suspend {
        /// Why.
        reason: Option<SuspensionReason>,
    },
    /// The host ends its suspension. An owner who is being erased stays suspended.
    Activate,
    /// The identity provider says whether the user may act.
    ByProvider {
        /// Whether it has deactivated the user.
        deactivates: bool,
    },
    /// The service announces the suspension of a user. A later sign-in than `seen_until` prevents the announcement.
    AnnounceAbsence {
        /// The last sign-in that the service has read.
        seen_until: Timestamp,
        /// The time of the suspension.
        suspends_at: Timestamp,
    },
    /// The service suspends a user at the announced time, on behalf of the host.
    SuspendAbsent {
        /// Why.
        reason: SuspensionReason,
    },
    /// The owner may not act, and is erased: see [`Erasures`](crate::Erasures).
    Erase,
}

impl OwnerChange {
    /// Whether the change may change rate limits, which verification remembers.
    pub fn has_rates(&self) -> bool {
        self.key_rate_limit != Patch::Keep || self.request_rate_limit != Patch::Keep
    }

    /// The record after the change. The store reads the record under its lock and calls this function.
    ///
    /// # Errors
    ///
    /// If the metadata would break a limit.
    pub fn apply_to(&self, before: &OwnerRecord) -> Result<OwnerRecord, InvalidMetadata> {
        let (name, email) = (before.name.as_ref(), before.email.as_ref());
        let seen_at = before.seen_at.max(self.seen_at.filter(|_| before.suspension.is_none()));
        Ok(OwnerRecord {
            name: name.filter(|_| self.keeps_profile).cloned().or_else(|| self.name.apply_to(name)),
            email: email.filter(|_| self.keeps_profile).cloned().or_else(|| self.email.apply_to(email)),
            metadata: self.metadata.apply_to(&before.metadata)?,
            limits: OwnerLimits {
                max_active_keys: self.max_active_keys.apply_to(before.limits.max_active_keys.as_ref()),
                max_subscriptions: self.max_subscriptions.apply_to(before.limits.max_subscriptions.as_ref()),
            },
            rates: OwnerRates {
                key_rate_limit: self.key_rate_limit.apply_to(before.rates.key_rate_limit.as_ref()),
                request_rate_limit: self.request_rate_limit.apply_to(before.rates.request_rate_limit.as_ref()),
            },
            seen_at,
            suspends_at: before.suspends_at.filter(|_| seen_at == before.seen_at),
            ..before.clone()
        })
    }
}

impl OwnerStateChange {
    /// The record after the change at `at`. The store reads the record under its lock and calls this function.
    pub fn apply_to(&self, before: &OwnerRecord, at: Timestamp) -> OwnerRecord {
        if before.erasing_since.is_some() {
            return before.clone();
        }
        let now = before.suspension.as_ref();
        let by_host = now.filter(|now| now.by.has_host()).map(|now| now.reason.clone());
        let has_provider = now.is_some_and(|now| now.by.has_provider());
        let (by_host, has_provider) = match self {
            Self::Suspend { reason } => (Some(by_host.unwrap_or_else(|| reason.clone())), has_provider),
            Self::SuspendAbsent { reason } => {
                let is_due = before.suspends_at.is_some_and(|suspends_at| suspends_at <= at);
                (by_host.or_else(|| is_due.then(|| Some(reason.clone()))), has_provider)
            }
            Self::AnnounceAbsence { .. } => (by_host, has_provider),
            Self::Activate => (None, has_provider),
            Self::Erase => (Some(by_host.flatten()), has_provider),
            Self::ByProvider { deactivates } => (by_host, *deactivates),
        };
        let suspension = SuspendedBy::of(by_host.is_some(), has_provider).map(|by| Suspension {
            since: now.map_or(at, |now| now.since),
            reason: by_host.flatten(),
            by,
        });
        let has_ended = before.suspension.is_some() && suspension.is_none();
        let rested_until = if has_ended { Some(at) } else { before.rested_until };
        let erasing_since = (*self == Self::Erase).then_some(at);
        let (mut seen_at, mut suspends_at) = (before.seen_at, before.suspends_at.filter(|_| suspension.is_none()));
        if has_ended || *self == Self::Activate {
            // The host or the provider confirms the user, so the count starts again.
            (seen_at, suspends_at) = (seen_at.map(|seen_at| seen_at.max(at)), None);
        }
        if let Self::AnnounceAbsence { seen_until, suspends_at: announced } = self
            && suspension.is_none()
            && seen_at.is_some_and(|seen_at| seen_at <= *seen_until)
        {
            suspends_at = Some(*announced);
        }
        OwnerRecord { suspension, erasing_since, rested_until, seen_at, suspends_at, ..before.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;
    use crate::test_samples::at;

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
            key_rate_limit: Patch::Set("5/s".parse().unwrap()),
            request_rate_limit: Patch::Set("60/m".parse().unwrap()),
            keeps_profile: false,
            seen_at: None,
        };
        let full = all.apply_to(&OwnerRecord::default()).unwrap();
        let metadata = Metadata::new([("plan".to_owned(), "pro".to_owned())].into()).unwrap();
        let limits = OwnerLimits { max_active_keys: Some(0), max_subscriptions: Some(7) };
        let rates = OwnerRates { key_rate_limit: "5/s".parse().ok(), request_rate_limit: "60/m".parse().ok() };
        assert_eq!((&full.metadata, full.limits, full.rates), (&metadata, limits, rates));
        assert!(all.has_rates() && !OwnerChange::default().has_rates());
        assert_eq!((limits.active_keys_or(10), OwnerLimits::default().active_keys_or(10)), (0, 10));
        assert_eq!(OwnerChange::default().apply_to(&full).as_ref(), Ok(&full));
        let none = OwnerChange {
            name: Patch::Reset,
            email: Patch::Reset,
            metadata: MetadataPatch { replaces_all: true, ..MetadataPatch::default() },
            max_active_keys: Patch::Reset,
            max_subscriptions: Patch::Reset,
            key_rate_limit: Patch::Reset,
            request_rate_limit: Patch::Reset,
            keeps_profile: false,
            seen_at: None,
        };
        assert_eq!(none.apply_to(&full), Ok(OwnerRecord::default()));
        let filled = OwnerChange { keeps_profile: true, max_active_keys: Patch::Keep, ..all };
        let named = OwnerRecord { name: OwnerName::parse("Host's").ok(), ..OwnerRecord::default() };
        let after = filled.apply_to(&named).unwrap();
        assert_eq!((&after.name, &after.email), (&named.name, &full.email), "what is there stays");
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

    #[test]
    fn who_signs_in_takes_an_announced_suspension_back() {
        let reason = SuspensionReason::parse("not signed in for 90 days").unwrap();
        let absent = OwnerStateChange::SuspendAbsent { reason: reason.clone() };
        let announce =
            |seen_until| OwnerStateChange::AnnounceAbsence { seen_until: at(seen_until), suspends_at: at(100) };
        let seen = |millis, before: &OwnerRecord| {
            OwnerChange { seen_at: Some(at(millis)), ..OwnerChange::default() }.apply_to(before).unwrap()
        };
        let never = OwnerRecord::default();
        assert_eq!(announce(100).apply_to(&never, at(50)), never, "no count has started");
        let record = seen(5, &seen(9, &never));
        assert_eq!(record.seen_at, Some(at(9)), "the last time stays");
        assert_eq!(announce(8).apply_to(&record, at(50)), record, "the user was there meanwhile");
        let told = announce(9).apply_to(&record, at(50));
        assert_eq!(told, OwnerRecord { suspends_at: Some(at(100)), ..record.clone() });
        assert_eq!(seen(60, &told).suspends_at, None, "a sign-in");
        assert_eq!(absent.apply_to(&seen(60, &told), at(200)).suspension, None);
        assert_eq!(absent.apply_to(&told, at(99)), told, "too early");
        let kept = OwnerStateChange::Activate.apply_to(&told, at(60));
        assert_eq!((kept.seen_at, kept.suspends_at), (Some(at(60)), None), "the host keeps the user");

        let suspended = absent.apply_to(&told, at(100));
        let expected = Suspension { since: at(100), reason: Some(reason.clone()), by: SuspendedBy::Host };
        assert_eq!((suspended.suspension.as_ref(), suspended.suspends_at), (Some(&expected), None));
        assert_eq!(seen(300, &suspended), suspended, "who may not act does not sign in");
        let activated = OwnerStateChange::Activate.apply_to(&suspended, at(400));
        assert_eq!((activated.suspension.as_ref(), activated.seen_at), (None, Some(at(400))), "the count begins again");
        let unpaid = suspend("unpaid").apply_to(&told, at(60));
        assert_eq!(absent.apply_to(&unpaid, at(200)), unpaid, "the host's reason stays");
    }

    #[test]
    fn the_host_and_the_provider_each_end_their_own_suspension() {
        let by_provider = |deactivates| OwnerStateChange::ByProvider { deactivates };
        let active = OwnerRecord::default();
        let shown = |record: &OwnerRecord| {
            record.suspension.as_ref().map(|now| (now.since, now.by, now.shown_reason().unwrap_or_default()))
        };
        let deactivated = "deactivated by the identity provider";
        let both = Some((at(1), SuspendedBy::Both, format!("unpaid; {deactivated}")));
        let host_first = by_provider(true).apply_to(&suspend("unpaid").apply_to(&active, at(1)), at(2));
        let provider_first = suspend("unpaid").apply_to(&by_provider(true).apply_to(&active, at(1)), at(2));
        for record in [host_first, provider_first] {
            assert_eq!(shown(&record), both);
            let by_one = OwnerStateChange::Activate.apply_to(&record, at(3));
            assert_eq!(shown(&by_one), Some((at(1), SuspendedBy::Provider, deactivated.to_owned())));
            assert_eq!(OwnerStateChange::Activate.apply_to(&by_one, at(4)), by_one, "it is not the host's");
            let by_other = by_provider(false).apply_to(&record, at(3));
            assert_eq!(shown(&by_other), Some((at(1), SuspendedBy::Host, "unpaid".to_owned())));
            assert_eq!(by_provider(false).apply_to(&by_other, at(4)), by_other, "it is not the provider's");
            for ended in
                [by_provider(false).apply_to(&by_one, at(5)), OwnerStateChange::Activate.apply_to(&by_other, at(5))]
            {
                assert_eq!(ended, OwnerRecord { rested_until: Some(at(5)), ..active.clone() });
            }
        }
        assert_eq!(by_provider(false).apply_to(&active, at(9)), active);
    }

    #[test]
    fn an_erasure_suspends_and_cannot_be_undone() {
        let erasing = OwnerStateChange::Erase.apply_to(&OwnerRecord::default(), at(5));
        assert_eq!(erasing.suspension, Some(Suspension { since: at(5), reason: None, by: SuspendedBy::Host }));
        assert_eq!(erasing.erasing_since, Some(at(5)));
        for change in [OwnerStateChange::Erase, OwnerStateChange::Activate, suspend("unpaid")] {
            assert_eq!(change.apply_to(&erasing, at(9)), erasing);
        }
        let erased_later =
            OwnerStateChange::Erase.apply_to(&suspend("unpaid").apply_to(&OwnerRecord::default(), at(5)), at(9));
        assert_eq!(erased_later.suspension.map(|suspension| suspension.since), Some(at(5)));
        assert_eq!(erased_later.erasing_since, Some(at(9)));
    }
}
