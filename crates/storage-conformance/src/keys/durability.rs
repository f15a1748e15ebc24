//! Answered writes are durable. The test closes a store, opens it again, and compares.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use storage_conformance::KeyPorts;
//! # async fn test(open_my_store: impl AsyncFn() -> Arc<dyn KeyPorts>) {
//! let store = open_my_store().await;
//! let written = storage_conformance::keys::durability::write(&*store).await;
//! drop(store); // or kill the process, for a crash
//! written.expect_in(&*open_my_store().await).await;
//! # }
//! ```

use crate::KeyPorts;
use domain::KeyUse;

use super::sample::{
    Replacement, Sample, all_keys, expect_stored, find, purge, put_all, revoke, revoke_by_digests, rotate,
};
use crate::sample::{at, user};

/// The keys that were written and answered.
#[derive(Clone, Debug)]
pub struct Written {
    kept: Vec<Sample>,
    purged: Vec<Sample>,
}

/// Calls each writing method at least once, for keys that are revoked, used, unchanged, reported as leaked, rotated, and
/// purged.
pub async fn write(store: &dyn KeyPorts) -> Written {
    let owner = user("durable");
    let mut kept: Vec<Sample> = (0..5).map(|n| Sample::of(&owner).created(at(n))).collect();
    let purged = vec![Sample::of(&owner).revoked(at(-1_000))];
    put_all(store, &purged).await;
    put_all(store, &kept[..2]).await;
    revoke(store, &owner, kept[0].id(), at(50)).await;
    kept[0].key.revoked_at = Some(at(50));
    store.record_uses(&[KeyUse { id: kept[1].id(), at: at(60) }]).await.expect("recording uses must succeed");
    kept[1].key.last_used_at = Some(at(60));
    assert_eq!(purge(store, at(-999), 10).await, 1, "the one old key is deleted");
    put_all(store, &kept[2..]).await;
    revoke_by_digests(store, &[kept[3].digest], at(70)).await;
    kept[3].key.revoked_at = Some(at(70));
    let replacement = Replacement::at(at(80), 1_000);
    rotate(store, &kept[4], &replacement).await;
    let rotated = replacement.rotation.decide(&kept[4].key, 0).expect("a good key can be rotated");
    kept[4].key = rotated.replaced;
    kept.push(Sample { key: rotated.successor, digest: replacement.digest });
    Written { kept, purged }
}

impl Written {
    /// Panics unless the store has exactly these keys.
    pub async fn expect_in(&self, store: &dyn KeyPorts) {
        let expected: Vec<_> = self.kept.iter().rev().map(|sample| sample.key.clone()).collect();
        assert_eq!(all_keys(store, &user("durable")).await, expected, "what was answered must outlive the store");
        expect_stored(store, &self.kept, "a digest must outlive the store").await;
        for sample in &self.purged {
            assert_eq!(find(store, sample).await, None, "a deleted key must stay deleted");
        }
    }
}
