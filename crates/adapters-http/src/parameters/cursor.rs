//! Positions in lists and streams, as opaque strings that clients send back.
//!
//! See decision 35.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ports::{AttemptCursor, FailingPlace};
use domain::webhooks::LogPlace;
use domain::{AuditId, DeliveryId, EventId, FoundBy, OwnerPlace, SubscriptionId, Timestamp};
use sha2::{Digest as _, Sha256};

/// The list or stream of a cursor. It is the first byte, so that a cursor of one list is not valid for another.
#[derive(Clone, Copy)]
enum Kind {
    Subscriptions = 1,
    Deliveries = 2,
    Attempts = 3,
    Audit = 4,
    Failing = 5,
    Events = 6,
    Owners = 7,
    Log = 8,
}

/// A position that can be sent as a cursor.
pub(crate) trait Cursor: Sized {
    /// The position as an opaque string.
    fn to_cursor(&self) -> String;

    /// Reads a string that [`Cursor::to_cursor`] made; `None` for any other string.
    fn from_cursor(text: &str) -> Option<Self>;
}

/// The position after this subscription.
impl Cursor for SubscriptionId {
    fn to_cursor(&self) -> String {
        encode(Kind::Subscriptions, self.as_bytes())
    }

    fn from_cursor(text: &str) -> Option<Self> {
        decode(Kind::Subscriptions, text).map(Self::from_bytes)
    }
}

/// The position after this delivery.
impl Cursor for DeliveryId {
    fn to_cursor(&self) -> String {
        encode(Kind::Deliveries, self.as_bytes())
    }

    fn from_cursor(text: &str) -> Option<Self> {
        decode(Kind::Deliveries, text).map(Self::from_bytes)
    }
}

/// The position after this event of the audit log.
impl Cursor for AuditId {
    fn to_cursor(&self) -> String {
        encode(Kind::Audit, self.as_bytes())
    }

    fn from_cursor(text: &str) -> Option<Self> {
        decode(Kind::Audit, text).map(Self::from_bytes)
    }
}

/// The position after this event.
impl Cursor for EventId {
    fn to_cursor(&self) -> String {
        encode(Kind::Events, self.as_bytes())
    }

    fn from_cursor(text: &str) -> Option<Self> {
        decode(Kind::Events, text).map(Self::from_bytes)
    }
}

/// The position after this failing subscription.
impl Cursor for FailingPlace {
    fn to_cursor(&self) -> String {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.since.unix_millis().to_be_bytes());
        bytes[8..].copy_from_slice(self.subscription.as_bytes());
        encode(Kind::Failing, &bytes)
    }

    fn from_cursor(text: &str) -> Option<Self> {
        let bytes: [u8; 24] = decode(Kind::Failing, text)?;
        let (since, subscription) = bytes.split_first_chunk()?;
        Some(Self {
            since: Timestamp::from_unix_millis(i64::from_be_bytes(*since))?,
            subscription: SubscriptionId::from_bytes(subscription.try_into().ok()?),
        })
    }
}

/// A position in the log of a subscription.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogCursor {
    pub(crate) subscription: SubscriptionId,
    pub(crate) place: LogPlace,
}

/// Zeros stand for an event that the reader has not seen.
impl Cursor for LogCursor {
    fn to_cursor(&self) -> String {
        let LogPlace { number, event } = self.place;
        let event = event.map_or([0; 16], |event| *event.as_bytes());
        encode(Kind::Log, &[&number.to_be_bytes()[..], self.subscription.as_bytes(), &event].concat())
    }

    fn from_cursor(text: &str) -> Option<Self> {
        let bytes: [u8; 40] = decode(Kind::Log, text)?;
        let (number, ids) = bytes.split_first_chunk()?;
        let (subscription, event) = ids.split_first_chunk()?;
        let event: [u8; 16] = event.try_into().ok()?;
        // No store counts further.
        let number = u64::from_be_bytes(*number).try_into().ok().and_then(|number: i64| number.try_into().ok())?;
        let event = (event != [0; 16]).then(|| EventId::from_bytes(event));
        Some(Self { subscription: SubscriptionId::from_bytes(*subscription), place: LogPlace { number, event } })
    }
}

/// A position in one list of owners: with another query or state, a page would leave owners out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnerCursor {
    pub(crate) after: OwnerPlace,
    /// The list: see [`OwnerCursor::list`].
    pub(crate) list: [u8; 4],
}

impl OwnerCursor {
    /// The list of this query and this state.
    pub(crate) fn list(query: Option<&str>, state: Option<&str>) -> [u8; 4] {
        let digest = Sha256::digest(format!("{}\0{}", query.unwrap_or_default(), state.unwrap_or_default()));
        [digest[0], digest[1], digest[2], digest[3]]
    }
}

/// The position after this owner. No text of a place has a zero byte.
impl Cursor for OwnerCursor {
    fn to_cursor(&self) -> String {
        let OwnerPlace { by, text, subject, issuer } = &self.after;
        let by = FOUND_BY.iter().position(|one| one == by).and_then(|by| u8::try_from(by).ok()).unwrap_or_default();
        let texts = [text.as_bytes(), subject.as_bytes(), issuer.as_bytes()].join(&0);
        encode(Kind::Owners, &[&[by], self.list.as_slice(), texts.as_slice()].concat())
    }

    fn from_cursor(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (by, rest) = bytes.strip_prefix(&[Kind::Owners as u8])?.split_first()?;
        let (list, texts) = rest.split_first_chunk()?;
        let mut texts = str::from_utf8(texts).ok()?.split('\0').map(str::to_owned);
        let by = *FOUND_BY.get(usize::from(*by))?;
        let after = OwnerPlace { by, text: texts.next()?, subject: texts.next()?, issuer: texts.next()? };
        texts.next().is_none().then_some(Self { after, list: *list })
    }
}

/// In the order of their numbers in cursors.
const FOUND_BY: [FoundBy; 5] = [FoundBy::Suspension, FoundBy::Id, FoundBy::Name, FoundBy::Email, FoundBy::Key];

/// The position after this attempt.
impl Cursor for AttemptCursor {
    fn to_cursor(&self) -> String {
        let mut bytes = [0; 28];
        bytes[..8].copy_from_slice(&self.ended_at.unix_millis().to_be_bytes());
        bytes[8..24].copy_from_slice(self.delivery.as_bytes());
        bytes[24..].copy_from_slice(&self.number.to_be_bytes());
        encode(Kind::Attempts, &bytes)
    }

    fn from_cursor(text: &str) -> Option<Self> {
        let bytes: [u8; 28] = decode(Kind::Attempts, text)?;
        let (ended_at, rest) = bytes.split_first_chunk()?;
        let (delivery, number) = rest.split_first_chunk()?;
        Some(Self {
            ended_at: Timestamp::from_unix_millis(i64::from_be_bytes(*ended_at))?,
            delivery: DeliveryId::from_bytes(*delivery),
            number: u32::from_be_bytes(number.try_into().ok()?),
        })
    }
}

fn encode(kind: Kind, bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode([&[kind as u8], bytes].concat())
}

fn decode<const LENGTH: usize>(kind: Kind, text: &str) -> Option<[u8; LENGTH]> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    bytes.strip_prefix(&[kind as u8])?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_as_what_it_is_and_as_nothing_else() {
        let (subscription, delivery) = (SubscriptionId::from_bytes([7; 16]), DeliveryId::from_bytes([7; 16]));
        let ended_at = Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").unwrap();
        let attempt = AttemptCursor { ended_at, delivery, number: 3 };
        let texts = [subscription.to_cursor(), delivery.to_cursor(), attempt.to_cursor()];
        let read: Vec<_> = texts
            .iter()
            .map(|text| {
                (SubscriptionId::from_cursor(text), DeliveryId::from_cursor(text), AttemptCursor::from_cursor(text))
            })
            .collect();
        assert_eq!(read, [(Some(subscription), None, None), (None, Some(delivery), None), (None, None, Some(attempt))]);
    }

    #[test]
    fn a_place_among_failing_subscriptions_reads_back() {
        let since = Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").unwrap();
        let place = FailingPlace { since, subscription: SubscriptionId::from_bytes([7; 16]) };
        assert_eq!(FailingPlace::from_cursor(&place.to_cursor()), Some(place));
        let event = EventId::from_bytes([7; 16]);
        assert_eq!(EventId::from_cursor(&event.to_cursor()), Some(event));
        assert_eq!(FailingPlace::from_cursor(&event.to_cursor()), None, "another list");
        let log = |number, event| LogCursor { subscription: place.subscription, place: LogPlace { number, event } };
        assert_eq!(LogCursor::from_cursor(&place.to_cursor()), None, "another list");
        for event in [None, Some(event)] {
            let log = log(i64::MAX as u64, event);
            assert_eq!(LogCursor::from_cursor(&log.to_cursor()), Some(log));
        }
        assert_eq!(LogCursor::from_cursor(&log(u64::MAX, None).to_cursor()), None, "no log is so long");
        assert_eq!(EventId::from_cursor(&place.subscription.to_cursor()), None, "another list");
    }

    #[test]
    fn a_place_among_owners_reads_back() {
        for by in FOUND_BY {
            for (text, subject, issuer) in [("", "", ""), ("acme zürich", "alice", "https://id.example")] {
                let after = OwnerPlace { by, text: text.into(), subject: subject.into(), issuer: issuer.into() };
                let cursor = OwnerCursor { after, list: OwnerCursor::list(Some("a"), None) };
                assert_eq!(OwnerCursor::from_cursor(&cursor.to_cursor()), Some(cursor));
            }
        }
        let lists = [(None, None), (Some("a"), None), (None, Some("a")), (Some("ab"), None), (Some("a"), Some("b"))];
        let lists: std::collections::BTreeSet<_> = lists.map(|(query, state)| OwnerCursor::list(query, state)).into();
        assert_eq!(lists.len(), 5, "each list has its cursors");
        for wrong in [
            &[5, 1, 2, 3, 4, 0, 0][..],
            &[0, 1, 2, 3, 4, 0],
            &[0, 1, 2, 3, 4, 0, 0, 0],
            &[0, 1, 2, 3, 4, 255, 0, 0],
            &[0, 0, 0],
            &[],
        ] {
            assert_eq!(OwnerCursor::from_cursor(&encode(Kind::Owners, wrong)), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let good = SubscriptionId::from_bytes([7; 16]).to_cursor();
        let (short, long) = (&good[1..], format!("{good}A"));
        // The last digit carries bits that belong to no byte: another spelling of the same is refused.
        let respelled = format!("{}d", &good[..good.len() - 1]);
        for wrong in ["", "sub_01h455vb4pex5vsknk084sn02q", "é", " ", short, &long, &respelled, &format!("{good}=")] {
            assert_eq!(SubscriptionId::from_cursor(wrong), None, "{wrong:?}");
        }
        let beyond = encode(Kind::Attempts, &[0x7f; 28]);
        assert_eq!(AttemptCursor::from_cursor(&beyond), None, "no such instant");
    }
}
