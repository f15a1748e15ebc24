use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use domain::webhooks::HostName;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use super::resolver::ResolveError;

type LookUp = BoxFuture<'static, Result<Vec<IpAddr>, ResolveError>>;

/// Calls for one name at the same time share one look-up. It is dropped with the last of them.
#[derive(Default)]
pub(super) struct SharedLookUps(Mutex<HashMap<HostName, WeakShared<LookUp>>>);

impl SharedLookUps {
    /// The look-up of `name` that is under way, or the one that `start` returns.
    pub(super) fn join(&self, name: &HostName, start: impl FnOnce() -> LookUp) -> Shared<LookUp> {
        let mut under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look_up) = under_way.get(name).and_then(WeakShared::upgrade)
            && look_up.peek().is_none()
        {
            return look_up;
        }
        under_way.retain(|_, look_up| look_up.upgrade().is_some());
        let look_up = start().shared();
        under_way.extend(look_up.downgrade().map(|weak| (name.clone(), weak)));
        look_up
    }
}
