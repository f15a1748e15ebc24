use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::KeyPorts;

/// A promise that takes longer is broken: two calls block each other. Healthy stores need about a second for the slowest
/// promise.
const PROMISE_DURATION_MAX: Duration = Duration::from_mins(1);

/// The number of threads that call the store, so that calls run in parallel on any machine.
const CALLING_THREADS: usize = 4;

/// One promise of a store: of [`KeyPorts`], or of [`WebhookStore`](crate::webhooks::WebhookStore).
pub struct Promise<Store: ?Sized = dyn KeyPorts> {
    /// The name of the function that checks it.
    pub name: &'static str,
    /// Checks the promise on a fresh store, in a tokio runtime of several threads. Panics when it is broken.
    pub check: fn(Arc<Store>) -> Check,
}

/// The future that checks one promise.
pub type Check = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<Store: ?Sized> fmt::Debug for Promise<Store> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// An empty store, and a guard that must outlive it, as a folder or a server.
pub struct FreshStore<Store: ?Sized = dyn KeyPorts> {
    store: Arc<Store>,
    _guard: Box<dyn Any + Send>,
}

impl<Store: ?Sized> From<Arc<Store>> for FreshStore<Store> {
    fn from(store: Arc<Store>) -> Self {
        Self { store, _guard: Box::new(()) }
    }
}

impl<Store: ?Sized, Guard: Any + Send> From<(Arc<Store>, Guard)> for FreshStore<Store> {
    fn from((store, guard): (Arc<Store>, Guard)) -> Self {
        Self { store, _guard: Box::new(guard) }
    }
}

/// Creates a store and checks the promise on a new runtime. Panics when the promise is broken.
pub fn keep<Store: ?Sized, Fresh: Into<FreshStore<Store>>>(
    promise: &Promise<Store>,
    fresh: impl Future<Output = Fresh>,
) {
    in_time(promise.name, async {
        let fresh: FreshStore<Store> = fresh.await.into();
        (promise.check)(Arc::clone(&fresh.store)).await;
    });
}

/// Runs the check of a promise, which must end within [`PROMISE_DURATION_MAX`].
pub(crate) fn in_time(promise: &str, check: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(CALLING_THREADS)
        .enable_all()
        .build()
        .expect("a runtime can be built");
    let ended = runtime.block_on(async { tokio::time::timeout(PROMISE_DURATION_MAX, check).await });
    // Not dropped: a drop waits for threads that the store has blocked.
    runtime.shutdown_background();
    assert!(ended.is_ok(), "{promise}: not done after {PROMISE_DURATION_MAX:?}, calls block each other");
}

/// Adds each promise of a list as a `#[test]`, which finds it in the table by its name.
#[doc(hidden)]
#[macro_export]
macro_rules! promise_tests {
    (($keep:expr, $promises:expr, $fresh:expr) $($group:ident::$name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let promise = $promises.iter().find(|promise| promise.name == stringify!($name));
                $keep(promise.expect("the table has every promise of the list"), $fresh);
            }
        )*
    };
}

/// The table of the promises in a list.
macro_rules! promise_table {
    (($(#[$doc:meta])* $table:ident: $promise:ident<$store:ty>) $($group:ident::$name:ident)*) => {
        $(#[$doc])*
        pub const $table: &[$promise<$store>] = &[
            $($promise { name: stringify!($name), check: |store| Box::pin(super::$group::$name(store)) }),*
        ];
    };
}

pub(crate) use promise_table;
