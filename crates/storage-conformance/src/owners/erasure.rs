//! An erasure deletes the rows of one owner, and no others.

use std::sync::Arc;

use domain::audit::{AuditAction, AuditEvent};
use domain::memory::unique_cause;
use domain::ports::{CredentialChanges, CredentialStore, EraseRequest, ListOwnersRequest, OwnerStore};
use domain::sessions::Session;
use domain::{ApiKey, CredentialDigest, ListView, OwnerId, OwnerRecord, OwnerStateChange};

use super::OwnedStores;
use super::sample::{change, events, find, full_change, set_state};
use crate::keys::sample as keys;
use crate::sample::{at, user, user_of};
use crate::sessions::sample as sessions;
use crate::webhooks::sample::{deliveries, event, named, publish, publish_at, subscribed, subscriptions, try_history};
use crate::webhooks::work::{claim, complete, settle};

/// When everything of an erasure has settled.
const LATER_MILLIS: i64 = 20_000;

/// A key, a session and two subscriptions, each with a delivery that succeeded and one that waits.
struct Belongings {
    owner: OwnerId,
    key: CredentialDigest,
    session: CredentialDigest,
}

impl Belongings {
    /// Creates them, and a record. The first deliveries have an attempt.
    async fn create(stores: &OwnedStores, owner: OwnerId) -> Self {
        let (key, session) = (keys::Sample::of(&owner), sessions::Sample::of(&owner));
        keys::put(&*stores.keys, &key).await;
        sessions::open(&*stores.sessions, &session, sessions::NO_MAXIMUM).await;
        let webhooks = &*stores.webhooks;
        for _ in 0..2 {
            subscribed(webhooks, &owner).await;
        }
        publish(webhooks, &[named(event(&owner), "order-7", "content")]).await;
        for held in claim(webhooks, 10).await {
            settle(webhooks, held.delivered(20)).await;
        }
        publish_at(webhooks, &owner, at(30)).await;
        change(&*stores.owners, &owner, full_change()).await;
        Self { owner, key: key.digest, session: session.digest }
    }

    /// Which of the key, the session, the subscriptions, the deliveries and the record are found.
    async fn found(&self, stores: &OwnedStores) -> [bool; 5] {
        let key = CredentialStore::<ApiKey>::find_by_digests(&*stores.keys, &[self.key]).await;
        let session = CredentialStore::<Session>::find_by_digests(&*stores.sessions, &[self.session]).await;
        [
            !key.stored.is_empty(),
            !session.stored.is_empty(),
            !subscriptions(&*stores.webhooks, &self.owner).await.is_empty(),
            !deliveries(&*stores.webhooks, &self.owner).await.is_empty(),
            find(&*stores.owners, &self.owner).await != OwnerRecord::default(),
        ]
    }
}

fn request(owner: &OwnerId, millis: i64) -> EraseRequest {
    EraseRequest { owner: owner.clone(), at: at(millis), settled: at(millis - 10_000), max: 2 }
}

/// Erases until nothing is left that can be erased then.
async fn erase_all(stores: &OwnedStores, owner: &OwnerId, millis: i64) -> u32 {
    let mut erased = 0;
    loop {
        match stores.owners.erase(&request(owner, millis)).await.expect("a part of an erasure must succeed") {
            0 => return erased,
            rows => erased += rows,
        }
    }
}

async fn finish(stores: &OwnedStores, owner: &OwnerId) -> bool {
    stores.owners.finish_erasure(owner, &unique_cause()).await.expect("the end of an erasure must succeed")
}

async fn erasing(stores: &OwnedStores) -> Vec<OwnerId> {
    stores.owners.erasing(10).await.expect("a list of owners must succeed")
}

async fn announce_all(stores: &OwnedStores) {
    let found = stores.audit.list_unannounced(1_000).await.expect("a list of events must succeed");
    stores.audit.mark_announced(&found).await.expect("events must be marked");
}

/// Keys, sessions, subscriptions, deliveries and the record are gone, the audit log has neither changes nor addresses of the
/// owner, no list has the owner, and everything of others is as before: also of an organization with the same id, and of an
/// owner who is suspended only. The owner begins again.
pub async fn nothing_of_an_erased_owner_is_found(stores: Arc<OwnedStores>) {
    let (owner, fellow) = (user("alice"), user_of("organization:https://id.example", "alice"));
    let theirs = Belongings::create(&stores, owner.clone()).await;
    let of_fellow = Belongings::create(&stores, fellow.clone()).await;
    let of_other = Belongings::create(&stores, user("bob")).await;
    assert_eq!(erase_all(&stores, &owner, LATER_MILLIS).await, 0, "an owner who is not being erased loses nothing");
    assert_eq!(theirs.found(&stores).await, [true; 5]);
    set_state(&*stores.owners, &owner, OwnerStateChange::Erase, 100).await;
    assert_eq!(erasing(&stores).await, std::slice::from_ref(&owner));
    let whole_log: Vec<AuditEvent> = events(&*stores.audit, &fellow).await;
    announce_all(&stores).await;
    assert!(erase_all(&stores, &owner, 101).await > 0);
    assert_eq!(theirs.found(&stores).await, [false, false, false, false, true], "the record goes last");
    erase_all(&stores, &owner, LATER_MILLIS).await;
    assert!(finish(&stores, &owner).await, "nothing is left");

    assert_eq!(theirs.found(&stores).await, [false; 5]);
    assert_eq!(erasing(&stores).await, []);
    let log = events(&*stores.audit, &owner).await;
    assert_eq!(log[0].action, AuditAction::OwnerErased, "the newest event");
    let is_empty = |event: &AuditEvent| event.changes.is_empty() && event.origin.address.is_none();
    assert!(log.len() > 4 && log.iter().all(is_empty), "events stay without what they had: {log:?}");
    let listing = ListOwnersRequest {
        issuer: "https://id.example".to_owned(),
        query: None,
        is_suspended: None,
        after: None,
        max: 10,
        at: at(LATER_MILLIS),
    };
    let listed = OwnerStore::list(&*stores.owners, &listing).await.expect("a list of owners must succeed").owners;
    let listed: Vec<OwnerId> = listed.into_iter().map(|listed| listed.found.owner).collect();
    assert_eq!(listed, [fellow.clone(), user("bob")], "who has something");
    for other in [&of_fellow, &of_other] {
        assert_eq!(other.found(&stores).await, [true; 5], "of {:?}", other.owner);
        assert_eq!(deliveries(&*stores.webhooks, &other.owner).await.len(), 4);
    }
    assert_eq!(events(&*stores.audit, &fellow).await, whole_log);

    let again = Belongings::create(&stores, owner.clone()).await;
    assert_eq!(erase_all(&stores, &owner, LATER_MILLIS).await, 0, "the erasure has ended");
    assert_eq!(again.found(&stores).await, [true; 5], "a new owner");
}

/// The erasure does not end while the owner has rows, also rows that were created after its beginning. Its end is one change in
/// the feed, and happens once.
pub async fn an_erasure_ends_when_nothing_is_left(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    assert!(!finish(&stores, &owner).await, "no erasure has begun");
    Belongings::create(&stores, owner.clone()).await;
    set_state(&*stores.owners, &owner, OwnerStateChange::Erase, 100).await;
    assert!(!finish(&stores, &owner).await, "nothing is erased yet");
    erase_all(&stores, &owner, 101).await;
    assert!(!finish(&stores, &owner).await, "events are to be announced, and subscriptions settle");
    announce_all(&stores).await;
    erase_all(&stores, &owner, LATER_MILLIS).await;
    keys::put(&*stores.keys, &keys::Sample::of(&owner)).await;
    announce_all(&stores).await;
    assert!(!finish(&stores, &owner).await, "a key was created meanwhile");
    erase_all(&stores, &owner, LATER_MILLIS).await;
    let position = match &stores.feed {
        Some(feed) => Some(feed.changes_since(None, 100).await.expect("a read of the feed").position),
        None => None,
    };
    assert!(finish(&stores, &owner).await, "nothing is left");
    assert!(!finish(&stores, &owner).await, "the erasure has ended");
    let listed = domain::ports::KeyStore::list(&*stores.keys, &owner, ListView { at: at(0), ended_max: 10 }).await;
    assert_eq!(listed.expect("a list of keys must succeed"), []);
    if let (Some(feed), Some(position)) = (&stores.feed, position) {
        let read = feed.changes_since(Some(&position), 100).await.expect("a read of the feed");
        assert_eq!(read.changes, CredentialChanges::Of(vec![CredentialDigest::of_owner(&owner)]));
    }
}

/// An attempt that was under way when the erasure began writes neither its delivery nor its answer, and a publication of
/// before finds no subscription.
pub async fn attempts_that_run_leave_nothing_behind(stores: Arc<OwnedStores>) {
    let (owner, webhooks) = (user("alice"), &*stores.webhooks);
    subscribed(webhooks, &owner).await;
    publish_at(webhooks, &owner, at(0)).await;
    let held = claim(webhooks, 10).await.remove(0);
    set_state(&*stores.owners, &owner, OwnerStateChange::Erase, 100).await;
    erase_all(&stores, &owner, 101).await;
    assert_eq!(complete(webhooks, &[held.delivered(200)]).await, [false], "the claim is gone");
    publish_at(webhooks, &owner, at(201)).await;
    assert_eq!(deliveries(webhooks, &owner).await, []);
    assert_eq!(try_history(webhooks, &owner, held.delivery.id).await, None, "the attempt");
    announce_all(&stores).await;
    erase_all(&stores, &owner, LATER_MILLIS).await;
    assert!(finish(&stores, &owner).await, "nothing is left");
}
