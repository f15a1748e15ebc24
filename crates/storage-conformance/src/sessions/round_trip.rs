//! Stored sessions come back.

use std::net::IpAddr;
use std::sync::Arc;

use crate::SessionPorts;
use domain::memory::unique_cause;
use domain::organizations::{Memberships, UnreadableMemberships};
use domain::sessions::{Capability, Session, SessionRole, UserAgent};

use super::sample::{NO_MAXIMUM, Sample, expect_stored, list, open};
use crate::sample::{at, look_alikes, user};

/// Every field of a session comes back unchanged, to the millisecond and byte for byte, under its digest and in lists.
pub async fn every_field_comes_back(store: Arc<dyn SessionPorts>) {
    let visitor = |held: &[Capability]| SessionRole::Visitor(held.iter().copied().collect());
    let long = format!("{}é", "\u{1f98a} 'x' \"y\" \\ %".repeat(16));
    let kinds: [(SessionRole, Option<&str>, Option<&str>); 6] = [
        (SessionRole::User, Some("curl/8.5"), Some("203.0.113.9")),
        (SessionRole::Operator, None, None),
        (SessionRole::Link, None, None),
        (visitor(&[]), Some("x"), Some("2001:db8::1")),
        (visitor(&Capability::ALL), Some(&long), Some("::ffff:192.0.2.1")),
        (visitor(&[Capability::WebhooksRead]), None, Some("fe80::1")),
    ];
    for (n, (role, user_agent, address)) in (1..).zip(kinds) {
        let owner = user(&format!("owner {n}"));
        let mut sample = Sample::opened(&owner, at(n)).seen(at(n + 7)).expiring(at(9_999_999 + n));
        sample.session = Session {
            role,
            user_agent: user_agent.and_then(UserAgent::new),
            address: address.map(|text| text.parse::<IpAddr>().expect("an address")),
            ..sample.session
        };
        open(&*store, &sample, NO_MAXIMUM).await;
        expect_stored(&*store, std::slice::from_ref(&sample), "a session must come back unchanged").await;
        let shown: Vec<Session> = Some(sample.session).into_iter().filter(|session| session.role.signs_in()).collect();
        assert_eq!(list(&*store, &owner, at(n)).await, shown, "a list must show sessions unchanged");
    }
}

/// The organizations of a session and the capabilities there come back unchanged, and so does "unreadable".
pub async fn memberships_come_back(store: Arc<dyn SessionPorts>) {
    let owner = user("a member");
    let ids: Vec<String> = (0..32).map(|n| format!("{n}{}", "\\\"é".repeat(60))).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let held = |n: usize| Capability::ALL.into_iter().take(n % 5).collect();
    let many = ids.iter().enumerate().map(|(n, id)| (*id, held(n)));
    let one = Memberships::of_ids(owner.issuer(), [("acme", held(0))]);
    let kinds = [one, Memberships::of_ids(owner.issuer(), many), Err(UnreadableMemberships)];
    for (n, memberships) in (1..).zip(kinds) {
        let mut sample = Sample::opened(&owner, at(n));
        sample.session.memberships = memberships;
        open(&*store, &sample, NO_MAXIMUM).await;
        expect_stored(&*store, std::slice::from_ref(&sample), "memberships must come back unchanged").await;
    }
}

/// Owners that differ in the issuer, in case, in spaces, or in where the issuer ends have separate sessions.
pub async fn look_alike_owners_are_told_apart(store: Arc<dyn SessionPorts>) {
    let samples = look_alikes().map(|owner| Sample::of(&owner));
    for sample in &samples {
        assert!(open(&*store, sample, 1).await.is_empty(), "another owner's session must not end");
    }
    for sample in &samples {
        let theirs = list(&*store, &sample.session.owner, at(0)).await;
        assert_eq!(theirs, std::slice::from_ref(&sample.session), "owners must be told apart");
    }
    store.end_all(&samples[0].session.owner, None, &unique_cause()).await.expect("an end of all sessions must succeed");
    expect_stored(&*store, &samples[1..], "another owner's session must not end").await;
}
