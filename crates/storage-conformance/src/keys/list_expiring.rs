//! Keys that expire in an interval.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::ListExpiringRequest;
use domain::{KeyId, Timestamp};

use super::sample::{Sample, put_all};
use crate::sample::{at, user};

const LAST_ID: KeyId = KeyId::from_bytes([0xFF; 16]);
const FIRST_ID: KeyId = KeyId::from_bytes([0; 16]);

/// Keys of any owners that expire in the interval are listed by expiry time, without revoked and replaced keys.
pub async fn keys_that_expire_in_an_interval_are_listed(store: Arc<dyn KeyPorts>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let shown = [
        Sample::of(&bob).expiring(at(101)),
        Sample::of(&alice).expiring(at(150)).used(at(7)),
        Sample::of(&bob).expiring(at(200)),
    ];
    let others = [
        Sample::of(&alice),
        Sample::of(&alice).expiring(at(100)),
        Sample::of(&bob).expiring(at(201)),
        Sample::of(&alice).expiring(at(150)).revoked(at(99)),
        Sample::of(&alice).expiring(at(150)).revoked(at(120)),
        Sample::of(&alice).expiring(at(199)).revoked(at(500)),
        Sample::of(&alice).revoked(at(150)),
        Sample::of(&alice).expiring(at(150)).replaced(),
    ];
    put_all(&*store, &[shown[2].clone(), shown[0].clone(), shown[1].clone()]).await;
    put_all(&*store, &others).await;
    let request = ListExpiringRequest { after: (at(100), LAST_ID), until: at(200), max: 100 };
    let found = store.list_expiring(&request).await.expect("a list must succeed");
    let expected: Vec<_> = shown.into_iter().map(|sample| sample.key).collect();
    assert_eq!(found, expected, "each key that expires after the start and not after the end must be listed");
}

/// A list has at most `max` keys. The next list continues after its last key, also among keys that expire together.
pub async fn lists_of_expiring_keys_go_on(store: Arc<dyn KeyPorts>) {
    let alice = user("alice");
    let samples: Vec<Sample> = (0..7).map(|number| Sample::of(&alice).expiring(at(100 + number / 5))).collect();
    put_all(&*store, &samples).await;
    let mut request = ListExpiringRequest { after: (at(100), FIRST_ID), until: at(200), max: 3 };
    let mut found: Vec<(Timestamp, KeyId)> = Vec::new();
    for expected in [3, 3, 1, 0] {
        let page = store.list_expiring(&request).await.expect("a list must succeed");
        assert_eq!(page.len(), expected, "a list of at most 3 keys");
        found.extend(page.iter().map(|key| (key.expires_at.expect("it expires"), key.id)));
        request.after = found.last().copied().unwrap_or(request.after);
    }
    let mut expected: Vec<_> = samples.iter().map(|one| (one.key.expires_at.expect("it expires"), one.id())).collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "each key must be listed once, by expiry time and id");
}
