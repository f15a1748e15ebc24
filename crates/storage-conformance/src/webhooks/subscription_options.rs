//! The headers and the authentication of subscriptions, as they are stored.

use std::sync::Arc;

use domain::Patch;
use domain::ports::{ListSubscriptionsRequest, SubscriptionUpdate};
use domain::webhooks::{
    AuthKind, CertificateFacts, DroppedOptions, HeaderName, InvalidOptions, OptionsChange, SealedOptions,
    SealedOptionsChange, SealedSecret, SealedSecrets, Subscription, SubscriptionChange,
};

use super::WebhookStore;
use super::sample::{
    add, description, only_secret, options, publish_at, put, replace, reread, rotate, secret, secrets_of, subscription,
    subscriptions, try_update, update, url,
};
use super::work::{claim_lanes, request};
use crate::sample::{at, user};

/// Headers and an authentication come back byte for byte from a look-up, from both lists, from the list of secrets and
/// with a claim. A subscription without them has none.
pub async fn options_come_back_and_go_with_claims(store: Arc<dyn WebhookStore>) {
    let every_byte = SealedSecret::from_bytes((0..=255).collect());
    let headers_alone = SealedOptions { auth: None, certificate: None, ..options() };
    let auth_alone = SealedOptions { headers: [].into(), certificate: None, ..options() };
    let certificate_alone = SealedOptions { headers: [].into(), auth: None, ..options() };
    let mut with_every_byte = options();
    with_every_byte.headers.values_mut().for_each(|value| value.sealed = every_byte.clone());
    let all = [SealedOptions::default(), headers_alone, auth_alone, certificate_alone, with_every_byte];
    for (round, options) in (0..).zip(all) {
        let owner = user(&format!("user-{round}"));
        let stored = Subscription { options, ..subscription(&owner) };
        let secret = put(&*store, &stored).await;
        assert_eq!(reread(&*store, &stored).await, stored, "a look-up must show the options");
        let listed = subscriptions(&*store, &owner).await;
        assert_eq!(listed.as_slice(), std::slice::from_ref(&stored), "a list must show the options");
        let request_of_list = ListSubscriptionsRequest { owner: owner.clone(), before: None, max: 9 };
        let listed = store.list_with_health(&request_of_list).await;
        let listed: Vec<_> = listed.expect("a list succeeds").into_iter().map(|(one, _)| one).collect();
        assert_eq!(listed.as_slice(), std::slice::from_ref(&stored), "a list with health must show the options");
        let secrets = SealedSecrets { options: stored.options.clone(), ..only_secret(&secret) };
        let sealed = secrets_of(&*store, stored.id).await;
        assert_eq!(sealed.as_ref(), Some(&secrets), "they are sealed again with the secrets");
        publish_at(&*store, &owner, at(0)).await;
        let lanes = claim_lanes(&*store, &request(round)).await;
        assert_eq!(lanes[0].secrets, secrets, "a claim must bring what the request carries");
    }
}

/// A change of the options is what the rules say: it merges headers, and at another origin nothing stays that it does not
/// set. Other changes and a rotation of the signing secret leave the options.
pub async fn changed_options_are_what_the_rules_say(store: Arc<dyn WebhookStore>) {
    let none = SubscriptionChange::default;
    let set = SealedOptionsChange {
        headers: [(name("x-a"), Some(secret())), (name("x-b"), None), (name("x-new"), Some(secret()))].into(),
        auth: Patch::Set((AuthKind::Bearer, name("authorization"), secret())),
        certificate: Patch::Set((facts(), secret())),
        ..SealedOptionsChange::default()
    };
    let one = SealedOptionsChange { headers: [(name("x-a"), Some(secret()))].into(), ..set.clone() };
    let cleared = SealedOptionsChange {
        replaces_headers: true,
        auth: Patch::Reset,
        certificate: Patch::Reset,
        ..SealedOptionsChange::default()
    };
    let (path, origin) = (Some(url("https://hooks.example/other")), Some(url("https://other.example/in")));
    let all = DroppedOptions { headers: true, auth: true, certificate: true };
    let headers = DroppedOptions { headers: true, ..DroppedOptions::default() };
    for (change, dropped) in [
        (none(), DroppedOptions::default()),
        (SubscriptionChange { description: Some(description("renamed")), ..none() }, DroppedOptions::default()),
        (SubscriptionChange { options: set.clone(), ..none() }, DroppedOptions::default()),
        (SubscriptionChange { options: cleared.clone(), ..none() }, DroppedOptions::default()),
        (SubscriptionChange { url: path, ..none() }, DroppedOptions::default()),
        (SubscriptionChange { url: origin.clone(), ..none() }, all),
        (SubscriptionChange { url: origin.clone(), options: one, ..none() }, headers),
        (SubscriptionChange { url: origin.clone(), options: set, ..none() }, DroppedOptions::default()),
        (SubscriptionChange { url: origin, options: cleared, ..none() }, DroppedOptions::default()),
    ] {
        let before = add(&*store, Subscription { options: options(), ..subscription(&user("alice")) }).await;
        let expected = change.applied_to(&before, at(5)).expect("the sample is within the limits");
        assert_eq!(expected.dropped, dropped, "the sample has this effect: {change:?}");
        let answer = try_update(&*store, &before, &change, at(5)).await;
        assert_eq!(answer, SubscriptionUpdate::Changed(Box::new(expected.clone())), "{change:?}");
        let shown = reread(&*store, &before).await;
        assert_eq!(shown, expected.subscription, "what is answered must be stored: {change:?}");
        let stored = secrets_of(&*store, before.id).await.map(|secrets| secrets.options);
        assert_eq!(stored, Some(expected.subscription.options), "what is shown must be what is sent");
    }
    let rotated = add(&*store, Subscription { options: options(), ..subscription(&user("alice")) }).await;
    rotate(&*store, &rotated, None, &secret(), [at(1), at(99)]).await;
    assert_eq!(reread(&*store, &rotated).await.options, rotated.options, "a rotation must leave the options");
    let stored = secrets_of(&*store, rotated.id).await.map(|secrets| secrets.options);
    assert_eq!(stored, Some(rotated.options), "a rotation must leave the options");
}

/// A change that would break a limit, counted with the headers that are stored, changes nothing.
pub async fn refused_options_change_nothing(store: Arc<dyn WebhookStore>) {
    let before = add(&*store, Subscription { options: options(), ..subscription(&user("alice")) }).await;
    let many = (0..OptionsChange::HEADERS_MAX).map(|number| (name(&format!("x-{number}")), Some(secret())));
    let certificate = Patch::Set((facts(), secret()));
    let without_tls = SealedOptionsChange { certificate, ..SealedOptionsChange::default() };
    let same = (AuthKind::Header, name("x_a"), secret());
    for (options, refusal) in [
        (SealedOptionsChange { headers: many.collect(), ..SealedOptionsChange::default() }, InvalidOptions::TooMany),
        (SealedOptionsChange { auth: Patch::Set(same), ..SealedOptionsChange::default() }, InvalidOptions::SameAsAuth),
        (without_tls, InvalidOptions::WithoutTls),
    ] {
        let url = (refusal == InvalidOptions::WithoutTls).then(|| url("http://hooks.example/in"));
        let change =
            SubscriptionChange { url, description: Some(description("x")), options, ..SubscriptionChange::default() };
        let answer = try_update(&*store, &before, &change, at(5)).await;
        assert_eq!(answer, SubscriptionUpdate::Refused(refusal), "the store must apply the rule to what it has");
        assert_eq!(reread(&*store, &before).await, before, "what is refused must change nothing");
    }
}

/// Options are sealed again together with the signing secrets, if they are still what is stored, and only then.
pub async fn options_are_replaced_if_they_are_what_is_stored(store: Arc<dyn WebhookStore>) {
    let before = Subscription { options: options(), ..subscription(&user("alice")) };
    let sealed = only_secret(&put(&*store, &before).await);
    let from = SealedSecrets { options: before.options.clone(), ..sealed.clone() };
    let to = SealedSecrets { options: options(), ..only_secret(&secret()) };
    let changed = SealedOptions { auth: None, ..before.options.clone() };
    for wrong in [sealed.clone(), SealedSecrets { options: changed, ..sealed }] {
        assert!(!replace(&*store, before.id, &wrong, &to).await, "these are not the options that are stored");
    }
    assert_eq!(secrets_of(&*store, before.id).await.as_ref(), Some(&from), "what was refused must change nothing");
    assert!(replace(&*store, before.id, &from, &to).await, "this is what is stored");
    assert_eq!(secrets_of(&*store, before.id).await.as_ref(), Some(&to), "what was answered must be stored");
    let expected = Subscription { options: to.options.clone(), ..before.clone() };
    assert_eq!(reread(&*store, &before).await, expected, "nothing else may change");
    for stored in [to, from.clone()] {
        assert!(replace(&*store, before.id, &stored, &from).await, "this is what is stored");
    }
    let described = SubscriptionChange { description: Some(description("x")), ..SubscriptionChange::default() };
    let changed = update(&*store, &before, &described, at(9)).await;
    assert_eq!(changed.options, before.options, "a change reads what is stored");
}

fn facts() -> CertificateFacts {
    CertificateFacts { subject: "CN=other".to_owned(), expires_at: at(8_000), fingerprint: [8; 32] }
}

fn name(text: &str) -> HeaderName {
    HeaderName::from_stored(text).expect("the sample's name is valid")
}
