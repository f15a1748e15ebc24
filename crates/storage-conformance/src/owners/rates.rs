//! Keys and sessions are found with the rate limits of their owner, and caches learn of a change.

use std::sync::Arc;

use domain::ports::{CredentialChanges, Found};
use domain::sessions::Session;
use domain::{ApiKey, CredentialDigest, OwnerChange, OwnerRates, Patch, RateLimit};

use super::OwnedStores;
use super::sample::{change, full_change, name, rates, set_state, suspend};
use crate::keys::sample as keys;
use crate::sample::{user, user_of};
use crate::sessions::sample as sessions;

/// Look-ups of one digest and of several have the rate limits of the owner, as they were changed last: of keys and sessions
/// from before and from after the change, also of a suspended owner. Other owners have none.
pub async fn credentials_are_found_with_the_rates_of_their_owner(stores: Arc<OwnedStores>) {
    let (owner, other) = (user("alice"), user_of("organization:https://id.example", "alice"));
    let mut of_keys = vec![keys::Sample::of(&other), keys::Sample::of(&owner)];
    let of_sessions = [sessions::Sample::of(&owner), sessions::Sample::of(&other)];
    keys::put_all(&*stores.keys, &of_keys).await;
    for session in &of_sessions {
        sessions::open(&*stores.sessions, session, sessions::NO_MAXIMUM).await;
    }
    let limit = |text: &str| text.parse::<RateLimit>().ok();
    let patch = |text: &str| limit(text).map_or(Patch::Reset, Patch::Set);
    change(&*stores.owners, &other, full_change()).await;
    change(&*stores.owners, &other, rates(Patch::Reset, Patch::Reset)).await;
    for (key, request) in [("5/s", ""), ("5/s", "1000000/h"), ("", "1/m"), ("", ""), ("7/m", "8/h")] {
        change(&*stores.owners, &owner, rates(patch(key), patch(request))).await;
        if request == "8/h" {
            set_state(&*stores.owners, &owner, suspend("unpaid"), 1).await;
        }
        let later = keys::Sample::of(&owner);
        keys::put(&*stores.keys, &later).await;
        of_keys.push(later);
        let expected = OwnerRates { key_rate_limit: limit(key), request_rate_limit: limit(request) };
        let has_any = expected != OwnerRates::default();

        let digests: Vec<CredentialDigest> = of_keys.iter().map(|sample| sample.digest).collect();
        let found: Found<ApiKey> = stores.keys.find_by_digests(&digests).await;
        let theirs = digests[1..].iter().filter(|_| has_any).map(|digest| (*digest, expected)).collect();
        assert_eq!(found.rates, theirs, "the keys of the owner, and no others");
        let alone: Found<ApiKey> = stores.keys.find_by_digests(&digests[1..2]).await;
        assert_eq!(alone.rates_of(&digests[1]), expected, "the look-up of one key");

        let digests = of_sessions.each_ref().map(|sample| sample.digest);
        let found: Found<Session> = stores.sessions.find_by_digests(&digests).await;
        let theirs = digests[..1].iter().filter(|_| has_any).map(|digest| (*digest, expected)).collect();
        assert_eq!((found.stored.len(), found.rates), (2, theirs), "the session of the owner, and no other");
        let alone: Found<Session> = stores.sessions.find_by_digests(&digests[..1]).await;
        assert_eq!(alone.rates_of(&digests[0]), expected, "the look-up of one session");
    }
}

/// The feed has one change of the owner for each change of a rate limit, none for a repetition, and none for a change of
/// anything else.
pub async fn a_change_of_rates_is_one_change_in_the_feed(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let Some(feed) = &stores.feed else { return };
    let mut position = feed.changes_since(None, 100).await.expect("a read of the feed").position;
    let of_owner = CredentialDigest::of_owner(&owner);
    let set = |text: &str| Patch::Set(text.parse().expect("a valid rate limit"));
    let named =
        OwnerChange { name: Patch::Set(name("Acme")), max_active_keys: Patch::Set(3), ..OwnerChange::default() };
    for (wish, expected) in [
        (rates(set("5/s"), Patch::Keep), vec![of_owner]),
        (rates(set("5/s"), Patch::Keep), Vec::new()),
        (named, Vec::new()),
        (rates(Patch::Keep, set("5/m")), vec![of_owner]),
        (rates(Patch::Reset, Patch::Reset), vec![of_owner]),
        (rates(Patch::Reset, Patch::Reset), Vec::new()),
    ] {
        change(&*stores.owners, &owner, wish.clone()).await;
        let read = feed.changes_since(Some(&position), 100).await.expect("a read of the feed");
        assert_eq!(read.changes, CredentialChanges::Of(expected), "after {wish:?}");
        position = read.position;
    }
}
