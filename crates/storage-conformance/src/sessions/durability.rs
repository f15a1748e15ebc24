//! Answered writes are durable. The test closes a store, opens it again, and compares. See
//! [`keys::durability`](crate::keys::durability) for how to use this.

use crate::SessionPorts;

use super::sample::{Sample, end, end_all, expect_gone, expect_stored, open, open_all, purge, record, used_at};
use crate::sample::{at, user};

/// The sessions that were written and answered.
#[derive(Clone, Debug)]
pub struct Written {
    kept: Vec<Sample>,
    gone: Vec<Sample>,
}

/// Calls each writing method at least once, for sessions that are unchanged, used, ended, and purged.
pub async fn write(store: &dyn SessionPorts) -> Written {
    let (alice, bob) = (user("durable"), user("bob"));
    let mut kept: Vec<Sample> = (10..13).map(|n| Sample::opened(&alice, at(n))).collect();
    let gone = vec![
        Sample::opened(&alice, at(1)),
        Sample::opened(&alice, at(2)),
        Sample::of(&bob),
        Sample::of(&bob),
        Sample::of(&user("carol")).expiring(at(-1_000)),
    ];
    open_all(store, &gone).await;
    assert_eq!(purge(store, at(-999), 10).await, 1, "the one old session is deleted");
    open_all(store, &kept[..2]).await;
    assert_eq!(end(store, &alice, gone[0].id()).await, Some(gone[0].digest), "one session ends");
    assert_eq!(end_all(store, &bob, None).await.len(), 2, "all sessions of a user end");
    assert_eq!(open(store, &kept[2], 3).await.len(), 1, "the oldest session ends");
    record(store, &[used_at(&kept[1], 60)]).await;
    kept[1].session.seen_at = at(60);
    Written { kept, gone }
}

impl Written {
    /// Panics unless the store has these sessions, and none that ended.
    pub async fn expect_in(&self, store: &dyn SessionPorts) {
        expect_stored(store, &self.kept, "what was answered must outlive the store").await;
        expect_gone(store, &self.gone, "a session that was ended must stay ended").await;
    }
}
