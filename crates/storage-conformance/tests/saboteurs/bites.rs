//! Runs promises on stores that break them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use storage_conformance::{Check, Instances, Promise, SharedPromise};

/// Each fault, with each promise that must detect it.
pub(crate) type Broken<Fault> = [(Fault, &'static str)];

/// Asserts that a store without a fault keeps each promise.
pub(crate) async fn all_are_kept<Store: ?Sized>(promises: &[Promise<Store>], store: impl Fn() -> Arc<Store>) {
    for promise in promises {
        (promise.check)(store()).await;
    }
}

/// Begins the check of the promise with this name.
pub(crate) fn check<Store: ?Sized>(promises: &[Promise<Store>], name: &str, store: Arc<Store>) -> Check {
    (promises.iter().find(|promise| promise.name == name).expect("a promise of this name").check)(store)
}

/// Begins the check of the promise of a feed with this name.
pub(crate) fn check_shared<Store: ?Sized>(
    promises: &[SharedPromise<Store>],
    name: &str,
    instances: Instances<Store>,
) -> Check {
    (promises.iter().find(|promise| promise.name == name).expect("a promise of this name").check)(instances)
}

/// Asserts that every promise beside a fault detects it. `check` begins the check of a promise on a new store with the
/// fault.
pub(crate) async fn every_fault_is_seen<Fault: Copy + fmt::Debug>(
    broken: &Broken<Fault>,
    check: impl Fn(&str, Fault) -> Check,
) {
    let mut unseen = Vec::new();
    for (fault, promise) in broken {
        if !is_seen(|| check(promise, *fault)).await {
            unseen.push((fault, promise));
        }
    }
    assert!(unseen.is_empty(), "each fault must be seen by its promises, not so: {unseen:?}");
}

/// Whether the promise breaks. A try may miss a race on a busy machine, so there are ten.
async fn is_seen(check: impl Fn() -> Check) -> bool {
    for _ in 0..10 {
        let broken = tokio::spawn(check()).await;
        if broken.is_err_and(|error| error.is_panic()) {
            return true;
        }
    }
    false
}

/// Asserts that each of these promises, and no other one, has a fault that breaks it.
pub(crate) fn each_is_broken<Fault>(broken: &Broken<Fault>, promises: impl Iterator<Item = &'static str>) {
    let broken: BTreeSet<&str> = broken.iter().map(|(_, promise)| *promise).collect();
    assert_eq!(broken, promises.collect());
}
