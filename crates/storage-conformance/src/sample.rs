//! Instants and users for the samples of all wings.

use domain::{OwnerId, Timestamp};

/// `2026-11-21T01:42:03.120Z`. The milliseconds are not zero, so that a store that drops them fails.
const START_UNIX_MILLIS: i64 = 1_795_225_323_120;

/// The instant this many milliseconds after the start of the samples.
pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(START_UNIX_MILLIS + millis).expect("samples lie within the range of timestamps")
}

/// A user of the usual issuer.
pub fn user(subject: &str) -> OwnerId {
    user_of("https://id.example", subject)
}

/// A user of any issuer.
pub(crate) fn user_of(issuer: &str, subject: &str) -> OwnerId {
    OwnerId::new(issuer, subject).expect("the sample's issuer and subject are valid")
}

/// Owners that differ in case, in spaces, in the composition of characters, in wildcards of SQL, or in the
/// boundary between issuer and subject.
pub(crate) fn look_alikes() -> [OwnerId; 18] {
    [
        ("https://id.example", "alice"),
        ("https://id.example", "Alice"),
        ("https://id.example", "alic"),
        ("https://id.example", "alice "),
        ("https://id.example", " alice"),
        ("https://id.example", "alice%"),
        ("https://id.example", "_lice"),
        ("https://id.example", "caf\u{e9}"),
        ("https://id.example", "cafe\u{301}"),
        ("https://id.example", "1"),
        ("https://id.example", "01"),
        ("https://id.example/", "alice"),
        ("organization:https://id.example", "alice"),
        ("https://ID.example", "alice"),
        ("https://other.example", "alice"),
        ("https://id.examplea", "lice"),
        ("https://id.exampl", "ealice"),
        ("alice", "https://id.example"),
    ]
    .map(|(issuer, subject)| user_of(issuer, subject))
}
