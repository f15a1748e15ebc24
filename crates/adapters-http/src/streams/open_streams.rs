use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::OwnerId;

/// The most event streams that are open at once. Each stream reads the database twice a second.
pub(crate) const EVENT_STREAMS_MAX: usize = 100;

/// Counts the open event streams of each user and of all users.
pub(crate) struct OpenStreams {
    max: usize,
    per_user_max: usize,
    open: Mutex<HashMap<OwnerId, usize>>,
}

/// Permission to keep one stream open. Dropping it frees the place.
pub(crate) struct StreamPlace {
    streams: Arc<OpenStreams>,
    user: OwnerId,
}

impl OpenStreams {
    pub(crate) fn new(max: usize, per_user_max: usize) -> Arc<Self> {
        Arc::new(Self { max, per_user_max, open: Mutex::default() })
    }

    /// A place for one more stream of this user; `None` when the user, or all users together, have too many.
    pub(crate) fn enter(self: &Arc<Self>, user: &OwnerId) -> Option<StreamPlace> {
        let mut open = self.open();
        let of_user = open.get(user).copied().unwrap_or_default();
        if open.values().sum::<usize>() >= self.max || of_user >= self.per_user_max {
            return None;
        }
        open.insert(user.clone(), of_user + 1);
        Some(StreamPlace { streams: Arc::clone(self), user: user.clone() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<OwnerId, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        if let Some(count) = open.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(subject: &str) -> OwnerId {
        OwnerId::new("https://id.example", subject).unwrap()
    }

    #[test]
    fn places_are_bounded_for_each_user_and_for_all() {
        let (streams, alice, bob) = (OpenStreams::new(3, 2), user("alice"), user("bob"));
        let first = streams.enter(&alice).unwrap();
        let _second = streams.enter(&alice).unwrap();
        assert!(streams.enter(&alice).is_none(), "alice has two");
        let _third = streams.enter(&bob).unwrap();
        assert!(streams.enter(&bob).is_none(), "all have three");
        drop(first);
        assert!(streams.enter(&bob).is_some());
        assert!(streams.enter(&alice).is_some());
    }

    #[test]
    fn who_has_left_is_forgotten() {
        let streams = OpenStreams::new(1, 1);
        drop(streams.enter(&user("alice")));
        assert!(streams.open().is_empty());
    }
}
