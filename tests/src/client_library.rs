//! The client library with the real service: the operator's calls, how soon a protected service refuses a revoked key, and
//! readers of events. `keys_command` tests the user's calls.

use std::time::Duration;

use gatepost_client::protect::{KeyVerifier, KeyVerifierSettings, Refusal};
use gatepost_client::{
    Client, FullKey, IdToken, NewApiKey, NewEvent, NewSubscription, OperatorToken, Owner, PulledEvent, Receive,
};
use tokio::time::{Instant, sleep};

use crate::harness::{Gatepost, Setup, Storage, in_time, on_both_databases};

const OPERATOR_TOKEN: &str = "operator-token-of-the-suite-0123456789";

on_both_databases!(
    the_operator_introspects_keys,
    a_protected_service_refuses_a_revoked_key_within_its_bound,
    a_reader_receives_commits_and_moves,
);

async fn the_operator_introspects_keys(storage: Storage) {
    let (gatepost, operator, alice) = started(&storage).await;
    let new = NewApiKey::labelled("CI").with_scopes(["orders:write", "orders:read"]);
    let created = alice.create_api_key(new).await.unwrap();

    let key = operator.introspect(&created.key, &["orders:read"]).await.unwrap().unwrap();
    assert_eq!((key.owner.user_id(), key.issuer.as_str()), (Some("auth0|alice"), gatepost.provider().issuer()));
    assert_eq!((key.key_id.as_str(), key.label.as_str()), (created.key_id.as_str(), "CI"));
    assert_eq!((key.scopes, key.expires_at_unix_seconds), (vec!["orders:read".into(), "orders:write".into()], None));
    assert_eq!(operator.introspect(&created.key, &["orders:delete"]).await.unwrap(), None);
    assert_eq!(operator.introspect(&FullKey::new("svc_live_unknown"), &[]).await.unwrap(), None);

    let rotated = alice.rotate_api_key(&created.key_id, Duration::from_mins(1)).await.unwrap();
    let found = [FullKey::new("nothing"), created.key.clone()];
    assert_eq!(operator.report_leaks(&found).await.unwrap(), [None, Some(created.key_id.clone())]);
    assert_eq!(operator.introspect(&created.key, &[]).await.unwrap(), None);
    assert!(operator.introspect(&rotated.key, &[]).await.unwrap().is_some());

    let host = |user: &str| operator.for_owner(Owner::User(user.to_owned()));
    let keys = host("auth0|alice").list_api_keys().await.unwrap();
    assert_eq!(keys, alice.list_api_keys().await.unwrap());
    let error = host("auth0|bob").revoke_api_key(&rotated.key_id).await.unwrap_err();
    assert_eq!(error.code(), Some("key_not_owned"));
    let keys = host("auth0|alice").revoke_api_key(&rotated.key_id).await.unwrap();
    assert!(keys.iter().all(|key| key.revoked_at.is_some()));
    let late = alice.create_api_key("late").await.unwrap();
    let created_at = keys[0].created_at.as_str();
    assert_eq!(host("auth0|alice").revoke_all_api_keys(Some(created_at)).await.unwrap(), 0);
    assert_eq!(host("auth0|alice").revoke_all_api_keys(None).await.unwrap(), 1);
    assert_eq!(operator.introspect(&late.key, &[]).await.unwrap(), None);
    let error = alice.introspect(&rotated.key, &[]).await.unwrap_err();
    assert_eq!(error.code(), Some("credential_invalid"), "an ID token is not an operator token");
}

async fn a_protected_service_refuses_a_revoked_key_within_its_bound(storage: Storage) {
    let (_gatepost, operator, alice) = started(&storage).await;
    // The machine may be busy with other tests, and a slow Gatepost must not count as unreachable.
    let settings = KeyVerifierSettings { call_timeout: Duration::from_secs(20), ..KeyVerifierSettings::default() };
    let keys = KeyVerifier::with_settings(operator, settings);
    let created = alice.create_api_key("CI").await.unwrap();
    let caller = keys.verify(created.key.expose()).await.unwrap();
    assert_eq!((caller.owner(), caller.label()), (&Owner::User("auth0|alice".to_owned()), "CI"));

    alice.revoke_api_key(&created.key_id).await.unwrap();
    let is_refused = async || {
        let verified = keys.verify(created.key.expose()).await;
        assert!(matches!(verified, Ok(_) | Err(Refusal::Invalid)), "{verified:?}");
        verified.is_err()
    };
    in_time(Instant::now(), settings.max_age, "the revoked key is refused", is_refused).await;
}

async fn a_reader_receives_commits_and_moves(storage: Storage) {
    let (_gatepost, operator, alice) = started(&storage).await;
    let created = alice.create_subscription(&NewSubscription::pull(["a"])).await.unwrap();
    assert_eq!((created.subscription.r#type.as_deref(), created.secret.is_none()), (Some("pull"), true));
    let id = created.subscription.id.as_str();
    let publish = async |number: u32| {
        let event = NewEvent::new("auth0|alice", "a", &number).unwrap();
        operator.publish_event(&event).await.unwrap();
    };
    for number in 1..=3 {
        publish(number).await;
    }
    let receive = async |consumer: &str| alice.receive_events(id, consumer, Receive::default()).await;

    let first = receive("billing").await.unwrap();
    assert_eq!(numbers(&first.events), [1, 2, 3]);
    assert_eq!(receive("billing").await.unwrap_err().code(), Some("consumer_leased"));
    assert_eq!(numbers(&receive("other").await.unwrap().events), [1, 2, 3], "each consumer gets all events");
    let (lease, through) = (first.lease.as_deref().unwrap(), first.events[1].id.as_str());
    for _ in 0..2 {
        alice.commit_events(id, "billing", lease, Some(through)).await.expect("a commit may be repeated");
    }
    let second = receive("billing").await.unwrap();
    assert_eq!(numbers(&second.events), [3]);
    let consumers = alice.list_consumers(id).await.unwrap();
    assert_eq!((consumers[0].name.as_str(), consumers[0].lag), ("billing", 1));
    assert_eq!(consumers[0].leased_until, second.leased_until);
    alice.seek_consumer(id, "billing", "start").await.unwrap();
    let late = alice.commit_events(id, "billing", second.lease.as_deref().unwrap(), Some(through)).await;
    assert_eq!(late.unwrap_err().code(), Some("lease_lost"));
    assert_eq!(numbers(&receive("billing").await.unwrap().events), [1, 2, 3]);

    let page = alice.read_events(id, None, Some(2)).await.unwrap();
    let last = alice.read_events(id, Some(&page.cursor), None).await.unwrap();
    assert_eq!((numbers(&page.events), numbers(&last.events)), (vec![1, 2], vec![3]));

    alice.seek_consumer(id, "waiting", "end").await.unwrap();
    let wish = Receive { wait: Duration::from_secs(30), ..Receive::default() };
    let published = async {
        sleep(Duration::from_millis(200)).await;
        publish(4).await;
    };
    let (received, ()) = tokio::join!(alice.receive_events(id, "waiting", wish), published);
    assert_eq!(numbers(&received.unwrap().events), [4]);

    alice.delete_consumer(id, "waiting").await.unwrap();
    let error = alice.delete_consumer(id, "waiting").await.unwrap_err();
    assert_eq!(error.code(), Some("consumer_not_found"));
}

/// The data of these events, which is their number too.
fn numbers(events: &[PulledEvent]) -> Vec<u64> {
    let number = |event: &PulledEvent| event.data.get().parse().expect("a number");
    let numbers: Vec<u64> = events.iter().map(number).collect();
    assert_eq!(numbers, events.iter().map(|event| event.sequence).collect::<Vec<_>>());
    numbers
}

/// A service, its operator, and a user.
async fn started(storage: &Storage) -> (Gatepost, Client, Client) {
    let gatepost = Setup::serve(storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).start().await;
    let client = Client::new(&format!("http://{}", gatepost.address())).unwrap();
    let alice = client.with_credential(IdToken::new(gatepost.provider().token("auth0|alice")));
    (gatepost, client.with_credential(OperatorToken::new(OPERATOR_TOKEN)), alice)
}
