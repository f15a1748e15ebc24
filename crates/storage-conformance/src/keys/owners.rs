//! Owners are compared byte for byte.

use std::slice;
use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{Insertion, Revocation};

use super::sample::{Sample, all_keys, insert, revoke};
use crate::sample::{at, look_alikes};

/// Two owners are the same only if issuer and subject are the same bytes. Case, spaces, composed characters and the
/// boundary between issuer and subject make a difference.
pub async fn look_alike_owners_are_told_apart(store: Arc<dyn KeyPorts>) {
    let samples = look_alikes().map(|owner| Sample::of(&owner));
    for sample in &samples {
        let answer = insert(&*store, sample, 1).await;
        assert!(matches!(answer, Insertion::Stored(_)), "{:?} has no key yet, got {answer:?}", sample.key.owner);
    }
    for sample in &samples {
        let keys = all_keys(&*store, &sample.key.owner).await;
        assert_eq!(keys, slice::from_ref(&sample.key), "{:?} must see exactly the own key", sample.key.owner);
    }
    for pair in samples.windows(2) {
        let answer = revoke(&*store, &pair[0].key.owner, pair[1].id(), at(1)).await;
        let message = "a key must be revoked by nobody but its owner";
        assert_eq!(answer, Revocation::NotOwned, "{message}: {:?} and {:?}", pair[0].key.owner, pair[1].key.owner);
    }
}
