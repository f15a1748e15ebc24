use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::SharedStore;
use crate::suite::{Check, in_time};

/// Two instances of one store. They may be the same instance if the store has only one.
pub type Instances<Store = dyn SharedStore> = [Arc<Store>; 2];

/// One promise of [`ChangeFeed`](domain::ports::ChangeFeed).
pub struct SharedPromise<Store: ?Sized = dyn SharedStore> {
    /// The name of the function that checks it.
    pub name: &'static str,
    /// Checks the promise on two instances of a fresh store, in a tokio runtime of several threads. Panics when it is
    /// broken.
    pub check: fn(Instances<Store>) -> Check,
}

impl<Store: ?Sized> fmt::Debug for SharedPromise<Store> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Opens two instances and checks the promise on a new runtime. Panics when the promise is broken. The guard is dropped
/// after the instances.
pub fn keep_shared<Store: ?Sized, Guard: Any + Send>(
    promise: &SharedPromise<Store>,
    fresh: impl Future<Output = (Instances<Store>, Guard)>,
) {
    in_time(promise.name, async {
        let (instances, _guard) = fresh.await;
        (promise.check)(instances.clone()).await;
    });
}
