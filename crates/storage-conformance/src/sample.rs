//! Instants and users, for the samples of both wings.

use domain::{OwnerId, Timestamp};

/// `2026-11-21T01:42:03.120Z`. The milliseconds are not zero, so that a store that drops them fails.
const START_UNIX_MILLIS: i64 = 1_795_225_323_120;

/// The instant this many milliseconds after the start of the samples.
pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(START_UNIX_MILLIS + millis).expect("samples lie within the range of timestamps")
}

/// A user of the usual issuer.
pub(crate) fn user(subject: &str) -> OwnerId {
    user_of("https://id.example", subject)
}

/// A user of any issuer.
pub(crate) fn user_of(issuer: &str, subject: &str) -> OwnerId {
    OwnerId::new(issuer, subject).expect("the sample's issuer and subject are valid")
}
