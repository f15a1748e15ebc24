//! Owners are found by the start of an id, a name, an address or a key, page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::ports::ListOwnersRequest;
use domain::{
    FoundBy, KeyPolicy, ListedOwner, OwnerChange, OwnerCounts, OwnerEmail, OwnerId, OwnerQuery, OwnerStateChange, Patch,
};

use super::OwnedStores;
use super::sample::{change, find, name, set_state, suspend};
use crate::keys::sample::{Sample, put, put_all};
use crate::sample::{at, user, user_of};
use crate::webhooks::sample::{delete, publish_at, subscribed, switched, update};
use crate::webhooks::work::{claim, settle};

const ISSUER: &str = "https://id.example";
const OF_ORGANIZATIONS: &str = "organization:https://id.example";

/// The id, then the name, then the address, then a key: an owner comes once, where the first of them matches. Letters of
/// names and addresses match in both cases, and ids do not.
pub async fn owners_are_found_by_id_name_address_and_key(stores: Arc<OwnedStores>) {
    let (by_id, by_name, by_email, by_key) = (user("acme-1"), user("b"), user("a"), user("c"));
    let (organization, capital) = (user_of(OF_ORGANIZATIONS, "acme-1"), user("ACME-2"));
    describe(&stores, &by_id, "Acme", "acme@acme.example").await;
    describe(&stores, &by_name, "ACME Zürich", "acme@other.example").await;
    describe(&stores, &by_email, "Zoë", "Acme@Acme.example").await;
    describe(&stores, &organization, "%_\u{10348}", "x@acme.example").await;
    describe(&stores, &capital, "The Acme", "y@acme.example").await;
    for owner in [&by_id, &by_key, &by_key] {
        let mut sample = Sample::of(owner);
        "acme...".clone_into(&mut sample.key.prefix);
        put(&*stores.keys, &sample).await;
    }
    let found = |text: &'static str| {
        let stores = Arc::clone(&stores);
        async move { owners(&listed(&stores, Some(text), None, 100).await) }
    };
    let expected = [&by_id, &organization, &by_name, &by_email, &by_key].map(Clone::clone);
    assert_eq!(found("acme").await, expected, "in the order of what matches, each once");
    assert_eq!(found("aCmE Zü").await, std::slice::from_ref(&by_name), "the case of a letter does not matter");
    assert_eq!(found("ACME-").await, std::slice::from_ref(&capital), "ids are compared byte for byte");
    assert_eq!(found("acme@acme.EXAMPLE").await, [by_email, by_id.clone()], "an address");
    assert_eq!(found("acme...").await, [by_id, by_key], "what lists show of a key");
    assert_eq!(found("%").await, [organization], "no character has another meaning");
    assert_eq!(found("_").await, [], "no character has another meaning");
    assert_eq!(found("cme").await, [], "only the start counts");
}

/// An owner who has a record, a key, or a subscription is in the list, and nobody else. Owners of another provider are in
/// the list of that provider.
pub async fn every_owner_of_anything_is_listed(stores: Arc<OwnedStores>) {
    assert_eq!(listed(&stores, None, None, 10).await, [], "nobody yet");
    let (record, key, ended, webhook) = (user("record"), user("key"), user("ended"), user("webhook"));
    let (foreign, gone) = (user_of("https://other.example", "foreign"), user("gone"));
    change(&*stores.owners, &record, OwnerChange { max_active_keys: Patch::Set(3), ..OwnerChange::default() }).await;
    change(&*stores.owners, &gone, OwnerChange { name: Patch::Set(name("x")), ..OwnerChange::default() }).await;
    change(&*stores.owners, &gone, OwnerChange { name: Patch::Reset, ..OwnerChange::default() }).await;
    find(&*stores.owners, &user("unknown")).await;
    let samples = [Sample::of(&key), Sample::of(&ended).revoked(at(1)), Sample::of(&foreign)];
    put_all(&*stores.keys, &samples).await;
    subscribed(&*stores.webhooks, &webhook).await;
    let organization = user_of(OF_ORGANIZATIONS, "key");
    put(&*stores.keys, &Sample::of(&organization)).await;
    let all = owners(&listed(&stores, None, None, 10).await);
    assert_eq!(all, [ended, key, organization, record, webhook], "in the order of their ids");
    let other = ListOwnersRequest { issuer: "https://other.example".to_owned(), ..request(None, None, 10) };
    assert_eq!(owners(&pages(&stores, other).await), [foreign], "of another provider");
}

/// A listed owner has the record of [`OwnerStore::find`](domain::ports::OwnerStore::find), and counts of keys that are active
/// at the asked time and of subscriptions that are enabled.
pub async fn owners_are_listed_with_what_they_have(stores: Arc<OwnedStores>) {
    let (owner, other) = (user("alice"), user("bob"));
    describe(&stores, &owner, "Alice", "alice@acme.example").await;
    set_state(&*stores.owners, &owner, suspend("unpaid"), 5).await;
    let samples = [
        Sample::of(&owner),
        Sample::of(&owner).expiring(at(11)),
        Sample::of(&owner).expiring(at(10)),
        Sample::of(&owner).revoked(at(100)),
        Sample::of(&owner).disabled(at(1)),
        Sample::of(&owner).replaced(),
        Sample::of(&other),
    ];
    put_all(&*stores.keys, &samples).await;
    set_state(&*stores.owners, &owner, OwnerStateChange::Activate, 6).await;
    let [failing, disabled, deleted] = [
        subscribed(&*stores.webhooks, &owner).await,
        subscribed(&*stores.webhooks, &owner).await,
        subscribed(&*stores.webhooks, &owner).await,
    ];
    publish_at(&*stores.webhooks, &owner, at(7)).await;
    for held in claim(&*stores.webhooks, 8).await {
        if held.subscription == failing.id || held.subscription == disabled.id {
            settle(&*stores.webhooks, held.failed(9, 1_000_000)).await;
        }
    }
    update(&*stores.webhooks, &disabled, &switched(false), at(9)).await;
    delete(&*stores.webhooks, &deleted, at(9)).await;
    subscribed(&*stores.webhooks, &owner).await;
    let all = listed(&stores, None, None, 10).await;
    assert_eq!(owners(&all), [owner.clone(), other], "two owners");
    assert_eq!(all[0].found.record, find(&*stores.owners, &owner).await, "the record");
    let counts = OwnerCounts { active_keys: 3, enabled_subscriptions: 2, failing_subscriptions: 1 };
    assert_eq!(all[0].counts, counts, "what alice has");
    assert_eq!(all[1].counts, OwnerCounts { active_keys: 1, ..OwnerCounts::default() }, "what bob has");
}

/// A list of suspended owners has nobody else, and a list of active ones none of them: with a query and without.
pub async fn owners_are_listed_by_their_state(stores: Arc<OwnedStores>) {
    let all = ["a1", "a2", "a3", "b1"].map(user);
    for owner in &all {
        put(&*stores.keys, &Sample::of(owner)).await;
    }
    describe(&stores, &all[3], "A name", "b@acme.example").await;
    for owner in [&all[1], &all[3]] {
        set_state(&*stores.owners, owner, suspend("unpaid"), 1).await;
    }
    for (query, is_suspended, expected) in [
        (None, Some(true), vec!["a2", "b1"]),
        (None, Some(false), vec!["a1", "a3"]),
        (Some("a"), Some(true), vec!["a2", "b1"]),
        (Some("a"), Some(false), vec!["a1", "a3"]),
        (Some("a2"), Some(true), vec!["a2"]),
        (Some("a2"), Some(false), vec![]),
        (Some("svc_live_a1B..."), Some(true), vec!["a2", "b1"]),
    ] {
        let found = owners(&listed(&stores, query, is_suspended, 10).await);
        assert_eq!(found, expected.into_iter().map(user).collect::<Vec<_>>(), "{query:?}, {is_suspended:?}");
    }
    set_state(&*stores.owners, &all[1], OwnerStateChange::Activate, 2).await;
    assert_eq!(owners(&listed(&stores, None, Some(true), 10).await), [all[3].clone()], "active again");
}

/// Owners come and go, and change their names, between the pages: an owner who does not change is on exactly one page.
pub async fn pages_of_owners_neither_repeat_nor_miss(stores: Arc<OwnedStores>) {
    let mut steady = BTreeSet::new();
    for number in 0..12 {
        let owner = user(&format!("{}{number:02}", if number % 3 == 0 { "acme" } else { "o" }));
        describe(&stores, &owner, ["Acme", "ACME", "Other"][number % 3], "acme@acme.example").await;
        steady.insert(owner);
    }
    let passing = |number: i32| user(&format!("acme{number:02}x"));
    for query in [None, Some("acme")] {
        let mut request = request(query, None, 2);
        let (mut seen, mut turn): (Vec<OwnerId>, i32) = (Vec::new(), 0);
        loop {
            let page = stores.owners.list(&request).await.expect("a list must succeed");
            assert!(page.owners.len() <= 2, "a page has at most `max` owners");
            seen.extend(owners(&page.owners));
            let Some(next) = page.next else { break };
            describe(&stores, &passing(turn), "Acme", "x@acme.example").await;
            let reset = OwnerChange { name: Patch::Reset, email: Patch::Reset, ..OwnerChange::default() };
            change(&*stores.owners, &passing(turn - 1), reset).await;
            request.after = Some(next);
            turn += 1;
            assert!(turn < 100, "the list must end");
        }
        seen.retain(|owner| steady.contains(owner));
        let times = seen.len();
        assert_eq!((seen.into_iter().collect::<BTreeSet<_>>(), times), (steady.clone(), 12), "each once: {query:?}");
    }
}

fn request(query: Option<&str>, is_suspended: Option<bool>, max: u32) -> ListOwnersRequest {
    let parse = |text| OwnerQuery::parse(text, &KeyPolicy::default()).expect("the sample's query is valid");
    let query = query.map(parse);
    ListOwnersRequest { issuer: ISSUER.to_owned(), query, is_suspended, after: None, max, at: at(10) }
}

/// All pages. Those of one item and those of `max` have the same owners.
async fn listed(stores: &OwnedStores, query: Option<&str>, is_suspended: Option<bool>, max: u32) -> Vec<ListedOwner> {
    let all = pages(stores, request(query, is_suspended, max)).await;
    let singly = pages(stores, request(query, is_suspended, 1)).await;
    assert_eq!(owners(&singly), owners(&all), "pages of one and of {max}");
    let places = all.windows(2).all(|pair| pair[0].found.place < pair[1].found.place);
    assert!(places, "in the order of their places: {all:?}");
    assert!(all.iter().all(|one| query.is_some() || one.found.place.by <= FoundBy::Id), "there is no query");
    all
}

/// The owners of all pages.
async fn pages(stores: &OwnedStores, mut request: ListOwnersRequest) -> Vec<ListedOwner> {
    let mut all = Vec::new();
    for _ in 0..100 {
        let page = stores.owners.list(&request).await.expect("a list must succeed");
        assert!(page.owners.len() <= request.max as usize, "a page has at most `max` owners");
        all.extend(page.owners);
        match page.next {
            Some(next) => request.after = Some(next),
            None => return all,
        }
    }
    panic!("the list must end")
}

fn owners(listed: &[ListedOwner]) -> Vec<OwnerId> {
    listed.iter().map(|one| one.found.owner.clone()).collect()
}

async fn describe(stores: &OwnedStores, owner: &OwnerId, text: &str, email: &str) {
    let email = OwnerEmail::parse(email).expect("the sample's address is valid");
    let names = OwnerChange { name: Patch::Set(name(text)), email: Patch::Set(email), ..OwnerChange::default() };
    change(&*stores.owners, owner, names).await;
}
